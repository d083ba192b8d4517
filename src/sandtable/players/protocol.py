"""What a player is, and what it can say about a position."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from sandtable.analysis import Analysis as Analysis
from sandtable.analysis import Candidate as Candidate


@runtime_checkable
class Player(Protocol):
    """Anything that can name its next move.

    `act(state, side)` is shown a state in which `side` has to decide, and gives a move of the kind that
    the game has (see its Game). It must leave the state as it is. Optional: `start(map, side, seed)` before a game, and
    `analyse(state, side)`, whose values estimate how the game will end, unless the class says `estimates = False`.
    """

    def act(self, state: Any, side: int | None = None) -> Any: ...
