"""Conquest's evaluator `share` as a network: its values can be checked by hand."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable import _core

Evaluator = _core.conquest.Evaluator
Encoder = _core.conquest.TerritoryGraphEncoder
Answer = tuple[NDArray[np.float32], NDArray[np.float32]]


def shares(*inputs: NDArray[Any]) -> Answer:
    """The evaluator `share`, for armies that are not scaled. Its policy prefers deploys on few territories."""
    nodes, totals, orders, moves = inputs[4], inputs[5], inputs[9], inputs[10]
    mine, theirs = totals[:, 2], totals[:, 3]
    armies = (mine - theirs) / np.maximum(mine + theirs, 1)
    income = (totals[:, 0] - totals[:, 1]) / (totals[:, 0] + totals[:, 1])
    deploys = np.append(orders[:, 5], 0)[moves].sum(1)
    assert nodes.shape[2] == 5
    return ((armies + income) / 2).astype(np.float32), (-3 * deploys).astype(np.float32)


def share_evaluator(forward: Any = shares) -> Evaluator:
    return Evaluator(Encoder(scaled=False), forward, batch=64, cache=1 << 10)
