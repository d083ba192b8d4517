"""Players with a clock."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sandtable import tubstap
from sandtable.errors import PlayerError
from sandtable.players.protocol import State
from sandtable.players.searching import Searching


@dataclass(kw_only=True)
class Timed(Searching):
    """A player with a budget: a count of its own, `seconds` for a move, or `seconds_per_turn` for all of a turn."""

    seconds: float | None = None
    seconds_per_turn: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("seconds", "seconds_per_turn"):
            value = getattr(self, name)
            if value is not None and not (0 < value <= 1e6 and math.isfinite(value)):
                raise PlayerError(f"{name} must be more than 0, not {value!r:.40}")
        if self.seconds is not None and self.seconds_per_turn is not None:
            raise PlayerError("give seconds or seconds_per_turn, not both")
        self._turn, self._left = -1, 0.0

    def move_seconds(self, state: State) -> float:
        """The time for this decision; 0 if the clock does not count."""
        if self.seconds is not None:
            return self.seconds
        if self.seconds_per_turn is None:
            return 0.0
        if not isinstance(state, tubstap.State):
            return self.seconds_per_turn
        if state.turn != self._turn:
            self._turn, self._left = state.turn, self.seconds_per_turn
        ready = sum(unit.side == state.side and not unit.acted for unit in state.units)
        return max(self._left / ready, 1e-6)

    def spend(self, seconds: float) -> None:
        """Take what a decision cost from the turn's time."""
        self._left -= seconds

    def count(self, given: int | None, default: int, name: str) -> int:
        """The budget in the player's own count; 0, no limit, if only the clock was given."""
        if given is None:
            return default if self.seconds is None and self.seconds_per_turn is None else 0
        if given < 1:
            raise PlayerError(f"{name} must be at least 1, not {given}")
        return given
