"""Stages `untrained` and `untrained_matches`: the short networks of Table 1 before their training, against the same
opponents. The paper does not have these matches. They show how much of a win rate comes from the search and its attack
term alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandtable.papers.kimura2020.matches import OPPONENTS, against_opponents, contestant
from sandtable.papers.kimura2020.settings import VARIANTS, Settings, Variant
from sandtable.papers.matches import Match, match_stage
from sandtable.papers.measured import Measured
from sandtable.papers.report import Section
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.tables import Cell, Table, compared
from sandtable.papers.training import weights

TABLE = "untrained"
# Dropout acts only in training: before it, the networks with and without dropout are the same.
SHORT = tuple(variant for variant in VARIANTS if variant.time == "short" and variant.dropout)

_TEXT = (
    "The networks of the short trainings before the first update, with the same search against the same opponents on "
    "Map01. The paper's figures are those of its trained networks."
)


def named(variant: Variant) -> str:
    return variant.name.replace(variant.time, "untrained")


@stage("untrained", settings=("seed", "policy_head"))
def make_untrained(run: Run, settings: Settings) -> dict[str, Any]:
    def work() -> dict[str, Any]:
        import torch

        from sandtable.nets import checkpoints
        from sandtable.nets.architectures import POLICIES

        for variant in SHORT:
            torch.manual_seed(settings.seed)
            architecture = settings.architecture(variant.blocks, variant.separable)
            rules = settings.recipe(variant).start(0).rules.digest
            about = {"seed": settings.seed, "games": 0}
            checkpoints.save(weights(run, named(variant)), POLICIES[architecture].build(), architecture, rules, about)
        return {}

    return make_untrained.make(run, settings, work)


@match_stage(
    "untrained_matches",
    lambda _: map(named, SHORT),
    needs=(make_untrained,),
    settings=("simulations", "match_games", "playouts", "mcts_simulations"),
)
def play_untrained(run: Run, settings: Settings, _: Any) -> list[Match]:
    """The matches of the untrained networks. The stage's results have names such as `Map01 untrained-sep-8 PMC`."""
    matches = []
    for variant in SHORT:
        own = contestant(run, settings, variant, named(variant))
        matches += against_opponents(settings, "Map01", own, settings.match_games)
    return matches


def untrained_table(wins: Mapping[str, list[Cell]]) -> Table:
    """`wins`: the win rates of each untrained network, beside the paper's of the trained one."""
    columns = ("network", *(f"against {one}" for one in OPPONENTS))
    rows = [(name, *cells) for name, cells in wins.items()]
    return Table.of(TABLE, "Untrained networks: wins on Map01, % (W-L-D)", columns, rows)


def untrained_sections(measured: Measured) -> list[Section]:
    if TABLE not in measured:
        return []
    return [Section("Before the training", _TEXT, measured[TABLE].saying(untrained_said(measured)))]


def untrained_said(measured: Measured) -> str:
    """Sentences on how many of the paper's win rates after its short training agree with those of our untrained
    networks."""
    if TABLE not in measured:
        return ""
    figures = compared(measured[TABLE])
    agree = [name for name, cell in figures.items() if cell.agrees]
    rates = [cell.value for cell in figures.values() if isinstance(cell.value, float)]
    if not rates:
        return "No published figure can be compared with ours."
    return (
        f"Our untrained networks with the attack term win {min(rates):.1f} to {max(rates):.1f}% of their games. These "
        f"win rates agree with {len(agree)} of the {len(figures)} that the paper has for the same networks after its "
        "short training."
    )
