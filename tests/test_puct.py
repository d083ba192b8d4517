"""Search with a policy network: the core's trees against a plain reading, values that come true, batches, caches, kept
subtrees, limits, and games of self-play."""

import dataclasses
import math
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from puct_oracle import Floats, Gumbel, Network, PolicyEvaluator, Puct, Tree, halving, policy
from sandtable import _core
from sandtable.players.timing import overran
from sandtable.tubstap import Move, Scenario, State
from support import commands
from test_players import after
from test_policy_encoders import small_boards
from test_tubstap_rules import field

PolicyTree = _core.tubstap.PolicyTree
PuctSettings = _core.tubstap.PuctSettings
PrunedMinimaxSettings = _core.tubstap.PrunedMinimaxSettings
SelfPlaySettings = _core.SelfPlaySettings


class Found(NamedTuple):
    best: int
    candidates: list[tuple[Move, int, float, Any]]  # move, visits, value, prior
    value: float
    nodes: int
    simulations: int

    @classmethod
    def of(cls, found: _core.SearchResult) -> "Found":
        candidates = [(one.move, one.visits, one.value, one.prior) for one in found.candidates]
        return cls(found.best, candidates, found.value, found.nodes, found.simulations)

    @property
    def move(self) -> Move:
        return self.candidates[self.best][0]

    @property
    def visits(self) -> int:
        return sum(visits for _, visits, _, _ in self.candidates)


def search(
    state: State,
    judge: PolicyEvaluator,
    tree: PolicyTree | None = None,
    *,
    seconds: float = 0.0,
    seed: int = 0,
    **changes: Any,
) -> Found:
    how = PuctSettings(**{"simulations": 100, "batch": 1, "max_nodes": 1 << 20, "keep": False, **changes})
    return Found.of((tree or PolicyTree()).search(state, judge, how, seconds=seconds, seed=seed))


def assert_same(found: Found, plain: Tree) -> None:
    assert found.candidates == plain.candidates()
    assert found.move == plain.best()
    assert found.value == pytest.approx(plain.value(), abs=1e-12)
    assert found.nodes == plain.nodes


def skirmish(seed: int, operations: int, **options: Any) -> State:
    """A position of a game of infantry on 6x6, in which attacks are often made."""
    state = st.tubstap.maps.skirmish(seed, **options).start()
    for number in range(operations):
        attacks = [move for move in state.moves() if move.target is not None]
        move = attacks[number % len(attacks)] if attacks and number % 2 else state.random_move(seed + number)
        if after(state, move).over:
            break
        state.play(move)
    return state


positions = s.builds(skirmish, s.integers(0, 10**6), s.integers(0, 30))
any_positions = positions | small_boards().map(Scenario.start).filter(lambda state: not state.over)


# What the network says.


@given(any_positions)
@settings(max_examples=40, deadline=None)
def test_every_unit_has_the_same_share_of_the_priors(state: State) -> None:
    values, priors = policy().evaluate([state])
    (planes,), places, _ = _core.tubstap.encode_policy("unit-question", [state])
    said, logits = Network()(planes)
    assert values[0] == pytest.approx(np.mean(said), abs=1e-6)
    units = [move.unit for move in state.moves()]
    for unit in set(units):
        own = [i for i, one in enumerate(units) if one == unit]
        weights = np.exp(logits.ravel()[places[own]].astype(float))
        np.testing.assert_allclose(priors[own], weights / weights.sum() / len(set(units)), rtol=1e-5)
    assert priors.sum() == pytest.approx(1, abs=1e-5)


def test_tokens_are_judged_move_by_move() -> None:
    states = [st.tubstap.load(name).start() for name in ("crossroads", "kimura-map01", "ambush")]

    def forward(units: Floats, *arrays: Any) -> tuple[Floats, Floats]:
        values = np.arange(len(units), dtype=np.float32) * np.float32(0.25)
        return values, np.sin(np.arange(len(arrays[2]), dtype=np.float32))

    values, priors = PolicyEvaluator("tokens", forward, cache=0).evaluate(states)
    assert values.tolist() == [0, 0.25, 0.5]
    first = 0
    for state in states:
        count = len(state.moves())
        weights = np.exp(np.sin(np.arange(first, first + count)))
        np.testing.assert_allclose(priors[first : first + count], weights / weights.sum(), rtol=1e-5)
        first += count
    assert first == len(priors)


# The trees are right.


choices = s.sampled_from


@given(positions)
@settings(max_examples=25, deadline=None)
def test_a_principal_variation_is_the_most_visited_path(state: State) -> None:
    plain = Puct(state, policy())
    plain.search(200)
    how = PuctSettings(simulations=200, batch=1)
    for candidate in PolicyTree().search(state, policy(), how, seed=0).candidates:
        assert candidate.pv[0] == candidate.move
        if candidate.visits == 0:
            assert len(candidate.pv) == 1
            continue
        for length in range(1, len(candidate.pv) + 1):
            path = tuple(candidate.pv[:length])
            visits = {move: plain.visits[(*path, move)] for move in plain.moves.get(path, ())}
            most = max(visits.values(), default=0)
            if length == len(candidate.pv):
                assert most == 0  # nothing below it was visited
            else:
                assert visits[candidate.pv[length]] == most > 0


