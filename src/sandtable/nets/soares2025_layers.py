"""Alternatives to soares2025's layers, with its inputs and heads, to compare networks trained for equal time: a plain
graph convolution along the map's edges, and the message passing of our network for Conquest (territories.py).

Shapes as in soares2025.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from sandtable.nets.soares2025 import EMBEDDING, Heads
from sandtable.nets.territories import Round

INPUTS = 5


class PlainGcn(Heads):
    """Three layers of Kipf and Welling's graph convolution; all that it reads of bonuses is the two incomes."""

    def __init__(self, dropout: float = 0.5) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(inputs, EMBEDDING) for inputs in (INPUTS, EMBEDDING, EMBEDDING))
        self.add_heads(dropout)

    def embedded(self, edges: Tensor, members: Tensor, cliques: Tensor, shares: Tensor, nodes: Tensor) -> Tensor:
        mixing = normalised(edges)
        x = nodes + unread(members, cliques, shares)
        for layer in self.layers:
            x = torch.relu(torch.matmul(mixing, layer(x)))
        return x


class TerritoryLayers(Heads):
    """Our rounds of message passing along edges and within bonuses."""

    def __init__(self, hidden: int = 48, rounds: int = 3, dropout: float = 0.5) -> None:
        super().__init__()
        self.enter = nn.Linear(INPUTS, hidden)
        self.rounds = nn.ModuleList(Round(hidden) for _ in range(rounds))
        self.leave = nn.Linear(hidden, EMBEDDING)
        self.add_heads(dropout)

    def embedded(self, edges: Tensor, members: Tensor, cliques: Tensor, shares: Tensor, nodes: Tensor) -> Tensor:
        neighbours = (edges == 0).to(nodes.dtype)
        kin = torch.matmul(shares, (cliques == 0).to(nodes.dtype))
        x = torch.relu(self.enter(nodes + unread(members))).transpose(0, 1)  # territories first
        for one in self.rounds:
            x = one(x, neighbours, kin)
        return torch.relu(self.leave(x)).transpose(0, 1)


def unread(*inputs: Tensor) -> Tensor:
    """0, computed from inputs that a network does not use: an export drops inputs that do not affect the result."""
    return sum((one.sum().float() * 0 for one in inputs), torch.zeros(()))


def normalised(edges: Tensor) -> Tensor:
    """The adjacency matrix with self-loops, divided by the square roots of both nodes' degrees."""
    own = torch.eye(edges.shape[0], dtype=edges.dtype, device=edges.device)
    joined = torch.maximum((edges == 0).to(edges.dtype), own)
    degrees = joined.sum(1) ** -0.5
    return degrees[:, None] * joined * degrees[None, :]
