"""Stages `matches` and `thinking`: the players of section 4.3 against each other (Tables 5 and 6, and 10x10 maps)."""

from __future__ import annotations

import itertools
import time
from typing import Any

from sandtable import tubstap
from sandtable.papers.games import parsed
from sandtable.papers.li2022.data import games, make_maps, rules
from sandtable.papers.li2022.settings import Settings
from sandtable.papers.li2022.training import train_networks
from sandtable.papers.matches import Contestant, Match, match_stage
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.training import digests, weights
from sandtable.players.spec import player
from sandtable.rng import Rng

PLAYING = {"GCN": "gcn_4", "CNN_g": "cnn_g", "CNN_i": "cnn_i"}  # the networks that play, by their players' names
PLAYERS = (*PLAYING, "MCTS")
PAIRS = tuple(itertools.combinations(PLAYERS, 2))
LARGER = 10  # section 4.3.1: width and height in cells


@match_stage(
    "matches",
    lambda _: PLAYING.values(),
    needs=(make_maps, train_networks),
    settings=("match_rollouts", "match_maps"),
)
def play_matches(run: Run, settings: Settings, made: list[dict[str, Any]], _: Any) -> list[Match]:
    """Each result by its name, such as `symmetric GCN MCTS`."""
    grounds = [(ground, *pair) for ground in ("symmetric", "local_search") for pair in PAIRS]
    return [
        Match(ground, _contestant(run, settings, a), _contestant(run, settings, b), _maps(settings, made, ground, a, b))
        for ground, a, b in (*grounds, ("larger", "GCN", "MCTS"))
    ]


@stage("thinking", needs=(make_maps, train_networks), settings=("match_rollouts", "match_maps", "thinking_maps"))
def measure_thinking(run: Run, settings: Settings, made: list[dict[str, Any]], _: Any) -> dict[str, Any]:
    """Seconds of the first decision on initial maps, by kind of map and player; the run does nothing else meanwhile."""

    def work() -> dict[str, Any]:
        found: dict[str, Any] = {}
        for ground in ("symmetric", "local_search", "larger"):
            maps = _maps(settings, made, ground, "GCN", "MCTS")[: settings.thinking_maps]
            for name in PLAYERS if ground != "larger" else ("GCN", "MCTS"):
                one = player(_contestant(run, settings, name).spec)
                one.act(tubstap.maps.symmetric(0).start())  # warm-up: the time to load is not counted
                taken = []
                for map in maps:
                    begin = time.perf_counter()
                    one.act(map.start())
                    taken.append(round(time.perf_counter() - begin, 6))
                found[f"{ground} {name}"] = taken
        return found

    return measure_thinking.make(run, settings, work, **digests(run, PLAYING.values()))


def network_player(run: Run, name: str) -> Contestant:
    """A minimax player with a network of PLAYING."""
    return Contestant.with_network(name, weights(run, PLAYING[name]))


def _contestant(run: Run, settings: Settings, name: str) -> Contestant:
    if name in PLAYING:
        return network_player(run, name)
    return Contestant.playing(name, "uct", simulations=settings.match_rollouts)


def _maps(
    settings: Settings, made: list[dict[str, Any]], ground: str, first: str, second: str
) -> list[tubstap.Scenario]:
    """The maps of a match: symmetric maps are made for every pair, all pairs share the local-search maps."""
    if ground == "local_search":
        places = zip(games(settings).places, made, strict=True)
        return [parsed("tubstap", found["map"]) for place, found in places if place.use == "match"]
    rng = Rng(settings.seed, f"li2022 match {ground} {first} {second}")
    size = LARGER if ground == "larger" else 8
    seeds = [rng.below(2**32 - 1) for _ in range(settings.match_maps)]
    return [tubstap.maps.symmetric(seed, size=size, rules=rules(settings)) for seed in seeds]