@given(any_positions, choices((0.0, 2.0)), choices((0.0, 3.7)), choices((0.0, 0.8, 3.0)), choices(("zero", "parent")))
@settings(max_examples=60, deadline=None)
def test_puct_is_a_plain_one(state: State, spread: float, bonus: float, c: float, unvisited: str) -> None:
    """With uniform priors (spread 0) ties are everywhere; without a bonus and c only values count."""
    plain = Puct(state, policy(Network(spread)), c, bonus, unvisited == "parent")
    plain.search(80)
    found = search(state, policy(Network(spread)), simulations=80, c=c, attack_bonus=bonus, unvisited=unvisited)
    assert_same(found, plain)
    assert found.simulations == found.visits == 80


@given(any_positions, s.sampled_from((0.0, 2.0)), s.sampled_from((1, 2, 3, 16, 1000)), s.integers(1, 90))
@settings(max_examples=60, deadline=None)
def test_a_gumbel_root_is_a_plain_one(state: State, spread: float, considered: int, simulations: int) -> None:
    plain = Gumbel(state, policy(Network(spread)), simulations, considered)
    plain.search(simulations)
    found = search(state, policy(Network(spread)), simulations=simulations, considered=considered, root="gumbel")
    assert_same(found, plain)
    assert found.simulations == found.visits == simulations


def test_gumbel_visits_are_halved_by_turns() -> None:
    """By hand: of 16 moves all get one visit, then 8 one, then 4 two, then 2 four, and what is left over."""
    state = skirmish(4, 0, red=2, blue=2)
    for simulations, considered, expected in (
        (32, 16, [7, 6, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1]),
        (16, 4, [6, 6, 2, 2]),
        (8, 2, [4, 4]),
        (5, 8, [1] * 5),
        (9, 1, [9]),
    ):
        found = search(state, policy(), simulations=simulations, considered=considered, root="gumbel")
        visits = sorted((visits for _, visits, _, _ in found.candidates if visits), reverse=True)
        assert sum(visits) == simulations
        if expected[0] < 7:
            assert visits == expected
        considered_moves = sorted(found.candidates, key=lambda one: -one[3])[:considered]
        assert sum(visits for _, visits, _, _ in considered_moves) == simulations
        assert Counter(visits) == Counter(visits_of(halving(simulations, considered)))


def visits_of(schedule: list[int]) -> list[int]:
    """The numbers of visits that a schedule leaves: a simulation lifts some move from its number to the next."""
    counts: Counter[int] = Counter()
    for number in schedule:
        counts[number] -= 1
        counts[number + 1] += 1
    return [number for number, moves in counts.items() if number for _ in range(moves)]


def test_the_seed_is_nothing_where_nothing_is_drawn() -> None:
    state = skirmish(3, 4)
    for root in ("puct", "gumbel"):
        assert search(state, policy(), root=root, seed=1) == search(state, policy(), root=root, seed=2)


# Values come true.

# Red to move wins in this turn, with so many operations, or never: the game is all but over.
WON: dict[str, tuple[Scenario, int]] = {
    "one blow": (field(("infantry", 0, 1, 1, 9), ("infantry", 1, 4, 1, 1), size=6, rules="kimura2020"), 1),
    "two blows of two units": (
        field(
            *(("infantry", 0, 3, 1, 9), ("infantry", 0, 5, 3, 9), ("infantry", 1, 3, 3, 7)), size=6, rules="kimura2020"
        ),
        2,
    ),
    "two enemies, one each": (
        field(
            *(("infantry", 0, 1, 1, 9), ("infantry", 0, 6, 6, 9), ("infantry", 1, 1, 4, 1), ("infantry", 1, 4, 6, 1)),
            size=6,
            rules="kimura2020",
        ),
        2,
    ),
}


def flat(planes: Floats) -> tuple[Floats, Floats]:
    """A network that knows nothing."""
    return np.zeros(len(planes), np.float32), np.zeros((len(planes), 180), np.float32)


