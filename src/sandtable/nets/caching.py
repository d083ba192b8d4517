"""The caches of evaluations. A process has one for each network, which all its players share.

The environment variable SANDTABLE_CACHE sets how many positions a cache holds, so that worker processes inherit the
setting; each kind of network has its own default.
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

_caches_of_evaluators: list[functools._lru_cache_wrapper[Any]] = []
_evaluators: WeakKeyDictionary[Any, tuple[int, int]] = WeakKeyDictionary()  # positions: default, present


def shared(most: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Decorate a function that makes evaluators with an LRU cache of `most` evaluators."""

    def keep(make: Callable[..., T]) -> Callable[..., T]:
        kept = functools.lru_cache(maxsize=most)(make)
        _caches_of_evaluators.append(kept)
        return kept

    return keep


def cache_size(default: int) -> int:
    """How many positions a new cache holds."""
    given = os.environ.get(VARIABLE, "")
    if not given:
        return default
    if not given.isascii() or not given.isdigit() or int(given) > MOST:
        raise SandtableError(f"{VARIABLE}: must be a whole number within 0..{MOST}, not {given!r:.40}")
    return int(given)


def cached(make: Callable[[int], T], default: int) -> T:
    """Make an evaluator with a cache of `default` positions, or of SANDTABLE_CACHE, and register it: clear_cache() and
    set_cache_size() act on it as long as it exists."""
    positions = cache_size(default)
    made = make(positions)
    _evaluators[made] = default, positions
    return made


def clear_cache() -> None:
    """Forget all evaluations, including those of existing players, and all networks that no player uses."""
    for kept in _caches_of_evaluators:
        kept.cache_clear()
    for evaluator, (_, positions) in list(_evaluators.items()):
        evaluator.renew_cache(positions)


def set_cache_size(positions: int | None) -> None:
    """Set how many positions the cache of each network holds, in this process and in workers that it starts: 0 for no
    cache, None for the default of each kind of network. Clears the caches."""
    os.environ.pop(VARIABLE, None)
    if positions is not None:
        os.environ[VARIABLE] = str(checked_whole("the cache", positions, 0, MOST))
    for evaluator, (default, _) in list(_evaluators.items()):
        _evaluators[evaluator] = default, cache_size(default)
    clear_cache()
