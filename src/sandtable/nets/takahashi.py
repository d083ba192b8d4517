"""The networks of takahashi (section 4): a graph convolution whose edges carry damages, an image convolution, and three
ways to combine them. Each gives three logits: win, loss and draw for the side to move.

The paper's figures give the first and last widths; those in between are ours. Shapes: B batch, N units, C channels.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import torch
from torch import Tensor, nn

from sandtable.nets.classifier import Classifier

UNITS, NODE, EDGE = 8, 13, 4
PLANES, SIZE = 20, 8
GRAPH = UNITS * (NODE + UNITS * EDGE)
IMAGE = PLANES * SIZE * SIZE
GRAPH_CHANNELS = (32, 64, 64, 64)
IMAGE_CHANNELS = (32, 32, 32, 16)


class Graph(NamedTuple):
    """A batch of states as graphs, in the form that the convolutions read."""

    nodes: Tensor  # [B, N, 13]
    mixing: Tensor  # [B, 5 N, N]: four edge values, and 1 for every pair, divided by the unit's number of neighbours
    alive: Tensor  # [B, N, 1]

    @classmethod
    def of(cls, flat: Tensor) -> Graph:
        """The graphs of flat inputs: nodes [N, 13], then edges [N, N, 4]."""
        nodes = flat[:, : UNITS * NODE].reshape(-1, UNITS, NODE)
        edges = flat[:, UNITS * NODE : GRAPH].reshape(-1, UNITS, UNITS, EDGE)
        alive = (nodes[:, :, : NODE - 1].sum(2, keepdim=True) > 0).to(flat.dtype)
        pairs = edges[..., :1] + edges[..., 1:2]  # every other unit is a friend or an enemy
        mixing = torch.cat([edges, pairs], 3) / pairs.sum(2, keepdim=True).clamp(min=1)
        return cls(nodes, mixing.permute(0, 3, 1, 2).reshape(-1, (EDGE + 1) * UNITS, UNITS), alive)


class EdgeConvolution(nn.Module):
    """x_i' = W x_i + mean over j of x_j h(e_ij), h a fully connected layer (section 4.2.2; NNConv of Gilmer et al.).

    h is linear, so the sum over neighbours is taken before the product: sum over k of (sum over j of e_ijk x_j) W_k. No
    edge needs a matrix of its own; each unit needs five vectors.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.root = nn.Linear(inputs, outputs)
        # h's weights: a matrix for each of the four edge values, and one for its bias.
        self.edge = nn.Parameter(torch.empty(EDGE + 1, inputs, outputs))
        nn.init.uniform_(self.edge, -(inputs**-0.5), inputs**-0.5)

    def forward(self, graph: Graph, x: Tensor) -> Tensor:
        """[B, N, C] to [B, N, C']."""
        units, inputs = x.shape[1:]
        gathered = torch.bmm(graph.mixing, x).view(-1, EDGE + 1, units, inputs).transpose(1, 2)
        mixed: Tensor = self.root(x)
        return mixed + gathered.reshape(-1, units, (EDGE + 1) * inputs) @ self.edge.view((EDGE + 1) * inputs, -1)


class GraphLayers(nn.Module):
    """Four convolutions, then the maximum of each channel over the units: 64 values."""

    def __init__(self, node: int = NODE) -> None:
        super().__init__()
        widths = (node, *GRAPH_CHANNELS)
        self.convolutions = nn.ModuleList(EdgeConvolution(a, b) for a, b in itertools.pairwise(widths))

    def forward(self, graph: Graph, x: Tensor) -> Tensor:
        for convolution in self.convolutions:
            x = torch.relu(convolution(graph, x))
        return (x * graph.alive).amax(1)  # values are not negative, so the zeros of empty rows do no harm


class ImageLayers(nn.Module):
    """Four convolutions that keep the board's size: 16 values per cell."""

    def __init__(self) -> None:
        super().__init__()
        widths = (PLANES, *IMAGE_CHANNELS)
        layers = [nn.Conv2d(a, b, 3, padding=1) for a, b in itertools.pairwise(widths)]
        self.layers = nn.Sequential(*(part for layer in layers for part in (layer, nn.ReLU())))

    def forward(self, image: Tensor) -> Tensor:
        # On a CPU, training is a fifth faster with the channels last in memory.
        out: Tensor = self.layers(image.contiguous(memory_format=torch.channels_last))
        return out


class ImageFeatures(nn.Module):
    """The convolutions and a fully connected layer: 64 values."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.layers = ImageLayers()
        self.dropout = nn.Dropout(dropout)
        self.hidden = nn.Linear(IMAGE_CHANNELS[-1] * SIZE * SIZE, 64)

    def forward(self, image: Tensor) -> Tensor:
        return torch.relu(self.hidden(self.dropout(self.layers(image).flatten(1))))


class Gcn(Classifier):
    """Figure 2, left."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.layers = GraphLayers()
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(GRAPH_CHANNELS[-1], 3)

    def logits(self, inputs: Tensor) -> Tensor:
        graph = Graph.of(inputs)
        out: Tensor = self.head(self.dropout(self.layers(graph, graph.nodes)))
        return out


class Cnn(Classifier):
    """Figure 2, right."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.layers = ImageFeatures(dropout)
        self.head = nn.Linear(64, 3)

    def logits(self, inputs: Tensor) -> Tensor:
        out: Tensor = self.head(self.layers(inputs.reshape(-1, PLANES, SIZE, SIZE)))
        return out


class CombinedA(Classifier):
    """Figure 3: the 64 values of graph and image, concatenated, and two layers."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.graph, self.image = GraphLayers(), ImageFeatures(dropout)
        self.dropout = nn.Dropout(dropout)
        self.hidden = nn.Linear(GRAPH_CHANNELS[-1] + 64, 64)
        self.head = nn.Linear(64, 3)

    def logits(self, inputs: Tensor) -> Tensor:
        graph, image, _ = parts(inputs)
        both = self.dropout(torch.cat([self.graph(graph, graph.nodes), self.image(image)], 1))
        out: Tensor = self.head(torch.relu(self.hidden(both)))
        return out


class CombinedB(Classifier):
    """Figure 4: the sum of the logits of both networks."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.graph, self.image = Gcn(dropout), Cnn(dropout)

    def logits(self, inputs: Tensor) -> Tensor:
        return self.graph.logits(inputs[:, :GRAPH]) + self.image.logits(inputs[:, GRAPH : GRAPH + IMAGE])


class CombinedC(Classifier):
    """Figure 5: the image's 16 values at a unit's cell are appended to its node."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.image = ImageLayers()
        self.graph = GraphLayers(NODE + IMAGE_CHANNELS[-1])
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(GRAPH_CHANNELS[-1], 3)

    def logits(self, inputs: Tensor) -> Tensor:
        graph, image, cells = parts(inputs)
        at_cells = self.image(image).flatten(2).transpose(1, 2)  # [B, cells, 16]
        at_units = torch.gather(at_cells, 1, cells.unsqueeze(2).expand(-1, -1, at_cells.shape[2]))
        out: Tensor = self.head(self.dropout(self.graph(graph, torch.cat([graph.nodes, at_units], 2))))
        return out


def parts(inputs: Tensor) -> tuple[Graph, Tensor, Tensor]:
    """The graph, the image and the units' cells of combined inputs; a row without a unit has cell 0."""
    image = inputs[:, GRAPH : GRAPH + IMAGE].reshape(-1, PLANES, SIZE, SIZE)
    return Graph.of(inputs), image, inputs[:, GRAPH + IMAGE :].long().clamp(min=0)
