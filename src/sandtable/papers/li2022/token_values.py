"""Our network over units (nets/tokens.py) as a value network for li2022's positions, to compare it with the paper's
networks. It has the same inputs and layers, but no policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sandtable import _core
from sandtable.nets.classifier import Classifier
from sandtable.nets.tokens import GLOBAL, MOVE, PAIR, UNIT, TokenNet

UNITS = 6  # of both sides, at the start of every game
PARTS = [UNITS * UNIT, PAIR * UNITS * UNITS, GLOBAL]  # lengths of the parts of a state's row
SHAPE = (sum(PARTS),)
AT_ONCE = 1000  # states in a batch; the encoder also writes their moves, which are discarded


class TokenEncoder:
    """[S, 396]: the units, pairs and balance of each state, flattened; destroyed units are zeros."""

    def encode(self, states: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float32]]:
        parts = [self._encode_batch(states[start : start + AT_ONCE]) for start in range(0, len(states), AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros((0, *SHAPE), np.float32)

    def _encode_batch(self, states: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float32]]:
        arrays, *_ = _core.tubstap.encode_policy("tokens", list(states))
        units, pairs, balance = arrays[:3]
        missing = UNITS - units.shape[1]
        units = np.pad(units, ((0, 0), (0, missing), (0, 0)))
        pairs = np.pad(pairs, ((0, 0), (0, 0), (0, missing), (0, missing)))
        return np.concatenate([units.reshape(len(states), -1), pairs.reshape(len(states), -1), balance], 1)


class TokenValues(Classifier):
    """A value network of the size that the player `sandtable` has."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = TokenNet(64, 3)

    def logits(self, inputs: Tensor) -> Tensor:
        units, pairs, balance = torch.split(inputs, PARTS, 1)
        no_moves, no_units = inputs.new_zeros(0, MOVE), inputs.new_zeros(0, dtype=torch.long)
        result, *_ = self.layers.everything(
            units.reshape(-1, UNITS, UNIT), pairs.reshape(-1, PAIR, UNITS, UNITS), balance, no_moves, no_units, no_units
        )
        return result
