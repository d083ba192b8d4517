"""Stages `seed_training` and `seed_matches`: the short networks between which the paper claims a difference, trained
again with other seeds. The paper has one training of each. Differences are judged here with the error of the training.

The win rate of one training is one measurement, and two networks are compared by Welch's test over their trainings. A
few trainings may have nearly the same win rate by chance, so their variance is taken to be at least the variance that
the number of games alone would give.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from statistics import fmean, variance
from typing import Any

from sandtable.arena.statistics import Estimate, Interval, welch
from sandtable.papers.kimura2020.claims import EFFECTS
from sandtable.papers.kimura2020.matches import OPPONENTS, against_opponents, contestant
from sandtable.papers.kimura2020.settings import FIRST_READINGS, Settings, Variant
from sandtable.papers.kimura2020.training import by_recipe, train_short
from sandtable.papers.matches import Match, match_stage
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.tables import Cell, Table
from sandtable.papers.training import train_all, weights
from sandtable.rng import Rng


def seeds(settings: Settings) -> list[int]:
    """The seeds of the trainings; the first is that of the other stages."""
    further = range(1, settings.training_seeds)
    return [settings.seed, *(Rng(settings.seed, f"kimura2020 training {n}").below(2**32 - 1) for n in further)]


def asked(settings: Settings) -> bool:
    return settings.training_seeds > 1


def repeated(settings: Settings) -> list[Variant]:
    """The short networks that are trained again: those of the claims whose two networks were both trained."""
    trained = {variant.name: variant for variant in settings.trained("short")}
    pairs = [pair for _, *pair in EFFECTS if set(pair) <= set(trained)]
    return [trained[name] for name in dict.fromkeys(name for pair in pairs for name in pair)]


def named(variant: Variant, number: int) -> str:
    """The name of a training by its number; number 0 is the training of the stage `training`."""
    return f"{variant.name}-seed-{number}" if number else variant.name


@stage(
    "seed_training",
    needs=(train_short,),
    settings=(
        *("seed", "games", "small_games", "simulations", "updates_per_game", "training_seeds"),
        *FIRST_READINGS,
    ),
    inherits=False,
    when=asked,
)
def train_seeds(run: Run, settings: Settings, _: Any) -> dict[str, Any]:
    tasks = {
        named(variant, number): functools.partial(
            by_recipe,
            dataclasses.replace(settings.recipe(variant), seed=seed, name=named(variant, number)),
            weights(run, named(variant, number)),
        )
        for number, seed in list(enumerate(seeds(settings)))[1:]
        for variant in repeated(settings)
    }
    depends = train_seeds.depends(settings) | {"networks": list(tasks)}
    return train_all(run, depends, tasks, settings.games, stage="seed_training") if tasks else {}


@match_stage(
    "seed_matches",
    lambda settings: [named(one, number) for number in range(1, settings.training_seeds) for one in repeated(settings)],
    needs=(train_seeds,),
    settings=("match_games", "playouts", "mcts_simulations"),
    when=asked,
)
def play_seeds(run: Run, settings: Settings, _: Any) -> list[Match]:
    """The matches of Table 1 for the trainings after the first, with names such as `Map01 short-sep-8-seed-1 PMC`."""
    matches = []
    for number in range(1, settings.training_seeds):
        for variant in repeated(settings):
            own = contestant(run, settings, variant, named(variant, number))
            matches += against_opponents(settings, "Map01", own, settings.match_games)
    return matches


def seed_tables(first: dict[str, Any], other: dict[str, Any], settings: Settings) -> list[Table]:
    """Win rates over trainings, and differences between networks; empty if each was trained once."""
    variants = repeated(settings) if other else []
    if not variants:
        return []
    found = first | other
    counts = {
        (variant.name, opponent): [
            found[f"Map01 {named(variant, number)} {opponent}"]["counts"] for number in range(settings.training_seeds)
        ]
        for variant in variants
        for opponent in OPPONENTS
    }
    rows = [
        (
            variant.name,
            *(_rate(counts[variant.name, opponent]) for opponent in OPPONENTS),
            *(_each(counts[variant.name, opponent]) for opponent in OPPONENTS),
        )
        for variant in variants
    ]
    known = {variant.name for variant in variants}
    effects = [
        (f"{own} - {without}", *cells)
        for _, own, without in EFFECTS
        if {own, without} <= known
        for cells in [[cell for one in OPPONENTS for cell in _effect(counts[own, one], counts[without, one])]]
    ]
    columns = ("network", *(f"against {one}" for one in OPPONENTS), *(f"each, {one}" for one in OPPONENTS))
    effect_columns = ("networks", *(text for one in OPPONENTS for text in (f"points against {one}", f"p, {one}")))
    title = f"Wins on Map01 over {settings.training_seeds} trainings"
    return [
        Table.of("seeds", f"{title}, %", columns, rows),
        Table.of("seed_effects", f"{title}: differences in points", effect_columns, effects, digits=(1, 1, 3, 1, 3)),
    ]


def _estimate(counts: Sequence[Sequence[int]]) -> Estimate:
    """The mean win rate over trainings, in per cent, and the variance of one training."""
    rates = [100 * one[0] / sum(one) for one in counts]
    games, wins = sum(map(sum, counts)), sum(one[0] for one in counts)
    share = (wins + 1) / (games + 2)
    of_games = 1e4 * share * (1 - share) * len(counts) / games
    return Estimate(fmean(rates), max(variance(rates), of_games), len(rates))


def _rate(counts: Sequence[Sequence[int]]) -> Cell:
    found = _estimate(counts).interval
    within = Interval(found.value, max(0.0, found.low), min(100.0, found.high))
    return Cell(*within, sum(map(sum, counts)))


def _each(counts: Sequence[Sequence[int]]) -> str:
    return " / ".join(f"{100 * one[0] / sum(one):.0f}" for one in counts)


def _effect(own: Sequence[Sequence[int]], without: Sequence[Sequence[int]]) -> tuple[Cell, Cell]:
    apart, p = welch(_estimate(own), _estimate(without))
    low, high = max(-100.0, apart.low), min(100.0, apart.high)
    return Cell(apart.value, low, high, sum(map(sum, own))), Cell(p)