@pytest.mark.parametrize("name", WON)
@pytest.mark.parametrize("batch", [1, 4, 32])
@pytest.mark.parametrize("network", [flat, Network(2.0, 0.3)], ids=["knows nothing", "errs"])
def test_a_win_in_one_turn_is_found(name: str, batch: int, network: Callable[..., Any]) -> None:
    scenario, operations = WON[name]
    for side in (0, 1):
        units = tuple(unit._replace(side=abs(unit.side - side)) for unit in scenario.units)
        state = dataclasses.replace(scenario, turn=14 + side, units=units).start()
        for bonus in (0.0, 3.7):
            judge = policy(network)
            found = search(state, judge, simulations=2000, batch=batch, attack_bonus=bonus)
            assert found.simulations == found.visits == 2000
            assert found.value > 0.9
            line = state.copy()
            for _ in range(operations):  # the whole turn is right
                assert line.side == side
                line.play(search(line, judge, simulations=2000, batch=batch, attack_bonus=bonus).move)
            assert line.winner == side
        for move, visits, value, _ in found.candidates:
            end = after(state, move)
            if visits and end.over:  # exactly: the network is not asked about the end
                assert value == (0 if end.winner is None else 1)
    if operations == 1:
        found = search(state, policy(network), simulations=200, batch=batch, root="gumbel", considered=1000)
        assert after(state, found.move).winner == state.side


@pytest.mark.parametrize("batch", [1, 8])
def test_a_loss_is_seen_and_put_off(batch: int) -> None:
    """Whatever red does, blue's two strike it down in their turn, one after the other."""
    scenario = field(
        *(("infantry", 0, 1, 1, 1), ("infantry", 1, 3, 1, 9), ("infantry", 1, 1, 3, 9)), size=6, rules="kimura2020"
    )
    found = search(scenario.start(), policy(flat), simulations=3000, batch=batch)
    assert found.value < -0.8
    assert all(value < -0.5 for _, visits, value, _ in found.candidates if visits > 50)


def test_a_side_s_further_operations_are_again_its_own() -> None:
    """The network likes whoever has the first image cell's unit; red has two operations, then blue two: values change
    their sign with the side, not with every step."""
    state = field(
        *(("infantry", 0, 1, 1, 9), ("infantry", 0, 2, 1, 9), ("infantry", 1, 6, 6, 9), ("infantry", 1, 5, 6, 9)),
        size=6,
        rules="kimura2020",
    ).start()

    def optimist(planes: Floats) -> tuple[Floats, Floats]:
        return np.full(len(planes), 0.25, np.float32), flat(planes)[1]

    once = search(state, policy(optimist), simulations=len(state.moves()), c=1000, attack_bonus=0)
    assert {value for _, visits, value, _ in once.candidates if visits == 1} == {0.25}  # red is still to move
    state.play(state.moves()[0])
    once = search(state, policy(optimist), simulations=len(state.moves()), c=1000, attack_bonus=0)
    assert {value for _, visits, value, _ in once.candidates if visits == 1} == {-0.25}  # blue is


# Batches and caches.


@given(positions, s.integers(2, 70), s.integers(1, 150), s.sampled_from(("puct", "gumbel")), s.sampled_from((0.0, 2.0)))
@settings(max_examples=60, deadline=None)
def test_batches_make_as_many_simulations(state: State, batch: int, simulations: int, root: str, spread: float) -> None:
    network = Network(spread)
    found = search(state, policy(network), simulations=simulations, batch=batch, root=root)
    assert found.simulations == found.visits == simulations
    assert max(network.asked) <= batch * max(Counter(unit.side for unit in state.units).values())  # an image a unit
    assert all(-1 <= value <= 1 for _, _, value, _ in found.candidates)
    if root == "gumbel":
        visits = [visits for _, visits, _, _ in found.candidates if visits]
        assert Counter(visits) == Counter(visits_of(halving(simulations, min(16, len(found.candidates)))))


def test_batches_spare_calls() -> None:
    state = st.tubstap.load("kimura-map01").start()
    calls = {}
    for batch in (1, 8, 64):
        judge = policy()
        search(state, judge, simulations=512, batch=batch, attack_bonus=0)
        calls[batch] = judge.batches
        assert judge.evaluated <= 513
    assert calls[1] == 513
    assert calls[8] < 110
    assert calls[64] < 40


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_a_cache_changes_nothing(batch: int, root: str) -> None:
    for seed in range(6):
        state = skirmish(seed, 3 * seed, red=2, blue=2)
        expected = search(state, policy(), simulations=300, batch=batch, root=root)
        for places in (1, 7, 1 << 12):
            judge = policy(cache=places)
            for _ in range(2):
                assert search(state, judge, simulations=300, batch=batch, root=root) == expected
        assert judge.evaluated < 400  # of 602
        assert judge.hits > 0
    assert judge.rows >= judge.evaluated


