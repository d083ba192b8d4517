"""Parts of training that all games share: the optimiser, its learning rate, L2 regularisation, cross entropy."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from sandtable.learn.recipe import Learning


def optimiser(module: nn.Module, how: Learning) -> torch.optim.Optimizer:
    if how.optimiser == "sgd":
        return torch.optim.SGD(
            module.parameters(), how.rate, momentum=0.9, nesterov=True, weight_decay=how.weight_decay
        )
    # `fused` makes one pass over all weights: a step of tokens_64 takes 0.2 ms, and 1 ms with several operations per
    # weight.
    return torch.optim.AdamW(module.parameters(), how.rate, weight_decay=how.weight_decay, fused=True)


def l2_term(module: nn.Module, how: Learning) -> Tensor:
    """The coefficient times the sum of squares of all kernels, as in Keras' `kernel_regularizer`: its gradient is
    2 * l2 * w. Kernels are the weights of convolutions and affine layers, not biases or batch normalisation.
    """
    kernels = (parameter for parameter in module.parameters() if parameter.dim() > 1)
    return how.l2 * torch.stack([kernel.square().sum() for kernel in kernels]).sum()


def learning_rate(how: Learning, update: int) -> float:
    return how.rate * (0.5 ** (update / how.half_life) if how.half_life else 1.0)


def cross_entropy(logits: Tensor, shares: Tensor, group: Tensor, groups: int) -> Tensor:
    """For each group of moves, the cross entropy between their target shares and the softmax of their logits; `group`
    says which group each move belongs to."""
    largest = logits.new_full((groups,), -torch.inf).scatter_reduce_(0, group, logits.detach(), "amax")
    shifted = logits - largest[group]
    total = logits.new_zeros(groups).index_add(0, group, shifted.exp())
    log_policy = shifted - total.log()[group]
    return logits.new_zeros(groups).index_add(0, group, torch.where(shares > 0, -shares * log_policy, 0.0))
