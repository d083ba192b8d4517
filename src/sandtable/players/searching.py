"""A player whose native search gives candidates: acting and analysing are the same search, read differently."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from sandtable.players.protocol import Analysis, Candidate
from sandtable.players.seeding import Seeded

# (index of the best candidate, [(move, visits, value)], value, nodes, simulations)
Found = tuple[int, list[tuple[Any, int, float]], float, int, int]


@dataclass(kw_only=True)
class Searching(Seeded, ABC):
    @abstractmethod
    def search(self, state: Any, side: int, seconds: float, seed: int) -> Found:
        """One search: where a player calls the core."""

    def move_seconds(self, state: Any) -> float:
        """The time for this decision; 0: the clock does not count."""
        return 0.0

    def spend(self, seconds: float) -> None:
        """Told what a decision cost."""

    def act(self, state: Any, side: int | None = None) -> Any:
        best, candidates, *_ = self._search(state, side)[0]
        return candidates[best][0]

    def analyse(self, state: Any, side: int | None = None) -> Analysis:
        (best, candidates, value, nodes, _), seconds = self._search(state, side)
        chosen = candidates[best]
        rest = sorted((c for i, c in enumerate(candidates) if i != best), key=lambda c: (-c[1], -c[2]))
        return Analysis(value, [Candidate(*c) for c in (chosen, *rest)], nodes, seconds)

    def _search(self, state: Any, side: int | None) -> tuple[Found, float]:
        mover = self.check_position(state, side)
        start = time.perf_counter()
        found = self.search(state, mover, self.move_seconds(state), self.next_seed())
        seconds = time.perf_counter() - start
        self.spend(seconds)
        return found, seconds
