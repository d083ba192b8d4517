"""Properties of every state: invariants of random play, hashes, copies, symmetry, illegal moves."""

import copy
import dataclasses
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as s

import sandtable as st
from sandtable.rng import Rng
from sandtable.tubstap import Move, Scenario, State
from sandtable.tubstap.counting import POLICIES
from support.examples import examples
from support.strategies import rows, scenarios


def position(state: State) -> tuple[object, ...]:
    return tuple(state.units), state.turn, state.quiet, state.hp_lost, state.over


@given(scenarios(), s.integers(0, 2**32))
@examples(150)
def test_random_play(scenario: Scenario, seed: int) -> None:
    """The generic test: any game from any position ends, and every answer along it is consistent."""
    state, rng = scenario.start(), Rng(seed, "test")
    seen: dict[int, tuple[object, ...]] = {}
    turns = 0
    while not state.over:
        moves = state.moves()
        assert moves
        assert len(set(moves)) == len(moves)
        assert rows(state) == [(m.unit, m.x, m.y, -1 if m.target is None else m.target) for m in moves]
        assert rows(state) == sorted(rows(state))
        assert seen.setdefault(state.hash(), position(state)) == position(state)
        assert len({(unit.x, unit.y) for unit in state.units}) == len(state.units)
        assert (state.winner, state.reason) == (None, None)
        move = rng.choice(moves)
        before, twin = state.copy(), copy.deepcopy(state)
        hp = {unit.id: unit.hp for unit in state.units}
        predicted = state.combat(move)
        combat = state.play(move)
        assert combat == predicted
        assert (combat is None) == (move.target is None)
        after = {unit.id: unit.hp for unit in state.units}
        if combat is not None and move.target is not None:
            assert combat.dealt > 0 or scenario.rules.harmless_attacks
            assert after.get(move.target, 0) == pytest.approx(hp[move.target] - combat.dealt, abs=2e-6)
            assert after.get(move.unit, 0) == pytest.approx(hp[move.unit] - combat.taken, abs=2e-6)
        assert position(before) == position(twin) != position(state)
        turns += state.turn - before.turn
        assert turns < 10_000
    assert state.moves() == []
    assert state.reason in ("annihilation", "turn limit", "no progress")


@given(scenarios(), s.integers(0, 2**32))
@examples(60)
def test_a_saved_state_equals_the_original(scenario: Scenario, seed: int) -> None:
    state, rng = scenario.start(), Rng(seed, "test")
    for _ in range(rng.below(20)):
        if not state.over:
            state.play(rng.choice(state.moves()))
    again = st.tubstap.parse(st.tubstap.jsonmap.format(scenario.at(state))).start()
    assert position(again) == position(state)
    assert (again.winner, again.hash(), rows(again)) == (state.winner, state.hash(), rows(state))


def mirrored(scenario: Scenario, flip_x: bool, flip_y: bool, swap: bool) -> Scenario:
    def place(x: int, y: int) -> tuple[int, int]:
        x = scenario.width - 1 - x if flip_x else x
        y = scenario.height - 1 - y if flip_y else y
        return (y, x) if swap else (x, y)

    cells = {place(x, y): t for y, row in enumerate(scenario.terrain) for x, t in enumerate(row)}
    width, height = (scenario.height, scenario.width) if swap else (scenario.width, scenario.height)
    units = []
    for unit in scenario.units:
        x, y = place(unit.x, unit.y) if unit.hp else (0, 0)
        units.append(unit._replace(x=x, y=y))
    return dataclasses.replace(
        scenario,
        terrain=tuple(tuple(cells[x, y] for x in range(width)) for y in range(height)),
        units=tuple(units),
    )


@given(scenarios(), s.booleans(), s.booleans(), s.booleans(), s.integers(0, 2**32))
@examples(80)
def test_a_rotated_or_mirrored_board_plays_the_same(
    scenario: Scenario, flip_x: bool, flip_y: bool, swap: bool, seed: int
) -> None:
    def turned(move: Move) -> Move:
        x = scenario.width - 1 - move.x if flip_x else move.x
        y = scenario.height - 1 - move.y if flip_y else move.y
        return move._replace(x=y if swap else x, y=x if swap else y)

    state, rng = scenario.start(), Rng(seed, "test")
    other = mirrored(scenario, flip_x, flip_y, swap).start()
    for _ in range(30):
        assert (state.over, state.winner, state.turn) == (other.over, other.winner, other.turn)
        assert {turned(move) for move in state.moves()} == set(other.moves())
        if state.over:
            return
        move = rng.choice(state.moves())
        assert state.play(move) == other.play(turned(move))


def test_commuting_operations_lead_to_one_hash() -> None:
    scenario = st.tubstap.load("duel")
    one, two = scenario.start(), scenario.start()
    for state, order in ((one, (0, 1)), (two, (1, 0))):
        for unit in order:
            state.play((unit, 2 + 3 * unit, 3, None))
    assert one.hash() == two.hash()
    assert position(one) == position(two)


