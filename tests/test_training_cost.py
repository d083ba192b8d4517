"""Memory and time of a training step: what is measured is the step's own."""

from collections.abc import Callable

import numpy as np
import torch

from sandtable.papers.training_cost import cost_of


def filling(megabytes: int) -> Callable[[], None]:
    """A step that needs so many megabytes for a moment."""

    def step() -> None:
        torch.ones(megabytes << 18)

    return step


def test_a_step_is_measured_against_its_own_process() -> None:
    """A process that is started by one with much memory inherits that as its peak: the step would seem to need none."""
    much = np.ones(512 << 17)  # 512 MB, which the measurement must not see
    found = cost_of(filling, batch=96)
    assert much.sum() == 512 << 17
    assert 90 < found["megabytes"] < 110  # less what the warm-up needed
    assert found["seconds"] > 0
