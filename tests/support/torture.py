"""The size of the long robustness tests in tests/torture: one factor for all of them."""

import os

SETTING = "SANDTABLE_TORTURE"


def size(full: int) -> int:
    """`full` times the factor in the environment variable SANDTABLE_TORTURE (1 unless set), at least 1. With 1, all
    tests together take about an hour on two cores."""
    return max(1, round(full * float(os.environ.get(SETTING, "1"))))


def spread(count: int, most: int) -> list[int]:
    """The numbers 1..count, or `most` of them at even distances, with the first and the last."""
    if count <= most:
        return list(range(1, count + 1))
    if most == 1:
        return [(count + 1) // 2]
    return sorted({1 + round(i * (count - 1) / (most - 1)) for i in range(most)})
