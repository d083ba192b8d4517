"""What a player is, and what it can say about a position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from sandtable import conquest, tubstap

State = tubstap.State | conquest.State
Start = tubstap.Scenario | conquest.Land

GAMES = ("tubstap", "conquest")


def game_of(position: State | Start) -> str:
    """The name of the game that a state, scenario or land belongs to."""
    return "conquest" if isinstance(position, conquest.State | conquest.Land) else "tubstap"


@runtime_checkable
class Player(Protocol):
    """Anything that can name its next move.

    In TUBSTAP `act` is shown a state in which its side is to move, and gives one unit's Move, or None to end the turn.
    In Conquest it gives the list of orders of `side`. It must leave the state as it is. Optional: `start(scenario,
    side, seed)` before a game, and `analyse(state, side)`.
    """

    def act(self, state: Any, side: int | None = None) -> Any: ...


def ask(player: Player, state: State, side: int) -> Any:
    """The player's move. Only in Conquest is it told the side, which a TUBSTAP state knows by itself."""
    return player.act(state) if isinstance(state, tubstap.State) else player.act(state, side)


def play_move(state: tubstap.State, move: Any) -> None:
    """Carry out what a player of TUBSTAP said: a move, or None for the end of its turn."""
    if move is None:
        state.end_turn()
    else:
        state.play(move)


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
