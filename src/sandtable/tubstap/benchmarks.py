"""The measurements of TUBSTAP in `sandtable bench`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator

from sandtable import _core, tubstap
from sandtable._core import SelfPlaySettings
from sandtable.nets import evaluator, locate, read_card, shipped
from sandtable.nets.architectures import PolicyArchitecture
from sandtable.nets.evaluators import fresh_policy_evaluator, policy_network_of
from sandtable.players import player
from sandtable.players.searching import Searching
from sandtable.players.spec import PlayerSpec
from sandtable.rates import Rate, calls, counted, paired, playouts_and_steps
from sandtable.tubstap import network_benchmarks
from sandtable.tubstap.counting import POLICIES

SELF_PLAY = SelfPlaySettings(root="gumbel", simulations=16, considered=8)

# The lowest acceptable speeds: for each board, of uniform playouts relative to the bare loop (operations per second);
# then of a large search relative to playouts (simulations and playouts per second).
LIMITS = {
    "8x8 plains, 3 v 3": 0.9,
    "10x10 river, 6 v 6": 0.6,
    "12x12 all terrains, 10 v 10": 0.45,
    "20x20 all terrains, 20 v 20": 0.35,
}
SEARCH_LIMIT = 0.85


def boards() -> dict[str, tubstap.Scenario]:
    return {
        "8x8 plains, 3 v 3": tubstap.maps.symmetric(1, rules="original"),
        "8x8 plains, 3 v 3, li2022": tubstap.maps.symmetric(1),
        "10x10 river, 6 v 6": tubstap.load("ford"),
        "12x12 all terrains, 10 v 10": tubstap.maps.mixed(1),
        "20x20 all terrains, 20 v 20": tubstap.maps.mixed(1, size=20, units=20),
        "32x32 all terrains, 32 v 32": tubstap.maps.mixed(1, size=32, units=32),
    }


def measure(seconds: float) -> list[Rate]:
    maps = boards()
    rates = list(_compared_rates(maps, seconds))
    rates += [rate for where, scenario in maps.items() for rate in _board_rates(where, scenario.start(), seconds)]
    for net in shipped("tubstap"):
        plays = isinstance(read_card(locate(net)).known, PolicyArchitecture)
        rates += _policy_rates(net, seconds) if plays else _net_rates(net, seconds)
    return rates + list(network_benchmarks.rates(seconds))


def operations(state: tubstap.State, policy: str) -> Callable[[int], int]:
    """A function that plays 100 playouts with a given seed and returns the number of operations."""
    return lambda seed: tubstap.playouts(state, 100, seed=seed, policy=policy).operations


def bare_loop(seed: int) -> int:
    """The number of operations in 500 games of the loop that the engine is compared with (cpp/tubstap/bare_loop.h)."""
    return _core.tubstap.bare_loop(500, seed)


def _compared_rates(maps: dict[str, tubstap.Scenario], seconds: float) -> Iterator[Rate]:
    """Playouts compared with the bare loop, which always plays on 8x8, and a large search compared with playouts."""
    for where, limit in LIMITS.items():
        pairs = paired(operations(maps[where].start(), "uniform"), bare_loop, seconds / 10)
        if where == next(iter(LIMITS)):
            yield Rate("bare loop", where, statistics.median(bare for _, bare in pairs), "operations")
        share = statistics.median(made / bare for made, bare in pairs)
        rate = statistics.median(made for made, _ in pairs)
        yield Rate(
            "playouts", where, rate, "operations", f"{share:.0%} of the bare loop, should be {limit:.0%} or more"
        )
    where = next(iter(LIMITS))
    state, made = maps[where].start(), player("uct(simulations=20000)")
    assert isinstance(made, Searching)
    pairs = paired(
        lambda _: made.search(state, state.side, 0, made.next_seed()).simulations,
        lambda seed: sum(tubstap.playouts(state, 1000, seed=seed)[:3]),
        seconds / 10,
        rounds=3,
    )
    share = statistics.median(searched / played for searched, played in pairs)
    rate = statistics.median(searched for searched, _ in pairs)
    yield Rate(
        "uct(20000)", where, rate, "simulations", f"{share:.0%} of playouts, should be {SEARCH_LIMIT:.0%} or more"
    )


def _board_rates(where: str, state: tubstap.State, seconds: float) -> Iterator[Rate]:
    for policy in POLICIES:

        def fifty(seed: int, policy: str = policy) -> int:
            return tubstap.playouts(state, 50, seed=seed, policy=policy).operations

        playouts, operations = playouts_and_steps(fifty, seconds)
        yield Rate(f"playouts, {policy}", where, operations, "operations")
        yield Rate(f"playouts, {policy}", where, playouts, "playouts")
    for name, search in _searches(state).items():
        yield Rate(name, where, counted(search, seconds), "simulations")
    yield Rate("moves()", where, calls(state.moves, seconds), "lists")
    yield Rate("moves_array()", where, calls(state.moves_array, seconds), "arrays")
    yield Rate("copy()", where, calls(state.copy, seconds), "states")


def _net_rates(net: str, seconds: float) -> Iterator[Rate]:
    """First moves of a minimax of depth 2 with a network, each on a new map: the cache holds none of its positions."""
    spec = PlayerSpec.of("minimax", evaluator=net)
    made = spec.player()
    judge = evaluator(net)
    made.act(tubstap.maps.symmetric(0).start())
    evaluated, inside, moves = judge.evaluated, judge.forward_seconds, 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        moves += 1
        made.act(tubstap.maps.symmetric(moves).start())
    where = f"first move, {100 * (1 - (judge.forward_seconds - inside) / passed):.0f}% outside the network"
    yield Rate(str(spec), where, (judge.evaluated - evaluated) / passed, "evaluations")
    yield Rate(str(spec), where, moves / passed, "decisions")


def _policy_rates(net: str, seconds: float) -> Iterator[Rate]:
    """Self-play with a policy network: as many games at a time as there are lanes, evaluated in batches."""
    path = locate(net)
    card = read_card(path)
    assert isinstance(card.known, PolicyArchitecture)
    judge = fresh_policy_evaluator(card.known.encoder, policy_network_of(path), 1 << 16)
    small = card.known.encoder.core == "unit-question"
    games, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        seeds = range(games, games + SELF_PLAY.lanes)
        maps = [tubstap.maps.skirmish(seed) if small else tubstap.maps.complex(seed) for seed in seeds]
        _core.tubstap.self_play(judge, [map.start() for map in maps], list(seeds), SELF_PLAY)
        games += SELF_PLAY.lanes
    where = f"self-play, {100 * (1 - judge.forward_seconds / passed):.0f}% outside the network"
    yield Rate(net, where, judge.evaluated / passed, "evaluations")
    yield Rate(net, where, games / passed, "games")


def _searches(state: tubstap.State) -> dict[str, Callable[[], int]]:
    """li2022's MCTS and the platform's M-UCT, each as a function that searches and returns the simulations made."""

    def search(spec: str) -> Callable[[], int]:
        made = player(spec)
        assert isinstance(made, Searching)
        return lambda: made.search(state, state.side, 0, made.next_seed()).simulations

    return {"uct(1000)": search("uct(simulations=1000)"), "muct(1000)": search("muct(simulations=1000)")}
