"""How fair starts of Conquest are found for the suites (arena/suite_search.py).

The champion's own value of a start, and a few quick games, tell whether it is worth measuring.
"""

from __future__ import annotations

from sandtable.arena.early_end import EarlyEnd
from sandtable.arena.suite_search import Method, is_fair, measure, repeated
from sandtable.arena.suites import Source
from sandtable.players.spec import player
from sandtable.rng import Rng


def _propose(rng: Rng, slot: int | str) -> Source | None:
    """A random start on a map of the thesis, or on a generated one with so many territories, that the champion
    considers open, and that it wins from either seat in a few quick games."""
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


_LANDS: dict[int | str, int] = dict.fromkeys(("simple", "banana", "owl_island", "italy"), 6)
_TERRITORIES: dict[int | str, int] = dict.fromkeys((*range(6, 30), *range(30, 42, 2), *range(45, 61, 3)), 1)

# Without the early end most of the time would go into games that both players consider decided.
METHOD = Method(
    repeated(_LANDS | _TERRITORIES),
    _propose,
    "sandtable(rounds=20, progress=0)",
    EarlyEnd(),
    networks=("sandtable-conquest",),
)
