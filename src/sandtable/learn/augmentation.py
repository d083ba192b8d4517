"""Data augmentation by the symmetries of the board."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from sandtable.nets.takahashi import GRAPH, IMAGE, PLANES, SIZE

Augmentation = Callable[[Tensor, torch.Generator], Tensor]


def none(inputs: Tensor, generator: torch.Generator) -> Tensor:
    return inputs


def board(inputs: Tensor, generator: torch.Generator) -> Tensor:
    """Apply one of the board's eight symmetries, drawn at random, to all samples of a batch: to the image and to the
    units' cells; the graph stays the same. Takes images [B, planes, size, size] or takahashi's combined inputs."""
    number = int(torch.randint(8, (1,), generator=generator))
    if inputs.dim() == 4:
        return turned(inputs, number)
    image = inputs[:, GRAPH : GRAPH + IMAGE].reshape(-1, PLANES, SIZE, SIZE)
    cells = inputs[:, GRAPH + IMAGE :].long()
    # `numbers` has, for each cell of the turned board, the original cell; its inverse gives each cell's new place.
    numbers = turned(torch.arange(SIZE * SIZE).reshape(1, 1, SIZE, SIZE), number).flatten()
    moved = torch.argsort(numbers)[cells.clamp(min=0)]
    parts = [inputs[:, :GRAPH], turned(image, number).flatten(1), torch.where(cells < 0, -1, moved).to(inputs.dtype)]
    return torch.cat(parts, 1)


def turned(image: Tensor, number: int) -> Tensor:
    """An image [..., size, size] under a symmetry: 0 to 3 are quarter turns (0: none), 4 to 7 mirror it first."""
    if number >= 4:
        image = image.flip(-1)
    return torch.rot90(image, number % 4, (-2, -1))


AUGMENTATIONS: dict[str, Augmentation] = {"none": none, "board": board}
