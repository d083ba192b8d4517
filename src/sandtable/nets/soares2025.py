"""The network of soares2025 (section 4.1) as the authors' code builds it: 32,622 weights with its inputs, on any map.

Territories are nodes. Three rounds of attention, each among the members of every bonus and then along the map's edges,
give each territory 60 values. From these the network computes the value of the position and a logit for every candidate
move. Where text and code differ, it follows the code. The text's inputs (section 4.1.1) include membership in each
bonus, which ties a network to a map; for them `node_inputs` is larger.

All states of a batch are of one map, whose graph is given once. The graphs are so small that attention is dense: each
node attends to all others, behind a mask. Shapes: B states, T territories, M members of bonuses (a territory counts
once for each of its bonuses), A states with candidate moves, V their moves, O the orders of these, L orders of the
longest move.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

WIDTH = 20
EMBEDDING = 60
GREATEST_GAP = 80.0  # e**-80 is negligible beside 1, and still a normal number


class Attention(nn.Module):
    """Attention between nodes: a TransformerConv (Shi et al., 2021) with one head and a gate, on dense matrices.

    query, key, value and skip are one layer. The gate weighs the message to a node against its skip connection. Its
    inputs are both and their difference; since it is linear in them, its weights fold into two vectors.
    """

    def __init__(self, inputs: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.outputs = outputs
        self.projections = nn.Linear(inputs, 4 * outputs)
        self.gate = nn.Linear(3 * outputs, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor, rows: Tensor | None = None) -> Tensor:
        """[B, T, C] to [B, R, C']: `mask` [R, T] is 0 where row r attends to node t, far below 0 elsewhere; `rows` [R]
        has the node of each row, by default row r is node r."""
        projected: Tensor = self.projections(x)
        query, key, value, skip = projected.chunk(4, 2)
        scores = torch.bmm(query, key.transpose(1, 2)) * self.outputs**-0.5
        if rows is not None:
            scores, skip = scores[:, rows], skip[:, rows]
        scores = scores + mask
        # Exponentials of lower scores are denormal numbers, which take onnxruntime ten times as long to compute.
        scores = (scores - scores.amax(2, keepdim=True)).clamp(min=-GREATEST_GAP)
        message = torch.bmm(self.dropout(torch.softmax(scores, 2)), value)
        of_message, of_skip, of_difference = self.gate.weight.view(3, self.outputs, 1)
        skip_share = torch.sigmoid(message @ (of_message + of_difference) + skip @ (of_skip - of_difference))
        return message + skip_share * (skip - message)


class Heads(nn.Module):
    """Values and logits from 60 values of every territory, which subclasses compute in `embedded`; see `forward`."""

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
        """The values of the territories, [B, T, 60]."""
        raise NotImplementedError

    def forward(
        self,
        edges: Tensor,  # [T, T]: 0 for neighbours, far below 0 elsewhere
        members: Tensor,  # [M]: the territories of the bonuses, one bonus after the other
        cliques: Tensor,  # [M, T]: 0 for territories of the member's bonus, itself included, far below 0 elsewhere
        shares: Tensor,  # [T, M]: value / size of the member's bonus if the territory belongs to it
        nodes: Tensor,  # [B, T, node_inputs]: mine, theirs; my, their, neutral armies; or the text's
        totals: Tensor,  # [B, 5]: my and their income; my, their, neutral armies
        asked: Tensor,  # [A]: states with candidate moves
        sources: Tensor,  # [O]: 5 (T a + t) + p for territory t of the a-th asked state, in part p of five
        targets: Tensor,  # [O]: as sources; 5 T A, a row of zeros, for a deploy
        orders: Tensor,  # [O, 6]: armies of an attack, of a transfer, of a deploy; then a 1 for the kind
        moves: Tensor,  # [V, L]: the orders of each move, padded with O
    ) -> tuple[Tensor, Tensor]:
        """Values [B] of the states for the perspective player ("me"), and the logits [V] of the moves."""
        x = self.embedded(edges, members, cliques, shares, nodes)
        hidden = self.dropout(torch.relu(self.hidden(torch.cat([x.mean(1), totals], 1))))
        values = torch.tanh(self.value(hidden)).squeeze(1)
        parts = _with_zeros(self.ends(x[asked]).view(-1, WIDTH))
        order_values = torch.relu(parts[sources] + parts[targets] + self.kinds(orders))
        summed = _with_zeros(torch.relu(self.order(order_values)))[moves].sum(1)
        return values, self.logit(torch.relu(summed)).squeeze(1)


class Network(Heads):
    """The network of the thesis."""

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
    """The rows, followed by a row of zeros."""
    return torch.cat([rows, rows.new_zeros(1, rows.shape[1])])
