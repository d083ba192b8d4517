"""The measurements of Conquest in `sandtable bench`."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator

from sandtable import _core, conquest
from sandtable.conquest import network_benchmarks
from sandtable.conquest.players.equilibrium import Equilibrium
from sandtable.conquest.players.soares2025 import Coevolution, Guided, Mcts
from sandtable.nets import locate, read_card, shipped, territory_evaluator, turn_evaluator
from sandtable.nets.architectures import PROPOSERS
from sandtable.players.searching import Searching
from sandtable.rates import Rate, calls, counted, playouts_and_steps


def measure(seconds: float) -> list[Rate]:
    lands = [conquest.load(name) for name in ("owl_island", "italy", "earth")]
    rates = [rate for land in lands for rate in _land_rates(land, seconds)]
    for net in shipped("conquest"):
        rates += [rate for land in lands for rate in turn_net_rates(net, land, seconds)]
    return rates + list(network_benchmarks.rates())


def turn_net_rates(net: str, land: conquest.Land, seconds: float) -> Iterator[Rate]:
    """Decisions a few turns into new games, so that the cache holds few of their positions."""
    judge: _core.conquest.Evaluator | _core.conquest.TerritoryEvaluator
    searches: dict[str, tuple[Searching, str]]
    if read_card(locate(net)).architecture in PROPOSERS:
        judge = territory_evaluator(net)
        searches = {"equilibrium": (Equilibrium(net=net), "rounds of 24 new moves a side")}
    else:
        judge = turn_evaluator(net)
        searches = {
            "guided": (Guided(net=net), "iterations of 20 children"),
            "coevolution, a network": (Coevolution(evaluator=net, generations=10), "generations of 30 x 30"),
        }
    for name, (made, unit) in searches.items():
        made.search(_early_position(land, 0), 0, 0, 1)
        inside, count, seed = judge.forward_seconds, 0, 0
        start = time.perf_counter()
        while (passed := time.perf_counter() - start) < seconds:
            seed += 1
            count += made.search(_early_position(land, seed), 0, 0, seed).simulations
        outside = 100 * (1 - (judge.forward_seconds - inside) / passed)
        yield Rate(name, f"conquest, {land.name}, {outside:.0f}% outside the network", count / passed, unit)


def _early_position(land: conquest.Land, seed: int) -> conquest.State:
    """The position four turns into a random game, or its start if the game is over by then."""
    state = land.start(seed)
    for turn in range(4):
        if state.over:
            return land.start(seed)
        state.resolve(state.random_move(0, turn), state.random_move(1, turn))
    return land.start(seed) if state.over else state


def _land_rates(land: conquest.Land, seconds: float) -> Iterator[Rate]:
    state, where = land.start(1), f"conquest, {land.name}"
    playouts, turns = playouts_and_steps(lambda seed: conquest.playouts(land.start(seed), 50, seed=seed).turns, seconds)
    yield Rate("playouts", where, turns, "turns")
    yield Rate("playouts", where, playouts, "playouts")
    yield Rate("mcts", where, counted(lambda: _mcts(state), seconds), "iterations of 20 playouts")
    for horizon in (1, 2):
        name = "coevolution, share" if horizon == 1 else f"coevolution, share, {horizon} turns"
        rate = counted(functools.partial(_coevolution, state, horizon), seconds)
        yield Rate(name, where, rate, "generations of 30 x 30")
    yield Rate("random_move()", where, calls(lambda: state.random_move(0, 1), seconds), "moves")
    yield Rate("copy()", where, calls(state.copy, seconds), "states")


def _mcts(state: conquest.State) -> int:
    return Mcts(iterations=100).search(state, 0, 0, 1).simulations


def _coevolution(state: conquest.State, horizon: int) -> int:
    return Coevolution(generations=100, horizon=horizon).search(state, 0, 0, 1).simulations
