"""Losses of Conquest's policy/value networks on self-play positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sandtable import _core
from sandtable.conquest.training.self_play import Sample
from sandtable.learn.devices import tensors
from sandtable.learn.recipe import Learning
from sandtable.nets.architectures import PolicyEncoder

HIDDEN = -1e9  # the logit of an impossible choice


def losses(
    module: nn.Module, _encoder: PolicyEncoder, batch: Sequence[Sample], how: Learning, _generator: np.random.Generator
) -> dict[str, Tensor]:
    """`total`, the loss to minimise, and its terms: KL divergences of the policy from the search's (`deploy`, `march`),
    cross entropies of the result (`value`) and of the owners of all territories at the end (`fate`)."""
    arrays = _core.conquest.encode_territories([one.state for one in batch], [one.player for one in batch])
    edges, kin, nodes, totals = tensors(module, *arrays)
    results, deploys, marches, owners = module.everything(edges, kin, nodes, totals)  # type: ignore[operator]
    wanted_deploys, wanted_marches, last = tensors(module, *_targets(batch, nodes.shape[1]))
    own = nodes[..., 0] > 0
    deploy = _divergence(deploys.masked_fill(~own, HIDDEN), wanted_deploys).mean()
    ways = (edges + torch.eye(edges.shape[1], device=edges.device)) > 0
    rows = _divergence(marches.masked_fill(~ways, HIDDEN), wanted_marches)
    # A territory with a target counts by the armies that stand there and the share of the income deployed there.
    weight = (nodes[..., 3] + wanted_deploys + 0.1) * (wanted_marches.sum(2) > 0)
    march = (rows * weight).sum() / weight.sum().clamp(min=1e-6)
    chances = torch.tensor([one.chances for one in batch]).to(results.device)
    value_loss = nn.functional.cross_entropy(results, chances)
    fate = nn.functional.cross_entropy(owners.flatten(0, 1), last.flatten(), ignore_index=-1)
    total = deploy + march + how.value_weight * value_loss + how.fate_weight * fate
    return {"total": total, "deploy": deploy, "march": march, "value": value_loss, "fate": fate}


def _targets(batch: Sequence[Sample], territories: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Shares of the income [B, T] and of armies [B, T, T], and owners at the end [B, T], -1 for padding."""
    deploys = np.zeros((len(batch), territories), np.float32)
    marches = np.zeros((len(batch), territories, territories), np.float32)
    last = np.full((len(batch), territories), -1, np.int64)
    for i, one in enumerate(batch):
        n = len(one.owners)
        last[i, :n] = one.owners
        march = one.places >= n
        source, target = np.divmod(one.places[march] - n, n)
        deploys[i, one.places[~march]] = one.shares[~march]
        marches[i, source, target] = one.shares[march]
    return deploys, marches, last


def _divergence(logits: Tensor, shares: Tensor) -> Tensor:
    """KL(shares || softmax of logits) along the last axis; 0 where all shares are 0."""
    shares = shares / shares.sum(-1, keepdim=True).clamp(min=1e-6)
    terms = shares * (shares.clamp(min=1e-9).log() - torch.log_softmax(logits, -1))
    return torch.where(shares > 0, terms, 0.0).sum(-1)
