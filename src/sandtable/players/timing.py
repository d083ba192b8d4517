"""Players with a clock."""

from __future__ import annotations

from typing import Any

from sandtable.errors import PlayerError
from sandtable.games import game_of
from sandtable.players.searching import Searching
from sandtable.settings import declares, setting

MAX_SECONDS = 100_000
GRACE = 0.02  # seconds that a player may overrun, in addition to a tenth of its time


def overran(taken: float, limit: float) -> bool:
    """Whether a decision took longer than 1.1 times its limit plus GRACE."""
    return taken > 1.1 * limit + GRACE


@declares()
class Timed(Searching):
    """A player with a budget: its own count, `seconds` for a move, or `seconds_per_turn` for a whole turn."""

    seconds: float | None = setting(None, "time for a move", low=0, high=MAX_SECONDS, above=True, type=float)
    seconds_per_turn: float | None = setting(
        None, "time for all moves of a turn", low=0, high=MAX_SECONDS, above=True, type=float
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seconds is not None and self.seconds_per_turn is not None:
            raise PlayerError("give seconds or seconds_per_turn, not both")
        self._turn, self._decisions_left, self._seconds_left = -1, 0, 0.0

    def move_seconds(self, state: Any) -> float:
        """The seconds for this decision; 0 means no time limit."""
        if self.seconds is not None:
            return self.seconds
        if self.seconds_per_turn is None:
            return 0.0
        game = game_of(state)
        left, turn = game.decisions_left(state), game.turn(state)
        if turn != self._turn or left >= self._decisions_left:  # a new turn, or another game or analysis
            self._turn, self._seconds_left = turn, self.seconds_per_turn
        self._decisions_left = left
        return max(self._seconds_left / left, 1e-6)

    def spend(self, seconds: float) -> None:
        """Subtract the time of a decision from what is left of the turn."""
        self._seconds_left -= seconds