def test_the_hash_depends_on_acted_flags_side_and_hp() -> None:
    scenario = st.tubstap.load("duel")
    hashes = set()
    state = scenario.start()
    for _ in range(3):
        hashes.add(state.hash())
        unit = next(unit for unit in state.units if unit.side == state.side and not unit.acted)
        state.play((unit.id, unit.x, unit.y, None))  # stays: only flags and the turn change
    hashes.add(state.hash())
    state.end_turn()
    hashes.add(state.hash())
    assert len(hashes) == 5
    units = (scenario.units[0]._replace(hp=9), *scenario.units[1:])
    hashes.add(dataclasses.replace(scenario, units=units).start().hash())
    assert len(hashes) == 6


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ((9, 1, 1, None), "no unit 9"),
        ((-1, 1, 1, None), "no unit -1"),
        ((10**30, 1, 1, None), "no unit"),
        ((3, 7, 7, None), "blue's and red is to move"),
        ((0, 0, 1, None), "off the board"),
        ((0, 9, 1, None), "off the board"),
        ((0, -(10**30), 1, None), "off the board"),
        ((0, 8, 8, None), "cannot stop"),
        ((0, 2, 2, 77), "no unit 77"),
        ((0, 2, 2, 1), "own side"),
        ((0, 2, 2, 3), "out of range"),
        ((0, 2, 2), "a move is"),
        ((0, 2, 2, None, None), "a move is"),
        ("move", "integer"),
        (7, "a move is"),
        (None, "a move is"),
        (("a", 2, 2, None), "unit must be an integer"),
        ((None, 2, 2, None), "unit must be an integer"),
        ((0, 2.0, 2, None), "x must be an integer"),
        ((0, 2, 2, "b"), "target must be an integer"),
    ],
)
def test_an_illegal_move_gets_its_reason_and_changes_nothing(move: object, reason: str) -> None:
    state = st.tubstap.load("duel").start()
    before = position(state)
    for method in (state.play, state.combat):
        with pytest.raises(ValueError, match=reason):
            method(move)  # type: ignore[arg-type]
    assert position(state) == before


def test_a_dead_unit_neither_moves_nor_is_attacked() -> None:
    scenario = st.tubstap.maps.random(3)
    units = tuple(u._replace(x=0, y=0, hp=0) if u.id in (0, 3) else u for u in scenario.units)
    state = dataclasses.replace(scenario, units=units).start()
    with pytest.raises(ValueError, match="unit 0 is dead"):
        state.play((0, 1, 1, None))
    mine = state.units[0]
    with pytest.raises(ValueError, match="unit 3, which is dead"):
        state.play((mine.id, mine.x, mine.y, 3))


def test_a_move_that_changes_while_it_is_read_does_no_harm() -> None:
    class Shrinking:
        def __index__(self) -> int:
            move.clear()
            return 0

    move: list[object] = [Shrinking(), 2, 2, None]
    st.tubstap.load("duel").start().play(move)  # type: ignore[arg-type]


def test_rows_of_the_array_are_moves() -> None:
    state = st.tubstap.load("duel").start()
    for row in state.moves_array()[:3]:
        state.copy().play(row)


def test_a_state_is_small() -> None:
    for name in ("duel", "kimura-map02", "pass"):
        state = st.tubstap.load(name).start()
        assert len(state.units) <= 12
        assert sys.getsizeof(state.copy()) < 1024


def test_a_seed_determines_the_playouts_of_every_policy() -> None:
    state = st.tubstap.load("duel").start()
    for policy in POLICIES:
        result = st.tubstap.playouts(state, 100, seed=5, policy=policy)
        assert result == st.tubstap.playouts(state, 100, seed=5, policy=policy)
        assert result != st.tubstap.playouts(state, 100, seed=6, policy=policy)
        assert result.red + result.blue + result.draws == 100
    assert st.tubstap.playouts(state, 0) == (0, 0, 0, 0)
    for bad in ({"n": -1}, {"n": 1, "seed": -1}, {"n": 1, "policy": "best"}):
        with pytest.raises(st.SandtableError):
            st.tubstap.playouts(state, **bad)


def test_policies_draw_operations_with_their_probabilities() -> None:
    """One operation before the limit, the drawn operation decides who has more HP, so the probability is exact."""
    rules = st.tubstap.rules("original").replace(turn_limit=1)
    scenario = st.tubstap.parse(
        "SIZEX[5];SIZEY[3];TURNLIMIT[1];HPTHRESHOLD[0];UNITNUMRED[1];UNITNUMBLUE[1];"
        "MAP[0,0,0,0,0];MAP[0,1,1,1,0];MAP[0,0,0,0,0];UNIT[1,1,infantry,0,10,0];UNIT[3,1,infantry,1,10,0];",
        rules=rules,
    )
    # Red can stay, step to (2, 1), or attack from there: one of three operations wins.
    for policy, chance in (("uniform", 1 / 3), ("flat", 1 / 3), ("attack80", 0.8 + 0.2 / 3)):
        n = 20_000
        won = st.tubstap.playouts(scenario.start(), n, seed=1, policy=policy).red
        assert abs(won / n - chance) < 5 * (chance * (1 - chance) / n) ** 0.5


def test_perft_counts_and_bad_depths() -> None:
    state = st.tubstap.load("duel").start()
    assert st.tubstap.perft(state, 0) == 1
    assert st.tubstap.perft(state, 1) == len(state.moves())
    assert st.tubstap.perft(state, 3) == sum(st.tubstap.perft_by_move(state, 3).values())
    for depth in (-1, 1001, 2**40):
        with pytest.raises(st.SandtableError, match="depth"):
            st.tubstap.perft(state, depth)
