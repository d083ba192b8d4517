"""How often something is done a second: what the benchmarks of the games share."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple


class Rate(NamedTuple):
    """Something done so many times a second, and what that is to be compared with."""

    what: str
    where: str
    per_second: float
    unit: str
    note: str = ""


def paired(
    one: Callable[[int], int], other: Callable[[int], int], seconds: float, rounds: int = 5
) -> list[tuple[float, float]]:
    """What one(seed) and other(seed) count a second of processor time, by turns: so that both meet the same load."""

    def rate(run: Callable[[int], int]) -> float:
        count, start = 0, time.process_time()
        while (passed := time.process_time() - start) < seconds:
            count += run(count)
        return count / passed

    return [(rate(one), rate(other)) for _ in range(rounds)]


def counted(run: Callable[[], int], seconds: float) -> float:
    """What run() counts, a second."""
    count = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        count += run()
    return count / passed


def playouts_and_steps(run: Callable[[int], int], seconds: float) -> tuple[float, float]:
    """Playouts a second, and the steps that run(seed) counts in fifty of them."""
    playouts = steps = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        steps += run(playouts)
        playouts += 50
    return playouts / passed, steps / passed


def calls(function: Callable[[], object], seconds: float) -> float:
    calls = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        for _ in range(100):
            function()
        calls += 100
    return calls / passed
