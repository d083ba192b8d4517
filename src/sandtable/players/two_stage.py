"""Players that begin with another player's search: the two stages share the time."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import Any

from sandtable.errors import PlayerError, nearest
from sandtable.players.spec import PlayerSpec, player
from sandtable.players.timing import Timed
from sandtable.settings import declares, setting

Moves = list[Any]

ROOT = setting(
    "random",
    "candidates of this turn: random, or by coevolution, with settings as in 'coevolution(generations=50)'",
    names="player",
    plain=("random",),
)


@declares()
class TwoStage(Timed):
    """A search that may begin with the result of another player's search. That player is given by its spec, with its
    own count; if there is a clock, it gets `share` of the seconds."""

    share: float = setting(
        0.5, "share of the time for the first search, named by root or initialise", low=0.01, high=0.99
    )

    def first_stage(self, name: str, words: Sequence[str], searches: Sequence[str]) -> Any:
        """The player that the setting `name` names, with its share of the time; None if it is one of `words`."""
        text: str = getattr(self, name)
        if text in words:
            return None
        if PlayerSpec.name_in(text) not in searches:
            known = (*words, *searches)
            raise PlayerError(f"{name} must be {' or '.join(known)}, not {text!r:.40}{nearest(text, known)}")
        made: Any = player(text)
        if made.seconds is not None or made.seconds_per_turn is not None:
            raise PlayerError(
                f"{name}={text!r:.60} must have no clock of its own: `share` gives it a part of the seconds"
            )
        seconds = self.seconds or self.seconds_per_turn
        return made if seconds is None else dataclasses.replace(made, seconds=self.share * seconds)


class CandidateTree(TwoStage):
    """A tree search over `candidates` moves of each player in a turn. The moves are sampled; with `root=coevolution`
    those of the current turn are the best of coevolved populations (future work of soares2025, section 6.2)."""

    candidates: int
    root: str

    def __post_init__(self) -> None:
        super().__post_init__()
        self._evolved = self.first_stage("root", ("random",), ("coevolution",))

    def root_moves(self, state: Any, side: int, seconds: float, seed: int) -> tuple[Moves, Moves] | None:
        """Different moves of each player for this turn, best first; None if moves are to be sampled."""
        if self._evolved is None:
            return None
        found, others = self._evolved.evolve(state, side, self.share * seconds, seed)
        own, theirs = (
            [list(move) for move in dict.fromkeys(map(tuple, moves))][: self.candidates]
            for moves in ([one.move for one in found.candidates], others)
        )
        return (own, theirs) if side == 0 else (theirs, own)


def left_of(seconds: float, begin: float) -> float:
    """The rest of the seconds that began at `begin`; 0 (no limit) stays 0."""
    return max(seconds - (time.perf_counter() - begin), 1e-6) if seconds else 0.0
