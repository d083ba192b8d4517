"""Positions small enough to be solved exactly as matrix games.

They are one or two turns before the end of the game, on maps of three to five territories. The values of all pairs of
moves form a matrix, and the simplex method solves it exactly.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from sandtable.conquest.land import Land, State
from sandtable.conquest.ruleset import rules
from sandtable.conquest.types import Bonus, Deploy, March, Order

Matrix = list[list[Fraction]]
Moves = list[list[Order]]
Orders = Sequence[Sequence[int]]  # a move; its orders may be plain numbers

MAPS = {
    "path": (3, ((0, 1), (1, 2))),
    "triangle": (3, ((0, 1), (1, 2), (0, 2))),
    "square": (4, ((0, 1), (1, 2), (2, 3), (0, 3))),
    "star": (4, ((0, 1), (0, 2), (0, 3))),
    "kite": (5, ((0, 1), (1, 2), (2, 3), (0, 3), (3, 4))),
    "ring": (5, ((0, 1), (1, 2), (2, 3), (3, 4), (0, 4))),
}
SEEDS = 100  # seeds of sampled moves: enough to find all moves that can be sampled


def position(name: str, income: int, turns: int, owner: str, armies: Sequence[int]) -> State:
    """A position on one of the maps, `turns` turns before the end. Owners are 0, 1 and - for neutral land."""
    size, edges = MAPS[name]
    land = Land(
        name=name,
        territories=tuple("ABCDE"[:size]),
        places=tuple((float(i), 0.0) for i in range(size)),
        edges=edges,
        bonuses=(Bonus("all but one", 2, tuple(range(size - 1))),),
        rules=rules("soares2025").replace(turn_limit=turns, base_income=income, start_lands=1),
    )
    return land.state([-1 if word == "-" else int(word) for word in owner], list(armies))


# One turn before the end: one side tries to take the enemy's last land, wherever the enemy flees; the other tries to
# escape. Both need mixed strategies: if not among all moves, then among those that can be sampled.
LAST_TURN = {
    "path": position("path", 3, 1, "101", [1, 2, 3]),
    "triangle": position("triangle", 3, 1, "-10", [1, 1, 0]),
    "triangle-flight": position("triangle", 2, 1, "010", [2, 5, 0]),
    "square": position("square", 2, 1, "0-11", [0, 0, 1, 1]),
    "star": position("star", 2, 1, "0101", [4, 0, 1, 1]),
    "kite": position("kite", 3, 1, "--101", [6, 6, 1, 0, 0]),
    "ring": position("ring", 2, 1, "101--", [2, 6, 0, 2, 1]),
}
TWO_TURNS = {
    "path-2": position("path", 1, 2, "101", [0, 3, 2]),
    "triangle-2": position("triangle", 1, 2, "1-0", [3, 0, 2]),
    "triangle-flight-2": position("triangle", 1, 2, "010", [3, 2, 0]),
    "square-2": position("square", 1, 2, "1-01", [0, 0, 1, 0]),
}
POSITIONS = LAST_TURN | {"path-2": TWO_TURNS["path-2"]}  # the positions that can be solved quickly with all moves


def sampled_moves(state: State, player: int) -> Moves:
    """All moves that can be sampled."""
    moves = (tuple(state.random_move(player, seed)) for seed in range(SEEDS))
    return [list(move) for move in dict.fromkeys(moves)]


def all_moves(state: State, player: int) -> Moves:
    """All moves that deploy the whole income and march over each edge at most once in each direction, with no more
    armies than are present."""
    own = [territory for territory, owner in enumerate(state.owner) if owner == player]
    edges = [(a, b) for edge in state.land.edges for a, b in (edge, edge[::-1]) if a in own]
    found: Moves = []

    def march_on(move: list[Order], armies: dict[int, int], left: list[tuple[int, int]]) -> None:
        found.append(move)
        for source, target in left:
            rest = [edge for edge in left if edge != (source, target)]
            for sent in range(1, armies[source] + 1):
                moved = armies | {source: armies[source] - sent}
                if target in moved:  # a transfer: these armies may march on
                    moved[target] += sent
                march_on([*move, March(source, target, sent)], moved, rest)

    for deployed in _distributions(state.income(player), len(own)):
        deploys = zip(own, deployed, strict=True)
        armies = {territory: state.armies[territory] + added for territory, added in zip(own, deployed, strict=True)}
        march_on([Deploy(territory, added) for territory, added in deploys if added], armies, edges)
    return found


def _distributions(armies: int, places: int) -> Iterator[tuple[int, ...]]:
    """All ways to distribute armies among places."""
    if places == 1:
        yield (armies,)
        return
    for here in range(armies + 1):
        for rest in _distributions(armies - here, places - 1):
            yield (here, *rest)


class Solver:
    """The values for player 0 of positions of one land, if both choose among `moves(state, player)` in every turn."""

    def __init__(self, moves: Callable[[State, int], Moves] = all_moves) -> None:
        self._moves = moves
        self._known: dict[int, Fraction] = {}

    def value(self, state: State) -> Fraction:
        if state.over:
            return _RESULTS[state.winner]
        key = state.hash()
        if key not in self._known:
            self._known[key] = self.solve(state).value
        return self._known[key]

    def solve(self, state: State) -> Game:
        """The position as a matrix game, without moves that another move of the same player weakly dominates."""
        rows, columns = self._moves(state, 0), self._moves(state, 1)
        payoffs = self.payoffs(state, rows, columns)
        best_rows, best_columns = undominated(payoffs), undominated(_for_columns(payoffs))
        matrix = [[payoffs[i][k] for k in best_columns] for i in best_rows]
        size = 0
        while size != len(matrix) + len(matrix[0]):  # removing moves may make others dominated
            size = len(matrix) + len(matrix[0])
            matrix = [matrix[i] for i in undominated(matrix)]
            columns_left = undominated(_for_columns(matrix))
            matrix = [[row[k] for k in columns_left] for row in matrix]
        return Game([rows[i] for i in best_rows], [columns[k] for k in best_columns], solve(matrix)[0])

    def payoffs(self, state: State, rows: Sequence[Orders], columns: Sequence[Orders]) -> Matrix:
        """The values of pairs of moves under perfect play afterwards, averaged over who marches first."""
        return [[self._mean(state, row, column) for column in columns] for row in rows]

    def _mean(self, state: State, row: Orders, column: Orders) -> Fraction:
        one, other = (self.value(after(state, row, column, first)) for first in (0, 1))
        return one if one == other else (one + other) / 2


class Game(NamedTuple):
    """The moves that suffice as best responses of both players, and the value for player 0."""

    rows: Moves
    columns: Moves
    value: Fraction


@functools.cache
def solved(name: str) -> tuple[Solver, Game]:
    """The solver of a position, and the position solved with all moves."""
    solver = Solver()
    return solver, solver.solve(POSITIONS[name])


_RESULTS = {0: Fraction(1), 1: Fraction(-1), None: Fraction(0)}


def undominated(payoffs: Matrix) -> list[int]:
    """The numbers of the rows that no other row weakly dominates; of equal rows, the first."""
    first = {tuple(row): i for i, row in reversed(list(enumerate(payoffs)))}
    places = list(first.values())
    numbers = np.array([payoffs[i] for i in places], dtype=float)
    return [i for k, i in enumerate(places) if (numbers >= numbers[k]).all(axis=1).sum() == 1]


def _for_columns(payoffs: Matrix) -> Matrix:
    """The game from the column player's perspective."""
    return [[-pays for pays in column] for column in zip(*payoffs, strict=True)]


def after(state: State, orders0: Orders, orders1: Orders, first: int) -> State:
    """The position that a pair of moves leads to."""
    state = state.copy()
    state.resolve(orders0, orders1, first=first)
    return state


def solve(payoffs: Matrix) -> tuple[Fraction, list[Fraction], list[Fraction]]:
    """The value of a matrix game for the row player and an optimal strategy of each player, by the simplex method.

    All payoffs are made positive; then the sum of y >= 0 is maximised subject to payoffs y <= 1. The inverse of the
    maximum is the value, y divided by its sum is the column player's strategy, and the dual solution gives the row
    player's. Bland's rule prevents cycling.
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
