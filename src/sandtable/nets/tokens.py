"""A policy/value network of ours for every TUBSTAP map: one token a unit, messages along what units can do to each
other, and moves judged by what they lead to. One set of weights plays any board, any kinds and terrains.

What it reads is written by cpp/tubstap/encoders/tokens.h. Shapes: B states, N units, M moves of all states, H channels.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

UNIT, PAIR, GLOBAL, MOVE = 16, 8, 12, 20
MESSAGE = 16  # channels of a message along one kind of pair


class Round(nn.Module):
    """Every unit hears from the others along each of the eight kinds of pairs, and changes a little."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.say = nn.Linear(hidden, PAIR * MESSAGE)
        self.own = nn.Linear(hidden, hidden)
        self.hear = nn.Linear(PAIR * MESSAGE, hidden, bias=False)

    def forward(self, x: Tensor, pairs: Tensor) -> Tensor:
        """x [B, N, H], pairs [B, 8, N, N]."""
        states, units = x.shape[0], x.shape[1]
        said = self.say(x).view(states, units, PAIR, MESSAGE).transpose(1, 2)
        heard = torch.matmul(pairs, said).transpose(1, 2).reshape(states, units, PAIR * MESSAGE)
        changed: Tensor = x + torch.relu(self.own(x) + self.hear(heard))
        return changed


class TokenNet(nn.Module):
    def __init__(self, hidden: int = 64, rounds: int = 3) -> None:
        super().__init__()
        self.enter = nn.Linear(UNIT, hidden)
        self.about = nn.Linear(GLOBAL, hidden)
        self.rounds = nn.ModuleList(Round(hidden) for _ in range(rounds))
        self.balance = nn.Linear(4 * hidden + GLOBAL, hidden)
        self.result = nn.Linear(hidden, 3)  # logits of win, draw and loss for the side to move
        self.fate = nn.Linear(hidden, 2)  # of each unit: logit of its survival, and its HP at the end
        self.actor = nn.Linear(hidden, hidden)
        self.target = nn.Linear(hidden, hidden, bias=False)
        self.effect = nn.Linear(MOVE, hidden, bias=False)
        self.position = nn.Linear(hidden, hidden, bias=False)
        self.weigh = nn.Linear(hidden, hidden // 2)
        self.choose = nn.Linear(hidden // 2, 1)

    def forward(
        self, units: Tensor, pairs: Tensor, balance: Tensor, moves: Tensor, actor: Tensor, target: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Values [B] and logits [M]."""
        result, logits, _ = self.everything(units, pairs, balance, moves, actor, target)
        shares = torch.softmax(result, 1)
        return shares[:, 0] - shares[:, 2], logits

    def everything(
        self, units: Tensor, pairs: Tensor, balance: Tensor, moves: Tensor, actor: Tensor, target: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """What training needs: logits of the results [B, 3], of the moves [M], and the fates of the units [B, N, 2]."""
        own = (units[:, :, 6:7] > 0).to(units.dtype)
        other = (units[:, :, 6:7] < 0).to(units.dtype)
        # Of friends and of enemies the mean, of what they can do the sum.
        sides = pairs[:, :2] / pairs[:, :2].sum(3, keepdim=True).clamp(min=1)
        heard = torch.cat([sides, pairs[:, 2:]], 1)
        x = torch.relu(self.enter(units) + self.about(balance).unsqueeze(1)) * (own + other)
        for one in self.rounds:
            x = one(x, heard)
        pooled = [_mean(x, own), _mean(x, other), _most(x, own), _most(x, other)]
        state = torch.relu(self.balance(torch.cat([*pooled, balance], 1)))
        rows = torch.cat([x.flatten(0, 1), x.new_zeros(1, x.shape[2])])
        units_per_state = x.shape[1]
        at = torch.div(actor, units_per_state, rounding_mode="floor")
        hidden = self.actor(rows)[actor] + self.target(rows)[target] + self.effect(moves) + self.position(state)[at]
        logits = self.choose(torch.relu(self.weigh(torch.relu(hidden)))).squeeze(1)
        return self.result(state), logits, self.fate(x)


def _mean(x: Tensor, mask: Tensor) -> Tensor:
    return (x * mask).sum(1) / mask.sum(1).clamp(min=1)


def _most(x: Tensor, mask: Tensor) -> Tensor:
    return (x - 1e4 * (1 - mask)).amax(1).clamp(min=-1e3)
