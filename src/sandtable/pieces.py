"""Long counts in short pieces: between two pieces Python answers Ctrl-C."""

from collections.abc import Callable

from sandtable.errors import SandtableError

PIECE = 1000


def summed(run: Callable[[int, int], tuple[int, ...]], n: int) -> tuple[int, ...]:
    """The sums of run(first, last) over 0 .. n-1 in pieces; run(0, 0) gives the zeros."""
    if not isinstance(n, int) or n < 0:
        raise SandtableError(f"the number of playouts must be a whole number and not negative: {n!r:.40}")
    sums = run(0, 0)
    for first in range(0, n, PIECE):
        sums = tuple(a + b for a, b in zip(sums, run(first, min(first + PIECE, n)), strict=True))
    return sums
