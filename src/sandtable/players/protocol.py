"""What a player is, and what it can say about a position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable


@runtime_checkable
class Player(Protocol):
    """Anything that can name its next move.

    `act(state, side)` is shown a state in which `side` has to decide, and gives a move of the kind that
    the game has (see its Game). It must leave the state as it is. Optional: `start(map, side, seed)` before a game, and
    `analyse(state, side)`.
    """

    def act(self, state: Any, side: int | None = None) -> Any: ...


class Candidate(NamedTuple):
    """A move that a player considered; `value` is for the player, in [-1, 1]."""

    move: Any
    visits: int
    value: float
    prior: float | None = None


@dataclass(frozen=True)
class Analysis:
    """What a player thinks: the position's value for it in [-1, 1], its candidates, best first, and what it cost."""

    value: float
    candidates: list[Candidate]
    nodes: int
    seconds: float
