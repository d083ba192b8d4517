"""Networks of soares2025 with random weights, and questions for them."""

import numpy as np
import torch
from torch import Tensor

from sandtable.conquest import Land, Order
from sandtable.nets.soares2025 import Network
from support.conquest_positions import positions
from support.soares2025_oracle import (
    Array,
    Question,
)


def network(seed: int = 5, node_inputs: int = 5) -> Network:
    """Weights large enough for values and logits to differ."""
    torch.manual_seed(seed)
    made = Network(node_inputs)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(1.5)
    return made.eval()


def tensors(found: list[Array]) -> list[Tensor]:
    return [torch.from_numpy(one if one.dtype == np.int64 else one.astype(np.float32)) for one in found]


def questions(land: Land, count: int = 6) -> list[Question]:
    """Questions of both players, with no moves, with a few, and with a move without orders."""
    found = []
    for i, state in enumerate(positions(land, count)):
        moves: list[list[Order]] = [state.random_move(i % 2, seed) for seed in range(4 + i)]
        found.append(Question(state, i % 2, [] if i == 2 else [[], *moves] if i == 3 else moves))
    return found
