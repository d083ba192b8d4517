"""Players with a clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sandtable.errors import PlayerError
from sandtable.games import game_of
from sandtable.players.searching import Searching

MAX_SECONDS = 100_000
MAX_COUNT = 4_000_000_000  # visits are counted in 32 bits
GRACE = 0.02  # seconds that a player may overrun, besides a tenth of its time


def overran(taken: float, limit: float) -> bool:
    """Whether a decision took more than its seconds and the grace allow."""
    return taken > 1.1 * limit + GRACE


@dataclass(kw_only=True)
class Timed(Searching):
    """A player with a budget: a count of its own, `seconds` for a move, or `seconds_per_turn` for all of a turn."""

    seconds: float | None = None
    seconds_per_turn: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("seconds", "seconds_per_turn"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= MAX_SECONDS:
                raise PlayerError(f"{name} must be more than 0 and at most {MAX_SECONDS}, not {value!r:.40}")
        if self.seconds is not None and self.seconds_per_turn is not None:
            raise PlayerError("give seconds or seconds_per_turn, not both")
        self._turn, self._decisions, self._left = -1, 0, 0.0

    def move_seconds(self, state: Any) -> float:
        """The time for this decision; 0 if the clock does not count."""
        if self.seconds is not None:
            return self.seconds
        if self.seconds_per_turn is None:
            return 0.0
        game = game_of(state)
        left, turn = game.decisions_left(state), game.turn(state)
        if turn != self._turn or left >= self._decisions:  # another turn, or another game or question
            self._turn, self._left = turn, self.seconds_per_turn
        self._decisions = left
        return max(self._left / left, 1e-6)

    def spend(self, seconds: float) -> None:
        """Take what a decision cost from the turn's time."""
        self._left -= seconds

    def count(self, given: int | None, default: int, name: str) -> int:
        """The budget in the player's own count; 0, no limit, if only the clock was given."""
        if given is None:
            return default if self.seconds is None and self.seconds_per_turn is None else 0
        if not 1 <= given <= MAX_COUNT:
            raise PlayerError(f"{name} must be within 1..{MAX_COUNT}, not {given!r:.40}")
        return given
