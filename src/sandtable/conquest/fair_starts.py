"""Proposes fair starts of Conquest for the suites (arena/suite_search.py).

The champion's evaluation of a start and a few quick games decide whether it is worth measuring.
"""

from __future__ import annotations

from sandtable.arena.early_end import EarlyEnd
from sandtable.arena.suite_search import Method, is_fair, measure, repeated
from sandtable.arena.suites import Source
from sandtable.players.spec import player
from sandtable.rng import Rng


def _propose(rng: Rng, slot: int | str) -> Source | None:
    """A random start on a map of the thesis (the slot is its name) or on a generated map (the slot is its number of
    territories). None unless the champion evaluates it as open and a few quick games show it to be fair."""
    start_seed = rng.below(2**32 - 1)
    if isinstance(slot, str):
        source = Source("conquest", slot, None, start_seed)
    else:
        options = {
            "seed": rng.below(2**32 - 1),
            "territories": slot,
            "unions": rng.below(3),
            "shape": round(0.2 + 0.6 * rng.uniform(), 2),
        }
        source = Source("conquest", "planar", options, start_seed)
    start = source.start()
    quick = "sandtable(rounds=4, progress=0)"
    if abs(player(quick).analyse(start, 0).value) > 0.3:  # type: ignore[attr-defined]
        return None
    found = measure(start, quick, 12, rng.below(2**32 - 1), early_end=EarlyEnd())
    return source if is_fair(found) else None


_STARTS_PER_LAND: dict[int | str, int] = dict.fromkeys(("simple", "banana", "owl_island", "italy"), 6)
_STARTS_PER_SIZE: dict[int | str, int] = dict.fromkeys((*range(6, 30), *range(30, 42, 2), *range(45, 61, 3)), 1)

# Without the early end, most of the time would be spent on games that both players consider decided.
METHOD = Method(
    repeated(_STARTS_PER_LAND | _STARTS_PER_SIZE),
    _propose,
    "sandtable(rounds=20, progress=0)",
    EarlyEnd(),
    networks=("sandtable-conquest",),
)
