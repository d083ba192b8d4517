"""`greedy`, a player of TUBSTAP that looks one combat ahead."""

from __future__ import annotations

import time
from typing import ClassVar

from sandtable.players.protocol import Analysis, Candidate
from sandtable.players.seeding import Seeded
from sandtable.settings import declares
from sandtable.tubstap.scenario import MAX_HP, State
from sandtable.tubstap.types import Move


@declares()
class Greedy(Seeded):
    """Looks one combat ahead: most damage dealt minus taken, ties broken at random."""

    games: ClassVar[tuple[str, ...]] = ("tubstap",)
    estimates: ClassVar[bool] = False  # values are HP, not chances to win

    def act(self, state: State, side: int | None = None) -> Move:
        self.check_position(state, side)
        return self._chosen([(_gain(state, move), move) for move in state.moves()])

    def analyse(self, state: State, side: int | None = None) -> Analysis:
        """All operations, best first; a value is the damage dealt minus the damage taken, as a share of full HP."""
        begin = time.perf_counter()
        self.check_position(state, side)
        gains = [(_gain(state, move), move) for move in state.moves()]
        chosen = self._chosen(gains)
        gains.sort(key=lambda ranked: (-ranked[0], ranked[1] != chosen))
        candidates = [Candidate(move, 1, gain / MAX_HP, pv=[move]) for gain, move in gains]
        return Analysis(candidates[0].value, candidates, len(candidates), time.perf_counter() - begin)

    def _chosen(self, gains: list[tuple[float, Move]]) -> Move:
        best = max(gain for gain, _ in gains)
        return self._rng.choice([move for gain, move in gains if gain == best])


def _gain(state: State, move: Move) -> float:
    combat = None if move.target is None else state.combat(move)
    return combat.dealt - combat.taken if combat else 0
