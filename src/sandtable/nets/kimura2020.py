"""The network of kimura2020 (section 3.4): a residual network over five planes of a 6x6 board, one of which marks the
unit to move; its outputs are logits of that unit's 180 operations and a value.

`blocks` is the paper's n; `separable` chooses its separable convolutions instead of plain ones; `dropout` acts within a
block. `affine_policy` builds the policy head of the text (section 3.4.2): an affine layer of 180, batch normalisation,
ReLU, softmax. Without it the head is our first reading, which follows AlphaZero: a 1x1 convolution, normalisation,
ReLU, an affine layer of 180, softmax. The softmax, over legal moves only, is left to the caller.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from sandtable.nets.dropout import Dropout

PLANES, SIZE, CHANNELS = 5, 6, 128
CELLS = SIZE * SIZE
ANSWERS = 5 * CELLS


def convolution(separable: bool) -> nn.Module:
    """128 channels to 128, 3x3. Separable: a 3x3 filter for each channel, then a 1x1 convolution (Chollet, 2017)."""
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
            Dropout(dropout),
            convolution(separable),
            nn.BatchNorm2d(CHANNELS),
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.layers(x))


def affine_head() -> nn.Module:
    """The text does not say what its "180 affine" is applied to: here it is all 4,608 values of the residual part.

    Logits are never negative, so a move is excluded by leaving it out of the softmax, not by a logit of 0. The shift of
    the batch normalisation serves as the affine layer's bias.
    """
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(CHANNELS * CELLS, ANSWERS, bias=False),
        nn.BatchNorm1d(ANSWERS),
        nn.ReLU(),
    )


def convolution_head() -> nn.Module:
    """A 1x1 convolution to five channels of 36 cells, then the affine layer."""
    return nn.Sequential(
        nn.Conv2d(CHANNELS, ANSWERS // CELLS, 1, bias=False),
        nn.BatchNorm2d(ANSWERS // CELLS),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(ANSWERS, ANSWERS),
    )


class PolicyValueNet(nn.Module):
    """Planes [R, 5, 6, 6], a row for each unit to move, to values [R] and logits [R, 180]."""

    def __init__(self, blocks: int, separable: bool, affine_policy: bool = False, dropout: float = 0.0) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(PLANES, CHANNELS, 3, padding=1, bias=False),
            nn.BatchNorm2d(CHANNELS),
            nn.ReLU(),
            *(Block(separable, dropout) for _ in range(blocks)),
        )
        self.policy = affine_head() if affine_policy else convolution_head()
        # The text has batch normalisation and ReLU before the affine layers; here a 1x1 convolution precedes them.
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
