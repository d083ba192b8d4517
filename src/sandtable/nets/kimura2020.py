"""The network of kimura2020 (section 3.4): a residual network over five planes of a 6x6 board, one of which names the
unit that is asked about; it answers with logits of that unit's 180 operations and a value.

`blocks` is the paper's n; `separable` its separable convolutions, instead of plain ones; dropout stands within a block.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

PLANES, SIZE, CHANNELS = 5, 6, 128
CELLS = SIZE * SIZE
ANSWERS = 5 * CELLS


def convolution(separable: bool) -> nn.Module:
    """128 channels to 128, 3x3; separable: a 3x3 for each channel, then a product over channels (Chollet, 2017)."""
    if not separable:
        return nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=False)
    return nn.Sequential(
        nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, groups=CHANNELS, bias=False),
        nn.Conv2d(CHANNELS, CHANNELS, 1, bias=False),
    )


class Block(nn.Module):
    """Figure 4: two convolutions and a shortcut."""

    def __init__(self, separable: bool, dropout: float) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            convolution(separable),
            nn.BatchNorm2d(CHANNELS),
            nn.ReLU(),
            nn.Dropout(dropout),
            convolution(separable),
            nn.BatchNorm2d(CHANNELS),
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.layers(x))


class PolicyValueNet(nn.Module):
    """Planes [R, 5, 6, 6], a row for each unit that is asked about, to values [R] and logits [R, 180]."""

    def __init__(self, blocks: int, separable: bool, dropout: float = 0.0) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(PLANES, CHANNELS, 3, padding=1, bias=False),
            nn.BatchNorm2d(CHANNELS),
            nn.ReLU(),
            *(Block(separable, dropout) for _ in range(blocks)),
        )
        # The paper's figure has "180 affine": five channels of 36 cells lead to it here.
        self.policy = nn.Sequential(
            nn.Conv2d(CHANNELS, ANSWERS // CELLS, 1, bias=False),
            nn.BatchNorm2d(ANSWERS // CELLS),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(ANSWERS, ANSWERS),
        )
        self.value = nn.Sequential(
            nn.Conv2d(CHANNELS, 1, 1, bias=False),
            nn.BatchNorm2d(1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(CELLS, CHANNELS),
            nn.ReLU(),
            nn.Linear(CHANNELS, 1),
            nn.Tanh(),
        )

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        x = self.trunk(planes.contiguous(memory_format=torch.channels_last))
        return self.value(x).squeeze(1), self.policy(x)
