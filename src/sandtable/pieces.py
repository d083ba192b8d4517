"""Long counts are run in short pieces, so that Python can react to Ctrl-C between them."""

from collections.abc import Callable

from sandtable.rng import checked_whole

PIECE = 1000


def summed(run: Callable[[int, int], tuple[int, ...]], n: int) -> tuple[int, ...]:
    """The sums of run(first, last) over pieces of 0 .. n-1; run(0, 0) returns the zeros."""
    n = checked_whole("the number of playouts", n, 0, 2**63 - 1)
    sums = run(0, 0)
    for first in range(0, n, PIECE):
        sums = tuple(a + b for a, b in zip(sums, run(first, min(first + PIECE, n)), strict=True))
    return sums
