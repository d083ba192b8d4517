"""The evaluators that searches see: batches, caches, threads, and networks that fail."""

import dataclasses
import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sandtable as st
from sandtable import _core
from sandtable._core import MinimaxSettings
from sandtable.nets import ARCHITECTURES, evaluators
from sandtable.tubstap import Scenario, State
from support.boards import field
from support.fresh_nets import RUNTIMES
from support.value_nets import Floats, random_states

Evaluator = _core.tubstap.Evaluator
AttackGraphEncoder = _core.tubstap.AttackGraphEncoder


class Counting:
    """A random linear map with a tanh, as a network that remembers its inputs."""

    def __init__(self, values: int = 216) -> None:
        self.weights = np.random.default_rng(3).normal(size=values)
        self.asked: list[Floats] = []

    def __call__(self, inputs: Floats) -> Floats:
        self.asked.append(inputs.copy())
        return np.array([np.tanh(float(row @ self.weights) / 30) for row in inputs], np.float32)


def test_the_network_receives_what_the_encoder_writes() -> None:
    states = random_states(50)
    for encoder in (
        AttackGraphEncoder(),
        AttackGraphEncoder(side_rows=5, scaled=False),
        _core.tubstap.UnitImageEncoder(),
    ):
        encoded = encoder.encode(states).reshape(50, -1)
        forward = Counting(encoded.shape[1])
        values = Evaluator(encoder, forward, batch=16, cache=0).evaluate(states)
        assert [len(batch) for batch in forward.asked] == [16, 16, 16, 2]
        assert np.array_equal(np.concatenate(forward.asked), encoded)
        assert np.array_equal(values, Counting(encoded.shape[1])(encoded))
        assert values.dtype == np.float32


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", ["gcn_4", "cnn_i"])
def test_batches_of_any_size_give_the_same_values(name: str, runtime: str, value_nets: Mapping[str, Path]) -> None:
    states, network = random_states(60), evaluators.network_of(value_nets[name], runtime)
    encoder, shape = ARCHITECTURES[name].encoder.make(), ARCHITECTURES[name].encoder.shape

    def forward(inputs: np.ndarray) -> np.ndarray:
        return network(inputs.reshape(-1, *shape))[0]

    expected = Evaluator(encoder, forward, batch=1000, cache=0).evaluate(states)
    for batch in (1, 2, 7, 59, 60):
        values = Evaluator(encoder, forward, batch=batch, cache=0).evaluate(states)
        np.testing.assert_allclose(values, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("cache", [0, 1, 5, 1 << 20])
@pytest.mark.parametrize("batch", [4, 100])
def test_a_cache_changes_no_value(cache: int, batch: int) -> None:
    states = random_states(60)
    states += states[:20]
    evaluator = Evaluator(AttackGraphEncoder(), Counting(), batch=batch, cache=cache)
    expected = Counting()(AttackGraphEncoder().encode(states).reshape(80, -1))
    for order in (slice(None), slice(None, None, -1), slice(10, 50)):
        assert np.array_equal(evaluator.evaluate(states[order]), expected[order])
    assert evaluator.evaluated + evaluator.hits == 80 + 80 + 40
    if cache == 0:
        assert evaluator.hits == 0
    if cache == 1 << 20:
        # All of the second and third call; of the first, the states that come again in a later batch.
        assert evaluator.hits == 80 + 40 + (20 if batch == 4 else 0)


def test_cached_positions_are_counted_and_not_evaluated_again() -> None:
    states, forward = random_states(40), Counting()
    evaluator = Evaluator(AttackGraphEncoder(), forward, batch=100, cache=1 << 20)
    assert (evaluator.evaluated, evaluator.hits, evaluator.forward_seconds) == (0, 0, 0)
    first = evaluator.evaluate(states)
    assert (evaluator.evaluated, evaluator.hits, len(forward.asked)) == (40, 0, 1)
    assert np.array_equal(evaluator.evaluate(states), first)
    assert (evaluator.evaluated, evaluator.hits, len(forward.asked)) == (40, 40, 1)
    assert evaluator.forward_seconds > 0
    assert evaluator.evaluate([]).shape == (0,)


def meeting(**changes: Any) -> Scenario:
    """Two against two; red to move."""
    units = [("infantry", 0, 3, 3, 8), ("panzer", 0, 4, 3, 7), ("infantry", 1, 3, 5, 6), ("antiair", 1, 5, 5, 5)]
    return dataclasses.replace(field(*units, rules="li2022"), **changes)


def changed(number: int, **changes: Any) -> Scenario:
    units = meeting().units
    return meeting(units=(*units[:number], units[number]._replace(**changes), *units[number + 1 :]))


def slower() -> Scenario:
    rules = st.tubstap.rules("li2022")
    return meeting(rules=rules.replace(movement=(9, 7, 6, 5, 6, 2)))


def wooded() -> Scenario:
    terrain = [list(row) for row in meeting().terrain]
    terrain[4][3] = 3
    return meeting(terrain=tuple(tuple(row) for row in terrain))


@pytest.mark.parametrize(
    ("other", "known"),
    [
        (meeting(turn=2), True),
        (meeting(turn=6, quiet=3), True),
        (meeting(hp_lost=True), True),
        (meeting(turn=1), False),  # the other side's turn
        (changed(0, acted=True), False),
        (changed(1, hp=6), False),
        (changed(2, x=4), False),
        (changed(3, kind="cannon"), False),
        (changed(0, kind="fighter"), False),
        (slower(), False),
        (wooded(), False),
        (field(*[unit[1:6] for unit in meeting().units], rules="li2022", size=9), False),
        (meeting(units=tuple(unit._replace(side=1 - unit.side) for unit in meeting().units)), False),
    ],
)
def test_cached_values_are_used_only_for_equivalent_positions(other: Scenario, known: bool) -> None:
    forward = Counting()
    evaluator = Evaluator(AttackGraphEncoder(), forward, batch=8, cache=1 << 10)
    evaluator.evaluate([meeting().start()])
    value = evaluator.evaluate([other.start()])
    assert evaluator.hits == known
    encoded = AttackGraphEncoder().encode([other.start()]).reshape(1, -1)
    assert np.array_equal(value, Counting()(encoded))


def test_boards_of_different_sizes_share_a_batch() -> None:
    states = [st.tubstap.maps.symmetric(size, size=size).start() for size in (8, 20, 11, 32, 15, 8)]
    values = Evaluator(AttackGraphEncoder(), Counting(), batch=4, cache=8).evaluate(states)
    assert np.array_equal(values, Counting()(AttackGraphEncoder().encode(states).reshape(6, -1)))


def test_threads_share_an_evaluator() -> None:
    states = random_states(80)
    evaluator = Evaluator(AttackGraphEncoder(), Counting(), batch=7, cache=64)
    expected = Counting()(AttackGraphEncoder().encode(states).reshape(80, -1))
    with ThreadPoolExecutor(4) as pool:
        for values in pool.map(lambda _: evaluator.evaluate(states), range(12)):
            assert np.array_equal(values, expected)
    assert evaluator.evaluated + evaluator.hits == 80 * 12


def test_values_are_for_the_side_to_move() -> None:
    evaluator = Evaluator(
        AttackGraphEncoder(), lambda inputs: np.full(len(inputs), 0.25, np.float32), batch=64, cache=64
    )

    def values(state: State, depth: int) -> set[float]:
        found = _core.tubstap.minimax(state, MinimaxSettings(depth=depth), seed=0, evaluator=evaluator)
        return {one.value for one in found.candidates}

    # Too far from each other to fight, so that each side has two operations in its turn.
    corners = [
        ("infantry", 0, 1, 1, 9),
        ("infantry", 0, 2, 1, 3),
        ("infantry", 1, 12, 12, 9),
        ("infantry", 1, 11, 12, 3),
    ]
    for turn in (0, 1):
        state = dataclasses.replace(field(*corners, rules="li2022", size=12), turn=turn).start()
        assert state.side == turn
        assert evaluator.evaluate([state]).tolist() == [0.25]
        assert [values(state, depth) for depth in (1, 2, 3)] == [{0.25}, {-0.25}, {-0.25}]
        state.play(state.moves()[0])
        assert [values(state, depth) for depth in (1, 2, 3)] == [{-0.25}, {-0.25}, {0.25}]


WRONG: dict[str, Callable[[Floats], Any]] = {
    "too many": lambda inputs: np.zeros(len(inputs) + 1, np.float32),
    "too few": lambda inputs: np.zeros(len(inputs) - 1, np.float32),
    "none": lambda inputs: np.zeros(0, np.float32),
    "two dimensions": lambda inputs: np.zeros((len(inputs), 1), np.float32),
    "no dimension": lambda inputs: np.zeros((), np.float32),
    "float64": lambda inputs: np.zeros(len(inputs)),
    "int32": lambda inputs: np.zeros(len(inputs), np.int32),
    "complex": lambda inputs: np.zeros(len(inputs), np.complex64),
    "texts": lambda inputs: np.array(["0"] * len(inputs)),
    "objects": lambda inputs: np.array([None] * len(inputs)),
    "a list": lambda inputs: [0.0] * len(inputs),
    "a number": lambda inputs: 0.5,
    "nothing": lambda inputs: None,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_malformed_answer_of_the_network_is_refused(name: str) -> None:
    answers: list[Callable[[Floats], Any]] = [WRONG[name], WRONG[name], Counting()]
    evaluator = Evaluator(AttackGraphEncoder(), lambda inputs: answers.pop(0)(inputs), batch=64, cache=64)
    state = meeting().start()
    with pytest.raises(ValueError, match="must return an array of float32, a value for each state"):
        evaluator.evaluate([state, state])
    with pytest.raises(ValueError, match="must return an array of float32, a value for each state"):
        _core.tubstap.minimax(state, MinimaxSettings(depth=1), seed=0, evaluator=evaluator)
    assert (evaluator.evaluated, evaluator.hits) == (0, 0)
    assert evaluator.evaluate([state]).shape == (1,)  # and the malformed answer was not cached
    assert evaluator.hits == 0


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_a_non_finite_answer_of_the_network_is_refused(wrong: float) -> None:
    values = [0.5, wrong, 0.25]
    evaluator = Evaluator(
        AttackGraphEncoder(), lambda inputs: np.array(values[: len(inputs)], np.float32), batch=64, cache=64
    )
    states = [meeting().start(), changed(1, hp=6).start(), wooded().start()]
    with pytest.raises(ValueError, match="answered with NaN or infinity instead of finite numbers"):
        evaluator.evaluate(states)
    assert (evaluator.evaluated, evaluator.hits) == (0, 0)
    values[1] = -0.75
    assert evaluator.evaluate(states).tolist() == values
    assert evaluator.hits == 0


@pytest.mark.parametrize("error", [ZeroDivisionError("a\nb"), KeyboardInterrupt(), MemoryError(), SystemExit(3)])
def test_an_exception_of_the_network_is_passed_on(error: BaseException) -> None:
    broken = True

    def forward(inputs: Floats) -> Floats:
        if broken:
            raise error
        return Counting()(inputs)

    evaluator = Evaluator(AttackGraphEncoder(), forward, batch=1, cache=64)
    state = meeting().start()
    for _ in range(2):
        with pytest.raises(type(error)) as caught:
            evaluator.evaluate([state])
        assert caught.value is error
        with pytest.raises(type(error)):
            _core.tubstap.minimax(state, MinimaxSettings(depth=2), seed=0, evaluator=evaluator)
    broken = False
    assert evaluator.evaluate([state, state]).shape == (2,)
    assert (evaluator.evaluated, evaluator.hits) == (1, 1)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        (5, "states must be a sequence"),
        ([5], "states must be states of TUBSTAP"),
        ([st.tubstap.maps.mixed(1, size=8, units=4).start()], "made for at most 3 units a side"),
    ],
)
def test_an_evaluator_refuses_invalid_states(states: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Evaluator(AttackGraphEncoder(), Counting(), batch=4, cache=4).evaluate(states)
    assert "\n" not in str(caught.value)


# Run in a separate process, because a mistake here would crash it.
NOTHING = """
from sandtable import _core
evaluator = _core.tubstap.Evaluator(_core.tubstap.AttackGraphEncoder(), len, batch=4, cache=4)
try:
    evaluator.evaluate([None])
except ValueError as error:
    assert "must be states" in str(error), error
else:
    raise AssertionError("None is no state")
"""


def test_none_is_refused_as_a_state() -> None:
    done = subprocess.run([sys.executable, "-c", NOTHING], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr or f"ended by signal {-done.returncode}"
