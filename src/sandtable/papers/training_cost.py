"""Memory and time of a training step, each measurement in a fresh process.

The peak memory of a process cannot be reset, and a process started by fork and exec inherits its parent's peak. The
children of a fork server start with the server's peak, and the server has loaded torch and nothing else.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from statistics import median
from typing import Any

WARM_UP = 2  # samples of a first step: it makes the one-time allocations, such as compiled kernels, before measuring


def cost_of(
    build: Callable[..., Callable[[], Any]], *arguments: Any, batch: int, processes: int = 3
) -> dict[str, float]:
    """The cost of the step that build(*arguments, batch) returns: the growth of the process's peak memory in megabytes,
    and seconds; medians over fresh processes."""
    found = [_in_a_fresh_process(build, *arguments, batch) for _ in range(processes)]
    return {name: median(one[name] for one in found) for name in found[0]}


def _in_a_fresh_process(build: Callable[..., Callable[[], Any]], *arguments: Any) -> dict[str, float]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch"])
    with ProcessPoolExecutor(1, context) as fresh:
        return fresh.submit(_measured, build, *arguments).result()


def _measured(build: Callable[..., Callable[[], Any]], *arguments: Any) -> dict[str, float]:
    *others, batch = arguments
    build(*others, WARM_UP)()
    step = build(*others, batch)
    before = _peak_megabytes()
    step()
    megabytes = _peak_megabytes() - before
    begin = time.perf_counter()
    step()
    return {"megabytes": megabytes, "seconds": time.perf_counter() - begin}


def _peak_megabytes() -> float:
    """The peak memory of this process so far. Windows does not count it."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
