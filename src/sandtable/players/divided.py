"""Players that begin with another player's search: the two share the time."""

from __future__ import annotations

import dataclasses
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sandtable.conquest import Order, State
from sandtable.errors import PlayerError, nearest
from sandtable.players.registry import player
from sandtable.players.seeding import check_ranges
from sandtable.players.timing import Timed

Moves = list[list[Order]]


@dataclass(kw_only=True)
class Divided(Timed):
    """A search that may begin with what another one found. That one is a spec string, with a count of its own; where
    there is a clock it gets `share` of the seconds."""

    share: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, share=(0.01, 0.99))

    def first_part(self, setting: str, words: Sequence[str], searches: Sequence[str]) -> Any:
        """The player that a setting names, ready for its share of the time; None if the setting is one of the words."""
        spec: str = getattr(self, setting)
        if spec in words:
            return None
        found = re.match(r"\s*(\w+)", spec)
        if not found or found[1] not in searches:
            known = (*words, *searches)
            raise PlayerError(f"{setting} must be {' or '.join(known)}, not {spec!r:.40}{nearest(spec, known)}")
        made: Any = player(spec)
        if made.seconds is not None or made.seconds_per_turn is not None:
            raise PlayerError(f"{setting}={spec!r:.60} has no clock of its own: give it a share of the seconds")
        seconds = self.seconds or self.seconds_per_turn
        return made if seconds is None else dataclasses.replace(made, seconds=self.share * seconds)


@dataclass(kw_only=True)
class Rooted(Divided):
    """A search with `candidates` moves of each player in a turn: sampled ones, or in this turn with `root=coevolution`
    the best of coevolved populations, whose follow-ups it searches (future work of soares2025, section 6.2)."""

    candidates: int = 20
    root: str = "random"  # or coevolution, with settings as in 'coevolution(generations=50)'

    def __post_init__(self) -> None:
        super().__post_init__()
        self._evolved = self.first_part("root", ("random",), ("coevolution",))

    def root_moves(self, state: State, side: int, seconds: float, seed: int) -> tuple[Moves, Moves] | None:
        """Moves of both players for this turn, best first, each once; None if they are to be sampled."""
        if self._evolved is None:
            return None
        found, others = self._evolved.evolve(state, side, self.share * seconds, seed)
        own, theirs = (
            [list(move) for move in dict.fromkeys(map(tuple, moves))][: self.candidates]
            for moves in ([move for move, *_ in found[1]], others)
        )
        return (own, theirs) if side == 0 else (theirs, own)


def left_of(seconds: float, begin: float) -> float:
    """What is left of the seconds since `begin`; 0, no limit, stays so."""
    return max(seconds - (time.perf_counter() - begin), 1e-6) if seconds else 0.0
