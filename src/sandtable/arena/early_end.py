"""soares2025's match rules: a game ends early when both players are sure of its result.

A player's sureness is (value + 1) / 2, with the value that its own search found in the decision just made. A player
without a search has no sureness; games against it are played to their end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sandtable.errors import SandtableError

SURRENDER = "surrender"
AGREED_TIE = "agreed tie"
REASONS = (SURRENDER, AGREED_TIE)


@dataclass(frozen=True)
class EarlyEnd:
    """The defaults are the thesis's numbers. The rule is applied when both players have decided; if the game ends,
    their orders are not carried out, because their values are for the position before the orders."""

    tie_after: int = 50  # turns resolved
    tie_low: float = 0.49  # a tie if both are at least this sure,
    tie_high: float = 0.51  # and at most this sure
    sure: float = 0.99  # a win if one is at least this sure to win, and the other to lose

    def __post_init__(self) -> None:
        if self.tie_after < 0 or not 0 <= self.tie_low <= self.tie_high <= 1 or not 0.5 < self.sure <= 1:
            raise SandtableError(
                "an early end needs tie_after of 0 or more, 0 <= tie_low <= tie_high <= 1 and sure above 0.5, at most 1"
            )

    def ending(self, turn: int, sureness: Sequence[float | None]) -> tuple[int | None, str] | None:
        """The winner and the reason if the game ends here."""
        first, second = sureness
        if first is None or second is None:
            return None
        for winner, (own, other) in enumerate(((first, second), (second, first))):
            if own >= self.sure and other <= 1 - self.sure:
                return winner, SURRENDER
        if turn >= self.tie_after and all(self.tie_low <= one <= self.tie_high for one in (first, second)):
            return None, AGREED_TIE
        return None