def test_a_cache_knows_boards_and_rules_apart() -> None:
    """Moves that are not there must not get priors: other rules, other terrain, another side, who has acted."""
    base = field(
        *(("infantry", 0, 2, 2, 9), ("infantry", 0, 4, 4, 5), ("infantry", 1, 3, 3, 5)), size=6, rules="kimura2020"
    )
    rules = st.tubstap.rules("kimura2020")
    wall = [list(row) for row in base.terrain]
    wall[2][3] = 0
    others = [
        base,
        dataclasses.replace(base, rules=rules.replace(movement=(9, 7, 6, 5, 6, 1))),
        dataclasses.replace(base, terrain=tuple(map(tuple, wall))),
        dataclasses.replace(base, turn=1),
        dataclasses.replace(base, units=(base.units[0]._replace(acted=True), *base.units[1:])),
        dataclasses.replace(base, units=(base.units[0]._replace(hp=8), *base.units[1:])),
    ]
    judge = policy(cache=1 << 10)
    for scenario in others * 2:
        values, priors = judge.evaluate([scenario.start()])
        alone = policy().evaluate([scenario.start()])
        assert np.array_equal(values, alone[0])
        assert np.array_equal(priors, alone[1])
    assert judge.hits == len(others)
    # The clock is not on the images; tokens do see it.
    late = [dataclasses.replace(base, turn=turn).start() for turn in (0, 2, 4)]
    judge.evaluate(late)
    assert judge.hits == len(others) + 3

    def forward(_units: Floats, _pairs: Floats, balance: Floats, moves: Floats, *_: Any) -> tuple[Floats, Floats]:
        return balance[:, 1].copy(), moves[:, 0].copy()

    tokens = PolicyEvaluator("tokens", forward, cache=99)
    values, _ = tokens.evaluate(late)
    assert len(set(values.tolist())) == 3
    tokens.evaluate(late)
    assert tokens.hits == 3
    longer = dataclasses.replace(base, rules=rules.replace(turn_limit=30)).start()
    assert tokens.evaluate([longer])[0][0] != values[0]


def test_a_cache_knows_close_thresholds_apart() -> None:
    """A lead of 2.5 HP wins under a threshold of 2.2 and draws under 2.8: tokens see the difference."""
    units = (("infantry", 0, 2, 2, 5.0), ("infantry", 1, 5, 5, 2.5))
    states = [
        field(*units, size=6, rules=st.tubstap.rules("kimura2020").replace(hp="real", hp_threshold=threshold)).start()
        for threshold in (2.2, 2.8)
    ]

    def forward(_units: Floats, _pairs: Floats, balance: Floats, moves: Floats, *_: Any) -> tuple[Floats, Floats]:
        return balance[:, 3].copy(), moves[:, 0].copy()

    tokens = PolicyEvaluator("tokens", forward, cache=99)
    assert [tokens.evaluate([state])[0][0] for state in states] == [1, 0]
    assert tokens.hits == 0


# The subtree is kept.


@given(positions, s.data())
@settings(max_examples=25, deadline=None)
def test_a_kept_tree_goes_on_as_one_advanced_by_hand(state: State, data: s.DataObject) -> None:
    """Along a game: the move is one that was visited, or any, or the search goes on without a move."""
    tree, plain = PolicyTree(), Puct(state, policy())
    for _ in range(6):
        carried = plain.visits[()] - 1 if () in plain.moves else 0
        plain.search(40)
        found = search(state, policy(), tree, simulations=40, keep=True)
        assert_same(found, plain)
        assert (found.simulations, found.visits) == (40, 40 + max(carried, 0))
        visited = [move for move, visits, _, _ in found.candidates if visits]
        choice = data.draw(s.sampled_from((*visited[:3], found.move, found.move, state.moves()[0], None)))
        if choice is None:
            continue
        state = after(state, choice)
        if state.over:
            return
        where = plain.find(state)
        if where is None:
            plain = Puct(state, policy())
        else:
            plain.advance(where)


@given(positions, s.integers(2, 5))
@settings(max_examples=25, deadline=None)
def test_a_kept_tree_is_found_again_some_operations_later(state: State, operations: int) -> None:
    """Also by another way, since units commute: of the nearest nodes with the position the most visited is taken."""
    tree, plain = PolicyTree(), Puct(state, policy(), bonus=0)
    plain.search(200)
    search(state, policy(), tree, simulations=200, attack_bonus=0, keep=True)
    path: tuple[Move, ...] = ()
    while path in plain.moves and len(path) < operations and not state.over:
        options = [(*path, move) for move in plain.moves[path] if (*path, move) in plain.moves]
        if not options:
            break
        path = max(options, key=lambda option: plain.visits[option])
        state = after(state, path[-1])
    where = plain.find(state)
    assert where is not None
    plain.advance(where)
    before = plain.visits[()] - 1
    plain.search(30)
    found = search(state, policy(), tree, simulations=30, attack_bonus=0, keep=True)
    assert_same(found, plain)
    assert found.visits == before + 30


