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
    """One of the board's eight symmetries, for all samples of a batch: the image and the units' cells turn with it, the
    graph stays as it is. For images [B, planes, size, size], and for takahashi's combined inputs."""
    number = int(torch.randint(8, (1,), generator=generator))
    if inputs.dim() == 4:
        return turned(inputs, number)
    image = inputs[:, GRAPH : GRAPH + IMAGE].reshape(-1, PLANES, SIZE, SIZE)
    cells = inputs[:, GRAPH + IMAGE :].long()
    # Where each cell has gone: the numbers of the cells, turned, at the place that they come to.
    numbers = turned(torch.arange(SIZE * SIZE).reshape(1, 1, SIZE, SIZE), number).flatten()
    moved = torch.argsort(numbers)[cells.clamp(min=0)]
    parts = [inputs[:, :GRAPH], turned(image, number).flatten(1), torch.where(cells < 0, -1, moved).to(inputs.dtype)]
    return torch.cat(parts, 1)


def turned(image: Tensor, number: int) -> Tensor:
    """[..., size, size] by symmetry 0 (none) to 7: quarter turns, and with the last four a mirror first."""
    if number >= 4:
        image = image.flip(-1)
    return torch.rot90(image, number % 4, (-2, -1))


AUGMENTATIONS: dict[str, Augmentation] = {"none": none, "board": board}
