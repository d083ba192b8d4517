"""soares2025's match rules: a game ends when both players are sure how it will.

A player's sureness is (value + 1) / 2 of its own search in the decision just made. A player without a search has none:
against it games go on to their end.
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
    """The thesis's numbers are the defaults. It is asked when both have decided: the orders of a game that ends are not
    carried out, for what both are sure of is the position before them."""

    tie_after: int = 50  # turns resolved
    tie_low: float = 0.49  # a tie if both are this sure or more,
    tie_high: float = 0.51  # and this sure or less
    sure: float = 0.99  # one is at least so sure to win, and the other at least so sure to lose

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
