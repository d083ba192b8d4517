"""Losses of policy/value networks of TUBSTAP on positions of self-play."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sandtable import _core
from sandtable.learn.augmentation import turned
from sandtable.learn.devices import tensors
from sandtable.learn.optimisation import cross_entropy
from sandtable.learn.recipe import Learning
from sandtable.nets.architectures import PolicyEncoder
from sandtable.nets.tokens import Group
from sandtable.tubstap.training.self_play import Sample

GROUPS = 8  # of states by their numbers of units: with more, a round has more operations than it saves padding
IMAGE_SIDE, DIRECTIONS = 6, 5  # of kimura2020's answers: cell * 5 + direction


def losses(
    module: nn.Module,
    encoder: PolicyEncoder,
    batch: Sequence[Sample],
    how: Learning,
    generator: np.random.Generator,
    groups: int = GROUPS,
) -> dict[str, Tensor]:
    """`total`, which is what falls, and its parts: `policy` (KL divergence from the search's), `value`, `fate`."""
    if encoder.core == "tokens":
        return _of_tokens(module, batch, how, groups)
    (planes,), places, counts = _core.tubstap.encode_policy(encoder.core, [sample.state for sample in batch])
    shares, state_of_move, full, result = _wanted(module, batch, counts)
    seen, at = tensors(module, planes, places)
    return _of_questions(module, seen, at, shares, state_of_move, full, result, how, generator)


def _wanted(module: nn.Module, batch: Sequence[Sample], counts: NDArray[np.int64]) -> tuple[Tensor, ...]:
    """The share of each move [M], its state [M]; whether a state was searched in full, its game's result [B]."""
    shares = np.concatenate([sample.policy for sample in batch])
    state_of_move = np.repeat(np.arange(len(batch)), counts)
    full, result = (np.array([getattr(sample, name) for sample in batch], np.float32) for name in ("full", "result"))
    return tensors(module, shares, state_of_move, full, result)


def _of_questions(
    module: nn.Module,
    planes: Tensor,
    at: Tensor,
    shares: Tensor,
    state_of_move: Tensor,
    full: Tensor,
    result: Tensor,
    how: Learning,
    generator: np.random.Generator,
) -> dict[str, Tensor]:
    """kimura2020, section 3.4.4: (z - v)^2 + KL(pi || p) for every unit that could act; pi is the unit's own share, and
    p its softmax over its legal moves, or over all 180 outputs, so that the network also learns which are legal."""
    answers = DIRECTIONS * IMAGE_SIDE**2
    row, answer = at // answers, at % answers
    if how.symmetries:
        number = int(generator.integers(8))
        planes, answer = turned(planes, number), turned_answers(number).to(answer.device)[answer]
    values, logits = module(planes)
    rows = len(planes)
    mass = shares.new_zeros(rows).index_add_(0, row, shares)
    place, wanted = row * answers + answer, shares / mass[row].clamp(min=1e-9)
    if how.masked:
        policy = _divergence(logits.flatten()[place], wanted, row, rows)
    else:
        targets = logits.new_zeros(logits.numel()).index_put((place,), wanted).view_as(logits)
        policy = nn.functional.kl_div(torch.log_softmax(logits, 1), targets, reduction="none").sum(1)
    state_of_row = row.new_zeros(rows).index_put_((row,), state_of_move)
    weight = full[state_of_row] * (mass > 0)
    policy_loss = (policy * weight).sum() / weight.sum().clamp(min=1)
    value_loss = ((result[state_of_row] - values) ** 2).mean()
    return {"total": policy_loss + how.value_weight * value_loss, "policy": policy_loss, "value": value_loss}


def _of_tokens(module: nn.Module, batch: Sequence[Sample], how: Learning, most: int) -> dict[str, Tensor]:
    """Cross entropy of the result, divergence of the policy, and the fates of all units: survival and HP at the end."""
    batch = sorted(batch, key=lambda sample: len(sample.last_hp))
    groups, living, moves, actor, target, counts = _encoded(module, batch, most)
    results, logits, fates = module.grouped(groups, moves, actor, target)  # type: ignore[operator]
    shares, state_of_move, full, result = _wanted(module, batch, counts)
    policy = _divergence(logits, shares, state_of_move, len(batch))
    policy_loss = (policy * full).sum() / full.sum().clamp(min=1)
    value_loss = nn.functional.cross_entropy(results, (1 - result).long())  # win, draw, loss
    lived, last = tensors(module, living, np.concatenate([sample.last_hp for sample in batch]))
    survival = nn.functional.binary_cross_entropy_with_logits(fates[lived, 0], (last > 0).float())
    fate = survival + nn.functional.mse_loss(fates[lived, 1], last / 10)
    total = policy_loss + how.value_weight * value_loss + how.fate_weight * fate
    return {"total": total, "policy": policy_loss, "value": value_loss, "fate": fate}


def _encoded(
    module: nn.Module, batch: Sequence[Sample], most: int
) -> tuple[list[Group], NDArray[np.int64], Tensor, Tensor, Tensor, NDArray[np.int64]]:
    """States in groups of about as many units each, by which the batch is sorted; the rows that are units and not
    padding; their moves, how many of each."""
    groups: list[Group] = []
    parts: list[tuple[Tensor, ...]] = []
    counts: list[NDArray[np.int64]] = []
    living: list[NDArray[np.int64]] = []
    rows = 0
    for some in np.array_split(np.arange(len(batch)), min(most, len(batch))):
        states = [batch[i].state for i in some]
        arrays, _, of_states = _core.tubstap.encode_policy("tokens", states)
        living.append(rows + np.flatnonzero(arrays[0][..., 6]))  # whose they are: 0 of nobody
        units, pairs, balance, moves, actor, target = tensors(module, *arrays)
        groups.append(Group(units, pairs, balance))
        own_rows = units.shape[0] * units.shape[1]
        nobody = target == own_rows
        parts.append((moves, actor + rows, (target + rows).masked_fill(nobody, -1)))
        counts.append(of_states)
        rows += own_rows
    moves, actor, target = (torch.cat(one) for one in zip(*parts, strict=True))
    target = target.masked_fill(target < 0, rows)
    return groups, np.concatenate(living), moves, actor, target, np.concatenate(counts)


def _divergence(logits: Tensor, shares: Tensor, group: Tensor, groups: int) -> Tensor:
    """KL(shares || softmax of logits) of every group of moves."""
    known = torch.where(shares > 0, shares * shares.clamp(min=1e-12).log(), 0.0)
    return known.new_zeros(groups).index_add(0, group, known) + cross_entropy(logits, shares, group, groups)


def turned_answers(number: int) -> Tensor:
    """Where each of the 180 answers goes when the board is turned by a symmetry."""
    side = IMAGE_SIDE
    cells = turned(torch.arange(side * side).reshape(1, 1, side, side), number).flatten()
    moved = torch.argsort(cells)  # cell c goes to moved[c]
    # A direction is seen from the middle of a 3x3 board, where the neighbours are: none, left, up, down, right.
    ring = torch.tensor([4, 3, 1, 7, 5])
    around = torch.argsort(turned(torch.arange(9).reshape(1, 1, 3, 3), number).flatten())[ring]
    direction = torch.stack([(ring == one).nonzero()[0, 0] for one in around])
    return (moved[:, None] * DIRECTIONS + direction[None, :]).flatten()
