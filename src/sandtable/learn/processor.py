"""How a process that trains on a processor uses it."""

from __future__ import annotations

import ctypes
import sys

# Parameters of glibc's mallopt(3).
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT = 1 << 30  # bytes


def use_one_core() -> None:
    """Prepare this process for training: one torch thread, and memory that one update frees is kept for the next.

    A process a core: two threads on a busy machine are many times slower than one. Memory that goes back to the system
    has to be cleared again, page by page, for the next update: an update of kimura2020's network takes a quarter
    longer (benchmarks/training_steps.py).
    """
    import torch

    torch.set_num_threads(1)
    if sys.platform == "linux":
        # Other C libraries than glibc may not have it, and then do as they do.
        allocator_option = getattr(ctypes.CDLL(None), "mallopt", lambda *_: 0)
        allocator_option(_MMAP_THRESHOLD, _KEPT)
        allocator_option(_TRIM_THRESHOLD, _KEPT)
