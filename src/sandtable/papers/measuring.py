"""Memory and time of a step of learning, in a process of its own: the most that one has ever had cannot be reset."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

TIMES = 3


def cost_of(build: Callable[..., Callable[[], Any]], *arguments: Any) -> dict[str, float]:
    """Of the step that build(*arguments) gives: megabytes beyond what was there before it, and its median seconds."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as fresh:
        return fresh.submit(_measured, build, *arguments).result()


def _measured(build: Callable[..., Callable[[], Any]], *arguments: Any) -> dict[str, float]:
    step = build(*arguments)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = []
    for _ in range(TIMES):
        begin = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - begin)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"megabytes": (most - before) / 1024, "seconds": sorted(seconds)[TIMES // 2]}
