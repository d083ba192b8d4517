"""`greedy`, a player of TUBSTAP that looks one combat ahead."""

from __future__ import annotations

from typing import ClassVar

from sandtable.players.seeding import Seeded
from sandtable.settings import declares
from sandtable.tubstap.scenario import State
from sandtable.tubstap.types import Move


@declares()
class Greedy(Seeded):
    """Looks one combat ahead: most damage dealt minus taken, ties broken at random."""

    games: ClassVar[tuple[str, ...]] = ("tubstap",)

    def act(self, state: State, side: int | None = None) -> Move:
        self.check_position(state, side)
        gains = [(_gain(state, move), move) for move in state.moves()]
        best = max(gain for gain, _ in gains)
        return self._rng.choice([move for gain, move in gains if gain == best])


def _gain(state: State, move: Move) -> float:
    combat = None if move.target is None else state.combat(move)
    return combat.dealt - combat.taken if combat else 0
