"""Our policy/value network for every Conquest map: messages along edges and within bonuses, and a policy that says
where armies should go, instead of weighing moves that are given to it.

cpp/conquest/encoders/territory_features.h writes its inputs. Shapes: B states, T territories, A states whose moves are
wanted, H channels. Inside, the axis of territories comes first: on one map a round's messages are then two matrix
products, whatever the number of states. In training each state has a map of its own, padded with territories that have
no edges and no owner, not even neutral.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

NODE, TOTALS = 23, 9
MESSAGE = 16  # channels of a message along edges, and of one within bonuses
RANK = 16  # of the dot products that score pairs of source and target
POOLED = 0.125  # sums over territories are scaled to lie near 1


class Round(nn.Module):
    """One round of messages: every territory receives messages from its neighbours and from the territories of its
    bonuses, and is updated by a residual step."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.say = nn.Linear(hidden, 2 * MESSAGE)
        self.own = nn.Linear(hidden, hidden)
        self.hear = nn.Linear(2 * MESSAGE, hidden, bias=False)

    def forward(self, x: Tensor, edges: Tensor, kin: Tensor) -> Tensor:
        """x [T, B, H], edges and kin [T, T], or [B, T, T] if every state has its own."""
        sent: Tensor = torch.relu(self.say(x))
        received = torch.cat([_received(edges, sent[..., :MESSAGE]), _received(kin, sent[..., MESSAGE:])], 2)
        changed: Tensor = x + torch.relu(self.own(x) + self.hear(received))
        return changed


class TerritoryNet(nn.Module):
    def __init__(self, hidden: int = 32, rounds: int = 3) -> None:
        super().__init__()
        self.enter = nn.Linear(NODE, hidden)
        self.about = nn.Linear(TOTALS, hidden)
        self.rounds = nn.ModuleList(Round(hidden) for _ in range(rounds))
        self.balance = nn.Linear(3 * hidden + TOTALS, 2 * hidden)
        self.result = nn.Linear(2 * hidden, 3)  # logits of win, tie and loss for the perspective player
        self.fate = nn.Linear(hidden, 3)  # per territory, logits of its owner at the end: me, the other, nobody
        self.place = nn.Linear(hidden, hidden)
        self.deploy = nn.Linear(hidden, 1)
        self.source = nn.Linear(hidden, RANK)
        self.target = nn.Linear(hidden, RANK)
        self.stay = nn.Linear(hidden, 1)

    def forward(
        self, edges: Tensor, kin: Tensor, nodes: Tensor, totals: Tensor, asked: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Values [B]; for the states in `asked`, logits of the deploys [A, T] and of the marches [A, T, T]."""
        x, state = self._features(edges, kin, nodes, totals)
        shares = torch.softmax(self.result(state), 1)
        deploys, marches = self._moves(x[:, asked])
        return shares[:, 0] - shares[:, 2], deploys, marches

    def everything(
        self, edges: Tensor, kin: Tensor, nodes: Tensor, totals: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """All outputs, for training on states with a map each: logits of the results [B, 3], of deploys [B, T], of
        marches [B, T, T], and of the owners at the end [B, T, 3]."""
        x, state = self._features(edges, kin, nodes, totals)
        return self.result(state), *self._moves(x), self.fate(x).transpose(0, 1)

    def _features(self, edges: Tensor, kin: Tensor, nodes: Tensor, totals: Tensor) -> tuple[Tensor, Tensor]:
        """The features of territories [T, B, H] and of states [B, 2 H]."""
        first = nodes.transpose(0, 1)
        x = torch.relu(self.enter(first) + self.about(totals))
        for one in self.rounds:
            x = one(x, edges, kin)
        pooled = [(x * first[..., owner : owner + 1]).sum(0) * POOLED for owner in range(3)]  # mine, theirs, neutral
        return x, torch.relu(self.balance(torch.cat([*pooled, totals], 1)))

    def _moves(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of where to deploy, and of where a territory's armies go: [a, s, t] from s to t, [a, s, s] to stay."""
        x = torch.relu(self.place(x)).transpose(0, 1)
        marches = torch.bmm(self.source(x), self.target(x).transpose(1, 2)) * RANK**-0.5
        here = torch.eye(x.shape[1], dtype=x.dtype, device=x.device)
        return self.deploy(x).squeeze(2), marches * (1 - here) + self.stay(x) * here


def _received(matrix: Tensor, sent: Tensor) -> Tensor:
    """The sum of the messages to each territory, weighted by the matrix: matrix [T, T] or [B, T, T], sent [T, B, M]."""
    if matrix.dim() == 3:
        return torch.bmm(matrix, sent.transpose(0, 1)).transpose(0, 1)
    territories, states, channels = sent.shape
    return torch.matmul(matrix, sent.reshape(territories, states * channels)).view(territories, states, channels)
