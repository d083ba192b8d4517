"""Minimax over a policy's likeliest moves."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable import _core
from sandtable.tubstap import State
from support.boards import after
from support.puct_oracle import Network, PolicyEvaluator, policy
from support.puct_search import Found, positions

PrunedMinimaxSettings = _core.PrunedMinimaxSettings


def pruned(state: State, evaluator: PolicyEvaluator, depth: int, width: int) -> float:
    """The value for red; a side that has two operations in a row chooses twice."""
    if state.over:
        return 0 if state.winner is None else 1 if state.winner == 0 else -1
    (value,), priors = evaluator.evaluate([state])
    if depth == 0:
        return float(value) if state.side == 0 else -float(value)
    likeliest = sorted(zip(priors, range(len(priors)), strict=True), key=lambda one: (-one[0], one[1]))[:width]
    values = [pruned(after(state, state.moves()[place]), evaluator, depth - 1, width) for _, place in likeliest]
    return max(values) if state.side == 0 else min(values)


@given(positions, s.integers(1, 3), s.integers(1, 4), s.sampled_from((0.0, 2.0)))
@settings(max_examples=25, deadline=None)
def test_pruned_minimax_matches_a_plain_implementation(state: State, depth: int, width: int, spread: float) -> None:
    evaluator = policy(Network(spread))
    found = Found.of(
        _core.tubstap.pruned_minimax(state, evaluator, PrunedMinimaxSettings(depth=depth, width=width, max_nodes=10**6))
    )
    sign = 1 if state.side == 0 else -1
    expected = {move: sign * pruned(after(state, move), evaluator, depth - 1, width) for move in state.moves()}
    assert {move: value for move, _, value, _ in found.candidates} == pytest.approx(expected, abs=1e-6)
    assert found.value == pytest.approx(max(expected.values()), abs=1e-6)
    assert expected[found.move] == pytest.approx(found.value, abs=1e-6)
    priors = dict(zip(state.moves(), evaluator.evaluate([state])[1].tolist(), strict=True))
    assert {move: prior for move, _, _, prior in found.candidates} == priors
    equal = [priors[move] for move, _, value, _ in found.candidates if value == found.value]
    assert priors[found.move] == max(equal)  # the likeliest of equal moves


def test_bad_settings_of_pruned_minimax_are_refused() -> None:
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
