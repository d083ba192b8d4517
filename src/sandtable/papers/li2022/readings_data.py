"""Stage `readings_data`: the games on which the readings of li2022 are compared.

Both tie rules use the same places and seeds. Each map has a fresh game and, if a local search made it, the search's
last game; random and symmetric maps have the fresh game in both data sets.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

from sandtable.errors import SandtableError
from sandtable.papers.games import Place, fresh_game
from sandtable.papers.li2022.data import games, generator_options, map_with_last_game
from sandtable.papers.li2022.settings import DATA_GAMES, KINDS, Settings
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.players.spec import PlayerSpec

TIE_RULES = (20, 40)  # player turns without damage: the paper's 20 turns read as player turns, and as rounds


class DataSet(NamedTuple):
    """A combination of the factors that decide which games a network learns from."""

    quiet_limit: int
    data_games: str

    @property
    def name(self) -> str:
        return f"{self.data_games}-{self.quiet_limit}"


DATA_SETS = tuple(DataSet(limit, kind) for limit in TIE_RULES for kind in DATA_GAMES)


def places(settings: Settings) -> list[Place]:
    """The places of the games for a tie rule; both rules have the same."""
    return [
        Place("readings", kind, number)
        for kind, count in zip(KINDS, settings.readings_maps, strict=True)
        for number in range(count)
    ]


@stage("readings_data", settings=("seed", "readings_maps", "local_search_rollouts", "data_rollouts"))
def make_readings_data(run: Run, settings: Settings) -> dict[DataSet, list[str]]:
    """The records of each data set, as lines, in the order of the places."""
    if sum(settings.readings_maps) < 2 * settings.readings_folds:
        raise SandtableError("readings_maps: every fold needs at least two maps")
    seed_of = games(settings).seed_of
    player = str(PlayerSpec.of("uct", simulations=settings.data_rollouts))
    tasks = [
        functools.partial(_map_and_games, place.kind, seed_of(place), dict(options[place.kind]), player)
        for limit in TIE_RULES
        for options in [generator_options(dataclasses.replace(settings, quiet_limit=limit))]
        for place in places(settings)
    ]
    found = run.collect("readings_data", make_readings_data.depends(settings), tasks)
    count = len(places(settings))
    return {
        one: [made[one.data_games] or made["fresh"] for made in found[start : start + count]]
        for one in DATA_SETS
        for start in [TIE_RULES.index(one.quiet_limit) * count]
    }


def _map_and_games(kind: str, seed: int, options: dict[str, Any], player: str) -> dict[str, Any]:
    """The records of a fresh game and of the local search's last one, if there was a search."""
    made = map_with_last_game(kind, seed, options)
    return {"fresh": fresh_game("tubstap", made["map"], player, seed), "last": made["game"]}
