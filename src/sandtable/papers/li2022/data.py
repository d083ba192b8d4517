"""Stages `maps` and `games`: the maps of section 4.1, and a game of two Monte-Carlo players on each (section 4.2)."""

from __future__ import annotations

import functools
import json
from typing import Any, NamedTuple

from sandtable import tubstap
from sandtable.arena import play
from sandtable.papers.li2022.settings import KINDS, Maps, Settings
from sandtable.papers.run import Run
from sandtable.rng import Rng

MAP_SETTINGS = ("seed", "train", "test", "more_random", "more_symmetric", "match_maps", "local_search_rollouts")
GAME_SETTINGS = (*MAP_SETTINGS, "data_rollouts")


class Place(NamedTuple):
    """A map of the run: what it is for, of which kind, which one."""

    use: str  # train; test, as in the paper; match, the maps that pairs of players share; more, to test on
    kind: str
    number: int

    def seed(self, run_seed: int) -> int:
        return Rng(run_seed, f"li2022 map {self.use} {self.kind} {self.number}").below(2**32 - 1)


def places(settings: Settings) -> list[Place]:
    """All maps of a run. Players of matches share local-search maps; symmetric ones are made for every pair."""
    counts = {
        "train": settings.train,
        "test": settings.test,
        "match": Maps(0, 0, settings.match_maps),
        "more": Maps(settings.more_random, settings.more_symmetric, 0),
    }
    return [
        Place(use, kind, number)
        for use, maps in counts.items()
        for kind, count in zip(KINDS, maps, strict=True)
        for number in range(count)
    ]


def make_maps(run: Run, settings: Settings) -> list[tubstap.Scenario]:
    """The maps of places(settings), in that order. The local search is what takes long."""
    tasks = [
        functools.partial(_map, place.kind, place.seed(settings.seed), settings.local_search_rollouts)
        for place in places(settings)
    ]
    return [tubstap.parse(json.dumps(found)) for found in run.collect("maps", settings.only(*MAP_SETTINGS), tasks)]


def play_games(run: Run, settings: Settings) -> list[str]:
    """Records, as lines, of a game on each map, in the order of places(settings)."""
    maps = zip(places(settings), make_maps(run, settings), strict=True)
    tasks = [functools.partial(_game, map, settings.data_rollouts, place.seed(settings.seed)) for place, map in maps]
    found: list[str] = run.collect("games", settings.only(*GAME_SETTINGS), tasks)
    return found


def _map(kind: str, seed: int, rollouts: int) -> Any:
    extra = {"rollouts": rollouts} if kind == "local_search" else {}
    return json.loads(tubstap.jsonmap.format(tubstap.maps.GENERATORS[kind](seed, **extra)))


def _game(map: tubstap.Scenario, rollouts: int, seed: int) -> str:
    player = f"uct(simulations={rollouts})"
    return play(map, player, player, seed=seed).to_line()
