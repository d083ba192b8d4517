"""The interface of a player, and the types of its analysis of a position."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from sandtable.analysis import Analysis as Analysis
from sandtable.analysis import Candidate as Candidate


@runtime_checkable
class Player(Protocol):
    """Any object that can choose a move.

    `act(state, side)` gets a state in which `side` has to decide, and returns a move of the type that the game uses
    (see its Game). It must not change the state.

    All other methods are optional. The values of `analyse(state, side)` estimate how the game will end, unless the
    class sets `estimates = False`. `play` calls `start(map, side, seed)` before a game, `played(before, kept, after)`
    after every move or turn, and `end(winner, reason)` after the game, however it ended.

    A player may raise ForfeitError to lose the game. If it has a method `lose(reason)`, which returns that error, an
    illegal move loses the game too. The text in its attribute `stderr`, if it has one, is stored with the game when the
    game has ended, but not in the record.
    """

    def act(self, state: Any, side: int | None = None) -> Any: ...
