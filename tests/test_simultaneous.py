"""Searches with simultaneous moves: on small maps they converge to the solutions by linear programming."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sandtable as st
from sandtable import _core
from sandtable.conquest import State
from sandtable.conquest.small_games import (
    LAST_TURN,
    TWO_TURNS,
    Matrix,
    Moves,
    Solver,
    after,
    position,
    sampled_moves,
    solve,
    solved,
)
from support.share_evaluator import share_evaluator


def test_the_oracle_solves_known_matrix_games() -> None:
    third, rest = Fraction(1, 3), [Fraction(n, 17) for n in (2, 10, 5)]
    signs = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    assert solve([[Fraction(n) for n in row] for row in signs]) == (Fraction(0), [third] * 3, [third] * 3)
    weighed = [[0, -5, 10], [5, 0, -2], [-10, 2, 0]]
    assert solve([[Fraction(n, 10) for n in row] for row in weighed]) == (Fraction(0), rest, rest)
    assert solve([[Fraction(3), Fraction(1)], [Fraction(0), Fraction(2)]])[0] == Fraction(3, 2)


def search(kind: str, state: State, moves: tuple[Moves, Moves] | None, **settings: Any) -> tuple[Any, Any, Any]:
    evaluator, seed = settings.pop("evaluator", None), settings.pop("seed", 3)
    plain: dict[str, Any] = {"simulations": 20_000, "candidates": 100, "rollout_turns": 0, "batch": 1, "mixed": True}
    made = getattr(_core, f"{kind.title()}Settings")(**plain | settings)
    found, rows, columns = getattr(_core.conquest, kind)(state, 0, made, seed=seed, moves=moves, evaluator=evaluator)
    return found, np.array(rows), np.array(columns)


def assert_solved(kind: str, state: State, payoffs: Matrix, moves: tuple[Moves, Moves], **settings: Any) -> None:
    """The average strategies are worth the game's value, against each other and against any reply. Choices of decoupled
    bandits are correlated, so their average value and their loss to the best reply may deviate more."""
    value = float(solve(payoffs)[0])
    found, rows, columns = search(kind, state, moves, **settings)
    matrix = np.array(payoffs, dtype=float)
    assert rows.sum() == pytest.approx(1)
    assert columns.sum() == pytest.approx(1)
    assert rows @ matrix @ columns == pytest.approx(value, abs=0.05)
    off = 0.05 if kind == "regret" else 0.1
    assert found.value == pytest.approx(value, abs=off)
    assert (rows @ matrix).min() > value - off
    assert (matrix @ columns).max() < value + off


@pytest.mark.parametrize("name", LAST_TURN)
@pytest.mark.parametrize("kind", ["regret", "duct"])
def test_the_last_turn_is_solved(kind: str, name: str) -> None:
    """With all sampled moves, and doing nothing."""
    state = LAST_TURN[name]
    moves = ([*sampled_moves(state, 0), []], [*sampled_moves(state, 1), []])
    payoffs = Solver().payoffs(state, *moves)
    _, rows, columns = solve(payoffs)
    assert min(sum(share > 0 for share in shares) for shares in (rows, columns)) > 1  # the equilibrium is mixed
    assert_solved(kind, state, payoffs, moves)


@pytest.mark.parametrize("name", LAST_TURN)
def test_the_last_turn_is_solved_with_all_moves(name: str) -> None:
    """With all moves that may be a best response, not only sampled ones."""
    solver, game = solved(name)
    payoffs = solver.payoffs(LAST_TURN[name], game.rows, game.columns)
    assert solve(payoffs)[0] == game.value
    assert_solved("regret", LAST_TURN[name], payoffs, (game.rows, game.columns))


@pytest.mark.parametrize("name", TWO_TURNS)
def test_two_turns_are_solved(name: str) -> None:
    """The positions that pairs of moves lead to must be searched as well."""
    state = TWO_TURNS[name]
    moves = (sampled_moves(state, 0), sampled_moves(state, 1))
    assert_solved("regret", state, Solver(sampled_moves).payoffs(state, *moves), moves, simulations=40_000)


STATES = [position("star", 3, 9, "01-1", [3, 1, 1, 1]), position("kite", 4, 9, "01-01", [3, 4, 1, 2, 2])]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.land.name)
def test_values_of_a_network_are_used(state: State) -> None:
    """One turn deep, with a network that values shares alike for both players; in batches and singly."""
    moves = (sampled_moves(state, 0)[:12], sampled_moves(state, 1)[:12])
    network = share_evaluator()

    def worth(state: State) -> Fraction:
        if state.over:
            return Solver().value(state)
        seen = network.evaluate([state, state], [0, 1])
        return Fraction(float(seen[0] - seen[1])) / 2

    payoffs = [
        [sum((worth(after(state, a, b, first)) for first in (0, 1)), Fraction(0)) / 2 for b in moves[1]]
        for a in moves[0]
    ]
    for kind in ("regret", "duct"):
        for batch in (1, 16):
            assert_solved(kind, state, payoffs, moves, depth=1, batch=batch, evaluator=share_evaluator())


def test_the_policy_draws_candidates() -> None:
    """A network that prefers few deployments gets candidates with few."""
    state = st.conquest.load("italy").start(3)
    for turn in range(3):
        state.resolve(state.random_move(0, turn), state.random_move(1, turn))

    def deploys(sampled: int) -> float:
        found, *_ = search(
            "regret", state, None, candidates=10, simulations=10, evaluator=share_evaluator(), sampled=sampled
        )
        return float(np.mean([sum(len(order) == 2 for order in orders) for orders, *_ in found.candidates]))

    assert deploys(200) < deploys(0) - 0.5


def test_moves_are_drawn_from_the_mixed_strategy() -> None:
    """With mixing, seeds give different moves; without, the search gives the likeliest one."""
    state = position("square", 2, 1, "0-11", [0, 0, 1, 1])
    moves = (sampled_moves(state, 0), sampled_moves(state, 1))
    drawn = [search("regret", state, moves, simulations=300, seed=seed)[0].best for seed in range(40)]
    assert len(set(drawn)) > 1
    found, rows, _ = search("regret", state, moves, mixed=False)
    assert found.best == int(rows.argmax())


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (5, "moves must be two lists of moves"),
        ([[[]]], "moves must be two lists of moves"),
        ([[[]], []], "none of them empty"),
        ([[[]], [5]], "orders are a list of"),
        ([[[(0, 99)]], [[]]], "illegal orders: player 0 deploys 99"),
    ],
)
def test_bad_moves_get_a_one_line_error(moves: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        search("duct", position("star", 3, 9, "01-1", [3, 1, 1, 1]), moves)
    assert "\n" not in str(caught.value)
