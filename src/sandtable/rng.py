"""Random numbers that are the same for a seed on every machine and Python version, in named streams."""

from collections.abc import MutableSequence, Sequence
from typing import TypeVar

from sandtable import _core
from sandtable.errors import SandtableError

T = TypeVar("T")


def checked_seed(seed: int) -> int:
    """The seed, if it is one: 64 bits without a sign."""
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise SandtableError(f"a seed is a whole number from 0 to 2^64 - 1, not {seed!r:.40}")
    return seed


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
        pool = list(items)
        self.shuffle(pool)
        return pool[:n]
