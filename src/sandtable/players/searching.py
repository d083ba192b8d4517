"""Players with a native search that returns candidates; `act` and `analyse` run the same search."""

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
    """A player with a native search. If its class declares the search's settings, `settings` holds their values."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if hasattr(self, "search_settings"):
            self.settings = searched_with(self, **self.counts())

    def counts(self) -> dict[str, int | None]:
        """The budgets in counts, by name. A count that is not given has its default, or None (no limit) if there is a
        clock."""
        timed = any(getattr(self, name, None) is not None for name in ("seconds", "seconds_per_turn"))
        found = {one.name: (one.default, getattr(self, one.name)) for one in declared(type(self)) if one.is_count}
        return {name: default if given is None and not timed else given for name, (default, given) in found.items()}

    @abstractmethod
    def search(self, state: Any, side: int, seconds: float, seed: int) -> SearchResult:
        """Run one search; here a subclass calls the core."""

    def move_seconds(self, state: Any) -> float:
        """The seconds for this decision; 0 means no time limit."""
        return 0.0

    def spend(self, seconds: float) -> None:
        """Called with the time that each decision took."""

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
