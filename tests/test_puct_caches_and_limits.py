"""Search with a policy network: batches, caches, kept subtrees and limits."""

import dataclasses
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable.players.timing import overran
from sandtable.tubstap import Move, State
from support.boards import after, field
from support.clocks import once_in_time
from support.puct_oracle import Floats, Network, PolicyEvaluator, Puct, halving, policy
from support.puct_search import (
    PolicyTree,
    assert_same_tree,
    flat,
    positions,
    search,
    skirmish,
    visits_of,
)

# Batches and caches.


@given(positions, s.integers(2, 70), s.integers(1, 150), s.sampled_from(("puct", "gumbel")), s.sampled_from((0.0, 2.0)))
@settings(max_examples=60, deadline=None)
def test_batches_keep_the_number_of_simulations(
    state: State, batch: int, simulations: int, root: str, spread: float
) -> None:
    network = Network(spread)
    found = search(state, policy(network), simulations=simulations, batch=batch, root=root)
    assert found.simulations == found.visits == simulations
    assert max(network.asked) <= batch * max(Counter(unit.side for unit in state.units).values())  # one image per unit
    assert all(-1 <= value <= 1 for _, _, value, _ in found.candidates)
    if root == "gumbel":
        visits = [visits for _, visits, _, _ in found.candidates if visits]
        assert Counter(visits) == Counter(visits_of(halving(simulations, min(16, len(found.candidates)))))


def test_batches_need_fewer_calls() -> None:
    state = st.tubstap.load("kimura-map01").start()
    calls = {}
    for batch in (1, 8, 64):
        evaluator = policy()
        search(state, evaluator, simulations=512, batch=batch, attack_bonus=0)
        calls[batch] = evaluator.batches
        assert evaluator.evaluated <= 513
    assert calls[1] == 513
    assert calls[8] < 110
    assert calls[64] < 40


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_a_cache_changes_no_result(batch: int, root: str) -> None:
    for seed in range(6):
        state = skirmish(seed, 3 * seed, red=2, blue=2)
        expected = search(state, policy(), simulations=300, batch=batch, root=root)
        for places in (1, 7, 1 << 12):
            evaluator = policy(cache=places)
            for _ in range(2):
                assert search(state, evaluator, simulations=300, batch=batch, root=root) == expected
        assert evaluator.evaluated < 400  # of 602
        assert evaluator.hits > 0
    assert evaluator.rows >= evaluator.evaluated


def test_a_cache_distinguishes_boards_and_rules() -> None:
    """Other rules, other terrain, another side and acted units change the moves, so they must not share priors."""
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
    evaluator = policy(cache=1 << 10)
    for scenario in others * 2:
        values, priors = evaluator.evaluate([scenario.start()])
        alone = policy().evaluate([scenario.start()])
        assert np.array_equal(values, alone[0])
        assert np.array_equal(priors, alone[1])
    assert evaluator.hits == len(others)
    # Images do not contain the clock; tokens do.
    late = [dataclasses.replace(base, turn=turn).start() for turn in (0, 2, 4)]
    evaluator.evaluate(late)
    assert evaluator.hits == len(others) + 3

    def forward(_units: Floats, _pairs: Floats, balance: Floats, moves: Floats, *_: Any) -> tuple[Floats, Floats]:
        return balance[:, 1].copy(), moves[:, 0].copy()

    tokens = PolicyEvaluator("tokens", forward, cache=99)
    values, _ = tokens.evaluate(late)
    assert len(set(values.tolist())) == 3
    tokens.evaluate(late)
    assert tokens.hits == 3
    longer = dataclasses.replace(base, rules=rules.replace(turn_limit=30)).start()
    assert tokens.evaluate([longer])[0][0] != values[0]


def test_a_cache_distinguishes_close_thresholds() -> None:
    """A lead of 2.5 HP wins under a threshold of 2.2 and draws under 2.8: tokens encode the difference."""
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


# Kept subtrees.


@given(positions, s.data())
@settings(max_examples=25, deadline=None)
def test_a_kept_tree_matches_one_that_is_advanced_by_hand(state: State, data: s.DataObject) -> None:
    """Along a game: each step plays a visited move or any other, or searches again without a move."""
    tree, plain = PolicyTree(), Puct(state, policy())
    for _ in range(6):
        carried = plain.visits[()] - 1 if () in plain.moves else 0
        plain.search(40)
        found = search(state, policy(), tree, simulations=40, keep=True)
        assert_same_tree(found, plain)
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
def test_a_kept_tree_is_reused_some_operations_later(state: State, operations: int) -> None:
    """Units commute, so several nodes may have the position: of the nearest ones the most visited is reused."""
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
    assert_same_tree(found, plain)
    assert found.visits == before + 30


