"""Thread and memory settings of a process that trains networks."""

from __future__ import annotations

import ctypes
import sys

# Parameters of glibc's mallopt(3).
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST_BLOCK = 1 << 25  # bytes; glibc before 2.35 refuses more
_KEPT_FREE = 1 << 30  # bytes of freed memory that the process keeps


def prepare_for_training() -> None:
    """Give this process one torch thread, and let it keep the memory that an update frees for the next one.

    Each core runs one process: two threads on a busy machine are many times slower than one. Memory that is returned
    to the system must be cleared, page by page, before the next update can use it. An update of kimura2020's network
    takes a fifth less time if the process keeps its memory (benchmarks/training_steps.py).
    """
    import torch

    torch.set_num_threads(1)
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        # The trim threshold alone would be harmful: every large block would be returned to the system when freed.
        if mallopt and mallopt(_MMAP_THRESHOLD, _LARGEST_BLOCK):
            mallopt(_TRIM_THRESHOLD, _KEPT_FREE)
