"""A player whose native search gives candidates: acting and analysing are the same search, read differently."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Any

from sandtable.analysis import SearchResult
from sandtable.errors import PlayerError, SandtableError
from sandtable.players.protocol import Analysis
from sandtable.players.seeding import Seeded
from sandtable.settings import declared, declares, searched_with


@declares()
class Searching(Seeded, ABC):
    """`settings` are those of the search, if the player's class declares one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if hasattr(self, "search_settings"):
            self.settings = searched_with(self, **self.counts())

    def counts(self) -> dict[str, int | None]:
        """The budgets in the player's own counts. A default applies unless there is a clock; None is no limit."""
        timed = any(getattr(self, name, None) is not None for name in ("seconds", "seconds_per_turn"))
        found = {one.name: (one.default, getattr(self, one.name)) for one in declared(type(self)) if one.is_count}
        return {name: default if given is None and not timed else given for name, (default, given) in found.items()}

    @abstractmethod
    def search(self, state: Any, side: int, seconds: float, seed: int) -> SearchResult:
        """One search: where a player calls the core."""

    def move_seconds(self, state: Any) -> float:
        """The time for this decision; 0: the clock does not count."""
        return 0.0

    def spend(self, seconds: float) -> None:
        """Told what a decision cost."""

    def act(self, state: Any, side: int | None = None) -> Any:
        found, _ = self._search(state, side)
        return found.candidates[found.best].move

    def analyse(self, state: Any, side: int | None = None) -> Analysis:
        found, seconds = self._search(state, side)
        chosen = found.candidates[found.best]
        rest = [one for i, one in enumerate(found.candidates) if i != found.best]
        rest.sort(key=lambda one: (-one.visits, -one.value))
        return Analysis(found.value, [chosen, *rest], found.nodes, seconds, found.simulations)

    def _search(self, state: Any, side: int | None) -> tuple[SearchResult, float]:
        mover = self.check_position(state, side)
        start = time.perf_counter()
        try:
            found = self.search(state, mover, self.move_seconds(state), self.next_seed())
        except SandtableError:
            raise
        except ValueError as error:  # a setting that this position or game does not allow
            raise PlayerError(f"{type(self).__name__.lower()}: {error}") from None
        seconds = time.perf_counter() - start
        self.spend(seconds)
        return found, seconds
