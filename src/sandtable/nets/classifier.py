"""Networks that classify positions as win, loss or draw."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

CLASSES = ("win", "loss", "draw")  # for the side to move


class Classifier(nn.Module, ABC):
    """`logits` for training, and the value p(win) - p(loss) for searches."""

    @abstractmethod
    def logits(self, inputs: Tensor) -> Tensor:
        """[B, values of a state] to [B, 3], as CLASSES."""

    def forward(self, inputs: Tensor) -> Tensor:
        """[B, values of a state] to [B], in [-1, 1]."""
        chances = torch.softmax(self.logits(inputs), 1)
        return chances[:, 0] - chances[:, 1]
