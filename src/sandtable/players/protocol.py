"""What a player is, and what it can say about a position."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from sandtable.analysis import Analysis as Analysis
from sandtable.analysis import Candidate as Candidate


@runtime_checkable
class Player(Protocol):
    """Anything that can name its next move.

    `act(state, side)` is shown a state in which `side` has to decide, and gives a move of the kind that
    the game has (see its Game). It must leave the state as it is. Optional: `analyse(state, side)`, whose values
    estimate how the game will end, unless the class says `estimates = False`; and, called by `play`,
    `start(map, side, seed)` before a game, `played(before, kept, after)` after every move or turn, and
    `end(winner, reason)` after the game, however it ended. A player may raise ForfeitError to lose the game; one with
    `lose(reason)`, which makes that error, also loses it by an illegal move. What a player holds as `stderr` when the
    game has ended is kept with the game, though not in its record.
    """

    def act(self, state: Any, side: int | None = None) -> Any: ...
