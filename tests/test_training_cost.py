"""Memory and time of a training step, without those of the process that asks for them."""

from collections.abc import Callable

import numpy as np
import torch

from sandtable.papers.training_cost import cost_of


def filling(megabytes: int) -> Callable[[], None]:
    """A step that allocates a number of megabytes for a moment."""

    def step() -> None:
        torch.ones(megabytes << 18)

    return step


def test_the_memory_of_the_calling_process_is_not_counted() -> None:
    """A process inherits the peak memory of the one that starts it, so the step could seem to need none."""
    much = np.ones(512 << 17)  # 512 MB, which the measurement must not see
    found = cost_of(filling, batch=96)
    assert much.sum() == 512 << 17
    assert 90 < found["megabytes"] < 110  # less what the warm-up needed
    assert found["seconds"] > 0
