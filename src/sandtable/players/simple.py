"""Players that do not search: `random` for both games, `greedy` for TUBSTAP, `flow` for Conquest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sandtable import tubstap
from sandtable.players.flow import flow_orders
from sandtable.players.protocol import State
from sandtable.players.seeding import Seeded


@dataclass(kw_only=True)
class Random(Seeded):
    """Plays at random: in TUBSTAP a random unit and then one of its operations, in Conquest a sampled move."""

    games: ClassVar[tuple[str, ...]] = ("tubstap", "conquest")

    def act(self, state: State, side: int | None = None) -> Any:
        mover = self.check_position(state, side)
        if not isinstance(state, tubstap.State):
            return state.random_move(mover, self.next_seed())
        return state.random_move(self.next_seed())


@dataclass(kw_only=True)
class Greedy(Seeded):
    """Looks one combat ahead: most damage dealt minus taken, ties broken at random."""

    games: ClassVar[tuple[str, ...]] = ("tubstap",)

    def act(self, state: State, side: int | None = None) -> tubstap.Move:
        self.check_position(state, side)
        assert isinstance(state, tubstap.State)
        gains = [(_gain(state, move), move) for move in state.moves()]
        best = max(gain for gain, _ in gains)
        return self._rng.choice([move for gain, move in gains if gain == best])


def _gain(state: tubstap.State, move: tubstap.Move) -> float:
    combat = None if move.target is None else state.combat(move)
    return combat.dealt - combat.taken if combat else 0


@dataclass(kw_only=True)
class Flow(Seeded):
    """Rule-based: armies assigned to attacks and borders by flow, the best of a few such plans. The anchor that does
    not learn."""

    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def act(self, state: State, side: int | None = None) -> Any:
        mover = self.check_position(state, side)
        assert not isinstance(state, tubstap.State)
        return flow_orders(state, mover, self._rng)
