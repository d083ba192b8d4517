"""`sandtable bench`: how fast the engine is on this machine, on one core."""

import functools
import json
import time
from collections.abc import Callable, Iterator
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

import sandtable
from sandtable import _core, conquest, player, tubstap
from sandtable.learn.recipe import Search
from sandtable.learn.self_play import options
from sandtable.machine import machine
from sandtable.nets import conquest_evaluator, evaluator, locate, read_card, shipped, territory_evaluator
from sandtable.nets.architectures import PROPOSERS, PolicyArchitecture
from sandtable.nets.evaluators import fresh_policy_evaluator, network_of
from sandtable.players.conquest import Coevolution, Guided, Mcts
from sandtable.players.equilibrium import Equilibrium
from sandtable.players.searching import Searching
from sandtable.tubstap.counting import POLICIES


class Rate(NamedTuple):
    """Something done so many times a second."""

    what: str
    where: str
    per_second: float
    unit: str


def bench(
    seconds: Annotated[float, typer.Option(min=0.01, help="Time for each line.")] = 0.5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Measure playouts, move lists and copies a second, on one core."""
    rates = list(measure(seconds))
    if as_json:
        print(json.dumps({"machine": _described(), "rates": [rate._asdict() for rate in rates]}, indent=2))
        return
    console = Console()
    console.print(_described(), style="dim", highlight=False)
    table = Table("what", "where", "a second", box=None, pad_edge=False)
    table.columns[-1].justify = "right"
    for rate in rates:
        table.add_row(rate.what, rate.where, f"{rate.per_second:,.0f} {rate.unit}")
    console.print(table)


def _described() -> str:
    return f"{machine()}, sandtable {sandtable.__version__}"


def measure(seconds: float) -> list[Rate]:
    return measure_tubstap(seconds) + measure_conquest(seconds)


def measure_tubstap(seconds: float) -> list[Rate]:
    boards = {
        "8x8 plains, 3 v 3": tubstap.maps.symmetric(1, rules="original"),
        "8x8 plains, 3 v 3, li2022": tubstap.maps.symmetric(1),
        "10x10 river, 6 v 6": tubstap.load("ford"),
        "12x12 all terrains, 10 v 10": tubstap.maps.mixed(1),
        "32x32 all terrains, 32 v 32": tubstap.maps.mixed(1, size=32, units=32),
    }
    rates = [rate for where, scenario in boards.items() for rate in _tubstap_rates(where, scenario.start(), seconds)]
    for net in shipped("tubstap"):
        plays = isinstance(read_card(locate(net)).known, PolicyArchitecture)
        rates += _policy_rates(net, seconds) if plays else _net_rates(net, seconds)
    return rates


def _tubstap_rates(where: str, state: tubstap.State, seconds: float) -> Iterator[Rate]:
    for policy in POLICIES:

        def fifty(seed: int, policy: str = policy) -> int:
            return tubstap.playouts(state, 50, seed=seed, policy=policy).operations

        playouts, operations = _playouts(fifty, seconds)
        yield Rate(f"playouts, {policy}", where, operations, "operations")
        yield Rate(f"playouts, {policy}", where, playouts, "playouts")
    for name, search in _tubstap_searches(state).items():
        yield Rate(name, where, _counted(search, seconds), "simulations")
    yield Rate("moves()", where, _calls(state.moves, seconds), "lists")
    yield Rate("moves_array()", where, _calls(state.moves_array, seconds), "arrays")
    yield Rate("copy()", where, _calls(state.copy, seconds), "states")


def _net_rates(net: str, seconds: float) -> Iterator[Rate]:
    """First moves of a minimax of depth 2 with a network, on maps that it has not seen: nothing is in its cache."""
    made = player(f"minimax(evaluator={net})")
    judge = evaluator(net)
    made.act(tubstap.maps.symmetric(0).start())
    evaluated, inside, moves = judge.evaluated, judge.forward_seconds, 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        moves += 1
        made.act(tubstap.maps.symmetric(moves).start())
    where = f"first move, {100 * (1 - (judge.forward_seconds - inside) / passed):.0f}% outside the network"
    yield Rate(f"minimax(evaluator={net})", where, (judge.evaluated - evaluated) / passed, "evaluations")
    yield Rate(f"minimax(evaluator={net})", where, moves / passed, "decisions")


def _policy_rates(net: str, seconds: float) -> Iterator[Rate]:
    """Self-play in batches with a policy network, 64 games at a time."""
    path = locate(net)
    card = read_card(path)
    assert isinstance(card.known, PolicyArchitecture)
    judge = fresh_policy_evaluator(card.known.encoder, network_of(path), 1 << 16)
    small = card.known.encoder.core == "unit-question"
    search = Search(root="gumbel", simulations=16, considered=8)
    games, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        seeds = range(games, games + search.lanes)
        maps = [tubstap.maps.skirmish(seed) if small else tubstap.maps.complex(seed) for seed in seeds]
        _core.tubstap.self_play(judge, [map.start() for map in maps], list(seeds), **options(search))
        games += search.lanes
    where = f"self-play, {100 * (1 - judge.forward_seconds / passed):.0f}% outside the network"
    yield Rate(net, where, judge.evaluated / passed, "evaluations")
    yield Rate(net, where, games / passed, "games")


def measure_conquest(seconds: float) -> list[Rate]:
    lands = [conquest.load(name) for name in ("owl_island", "italy", "earth")]
    rates = [rate for land in lands for rate in _conquest_rates(land, seconds)]
    for net in shipped("conquest"):
        rates += [rate for land in lands for rate in turn_net_rates(net, land, seconds)]
    return rates


def turn_net_rates(net: str, land: conquest.Land, seconds: float) -> Iterator[Rate]:
    """Decisions a few turns into games that the network has not seen: little is in its cache."""
    judge: _core.conquest.Evaluator | _core.conquest.TerritoryEvaluator
    searches: dict[str, tuple[Searching, str]]
    if read_card(locate(net)).architecture in PROPOSERS:
        judge = territory_evaluator(net)
        searches = {"equilibrium": (Equilibrium(net=net), "rounds of 24 new moves a side")}
    else:
        judge = conquest_evaluator(net)
        searches = {
            "guided": (Guided(net=net), "iterations of 20 children"),
            "coevolution, a network": (Coevolution(evaluator=net, generations=10), "generations of 30 x 30"),
        }
    for name, (made, unit) in searches.items():
        made.search(_later(land, 0), 0, 0, 1)
        inside, count, seed = judge.forward_seconds, 0, 0
        start = time.perf_counter()
        while (passed := time.perf_counter() - start) < seconds:
            seed += 1
            count += made.search(_later(land, seed), 0, 0, seed)[4]
        outside = 100 * (1 - (judge.forward_seconds - inside) / passed)
        yield Rate(name, f"conquest, {land.name}, {outside:.0f}% outside the network", count / passed, unit)


def _later(land: conquest.Land, seed: int) -> conquest.State:
    """Four turns into a random game, or at its start if that is longer."""
    state = land.start(seed)
    for turn in range(4):
        if state.over:
            return land.start(seed)
        state.resolve(state.random_move(0, turn), state.random_move(1, turn))
    return land.start(seed) if state.over else state


def _conquest_rates(land: conquest.Land, seconds: float) -> Iterator[Rate]:
    state, where = land.start(1), f"conquest, {land.name}"
    playouts, turns = _playouts(lambda seed: conquest.playouts(land.start(seed), 50, seed=seed).turns, seconds)
    yield Rate("playouts", where, turns, "turns")
    yield Rate("playouts", where, playouts, "playouts")
    yield Rate("mcts", where, _counted(lambda: _mcts(state), seconds), "iterations of 20 playouts")
    for horizon in (1, 2):
        name = "coevolution, share" if horizon == 1 else f"coevolution, share, {horizon} turns"
        rate = _counted(functools.partial(_coevolution, state, horizon), seconds)
        yield Rate(name, where, rate, "generations of 30 x 30")
    yield Rate("random_move()", where, _calls(lambda: state.random_move(0, 1), seconds), "moves")
    yield Rate("copy()", where, _calls(state.copy, seconds), "states")


def _tubstap_searches(state: tubstap.State) -> dict[str, Callable[[], int]]:
    """li2022's MCTS and the platform's M-UCT; each call gives the simulations that it made."""

    def search(spec: str) -> Callable[[], int]:
        made = player(spec)
        assert isinstance(made, Searching)
        return lambda: made.search(state, state.side, 0, made.next_seed())[4]

    return {"uct(1000)": search("uct(simulations=1000)"), "muct(1000)": search("muct(simulations=1000)")}


def _mcts(state: conquest.State) -> int:
    return Mcts(iterations=100).search(state, 0, 0, 1)[4]


def _coevolution(state: conquest.State, horizon: int) -> int:
    return Coevolution(generations=100, horizon=horizon).search(state, 0, 0, 1)[4]


def _counted(run: Callable[[], int], seconds: float) -> float:
    """What run() counts, a second."""
    count = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        count += run()
    return count / passed


def _playouts(run: Callable[[int], int], seconds: float) -> tuple[float, float]:
    """Playouts a second, and the steps that run(seed) counts in fifty of them."""
    playouts = steps = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        steps += run(playouts)
        playouts += 50
    return playouts / passed, steps / passed


def _calls(function: Callable[[], object], seconds: float) -> float:
    calls = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        for _ in range(100):
            function()
        calls += 100
    return calls / passed
