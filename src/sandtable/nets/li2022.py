"""The value networks of li2022 (Table 3): `cnn_i` on an image of the board, `cnn_g`, `gcn_4` and `gcn_32` on a graph of
who can attack whom. Each ends in one tanh: the value for the side to move.

The widths that the paper prints for its CNNs cannot give the weight counts that it prints; the layers below give all
four counts (174,721, 76,705, 76,433 and 596,225). Shapes: B batch, C input matrices, F output matrices, N rows.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class GraphConvolution(nn.Module):
    """out_f = relu(sum over c of A X_c diag(w_fc) + bias_f): N x N matrices in, N x N matrices out.

    The matrices are stored as [B, N, C, N], row first, so that A X is one product for all of them, and the sum over c
    another: the diagonals form one matrix [C N, F N], mostly zeros, which is still faster than N small products.
    """

    diagonal: Tensor

    def __init__(self, inputs: int, outputs: int, rows: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs, rows))
        self.bias = nn.Parameter(torch.zeros(outputs, rows, rows))
        nn.init.uniform_(self.weight, -(inputs**-0.5), inputs**-0.5)  # an output value sums one value per input
        self.register_buffer("diagonal", torch.eye(rows), persistent=False)

    def forward(self, adjacency: Tensor, x: Tensor) -> Tensor:
        """`adjacency` is [B, N, N], `x` [B, N, C, N]; gives [B, N, F, N]."""
        outputs, inputs, rows = self.weight.shape
        weight = self.weight.permute(1, 2, 0).unsqueeze(3) * self.diagonal.unsqueeze(1)  # [C, N, F, N]
        mixed = torch.bmm(adjacency, x.reshape(-1, rows, inputs * rows))
        bias = self.bias.transpose(0, 1).reshape(rows, outputs * rows)
        out = mixed @ weight.reshape(inputs * rows, outputs * rows) + bias
        return torch.relu(out).view(-1, rows, outputs, rows)


class KernelConvolution(nn.Module):
    """out_f = relu(sum over c of X_c diag(w_fc) K_f): another reading of the same weight counts.

    The paper calls the N x N inputs themselves adjacency matrices and its layer "similar to matrix dot calculation"
    (section 2.2): here a kernel K_f replaces the bias, and there is no product with another adjacency. diag(w_fc) K_f
    is one matrix for each c and f, so that all sums are one product [N, C N] x [C N, F N].
    """

    def __init__(self, inputs: int, outputs: int, rows: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs, rows))
        self.kernel = nn.Parameter(torch.empty(outputs, rows, rows))
        nn.init.uniform_(self.weight, -(inputs**-0.5), inputs**-0.5)
        nn.init.uniform_(self.kernel, -((3 / rows) ** 0.5), (3 / rows) ** 0.5)  # variance 1/N: keeps the sums' scale

    def forward(self, _adjacency: Tensor, x: Tensor) -> Tensor:
        """`x` is [B, N, C, N]; gives [B, N, F, N]. The adjacency, which GraphConvolution needs, is not used."""
        outputs, inputs, rows = self.weight.shape
        weight = self.weight.permute(1, 2, 0).unsqueeze(3) * self.kernel.transpose(0, 1)  # [C, N, F, N]
        out = x.reshape(-1, rows, inputs * rows) @ weight.reshape(inputs * rows, outputs * rows)
        return torch.relu(out).view(-1, rows, outputs, rows)


CONVOLUTIONS = {"adjacency": GraphConvolution, "kernel": KernelConvolution}


class Gcn(nn.Module):
    """gcn 16, gcn `outputs`, FC 512, 1; `layer` is one of CONVOLUTIONS."""

    loops: Tensor

    def __init__(self, outputs: int, matrices: int = 6, rows: int = 6, *, layer: str = "adjacency") -> None:
        super().__init__()
        self.first = CONVOLUTIONS[layer](matrices, 16, rows)
        self.second = CONVOLUTIONS[layer](16, outputs, rows)
        self.hidden = nn.Linear(outputs * rows * rows, 512)
        self.value = nn.Linear(512, 1)
        self.register_buffer("loops", torch.eye(rows), persistent=False)

    def forward(self, matrices: Tensor) -> Tensor:
        """[B, C, N, N], where the first matrix is the adjacency, to [B]."""
        adjacency = matrices[:, 0] + self.loops
        adjacency = adjacency / adjacency.sum(2, keepdim=True)
        x = self.first(adjacency, matrices.transpose(1, 2))
        x = self.second(adjacency, x)
        return torch.tanh(self.value(torch.relu(self.hidden(x.flatten(1))))).squeeze(1)


class Cnn(nn.Module):
    """conv 32@3x3, max-pool 2 with stride 1, conv 64@2x2, FC 128, FC 256, 1: in the manner of LeNet."""

    def __init__(self, planes: int, size: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(planes, 32, 3),
            nn.ReLU(),
            nn.MaxPool2d(2, stride=1),
            nn.Conv2d(32, 64, 2),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(64 * (size - 4) ** 2, 128),
            nn.ReLU(),
            nn.Linear(128, 256),
            nn.BatchNorm1d(256),
            nn.ReLU(),
            nn.Linear(256, 1),
            nn.Tanh(),
        )

    def forward(self, planes: Tensor) -> Tensor:
        """[B, C, size, size] to [B]."""
        out: Tensor = self.layers(planes)
        return out.squeeze(1)
