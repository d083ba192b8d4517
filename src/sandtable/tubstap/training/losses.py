"""Losses of TUBSTAP's policy/value networks on self-play positions."""

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

GROUPS = 8  # groups of states with similar numbers of units; more groups cost more operations than they save padding
IMAGE_SIDE, DIRECTIONS = 6, 5  # kimura2020's policy outputs are numbered cell * 5 + direction


def losses(
    module: nn.Module,
    encoder: PolicyEncoder,
    batch: Sequence[Sample],
    how: Learning,
    generator: np.random.Generator,
    groups: int = GROUPS,
) -> dict[str, Tensor]:
    """`total`, the loss to minimise, and its terms: `policy` (KL divergence from the search's policy), `value` and, for
    networks that read tokens, the auxiliary term `fate`."""
    if encoder.core == "tokens":
        return _token_losses(module, batch, how, groups)
    (planes,), places, counts = _core.tubstap.encode_policy(encoder.core, [sample.state for sample in batch])
    shares, state_of_move, full, result = _targets(module, batch, counts)
    seen, at = tensors(module, planes, places)
    return _image_losses(module, seen, at, shares, state_of_move, full, result, how, generator)


def _targets(module: nn.Module, batch: Sequence[Sample], counts: NDArray[np.int64]) -> tuple[Tensor, ...]:
    """The search's share of each move [M], the state of each move [M], 1 for each state that was searched in full [B],
    and the game's result for each state [B]."""
    shares = np.concatenate([sample.policy for sample in batch])
    state_of_move = np.repeat(np.arange(len(batch)), counts)
    full, result = (np.array([getattr(sample, name) for sample in batch], np.float32) for name in ("full", "result"))
    return tensors(module, shares, state_of_move, full, result)


def _image_losses(
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
    """kimura2020, section 3.4.4: (z - v)^2 + KL(pi || p) for every unit that could act. pi is the search's policy over
    the unit's own moves. p is the softmax over its legal moves or, without `masked`, over all 180 outputs, so that the
    network also learns which moves are legal."""
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


def _token_losses(module: nn.Module, batch: Sequence[Sample], how: Learning, most: int) -> dict[str, Tensor]:
    """Cross entropy of the result, KL divergence of the policy, and the auxiliary targets: each unit's survival and its
    HP at the end."""
    batch = sorted(batch, key=lambda sample: len(sample.last_hp))
    groups, living, moves, actor, target, counts = _encoded_in_groups(module, batch, most)
    results, logits, fates = module.grouped(groups, moves, actor, target)  # type: ignore[operator]
    shares, state_of_move, full, result = _targets(module, batch, counts)
    policy = _divergence(logits, shares, state_of_move, len(batch))
    policy_loss = (policy * full).sum() / full.sum().clamp(min=1)
    value_loss = nn.functional.cross_entropy(results, (1 - result).long())  # win, draw, loss
    lived, last = tensors(module, living, np.concatenate([sample.last_hp for sample in batch]))
    survival = nn.functional.binary_cross_entropy_with_logits(fates[lived, 0], (last > 0).float())
    fate = survival + nn.functional.mse_loss(fates[lived, 1], last / 10)
    total = policy_loss + how.value_weight * value_loss + how.fate_weight * fate
    return {"total": total, "policy": policy_loss, "value": value_loss, "fate": fate}


def _encoded_in_groups(
    module: nn.Module, batch: Sequence[Sample], most: int
) -> tuple[list[Group], NDArray[np.int64], Tensor, Tensor, Tensor, NDArray[np.int64]]:
    """States in groups with similar numbers of units (the batch is sorted by them); the rows that hold units, not
    padding; of all moves the features and the rows of actor and target; the number of moves of each state."""
    groups: list[Group] = []
    parts: list[tuple[Tensor, ...]] = []
    counts: list[NDArray[np.int64]] = []
    living: list[NDArray[np.int64]] = []
    rows = 0
    for some in np.array_split(np.arange(len(batch)), min(most, len(batch))):
        states = [batch[i].state for i in some]
        arrays, _, of_states = _core.tubstap.encode_policy("tokens", states)
        living.append(rows + np.flatnonzero(arrays[0][..., 6]))  # the unit's side: 0 for padding
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
    """KL(shares || softmax of logits) for every group of moves."""
    known = torch.where(shares > 0, shares * shares.clamp(min=1e-12).log(), 0.0)
    return known.new_zeros(groups).index_add(0, group, known) + cross_entropy(logits, shares, group, groups)


def turned_answers(number: int) -> Tensor:
    """The new number of each of the 180 policy outputs when a symmetry is applied to the board."""
    side = IMAGE_SIDE
    cells = turned(torch.arange(side * side).reshape(1, 1, side, side), number).flatten()
    moved = torch.argsort(cells)  # cell c goes to moved[c]
    # Directions as cells of a 3x3 board around its centre, in the order none, left, up, down, right.
    ring = torch.tensor([4, 3, 1, 7, 5])
    around = torch.argsort(turned(torch.arange(9).reshape(1, 1, 3, 3), number).flatten())[ring]
    direction = torch.stack([(ring == one).nonzero()[0, 0] for one in around])
    return (moved[:, None] * DIRECTIONS + direction[None, :]).flatten()
