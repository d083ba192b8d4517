"""What a player is."""

from typing import Protocol

from sandtable.tubstap import Move, State


class Player(Protocol):
    """A player of TUBSTAP: it is shown a state in which its side is to move, and names one unit's operation."""

    def act(self, state: State) -> Move: ...