def test_nothing_is_kept_of_other_games() -> None:
    tree = PolicyTree()
    scenario = st.tubstap.load("kimura-map01")
    state = scenario.start()
    fresh = search(state, policy())
    assert search(state, policy(), tree, keep=True) == fresh
    assert search(state, policy(), tree, keep=False) == fresh
    # The same map read again is another board, and so is one of other size, or with another clock.
    for other in (
        st.tubstap.load("kimura-map01"),
        st.tubstap.load("kimura-map02"),
        st.tubstap.maps.skirmish(3),
        dataclasses.replace(scenario, turn=2),
    ):
        assert search(other.start(), policy(), tree, keep=True) == search(other.start(), policy())
    # The same board at another time of the game: nothing of it is in the tree.
    search(state, policy(), tree, keep=True)
    later = state.copy()
    while later.turn < 2:
        later.play(later.moves()[-1])
    assert search(later, policy(), tree, keep=True) == search(later, policy())
    # An earlier position than the tree's.
    assert search(state, policy(), tree, keep=True) == fresh


def test_a_gumbel_root_keeps_nothing() -> None:
    """Its schedule wants a root without visits."""
    tree, state = PolicyTree(), st.tubstap.load("kimura-map01").start()
    first = search(state, policy(), tree, root="gumbel", keep=True)
    assert search(state, policy(), tree, root="gumbel", keep=True) == first
    search(state, policy(), tree, keep=True)
    assert search(state, policy(), tree, root="gumbel", keep=True) == first


# Limits.


@given(positions, s.integers(1, 400), s.sampled_from((1, 6)))
@settings(max_examples=40, deadline=None)
def test_nodes_are_limited(state: State, max_nodes: int, batch: int) -> None:
    found = search(state, policy(), simulations=150, max_nodes=max_nodes, batch=batch)
    assert found.nodes <= max(max_nodes, 1 + len(state.moves()))  # the root always has its moves
    assert found.simulations == found.visits == 150
    if batch == 1:
        plain = Puct(state, policy(), max_nodes=max_nodes)
        plain.search(150)
        assert_same(found, plain)


@given(positions, s.integers(40, 300))
@settings(max_examples=25, deadline=None)
def test_a_full_tree_has_room_again_when_it_is_kept(state: State, max_nodes: int) -> None:
    """A leaf that was judged again and again for want of room gets its children later; its value is still the mean."""
    tree, plain = PolicyTree(), Puct(state, policy(), max_nodes=max_nodes)
    for _ in range(4):
        plain.search(60)
        found = search(state, policy(), tree, simulations=60, max_nodes=max_nodes, keep=True)
        assert_same(found, plain)
        state = after(state, found.move)
        if state.over:
            return
        # Kept, unless the tree is more than half full already: then the next one begins anew.
        where = plain.find(state) if plain.nodes < max_nodes // 2 else None
        if where is None:
            plain = Puct(state, policy(), max_nodes=max_nodes)
        else:
            plain.advance(where)


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_seconds_are_kept(root: str) -> None:
    """A network that takes its time; the machine may be busy, so the best of five counts."""

    def slow(planes: Floats) -> tuple[Floats, Floats]:
        time.sleep(0.002)
        return flat(planes)

    state, seconds = st.tubstap.load("kimura-map01").start(), 0.06
    taken = []
    for _ in range(5):
        begin = time.perf_counter()
        found = search(state, policy(slow), simulations=10**6, seconds=seconds, batch=4, root=root)
        taken.append(time.perf_counter() - begin)
        assert 0 < found.simulations < 1000
        assert found.visits == found.simulations
    assert not overran(min(taken), seconds)
    assert min(taken) > seconds / 2


LONG = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # which is ignored where the tests run in the background
sys.path.insert(0, {tests!r})
import sandtable as st
from puct_oracle import Network, policy
from sandtable import _core
state = st.tubstap.load("kimura-map01").start()
tree, judge = _core.tubstap.PolicyTree(), policy(cache=1 << 16)
how = _core.tubstap.PuctSettings(simulations=10**9, max_nodes=1 << 24)
play = _core.SelfPlaySettings(lanes=4, simulations=10**6)
print("ready", flush=True)
try:
    if {what!r} == "search":
        tree.search(state, judge, how, seed=0)
    else:
        _core.tubstap.self_play(judge, [state] * 4, [0] * 4, play)
except KeyboardInterrupt:
    kept = tree.search(state, judge, how.replace(simulations=50), seed=0)
    print("stopped", sum(one.visits for one in kept.candidates), flush=True)
