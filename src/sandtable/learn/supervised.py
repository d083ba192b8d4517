"""Supervised training of a network, which can be stopped and goes on exactly where it was.

After every epoch all that the next one depends on is written to one file: weights, optimiser, the best weights so far
and the curve. The order of the samples comes from the seed and the epoch's number.
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from sandtable.errors import CheckpointError, SandtableError
from sandtable.learn.augmentation import AUGMENTATIONS
from sandtable.learn.resume import keep, restore
from sandtable.learn.samples import Samples
from sandtable.nets.classifier import Classifier

VERSION = 3


@dataclass(frozen=True)
class Settings:
    batch: int = 256
    learning_rate: float = 1e-3
    patience: int = 8  # epochs without a better figure
    max_epochs: int = 60
    best_by: str = "held_out_loss"  # a column of the curve; a loss should be small, anything else large
    seed: int = 0
    loss: str = "squared"  # or "classes": cross entropy over win, loss and draw, of a network that has `logits`
    weight_decay: float = 0.0
    augment: str = "none"  # a name of AUGMENTATIONS
    dropout: float = 0.0  # told to whoever builds the network


@dataclass
class Progress:
    """How far a training is. A row of the curve is an epoch: step, losses, seconds, and what `measure` gave."""

    curve: list[dict[str, float]] = field(default_factory=list)
    best_epoch: int = 0  # counted from 1

    @property
    def epochs(self) -> int:
        return len(self.curve)

    def best(self, column: str) -> int:
        """The first epoch with the best figure, counted from 1."""
        sign = -1 if column.endswith("loss") else 1
        figures = [sign * row[column] for row in self.curve]
        return figures.index(max(figures)) + 1

    def ended(self, settings: Settings) -> bool:
        return self.epochs >= settings.max_epochs or self.epochs - self.best_epoch >= settings.patience


def train(
    build: Callable[[], nn.Module],
    samples: Samples,
    held_out: np.ndarray[Any, np.dtype[np.bool_]],
    settings: Settings,
    resume: Path,
    measure: Callable[[nn.Module], dict[str, float]] = lambda module: {},
    watch: Callable[[Progress], None] = lambda progress: None,
) -> tuple[nn.Module, Progress]:
    """Minimise the loss with Adam; stop when the figure that counts no longer gets better.

    `resume` is the file that an interrupted training goes on from; it is left there at the end. Returns the network
    with the best weights.
    """
    torch.manual_seed(settings.seed)
    module = build()
    optimizer = torch.optim.AdamW(module.parameters(), settings.learning_rate, weight_decay=settings.weight_decay)
    progress = Progress()
    best = copy.deepcopy(module.state_dict())
    about = {"version": VERSION, "settings": dataclasses.asdict(settings), "data": _digest(samples, held_out)}
    if resume.exists():
        kept, parts = restore(resume, module, optimizer, about)
        try:
            progress, best = Progress(**kept["progress"]), parts["best"]
        except (TypeError, KeyError):
            raise CheckpointError(f"{resume}: not a training to go on with; delete the file to begin anew") from None
    inputs, values = torch.from_numpy(samples.inputs), torch.from_numpy(samples.values)
    training = torch.from_numpy(np.flatnonzero(~held_out))
    holding = torch.from_numpy(np.flatnonzero(held_out))
    while not progress.ended(settings):
        begin = time.perf_counter()
        order = _order(training, settings.seed, progress.epochs)
        loss = _epoch(module, optimizer, inputs, values, order, settings, progress.epochs)
        held_loss = _held_out_loss(module, inputs, values, holding, settings)
        row = {
            "step": (progress.epochs + 1) * -(-len(training) // settings.batch),
            "loss": loss,
            "held_out_loss": held_loss,
            **measure(module),
            "seconds": round(time.perf_counter() - begin, 3),
        }
        if settings.best_by not in row:
            known = ", ".join(row)
            raise SandtableError(f"best_by: no column of the curve is called {settings.best_by!r:.40}; it has {known}")
        progress.curve.append(row)
        if progress.best(settings.best_by) == progress.epochs:
            progress.best_epoch = progress.epochs
            best = copy.deepcopy(module.state_dict())
        parts = {"now": module.state_dict(), "best": best}
        keep(resume, parts, optimizer, about | {"progress": dataclasses.asdict(progress)})
        watch(progress)
    module.load_state_dict(best)
    return module.eval(), progress


def predictions(module: nn.Module, inputs: np.ndarray[Any, np.dtype[np.float32]], batch: int = 1024) -> Tensor:
    """The network's values, in batches that fit the processor's cache."""
    return _in_batches(module.eval(), torch.from_numpy(inputs), batch)


def class_predictions(module: nn.Module, inputs: np.ndarray[Any, np.dtype[np.float32]], batch: int = 1024) -> Tensor:
    """The likeliest class of each state, as an index of CLASSES, by a network that has `logits`."""
    return _in_batches(_logits(module.eval()), torch.from_numpy(inputs), batch).argmax(1)


def classes_of(values: Tensor) -> Tensor:
    """Results 1, -1, 0 as indices of CLASSES."""
    return torch.where(values > 0, 0, torch.where(values < 0, 1, 2))


def _in_batches(function: Callable[[Tensor], Tensor], inputs: Tensor, batch: int) -> Tensor:
    with torch.inference_mode():
        return torch.cat([function(inputs[i : i + batch]) for i in range(0, len(inputs), batch)])


def _logits(module: nn.Module) -> Callable[[Tensor], Tensor]:
    if not isinstance(module, Classifier):
        raise SandtableError(f"{type(module).__name__} gives a value, not classes: its loss is squared")
    return module.logits


def _loss(module: nn.Module, inputs: Tensor, values: Tensor, kind: str) -> Tensor:
    """The sum over the samples."""
    if kind == "classes":
        return nn.functional.cross_entropy(_logits(module)(inputs), classes_of(values), reduction="sum")
    return nn.functional.mse_loss(module(inputs), values, reduction="sum")


def _held_out_loss(module: nn.Module, inputs: Tensor, values: Tensor, chosen: Tensor, settings: Settings) -> float:
    module.eval()
    with torch.inference_mode():
        losses = [float(_loss(module, inputs[part], values[part], settings.loss)) for part in _parts(chosen, 1024)]
    return sum(losses) / len(chosen)


def _parts(chosen: Tensor, size: int) -> Iterator[Tensor]:
    return (chosen[start : start + size] for start in range(0, len(chosen), size))


def _digest(samples: Samples, held_out: np.ndarray[Any, np.dtype[np.bool_]]) -> str:
    """Of all that the samples' order and values decide."""
    content = hashlib.sha256()
    for array in (samples.inputs, samples.values, held_out):
        content.update(np.ascontiguousarray(array).tobytes())
    return content.hexdigest()


def _order(samples: Tensor, seed: int, epoch: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
    return samples[torch.randperm(len(samples), generator=generator)]


def _epoch(
    module: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    values: Tensor,
    order: Tensor,
    settings: Settings,
    epoch: int,
) -> float:
    """One pass over the samples; the mean loss."""
    module.train()
    augment = AUGMENTATIONS[settings.augment]
    generator = torch.Generator().manual_seed(settings.seed * 1_000_003 + epoch + 500_000)
    torch.manual_seed(settings.seed * 1_000_003 + epoch)  # dropout: an epoch does not depend on what was before it
    total = 0.0
    for chosen in _parts(order, settings.batch):
        if len(chosen) == 1 and len(order) > 1:
            continue  # a batch norm cannot learn from a single sample
        optimizer.zero_grad(set_to_none=True)
        loss = _loss(module, augment(inputs[chosen], generator), values[chosen], settings.loss)
        (loss / len(chosen)).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        total += float(loss.detach())
    return total / len(order)
