"""How a process that trains uses its processor."""

from __future__ import annotations

import ctypes
import sys

# Parameters of glibc's mallopt(3).
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST_BLOCK = 1 << 25  # bytes; glibc before 2.35 refuses more
_KEPT = 1 << 30  # bytes


def prepare_for_training() -> None:
    """Give this process one torch thread, and let it keep the memory that an update frees for the next one.

    A process a core: two threads on a busy machine are many times slower than one. Memory that goes back to the system
    has to be cleared again, page by page, before it is used for the next update. Without that, an update of
    kimura2020's network takes a fifth less time (benchmarks/training_steps.py).
    """
    import torch

    torch.set_num_threads(1)
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        # The second without the first would make every large block go back to the system.
        if mallopt and mallopt(_MMAP_THRESHOLD, _LARGEST_BLOCK):
            mallopt(_TRIM_THRESHOLD, _KEPT)
