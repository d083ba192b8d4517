"""The network of soares2025 (section 4.1) as the authors' code builds it: 32,622 weights with its inputs, on any map.

Territories are nodes. Three rounds of attention, each among the members of every bonus and then along the map's edges,
give each territory 60 values, and these the value of the position and a logit for every candidate move that is asked
about. Where text and code differ this is the code. The text's inputs (section 4.1.1) have membership in each bonus
among them, which ties a network to a map; `node_inputs` makes room for them.

States of a batch are of one map, whose graph is given once; graphs so small are dense, each node hearing all others
behind a mask. Shapes: B states, T territories, M members of bonuses (a territory counts once for each of its bonuses),
A states that are asked about moves, O their orders, V their moves, L orders of the longest.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

WIDTH = 20
EMBEDDING = 60
GREATEST_GAP = 80.0  # e**-80 is nothing beside 1, and a normal number


class Attention(nn.Module):
    """What nodes hear of others: a TransformerConv (Shi et al., 2021) with one head and a gate, on dense matrices.

    query, key, value and skip are one layer. The gate weighs what a node hears against what it was; it sees both and
    their difference, which folds into two vectors.
    """

    def __init__(self, inputs: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.outputs = outputs
        self.projections = nn.Linear(inputs, 4 * outputs)
        self.gate = nn.Linear(3 * outputs, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor, rows: Tensor | None = None) -> Tensor:
        """[B, T, C] to [B, R, C']: `mask` [R, T] is 0 where row r hears node t, far below 0 elsewhere; `rows` [R] says
        which node a row is, if not each its own."""
        projected: Tensor = self.projections(x)
        query, key, value, skip = projected.chunk(4, 2)
        scores = torch.bmm(query, key.transpose(1, 2)) * self.outputs**-0.5
        if rows is not None:
            scores, skip = scores[:, rows], skip[:, rows]
        scores = scores + mask
        # Exponentials of less are denormal numbers, which onnxruntime takes ten times as long to compute.
        scores = (scores - scores.amax(2, keepdim=True)).clamp(min=-GREATEST_GAP)
        heard = torch.bmm(self.dropout(torch.softmax(scores, 2)), value)
        of_heard, of_skip, of_difference = self.gate.weight.view(3, self.outputs, 1)
        kept = torch.sigmoid(heard @ (of_heard + of_difference) + skip @ (of_skip - of_difference))
        return heard + kept * (skip - heard)


class Heads(nn.Module):
    """Values and logits from 60 values of every territory; see `forward`. What gives these is added by subclasses."""

    def add_heads(self, dropout: float) -> None:
        self.hidden = nn.Linear(EMBEDDING + 5, 60)
        self.dropout = nn.Dropout(dropout)
        self.value = nn.Linear(60, 1)
        # An order's first layer is 121 -> 20 for attacks and for transfers (armies, two territories), 61 -> 20 for
        # deploys. It is linear in its parts: `ends` is applied to a territory once, not to every order that names it.
        self.ends = nn.Linear(EMBEDDING, 5 * WIDTH, bias=False)
        self.kinds = nn.Linear(6, WIDTH, bias=False)
        self.order = nn.Linear(WIDTH, WIDTH)
        self.logit = nn.Linear(WIDTH, 1)
        for weight in (self.ends.weight, self.kinds.weight):
            nn.init.uniform_(weight, -(121**-0.5), 121**-0.5)
        for weight in (self.ends.weight[4 * WIDTH :], self.kinds.weight[:, 2::3]):  # a deploy's
            nn.init.uniform_(weight.detach(), -(61**-0.5), 61**-0.5)

    def embedded(self, edges: Tensor, members: Tensor, cliques: Tensor, shares: Tensor, nodes: Tensor) -> Tensor:
        """[B, T, 60]."""
        raise NotImplementedError

    def forward(
        self,
        edges: Tensor,  # [T, T]: 0 for neighbours, far below 0 elsewhere
        members: Tensor,  # [M]: territories, one bonus after the other
        cliques: Tensor,  # [M, T]: 0 for territories of the member's bonus, itself among them
        shares: Tensor,  # [T, M]: value / size of the member's bonus if the territory belongs to it
        nodes: Tensor,  # [B, T, node_inputs]: mine, theirs; my, their, neutral armies; or the text's
        totals: Tensor,  # [B, 5]: my and their income; my, their, neutral armies
        asked: Tensor,  # [A]: states that are asked about moves
        sources: Tensor,  # [O]: a territory t of an asked state a in one of five parts: 5 (T a + t) + the part
        targets: Tensor,  # [O]: as sources; 5 T A, a row of zeros, for a deploy
        orders: Tensor,  # [O, 6]: armies of an attack, of a transfer, of a deploy; 1 for which of them it is
        moves: Tensor,  # [V, L]: the move's orders, O beyond its last
    ) -> tuple[Tensor, Tensor]:
        """Values [B] of the states for "me", and the moves' logits [V]."""
        x = self.embedded(edges, members, cliques, shares, nodes)
        hidden = self.dropout(torch.relu(self.hidden(torch.cat([x.mean(1), totals], 1))))
        values = torch.tanh(self.value(hidden)).squeeze(1)
        parts = _with_zeros(self.ends(x[asked]).view(-1, WIDTH))
        seen = torch.relu(parts[sources] + parts[targets] + self.kinds(orders))
        summed = _with_zeros(torch.relu(self.order(seen)))[moves].sum(1)
        return values, self.logit(torch.relu(summed)).squeeze(1)


class Network(Heads):
    """The thesis's network."""

    def __init__(self, node_inputs: int = 5, dropout: float = 0.5) -> None:
        super().__init__()
        self.first = nn.Linear(node_inputs, WIDTH)
        self.bonuses = nn.ModuleList(Attention(WIDTH, WIDTH, dropout) for _ in range(3))
        self.map = nn.ModuleList(Attention(2 * WIDTH, outputs, dropout) for outputs in (WIDTH, WIDTH, EMBEDDING))
        self.add_heads(dropout)

    def embedded(self, edges: Tensor, members: Tensor, cliques: Tensor, shares: Tensor, nodes: Tensor) -> Tensor:
        x = torch.relu(self.first(nodes))
        for bonuses, along_edges in zip(self.bonuses, self.map, strict=True):
            joined = torch.matmul(shares, torch.relu(bonuses(x, cliques, members)))
            x = torch.relu(along_edges(torch.cat([x, joined], 2), edges))
        return x


def _with_zeros(rows: Tensor) -> Tensor:
    """The rows and one more of zeros."""
    return torch.cat([rows, rows.new_zeros(1, rows.shape[1])])