def test_the_tree_of_another_game_is_not_reused() -> None:
    tree = PolicyTree()
    scenario = st.tubstap.load("kimura-map01")
    state = scenario.start()
    fresh = search(state, policy())
    assert search(state, policy(), tree, keep=True) == fresh
    assert search(state, policy(), tree, keep=False) == fresh
    # A map that is loaded again is another board, as are one of another size and one with another clock.
    for other in (
        st.tubstap.load("kimura-map01"),
        st.tubstap.load("kimura-map02"),
        st.tubstap.maps.skirmish(3),
        dataclasses.replace(scenario, turn=2),
    ):
        assert search(other.start(), policy(), tree, keep=True) == search(other.start(), policy())
    # A later position on the same board, which the tree does not contain.
    search(state, policy(), tree, keep=True)
    later = state.copy()
    while later.turn < 2:
        later.play(later.moves()[-1])
    assert search(later, policy(), tree, keep=True) == search(later, policy())
    # An earlier position than the tree's.
    assert search(state, policy(), tree, keep=True) == fresh


def test_a_gumbel_root_keeps_no_tree() -> None:
    """Its schedule needs a root without visits."""
    tree, state = PolicyTree(), st.tubstap.load("kimura-map01").start()
    first = search(state, policy(), tree, root="gumbel", keep=True)
    assert search(state, policy(), tree, root="gumbel", keep=True) == first
    search(state, policy(), tree, keep=True)
    assert search(state, policy(), tree, root="gumbel", keep=True) == first


# Limits.


@given(positions, s.integers(1, 400), s.sampled_from((1, 6)))
@settings(max_examples=40, deadline=None)
def test_the_number_of_nodes_is_limited(state: State, max_nodes: int, batch: int) -> None:
    found = search(state, policy(), simulations=150, max_nodes=max_nodes, batch=batch)
    assert found.nodes <= max(max_nodes, 1 + len(state.moves()))  # the root always has its moves
    assert found.simulations == found.visits == 150
    if batch == 1:
        plain = Puct(state, policy(), max_nodes=max_nodes)
        plain.search(150)
        assert_same_tree(found, plain)


@given(positions, s.integers(40, 300))
@settings(max_examples=25, deadline=None)
def test_a_full_tree_grows_again_after_a_move(state: State, max_nodes: int) -> None:
    """A leaf that was evaluated repeatedly for lack of room gets its children later; its value is still the mean."""
    tree, plain = PolicyTree(), Puct(state, policy(), max_nodes=max_nodes)
    for _ in range(4):
        plain.search(60)
        found = search(state, policy(), tree, simulations=60, max_nodes=max_nodes, keep=True)
        assert_same_tree(found, plain)
        state = after(state, found.move)
        if state.over:
            return
        # The tree is kept unless it is more than half full; then the next search begins with an empty one.
        where = plain.find(state) if plain.nodes < max_nodes // 2 else None
        if where is None:
            plain = Puct(state, policy(), max_nodes=max_nodes)
        else:
            plain.advance(where)


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_a_time_limit_is_kept(root: str) -> None:
    """Even with a slow network."""

    def slow(planes: Floats) -> tuple[Floats, Floats]:
        time.sleep(0.002)
        return flat(planes)

    state, seconds = st.tubstap.load("kimura-map01").start(), 0.06

    def is_in_time() -> bool:
        begin = time.perf_counter()
        found = search(state, policy(slow), simulations=10**6, seconds=seconds, batch=4, root=root)
        taken = time.perf_counter() - begin
        assert 0 < found.simulations < 1000
        assert found.visits == found.simulations
        assert taken > seconds / 2
        return not overran(taken, seconds)

    assert once_in_time(is_in_time)


LONG = """
import sys
sys.path.insert(0, {tests!r})
import sandtable as st
from support.puct_oracle import Network, policy
from sandtable import _core
state = st.tubstap.load("kimura-map01").start()
tree, evaluator = _core.tubstap.PolicyTree(), policy(cache=1 << 16)
how = _core.tubstap.PuctSettings(simulations=10**9, max_nodes=1 << 24)
play = _core.SelfPlaySettings(lanes=4, simulations=10**6)
print("ready", flush=True)
try:
    if {what!r} == "search":
        tree.search(state, evaluator, how, seed=0)
    else:
        _core.tubstap.self_play(evaluator, [state] * 4, [0] * 4, play)
except KeyboardInterrupt:
    kept = tree.search(state, evaluator, how.replace(simulations=50), seed=0)
    print("stopped", sum(one.visits for one in kept.candidates), flush=True)
"""


@pytest.mark.parametrize("what", ["search", "self-play"])
def test_ctrl_c_stops_a_search_and_self_play(what: str) -> None:
    """The tree stays usable."""
    code = LONG.format(tests=str(Path(__file__).parent), what=what)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.communicate()[1]
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate()
    assert process.returncode == 0, errors
    word, visits = printed.split()
    assert word == "stopped"
    assert (int(visits) == 50) == (what == "self-play")
