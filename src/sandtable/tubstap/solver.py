"""The exact value of small positions by exhaustive search, without an evaluation function.

Two questions decide a position: does red win, and does red at least draw? A search over operations answers each
question. It stops at the first move that settles the answer, and stores the answer by the hash of the position. The
hash includes the turn, so a repeated position has as many turns left. Ending a turn early is equivalent to letting the
remaining units stay, so it is not searched as a separate move.
"""

from __future__ import annotations

from typing import NamedTuple

from sandtable.errors import SandtableError
from sandtable.tubstap.scenario import State
from sandtable.tubstap.types import Move

MAX_POSITIONS = 1_000_000  # about twenty seconds, and 100 MB

WIN, DRAW, LOSS = 1, 0, -1


class Solution(NamedTuple):
    """The value for the side to move, all first moves that keep it, the player turns from here to the latest end of
    the game that the search reached (`depth`), and the positions searched, counted once for each question."""

    value: int
    moves: tuple[Move, ...]
    depth: int
    positions: int


class Solver:
    """Stores its answers: after the first, questions about positions of the same game are cheaper."""

    def __init__(self, max_positions: int = MAX_POSITIONS) -> None:
        self._max_positions = max_positions
        self._known: dict[int, dict[int, bool]] = {WIN: {}, DRAW: {}}  # for each value: hash to whether red reaches it
        self._last_turn = 0

    def value(self, state: State, side: int) -> int:
        """The side's result under perfect play: 1 a win, 0 a draw, -1 a loss."""
        return next(value for value in (WIN, DRAW, LOSS) if self.keeps(state, side, value))

    def keeps(self, state: State, side: int, value: int) -> bool:
        """Whether the side gets at least this value under perfect play."""
        if value == LOSS:
            return True
        return self._red_reaches(state, value) if side == 0 else not self._red_reaches(state, 1 - value)

    def solve(self, state: State) -> Solution:
        """The value of a position that is not over, with all moves that keep it."""
        value = self.value(state, state.side)
        right = tuple(move for move in state.moves() if self.keeps(_after(state, move), state.side, value))
        return Solution(value, right, self._last_turn - state.turn, sum(map(len, self._known.values())))

    def line(self, state: State) -> list[Move]:
        """Moves for the rest of the turn that keep the value; each is the first such move in the list of moves."""
        side, turn, moves = state.side, state.turn, []
        value = self.value(state, side)
        while not state.over and state.turn == turn:
            moves.append(next(move for move in state.moves() if self.keeps(_after(state, move), side, value)))
            state = _after(state, moves[-1])
        return moves

    def _red_reaches(self, state: State, value: int) -> bool:
        if state.over:
            # Annihilation ends the game before the turn is completed; that turn counts too.
            self._last_turn = max(self._last_turn, state.turn + (state.reason == "annihilation"))
            return (DRAW if state.winner is None else WIN if state.winner == 0 else LOSS) >= value
        known, key = self._known[value], state.hash()
        if key not in known:
            if len(known) >= self._max_positions:
                raise SandtableError(f"too large to solve: more than {self._max_positions:,} positions")
            red = state.side == 0
            # Attacks first: they decide more often than steps do.
            moves = sorted(state.moves(), key=lambda move: move.target is None)
            found = any(self._red_reaches(_after(state, move), value) == red for move in moves)
            known[key] = found == red
        return known[key]


def _after(state: State, move: Move) -> State:
    after = state.copy()
    after.play(move)
    return after
