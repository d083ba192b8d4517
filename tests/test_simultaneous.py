"""Searches in which both choose at once: on small maps they come to what linear programming says."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sandtable as st
from sandtable import _core
from sandtable.conquest import Bonus, Land, Order, State
from test_soares2025_players import judge

Matrix = list[list[Fraction]]
Moves = list[list[Order]]


# An oracle: exact equilibria.


def solve(payoffs: Matrix) -> tuple[Fraction, list[Fraction], list[Fraction]]:
    """The value of a matrix game for the player of the rows, and a best strategy of each, by the simplex method.

    With all payoffs made positive: the greatest sum of y >= 0 with payoffs y <= 1. Its inverse is the value, y over its
    sum the columns' strategy, and the rows' is the dual's. Bland's rule keeps it from going in circles.
    """
    rows, columns = len(payoffs), len(payoffs[0])
    low = min(map(min, payoffs)) - 1
    table = [
        [Fraction(pays) - low for pays in row] + [Fraction(i == k) for k in range(rows)] + [Fraction(1)]
        for i, row in enumerate(payoffs)
    ]
    goal = [Fraction(-1)] * columns + [Fraction(0)] * (rows + 1)
    basis = [columns + i for i in range(rows)]
    while any(cost < 0 for cost in goal[:-1]):
        entering = next(k for k, cost in enumerate(goal) if cost < 0)
        _, _, leaving = min((row[-1] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0)
        pivot = table[leaving][entering]
        table[leaving] = [entry / pivot for entry in table[leaving]]
        for row in (*(row for i, row in enumerate(table) if i != leaving), goal):
            factor = row[entering]
            row[:] = [entry - factor * unit for entry, unit in zip(row, table[leaving], strict=True)]
        basis[leaving] = entering
    total = goal[-1]
    of_columns = [Fraction(0)] * columns
    for i, variable in enumerate(basis):
        if variable < columns:
            of_columns[variable] = table[i][-1] / total
    return 1 / total + low, [goal[columns + i] / total for i in range(rows)], of_columns


def test_the_oracle() -> None:
    third, rest = Fraction(1, 3), [Fraction(n, 17) for n in (2, 10, 5)]
    signs = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    assert solve([[Fraction(n) for n in row] for row in signs]) == (Fraction(0), [third] * 3, [third] * 3)
    weighed = [[0, -5, 10], [5, 0, -2], [-10, 2, 0]]
    assert solve([[Fraction(n, 10) for n in row] for row in weighed]) == (Fraction(0), rest, rest)
    assert solve([[Fraction(3), Fraction(1)], [Fraction(0), Fraction(2)]])[0] == Fraction(3, 2)


def value_of(state: State, memo: dict[int, Fraction]) -> Fraction:
    """For player 0, when both choose among all moves that can be sampled."""
    if state.over:
        return Fraction(0 if state.winner is None else 1 - 2 * state.winner)
    if state.hash() not in memo:
        memo[state.hash()] = solve(payoffs_of(state, all_moves(state, 0), all_moves(state, 1), memo))[0]
    return memo[state.hash()]


def payoffs_of(state: State, rows: Moves, columns: Moves, memo: dict[int, Fraction]) -> Matrix:
    """What pairs come to, whoever marches first."""
    return [
        [sum((value_of(after(state, a, b, first), memo) for first in (0, 1)), Fraction(0)) / 2 for b in columns]
        for a in rows
    ]


def after(state: State, orders0: list[Order], orders1: list[Order], first: int) -> State:
    state = state.copy()
    state.resolve(orders0, orders1, first=first)
    return state


def all_moves(state: State, player: int) -> Moves:
    found: Moves = []
    for seed in range(100):
        move = state.random_move(player, seed)
        if move not in found:
            found.append(move)
    return found


# Maps small enough.


MAPS = {
    "path": (3, ((0, 1), (1, 2))),
    "triangle": (3, ((0, 1), (1, 2), (0, 2))),
    "square": (4, ((0, 1), (1, 2), (2, 3), (0, 3))),
    "star": (4, ((0, 1), (0, 2), (0, 3))),
    "kite": (5, ((0, 1), (1, 2), (2, 3), (0, 3), (3, 4))),
    "ring": (5, ((0, 1), (1, 2), (2, 3), (3, 4), (0, 4))),
}


def position(name: str, income: int, turns: int, owner: str, armies: list[int]) -> State:
    """So many turns before the end. Owners are 0, 1 and - for nobody's land."""
    size, edges = MAPS[name]
    land = Land(
        name=name,
        territories=tuple("ABCDE"[:size]),
        places=tuple((float(i), 0.0) for i in range(size)),
        edges=edges,
        bonuses=(Bonus("all but one", 2, tuple(range(size - 1))),),
        rules=st.conquest.rules("soares2025").replace(turn_limit=turns, base_income=income, start_lands=1),
    )
    return land.state([-1 if word == "-" else int(word) for word in owner], armies)


