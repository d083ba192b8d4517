"""Our policy/value network for every TUBSTAP map: one token per unit, messages along what units can do to each other,
and moves scored by their effects. One set of weights plays any board, with any kinds of units and terrain.

cpp/tubstap/encoders/tokens.h writes its inputs. Shapes: B states, N units, M moves of all states, H channels, R rows:
the units of all states. In training, states are grouped by similar numbers of units, so that there is little padding.
cpp/nets/token_net.cpp is the same network without padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

UNIT, PAIR, GLOBAL, MOVE = 16, 8, 12, 20
MESSAGE = 16  # channels of a message along one kind of pair


class Group(NamedTuple):
    """States, padded to the one with the most units."""

    units: Tensor  # [B, N, 16]
    pairs: Tensor  # [B, 8, N, N]
    balance: Tensor  # [B, 12]


class Round(nn.Module):
    """One round of messages: every unit receives messages from the others along each of the eight kinds of pairs, and
    is updated by a residual step."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.say = nn.Linear(hidden, PAIR * MESSAGE)
        self.own = nn.Linear(hidden, hidden)
        self.hear = nn.Linear(PAIR * MESSAGE, hidden, bias=False)

    def forward(self, x: Tensor, pairs: Sequence[Tensor]) -> Tensor:
        """x [R, H]; the pairs of each group [B, 8, N, N]."""
        received = []
        for sent, weights in zip(_parts(self.say(x), pairs), pairs, strict=True):
            by_kind = sent.view(weights.shape[0], weights.shape[2], PAIR, MESSAGE).transpose(1, 2)
            received.append(torch.matmul(weights, by_kind).transpose(1, 2).reshape(-1, PAIR * MESSAGE))
        changed: Tensor = x + torch.relu(self.own(x) + self.hear(_joined(received)))
        return changed


class TokenNet(nn.Module):
    def __init__(self, hidden: int = 64, rounds: int = 3) -> None:
        super().__init__()
        self.enter = nn.Linear(UNIT, hidden)
        self.about = nn.Linear(GLOBAL, hidden)
        self.rounds = nn.ModuleList(Round(hidden) for _ in range(rounds))
        self.balance = nn.Linear(4 * hidden + GLOBAL, hidden)
        self.result = nn.Linear(hidden, 3)  # logits of win, draw and loss for the side to move
        self.fate = nn.Linear(hidden, 2)  # per unit, the logit of its survival, and its HP at the end
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
        """All outputs, for training: logits of the results [B, 3], of the moves [M], and the units' fates [B, N, 2]."""
        result, logits, fates = self.grouped([Group(units, pairs, balance)], moves, actor, target)
        return result, logits, fates.view(units.shape[0], units.shape[1], 2)

    def grouped(
        self, groups: Sequence[Group], moves: Tensor, actor: Tensor, target: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """everything() for states in groups: the fates are [R, 2]; `actor` and `target` are rows, R for no target."""
        pairs = [_message_weights(group.pairs) for group in groups]
        balance = _joined([group.balance for group in groups])
        units = _joined([group.units.flatten(0, 1) for group in groups])
        about = _joined([_per_unit(self.about(group.balance), group.units.shape[1]) for group in groups])
        x = torch.relu(self.enter(units) + about) * (units[:, 6:7] != 0).to(units.dtype)
        for one in self.rounds:
            x = one(x, pairs)
        pooled = [
            _pooled(rows.view(*group.units.shape[:2], -1), group.units)
            for group, rows in zip(groups, _parts(x, pairs), strict=True)
        ]
        state = torch.relu(self.balance(torch.cat([_joined(pooled), balance], 1)))
        position = self.position(state)
        sizes = [group.units.shape[1] for group in groups]
        of_states = zip(_split(position, [len(group.units) for group in groups]), sizes, strict=True)
        acting = self.actor(x) + _joined([_per_unit(part, size) for part, size in of_states])
        aimed_at = torch.cat([self.target(x), x.new_zeros(1, x.shape[1])])
        hidden = acting.index_select(0, actor) + aimed_at.index_select(0, target) + self.effect(moves)
        logits = self.choose(torch.relu(self.weigh(torch.relu(hidden)))).squeeze(1)
        return self.result(state), logits, self.fate(x)


def _per_unit(of_states: Tensor, units: int) -> Tensor:
    """A row per state [B, H], repeated for each of its units: [B * N, H]."""
    return of_states.unsqueeze(1).expand(-1, units, -1).flatten(0, 1)


def _message_weights(pairs: Tensor) -> Tensor:
    """The weights of the messages: the mean over friends and over enemies, the sum over the other kinds of pairs."""
    return torch.cat([pairs[:, :2] / pairs[:, :2].sum(3, keepdim=True).clamp(min=1), pairs[:, 2:]], 1)


def _pooled(x: Tensor, units: Tensor) -> Tensor:
    own, other = ((units[:, :, 6:7] * side > 0).to(x.dtype) for side in (1, -1))
    return torch.cat([_mean(x, own), _mean(x, other), _maximum(x, own), _maximum(x, other)], 1)


def _mean(x: Tensor, mask: Tensor) -> Tensor:
    return (x * mask).sum(1) / mask.sum(1).clamp(min=1)


def _maximum(x: Tensor, mask: Tensor) -> Tensor:
    return (x - 1e4 * (1 - mask)).amax(1).clamp(min=-1e3)


def _parts(rows: Tensor, pairs: Sequence[Tensor]) -> Sequence[Tensor]:
    """The rows of each group."""
    return _split(rows, [one.shape[0] * one.shape[2] for one in pairs])


def _split(rows: Tensor, sizes: Sequence[int]) -> Sequence[Tensor]:
    # A single part is not split: the export to ONNX would write its size down as a constant.
    return (rows,) if len(sizes) == 1 else torch.split(rows, list(sizes))


def _joined(parts: Sequence[Tensor]) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(list(parts))