"""


@pytest.mark.parametrize("what", ["search", "self-play"])
def test_ctrl_c_stops_it(what: str) -> None:
    """And the tree can be used further."""
    code = LONG.format(tests=str(Path(__file__).parent), what=what)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.communicate()[1]
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate()
    assert process.returncode == 0, errors
    word, visits = said.split()
    assert word == "stopped"
    assert (int(visits) == 50) == (what == "self-play")


# Networks that fail.

WRONG: dict[str, Callable[[Floats], Any]] = {
    "nothing": lambda planes: None,
    "values only": lambda planes: flat(planes)[0],
    "a list": lambda planes: list(flat(planes)),
    "three": lambda planes: (*flat(planes), flat(planes)[0]),
    "a value too many": lambda planes: (np.zeros(len(planes) + 1, np.float32), flat(planes)[1]),
    "a logit too few": lambda planes: (flat(planes)[0], np.zeros(180 * len(planes) - 1, np.float32)),
    "float64": lambda planes: (flat(planes)[0].astype(float), flat(planes)[1]),
    "texts": lambda planes: ("values", "logits"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_network_that_answers_wrongly(name: str) -> None:
    answers: list[Callable[[Floats], Any]] = [WRONG[name], WRONG[name], flat]
    judge = policy(lambda planes: answers.pop(0)(planes), cache=64)
    state = skirmish(1, 0)
    with pytest.raises(ValueError, match="must return two arrays of float32: values and logits"):
        judge.evaluate([state, state])
    with pytest.raises(ValueError, match="must return two arrays of float32: values and logits"):
        search(state, judge)
    assert (judge.evaluated, judge.hits) == (0, 0)
    assert judge.evaluate([state])[0].tolist() == [0]  # and what was wrong is not remembered


# In a process of its own: a search that waits for what will never come does not end.
RAISES = """
import sys
sys.path.insert(0, {tests!r})
import sandtable as st
from puct_oracle import Network, Puct, policy
from sandtable import _core
state = st.tubstap.load("kimura-map01").start()
how = _core.tubstap.PuctSettings(simulations=40, max_nodes=1 << 20)
for batch in (1, 8):
    for failing in ((1,), (1, 2), (2,), (2, 3, 5)):
        tree, calls, failures = _core.tubstap.PolicyTree(), 0, 0

        def network(planes):
            global calls
            calls += 1
            if calls in failing:
                raise ZeroDivisionError(calls)
            return Network()(planes)

        while True:
            try:
                found = tree.search(state, policy(network), how.replace(batch=batch), seed=0)
                break
            except ZeroDivisionError:
                failures += 1
        visits = sum(one.visits for one in found.candidates)
        assert (failures, found.simulations) == (len(failing), 40), (failures, found.simulations)
        assert visits >= 40
        if batch == 1:
            plain = Puct(state, policy())
            plain.search(visits)
            assert [one[:4] for one in found.candidates] == plain.candidates()
            assert abs(found.value - plain.value()) < 1e-12
