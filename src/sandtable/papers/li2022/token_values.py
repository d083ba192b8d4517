"""Our network over units (nets/tokens.py) as a value network of li2022's positions, to compare it with the paper's: the
same inputs and layers without the policy."""

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
PARTS = [UNITS * UNIT, PAIR * UNITS * UNITS, GLOBAL]  # of a state's row
SHAPE = (sum(PARTS),)
AT_ONCE = 1000  # states; the encoder also writes their moves, which are not kept


class TokenEncoder:
    """[S, 396]: units, pairs and balance of each state, flat; units that are gone are zeros."""

    def encode(self, states: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float32]]:
        parts = [self._some(states[start : start + AT_ONCE]) for start in range(0, len(states), AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros((0, *SHAPE), np.float32)

    def _some(self, states: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float32]]:
        arrays, *_ = _core.tubstap.encode_policy("tokens", list(states))
        units, pairs, balance = arrays[:3]
        gone = UNITS - units.shape[1]
        units = np.pad(units, ((0, 0), (0, gone), (0, 0)))
        pairs = np.pad(pairs, ((0, 0), (0, 0), (0, gone), (0, gone)))
        return np.concatenate([units.reshape(len(states), -1), pairs.reshape(len(states), -1), balance], 1)


class TokenValues(Classifier):
    """The size of the network that the player `sandtable` has."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = TokenNet(64, 3)

    def logits(self, inputs: Tensor) -> Tensor:
        units, pairs, balance = torch.split(inputs, PARTS, 1)
        no_moves, nobody = inputs.new_zeros(0, MOVE), inputs.new_zeros(0, dtype=torch.long)
        result, *_ = self.layers.everything(
            units.reshape(-1, UNITS, UNIT), pairs.reshape(-1, PAIR, UNITS, UNITS), balance, no_moves, nobody, nobody
        )
        return result
