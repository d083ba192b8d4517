"""Named streams of random numbers; a seed gives the same numbers on every machine and Python version."""

import operator
from collections.abc import MutableSequence, Sequence
from typing import TypeVar

from sandtable import _core
from sandtable.errors import SandtableError

T = TypeVar("T")


def checked_whole(what: str, value: int, low: int, high: int) -> int:
    """The value as an int; SandtableError unless it is a whole number (numpy's too) in the range."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if isinstance(value, bool) or not low <= number <= high:
        raise SandtableError(f"{what} must be a whole number within {low}..{high}, not {value!r:.40}")
    return number


def checked_seed(seed: int) -> int:
    """The seed as an int; SandtableError unless it is an unsigned 64-bit number."""
    return checked_whole("a seed", seed, 0, 2**64 - 1)


class Rng(_core.Rng):
    """The stream `name` of a seed; streams of different names are independent."""

    def __init__(self, seed: int, name: str) -> None:
        super().__init__(checked_seed(seed), name)

    def between(self, low: int, high: int) -> int:
        """Uniform in low .. high, both included."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def sample(self, items: Sequence[T], n: int) -> list[T]:
        """n different items in random order."""
        if n > len(items):
            raise SandtableError(f"{n} items do not fit into {len(items)} places")
        pool = list(items)
        self.shuffle(pool)
        return pool[:n]