"""


def test_a_tree_goes_on_after_its_network_has_failed() -> None:
    code = RAISES.format(tests=str(Path(__file__).parent))
    done = commands.python(code)
    assert done.returncode == 0, done.stderr


def test_a_network_of_no_numbers_does_no_harm() -> None:
    def broken(planes: Floats) -> tuple[Floats, Floats]:
        values, logits = flat(planes)
        return values + math.nan, logits + math.nan

    for root in ("puct", "gumbel"):
        found = search(skirmish(1, 2), policy(broken), root=root, batch=3)
        assert found.simulations == found.visits == 100


def test_a_search_within_its_own_network_is_refused() -> None:
    state, tree = skirmish(1, 2), PolicyTree()

    def inside(planes: Floats) -> tuple[Floats, Floats]:
        search(state, judge, tree)
        return flat(planes)

    judge = policy(inside)
    with pytest.raises(ValueError, match="cannot be used inside its own network"):
        search(state, judge, tree)
    assert search(state, policy(), tree) == search(state, policy())


def test_threads_share_a_network() -> None:
    states = [skirmish(seed, seed) for seed in range(12)]
    judge = policy(cache=256)
    expected = [search(state, policy()) for state in states]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda state: search(state, judge), states)) == expected


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch": 0}, "PuctSettings: batch must be within 1..4096, not 0"),
        ({"batch": 4097}, "PuctSettings: batch must be within 1..4096, not 4097"),
        (
            {"root": "gumbel", "simulations": None, "seconds": 1},
            "a gumbel root shares out a number of simulations: give it, beside the clock if need be",
        ),
    ],
)
def test_searches_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        search(skirmish(1, 0), policy(), **changes)
    assert str(caught.value) == message


def test_positions_that_cannot_be_searched() -> None:
    over = field(("infantry", 0, 1, 1, 9), ("infantry", 1, 6, 6, 9), size=6, turn_limit=1).start()
    over.play(over.moves()[0])
    for state, message in (
        (over, "the game is over"),
        (st.tubstap.load("crossroads").start(), "made for boards of 6x6, and this one is"),
    ):
        with pytest.raises(ValueError, match=message):
            search(state, policy())
        with pytest.raises(ValueError, match=message):
            self_play([state], policy())


# Self-play.


class Game(NamedTuple):
    moves: list[int]
    full: list[float]
    values: list[float]
    counts: list[int]
    policy: Floats

    def policies(self) -> list[Floats]:
        return np.split(self.policy, np.cumsum(self.counts)[:-1])


def self_play(
    starts: list[State], judge: PolicyEvaluator, seeds: list[int] | None = None, **changes: Any
) -> list[Game]:
    how = SelfPlaySettings(**{"lanes": 8, "simulations": 20, **changes})
    found = _core.tubstap.self_play(judge, starts, seeds or list(range(len(starts))), how)
    return [
        Game(moves.tolist(), full.tolist(), values.tolist(), counts.tolist(), shares)
        for moves, full, values, counts, shares in found
    ]


STARTS = [st.tubstap.maps.skirmish(seed).start() for seed in range(10)]


@pytest.mark.parametrize("root", ["puct", "gumbel"])
@pytest.mark.parametrize("full_share", [1.0, 0.4])
def test_games_of_self_play_are_legal_to_their_end(root: str, full_share: float) -> None:
    games = self_play(STARTS, policy(cache=1 << 12), root=root, full_share=full_share, quick_simulations=3)
    assert len(games) == len(STARTS)
    fulls = []
    for start, game in zip(STARTS, games, strict=True):
        state = start.copy()
        assert len(game.moves) == len(game.full) == len(game.values) == len(game.counts)
        for move, count, shares, value in zip(game.moves, game.counts, game.policies(), game.values, strict=True):
            moves = state.moves()
            assert count == len(moves) == len(shares)
            assert shares.sum() == pytest.approx(1, abs=1e-5)
            assert shares.min() >= 0
            assert -1 <= value <= 1
            if root == "puct":
                assert shares[move] > 0
            state.play(moves[move])
        assert state.over
        fulls += game.full
    assert set(fulls) <= {0.0, 1.0}
    assert np.mean(fulls) == pytest.approx(full_share, abs=0.15)


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_a_game_depends_on_its_seed_alone(root: str) -> None:
    """Not on how many are played at a time, nor on the others, nor on the cache."""
    expected = self_play(STARTS, policy(), root=root, lanes=1)
    for lanes, cache in ((3, 0), (64, 0), (8, 1 << 10)):
        for game, same in zip(self_play(STARTS, policy(cache=cache), root=root, lanes=lanes), expected, strict=True):
            assert game[:4] == same[:4]
            assert np.array_equal(game.policy, same.policy)
    alone = self_play(STARTS[4:5], policy(), [4], root=root)[0]
    assert alone[:4] == expected[4][:4]
    others = self_play(STARTS, policy(), [seed + 100 for seed in range(10)], root=root)
    assert sum(game.moves != same.moves for game, same in zip(others, expected, strict=True)) >= 5


def test_self_play_without_noise_searches_as_a_player_does() -> None:
    """The subtree is kept from one decision to the next, and the coldest choice is the most visited move."""
    for seed in range(5):
        state, tree = STARTS[seed].copy(), PolicyTree()
        (game,) = self_play(
            [state], policy(), simulations=60, noise_share=0.0, temperature=0.001, last_temperature=0.001
        )
        for move, shares, value in zip(game.moves, game.policies(), game.values, strict=True):
            found = search(state, policy(), tree, simulations=60, keep=True)
            visits = np.array([visits for _, visits, _, _ in found.candidates])
            np.testing.assert_allclose(shares, visits / visits.sum(), rtol=1e-6)
            assert value == pytest.approx(found.value, abs=1e-6)
            assert visits[move] == visits.max()
            state.play(state.moves()[move])
        assert state.over


def test_noise_and_temperature_make_games_differ() -> None:
    start = st.tubstap.load("kimura-map01").start()
    seeds = list(range(12))

    def first_moves(**changes: Any) -> Counter[int]:
        settings = {"noise_share": 0.0, "temperature": 1.0, "simulations": 30, **changes}
        return Counter(game.moves[0] for game in self_play([start] * 12, policy(cache=999), seeds, **settings))

    cold = {"temperature": 0.001, "last_temperature": 0.001}
    assert len(first_moves(**cold)) == 1
    assert len(first_moves(noise_share=0.5, **cold)) > 1
    assert len(first_moves()) > 3
    # Temperatures fall with the decisions: after `falling` of them the choice is cold.
    games = self_play([start] * 6, policy(cache=999), seeds[:6], falling=2, last_temperature=0.001, noise_share=0.0)
    for game in games:
        for move, shares in list(zip(game.moves, game.policies(), strict=True))[2:]:
            assert shares[move] == shares.max()


@given(positions, s.sampled_from((0.0, 1.0)))
@settings(max_examples=20, deadline=None)
def test_the_improved_policy_is_its_formula(state: State, spread: float) -> None:
    """With as many simulations as moves, all considered, each is tried once: their values are what the network says of
    the positions that they lead to."""
    count, judge = len(state.moves()), policy(Network(spread))
    (game,) = self_play([state], judge, root="gumbel", simulations=count, considered=1000)
    priors = judge.evaluate([state])[1].astype(float)
    q = []
    for move in state.moves():
        child = after(state, move)
        if child.over:
            q.append(0.0 if child.winner is None else 1.0 if child.winner == state.side else -1.0)
        else:
            q.append(float(judge.evaluate([child])[0][0]) * (1 if child.side == state.side else -1))
    scores = np.log(priors) + (50 + 1) * (np.array(q) + 1) / 2
    weights = np.exp(scores - scores.max())
    np.testing.assert_allclose(game.policies()[0], weights / weights.sum(), rtol=1e-4, atol=1e-7)


def test_the_improved_policy_prefers_what_is_better() -> None:
    """Of two equally likely moves the better one gets more, and a win gets nearly all."""
    state = WON["one blow"][0].start()
    for seed in range(5):
        (game,) = self_play([state], policy(flat), [seed], root="gumbel", simulations=64, considered=64)
        wins = [i for i, move in enumerate(state.moves()) if after(state, move).over]
        assert game.policies()[0][wins].sum() > 0.99
        assert game.moves == [game.moves[0]]
        assert game.moves[0] in wins


@pytest.mark.parametrize(
    ("changes", "seeds", "message"),
    [
        ({}, [1, 2], "self-play needs a seed for every start"),
        ({"lanes": 0}, [1], "lanes must be within 1..4096"),
        ({"simulations": 0}, [1], "simulations must be within 1..1000000"),
        ({"quick_simulations": 0, "full_share": 0.5}, [1], "quick_simulations must be within 1..1000000"),
    ],
)
def test_self_play_that_cannot_be(changes: dict[str, Any], seeds: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        self_play(STARTS[:1], policy(), seeds, **changes)


def test_no_games() -> None:
    assert self_play([], policy(), []) == []


# Minimax over the moves that a policy likes.


def pruned(state: State, judge: PolicyEvaluator, depth: int, width: int) -> float:
    """For red; a side that operates twice decides twice."""
    if state.over:
        return 0 if state.winner is None else 1 if state.winner == 0 else -1
    (value,), priors = judge.evaluate([state])
    if depth == 0:
        return float(value) if state.side == 0 else -float(value)
    likeliest = sorted(zip(priors, range(len(priors)), strict=True), key=lambda one: (-one[0], one[1]))[:width]
    values = [pruned(after(state, state.moves()[place]), judge, depth - 1, width) for _, place in likeliest]
    return max(values) if state.side == 0 else min(values)


@given(positions, s.integers(1, 3), s.integers(1, 4), s.sampled_from((0.0, 2.0)))
@settings(max_examples=25, deadline=None)
def test_a_pruned_minimax_is_a_plain_one(state: State, depth: int, width: int, spread: float) -> None:
    judge = policy(Network(spread))
    found = Found.of(
        _core.tubstap.pruned_minimax(state, judge, PrunedMinimaxSettings(depth=depth, width=width, max_nodes=10**6))
    )
    sign = 1 if state.side == 0 else -1
    expected = {move: sign * pruned(after(state, move), judge, depth - 1, width) for move in state.moves()}
    assert {move: value for move, _, value, _ in found.candidates} == pytest.approx(expected, abs=1e-6)
    assert found.value == pytest.approx(max(expected.values()), abs=1e-6)
    assert expected[found.move] == pytest.approx(found.value, abs=1e-6)
    priors = dict(zip(state.moves(), judge.evaluate([state])[1].tolist(), strict=True))
    assert {move: prior for move, _, _, prior in found.candidates} == priors
    equal = [priors[move] for move, _, value, _ in found.candidates if value == found.value]
    assert priors[found.move] == max(equal)  # of equal ones the likelier


def test_a_pruned_minimax_that_cannot_be() -> None:
    state = st.tubstap.load("kimura-map01").start()
    for options, message in (
        ({"depth": 0, "width": 1, "max_nodes": 9}, "PrunedMinimaxSettings: depth must be within 1..8, not 0"),
        ({"depth": 1, "width": 0, "max_nodes": 9}, "PrunedMinimaxSettings: width must be within 1..1000000, not 0"),
        (
            {"depth": 1, "width": 1, "max_nodes": 9},
            "a depth of 1 has more than 9 positions here: lower it or the width",
        ),
    ):
        with pytest.raises(ValueError) as caught:
            _core.tubstap.pruned_minimax(state, policy(), PrunedMinimaxSettings(**options))
        assert str(caught.value) == message


# The player.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("root=puc", "root must be puct or gumbel"),
        ("root=gumbel, seconds=1", "shares out a number of simulations"),
        ("batch=0", "batch must be within 1..4096"),
        ("considered=0", "considered must be within 1..1000"),
        ("simulations=0", "simulations must be within 1.."),
        ("c=-1", "c must be within 0..1000"),
        ("runtime=fast", "runtime must be auto or onnx or torch"),
        ("nett=x", "has no setting 'nett' (did you mean 'net'?)"),
    ],
)
def test_bad_settings_of_the_player_get_one_line(options: str, message: str) -> None:
    with pytest.raises(st.PlayerError) as caught:
        st.player(f"pvmcts({options})")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
