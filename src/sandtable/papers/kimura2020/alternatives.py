"""Stages `alternative_training` and `alternative_matches`: the image network trained once with the other policy head,
and once with the other kind of training maps. The paper has neither. They test whether the policy head, which the text
leaves open, matters, and whether the length of the training games explains why our networks win more than the paper's
after 500 games."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from sandtable.papers.kimura2020.beyond import IMAGE
from sandtable.papers.kimura2020.claims import OTHER_HEAD, OTHER_MAPS
from sandtable.papers.kimura2020.matches import (
    OPPONENTS,
    SKIRMISHES,
    against_opponents,
    contestant,
    policy_player,
    skirmishes,
)
from sandtable.papers.kimura2020.settings import ATTACK_BONUS, FIRST_READINGS, Settings
from sandtable.papers.kimura2020.training import by_recipe, train_short
from sandtable.papers.matches import Match, match_stage, score, win_share
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.tables import Table
from sandtable.papers.training import train_all, weights

READINGS = {OTHER_HEAD: "policy_head", OTHER_MAPS: "training_maps"}  # the setting that each of them changes


def asked(settings: Settings) -> bool:
    return settings.alternatives > 0


def named(alternative: str) -> str:
    return f"{IMAGE.name}-{alternative.replace(' ', '-')}"


@stage(
    "alternative_training",
    needs=(train_short,),
    settings=("seed", "games", "simulations", "updates_per_game", *FIRST_READINGS),
    inherits=False,
    when=asked,
)
def train_alternatives(run: Run, settings: Settings, _: Any) -> dict[str, Any]:
    """The results of the alternative trainings by name, in the form of those of the stage `training`."""
    tasks = {}
    for alternative, reading in READINGS.items():
        changed = dataclasses.replace(settings, **settings.other(reading))  # type: ignore[arg-type]
        recipe = dataclasses.replace(changed.recipe(IMAGE), name=named(alternative))
        tasks[named(alternative)] = functools.partial(by_recipe, recipe, weights(run, named(alternative)))
    return train_all(run, train_alternatives.depends(settings), tasks, settings.games, stage="alternative_training")


@match_stage(
    "alternative_matches",
    lambda settings: [IMAGE.name, *map(named, READINGS)],
    needs=(train_alternatives,),
    settings=("match_games", "playouts", "mcts_simulations"),
    when=asked,
)
def play_alternatives(run: Run, settings: Settings, _: Any) -> list[Match]:
    """The matches of Table 1, and matches against the network of the run's own readings on generated maps."""
    matches = []
    for name in map(named, READINGS):
        own = policy_player(name, weights(run, name), settings, ATTACK_BONUS)
        matches += against_opponents(settings, "Map01", own, settings.match_games)
        matches.append(Match(SKIRMISHES, own, contestant(run, settings, IMAGE), skirmishes(settings)))
    return matches


def alternative_tables(
    trained: dict[str, Any],
    alternatives: dict[str, Any],
    first: dict[str, Any],
    other: dict[str, Any],
    settings: Settings,
) -> list[Table]:
    """Wins and scores of each reading; empty if the stages were left out."""
    if not other:
        return []
    readings = {IMAGE.name: "as in Table 1"} | {
        named(alternative): f"{reading}={settings.other(reading)[reading]}" for alternative, reading in READINGS.items()
    }
    rows = []
    for name, change in readings.items():
        last = (trained | alternatives)[name]["last"]
        wins = [win_share((first | other)[f"Map01 {name} {one}"]["counts"]) for one in OPPONENTS]
        match = other.get(f"{SKIRMISHES} {name} {IMAGE.name}")
        rows.append((name, change, last["positions"] / last["games"], *wins, score(match["counts"]) if match else None))
    columns = (
        "network",
        "reading",
        "positions a training game",
        *(f"against {one}" for one in OPPONENTS),
        f"score against {IMAGE.name}",
    )
    return [Table.of("alternatives", "Other readings: wins on Map01, and score on generated maps, %", columns, rows)]
