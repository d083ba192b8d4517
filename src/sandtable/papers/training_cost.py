"""Memory and time of a training step, each measurement in a fresh process.

The peak of a process cannot be reset, and one that is started by fork and exec inherits its parent's. The children of a
fork server start from what the server has, which is torch and nothing else.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from statistics import median
from typing import Any

WARM_UP = 2  # samples: what is allocated once and for all, such as compiled kernels, is there before the measurement


def cost_of(
    build: Callable[..., Callable[[], Any]], *arguments: Any, batch: int, processes: int = 3
) -> dict[str, float]:
    """The cost of the step that build(*arguments, batch) returns: peak megabytes beyond what its process had before,
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
    """The most memory that this process has ever had. Windows has no such count."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