# One turn before the end, both have to mix: to take the enemy's last land where it flees to, or not to be taken.
LAST_TURN = [
    position("path", 3, 1, "101", [1, 2, 3]),
    position("triangle", 3, 1, "-10", [1, 1, 0]),
    position("triangle", 2, 1, "010", [2, 5, 0]),
    position("square", 2, 1, "0-11", [0, 0, 1, 1]),
    position("star", 2, 1, "0101", [4, 0, 1, 1]),
    position("kite", 3, 1, "--101", [6, 6, 1, 0, 0]),
    position("ring", 2, 1, "101--", [2, 6, 0, 2, 1]),
]
TWO_TURNS = [
    position("path", 1, 2, "101", [0, 3, 2]),
    position("triangle", 1, 2, "1-0", [3, 0, 2]),
    position("triangle", 1, 2, "010", [3, 2, 0]),
    position("square", 1, 2, "1-01", [0, 0, 1, 0]),
]


def search(kind: str, state: State, moves: tuple[Moves, Moves] | None, **settings: Any) -> tuple[Any, Any, Any]:
    plain: dict[str, Any] = {"simulations": 20_000, "seconds": 0, "seed": 3, "candidates": 100, "sampled": 0}
    plain |= {"depth": 0, "rollout_turns": 0, "batch": 1, "mixed": True, "max_nodes": 1 << 14, "evaluator": None}
    plain |= {"c": 0.5} if kind == "duct" else {"exploration": 0.1}
    found, rows, columns = getattr(_core.conquest, kind)(state, 0, moves=moves, **plain | settings)
    return found, np.array(rows), np.array(columns)


def assert_solved(kind: str, state: State, payoffs: Matrix, moves: tuple[Moves, Moves], **settings: Any) -> None:
    """The average strategies are worth the game's value, against each other and against any answer. Decoupled bandits
    choose alike, so what they saw on average and what they give away to an answer may be off by more."""
    value = float(solve(payoffs)[0])
    found, rows, columns = search(kind, state, moves, **settings)
    matrix = np.array(payoffs, dtype=float)
    assert rows.sum() == pytest.approx(1)
    assert columns.sum() == pytest.approx(1)
    assert rows @ matrix @ columns == pytest.approx(value, abs=0.05)
    off = 0.05 if kind == "regret" else 0.1
    assert found[2] == pytest.approx(value, abs=off)
    assert (rows @ matrix).min() > value - off
    assert (matrix @ columns).max() < value + off


@pytest.mark.parametrize("state", LAST_TURN, ids=lambda state: state.land.name)
@pytest.mark.parametrize("kind", ["regret", "duct"])
def test_the_last_turn(kind: str, state: State) -> None:
    """All moves that are sampled, and doing nothing."""
    moves = ([*all_moves(state, 0), []], [*all_moves(state, 1), []])
    payoffs = payoffs_of(state, *moves, {})
    _, rows, columns = solve(payoffs)
    assert min(sum(share > 0 for share in shares) for shares in (rows, columns)) > 1  # it is mixed
    assert_solved(kind, state, payoffs, moves)


@pytest.mark.parametrize("state", TWO_TURNS, ids=lambda state: state.land.name)
def test_two_turns(state: State) -> None:
    """What a pair leads to must itself be searched."""
    moves = (all_moves(state, 0), all_moves(state, 1))
    assert_solved("regret", state, payoffs_of(state, *moves, {}), moves, simulations=40_000)


STATES = [position("star", 3, 9, "01-1", [3, 1, 1, 1]), position("kite", 4, 9, "01-01", [3, 4, 1, 2, 2])]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.land.name)
def test_positions_that_a_network_judges(state: State) -> None:
    """A turn deep with a network of shares, which both players see alike, in batches and alone."""
    moves = (all_moves(state, 0)[:12], all_moves(state, 1)[:12])
    network = judge()

    def worth(state: State) -> Fraction:
        if state.over:
            return value_of(state, {})
        seen = network.evaluate([state, state], [0, 1])
        return Fraction(float(seen[0] - seen[1])) / 2

    payoffs = [
        [sum((worth(after(state, a, b, first)) for first in (0, 1)), Fraction(0)) / 2 for b in moves[1]]
        for a in moves[0]
    ]
    for kind in ("regret", "duct"):
        for batch in (1, 16):
            assert_solved(kind, state, payoffs, moves, depth=1, batch=batch, evaluator=judge())


def test_candidates_that_the_policy_draws() -> None:
    """A network that wants few deploys gets candidates with few."""
    state = st.conquest.load("italy").start(3)
    for turn in range(3):
        state.resolve(state.random_move(0, turn), state.random_move(1, turn))

    def deploys(sampled: int) -> float:
        found, *_ = search("regret", state, None, candidates=10, simulations=10, evaluator=judge(), sampled=sampled)
        return float(np.mean([sum(len(order) == 2 for order in orders) for orders, _, _ in found[1]]))

    assert deploys(200) < deploys(0) - 0.5


def test_a_mixed_strategy_is_drawn_from() -> None:
    """Moves come as often as the average strategy says; without mixing, always the same one."""
    state = position("square", 2, 1, "0-11", [0, 0, 1, 1])
    moves = (all_moves(state, 0), all_moves(state, 1))
    drawn = [search("regret", state, moves, simulations=300, seed=seed)[0][0] for seed in range(40)]
    assert len(set(drawn)) > 1
    found, rows, _ = search("regret", state, moves, mixed=False)
    assert found[0] == int(rows.argmax())


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
def test_moves_that_cannot_be_given(moves: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        search("duct", position("star", 3, 9, "01-1", [3, 1, 1, 1]), moves)
    assert "\n" not in str(caught.value)
