"""The caches of evaluations: a process has one for each network that its players use, and they share it.

How many positions a cache holds is the environment variable SANDTABLE_CACHE, so that worker processes have the same;
each kind of network has a default of its own.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from sandtable.errors import SandtableError
from sandtable.rng import checked_whole

T = TypeVar("T")

VARIABLE = "SANDTABLE_CACHE"
MOST = 1 << 24  # positions

_shared: list[functools._lru_cache_wrapper[Any]] = []
_living: WeakKeyDictionary[Any, tuple[int, int]] = WeakKeyDictionary()  # evaluators: positions by default, and now


def shared(most: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """An LRU cache of evaluators, `most` of them, for functions that make them."""

    def keep(make: Callable[..., T]) -> Callable[..., T]:
        kept = functools.lru_cache(maxsize=most)(make)
        _shared.append(kept)
        return kept

    return keep


def cache_size(default: int) -> int:
    """The positions of a new cache."""
    given = os.environ.get(VARIABLE, "")
    if not given:
        return default
    if not given.isascii() or not given.isdigit() or int(given) > MOST:
        raise SandtableError(f"{VARIABLE}: must be a whole number within 0..{MOST}, not {given!r:.40}")
    return int(given)


def cached(make: Callable[[int], T], default: int) -> T:
    """An evaluator, made with a cache of so many positions, that clear_cache() and set_cache_size() reach as long as
    it lives."""
    places = cache_size(default)
    made = make(places)
    _living[made] = default, places
    return made


def clear_cache() -> None:
    """Forget all evaluations, those of the players that are there included, and all networks that no player uses."""
    for kept in _shared:
        kept.cache_clear()
    for evaluator, (_, places) in list(_living.items()):
        evaluator.renew_cache(places)


def set_cache_size(positions: int | None) -> None:
    """Positions that the cache of each network holds from now on, in this process and in workers that it starts; 0 is
    no cache, None what each kind of network has by default. Clears the caches."""
    os.environ.pop(VARIABLE, None)
    if positions is not None:
        os.environ[VARIABLE] = str(checked_whole("the cache", positions, 0, MOST))
    for evaluator, (default, _) in list(_living.items()):
        _living[evaluator] = default, cache_size(default)
    clear_cache()
