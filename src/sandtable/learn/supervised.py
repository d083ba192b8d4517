"""Supervised training of a network. An interrupted training continues exactly where it stopped.

After every epoch the whole state is written to one file: weights, optimiser, the best weights so far and the curve. The
order of the samples is determined by the seed and the epoch's number. `fit` trains on any objective; `train` on the
values of encoded states.
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from sandtable.errors import CheckpointError, SandtableError
from sandtable.learn.augmentation import AUGMENTATIONS
from sandtable.learn.devices import device, device_of, tensors
from sandtable.learn.resume import keep, kept_as, restore
from sandtable.learn.samples import Samples
from sandtable.nets.classifier import Classifier

VERSION = 3


@dataclass(frozen=True)
class Settings:
    batch: int = 256
    learning_rate: float = 1e-3
    patience: int = 8  # epochs without improvement, after which the training ends
    max_epochs: int = 60
    best_by: str = "held_out_loss"  # a column of the curve; lower is better in `...loss`, higher in all others
    seed: int = 0
    loss: str = "squared"  # or "classes": cross entropy over win, loss and draw, of a network that has `logits`
    weight_decay: float = 0.0
    augment: str = "none"  # a name of AUGMENTATIONS
    dropout: float = 0.0  # not used here: the caller passes it to the network
    max_seconds: float = 0.0  # of CPU time of this process, checked after every epoch; 0: no limit

    def about(self) -> dict[str, Any]:
        """The settings that must be the same when a training continues. `max_seconds` is left out if there is no limit,
        because older files lack it."""
        found = dataclasses.asdict(self)
        return found if self.max_seconds else {name: value for name, value in found.items() if name != "max_seconds"}


@dataclass
class Progress:
    """The progress of a training. A row of the curve is an epoch: step, losses, seconds, and output of `measure`."""

    curve: list[dict[str, float]] = field(default_factory=list)
    best_epoch: int = 0  # counted from 1

    @property
    def epochs(self) -> int:
        return len(self.curve)

    def best(self, column: str) -> int:
        """The first epoch with the best value in a column, counted from 1."""
        sign = -1 if column.endswith("loss") else 1
        figures = [sign * row[column] for row in self.curve]
        return figures.index(max(figures)) + 1

    def ended(self, settings: Settings) -> bool:
        if settings.max_seconds and sum(row["processor_seconds"] for row in self.curve) >= settings.max_seconds:
            return True
        return self.epochs >= settings.max_epochs or self.epochs - self.best_epoch >= settings.patience


class Losses(NamedTuple):
    """Sums over the samples of a batch, by name; `loss` is minimised."""

    samples: int
    sums: dict[str, Tensor]


class Objective(Protocol):
    """The samples, in batches of any form, and a network's losses on them."""

    @property
    def digest(self) -> str:
        """A digest of everything that determines the samples' order and values."""

    @property
    def steps(self) -> int:
        """Batches per epoch."""

    def batches(self, epoch: int) -> Iterator[Any]:
        """The batches of training samples, in the order of that epoch."""

    def held_out(self) -> Iterator[Any]:
        """The batches of the held-out set."""

    def losses(self, module: nn.Module, batch: Any) -> Losses: ...


def fit(
    build: Callable[[], nn.Module],
    objective: Objective,
    settings: Settings,
    resume: Path,
    measure: Callable[[nn.Module], dict[str, float]] = lambda module: {},
    watch: Callable[[Progress], None] = lambda progress: None,
) -> tuple[nn.Module, Progress]:
    """Minimise the loss with AdamW; stop when `settings.best_by` no longer improves.

    `resume` is the file from which an interrupted training continues; it is kept at the end. The network is trained on
    `learn.devices.device()`. Returns it with the best weights, on the CPU.
    """
    torch.manual_seed(settings.seed)
    module = build().to(device())
    optimizer = torch.optim.AdamW(module.parameters(), settings.learning_rate, weight_decay=settings.weight_decay)
    progress = Progress()
    best = copy.deepcopy(module.state_dict())
    about = {"version": VERSION, "settings": settings.about(), "data": objective.digest}
    if resume.exists():
        kept, parts = restore(resume, module, optimizer, about)
        try:
            progress, best = kept_as(Progress, kept["progress"]), parts["best"]
            needed = {settings.best_by, *(["processor_seconds"] if settings.max_seconds else [])}
            if not all(needed <= row.keys() for row in progress.curve):
                raise KeyError
        except (TypeError, KeyError):
            raise CheckpointError(f"{resume}: this training cannot be resumed; delete the file to start over") from None
    while not progress.ended(settings):
        begin, spent = time.perf_counter(), time.process_time()
        learnt = _epoch(module, optimizer, objective, settings, progress.epochs)
        held = _held_out(module, objective)
        row = {
            "step": (progress.epochs + 1) * objective.steps,
            **learnt,
            **{f"held_out_{name}": value for name, value in held.items()},
            **measure(module),
            "seconds": round(time.perf_counter() - begin, 3),
            **({"processor_seconds": round(time.process_time() - spent, 3)} if settings.max_seconds else {}),
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
    return module.cpu().eval(), progress


def train(
    build: Callable[[], nn.Module],
    samples: Samples,
    held_out: np.ndarray[Any, np.dtype[np.bool_]],
    settings: Settings,
    resume: Path,
    measure: Callable[[nn.Module], dict[str, float]] = lambda module: {},
    watch: Callable[[Progress], None] = lambda progress: None,
) -> tuple[nn.Module, Progress]:
    """`fit` to the values of encoded states."""
    return fit(build, _Values(samples, held_out, settings), settings, resume, measure, watch)


def predictions(module: nn.Module, inputs: np.ndarray[Any, np.dtype[np.float32]], batch: int = 1024) -> Tensor:
    """The network's values, computed in batches that fit the processor's cache."""
    return _in_batches(module.eval(), module, inputs, batch)


def class_predictions(module: nn.Module, inputs: np.ndarray[Any, np.dtype[np.float32]], batch: int = 1024) -> Tensor:
    """The likeliest class of each state, as an index of CLASSES, by a network that has `logits`."""
    return _class_logits(module, inputs, batch).argmax(1)


def class_probabilities(module: nn.Module, inputs: np.ndarray[Any, np.dtype[np.float32]], batch: int = 1024) -> Tensor:
    """The probability of each class, by a network that has `logits`."""
    return _class_logits(module, inputs, batch).softmax(1)


def classes_of(values: Tensor) -> Tensor:
    """Results 1, -1, 0 as indices of CLASSES."""
    return torch.where(values > 0, 0, torch.where(values < 0, 1, 2))


def _in_batches(
    function: Callable[[Tensor], Tensor],
    module: nn.Module,
    inputs: np.ndarray[Any, np.dtype[np.float32]],
    batch: int,
) -> Tensor:
    """The function's outputs for all inputs, on the CPU whatever the module's device."""
    parts = (inputs[i : i + batch] for i in range(0, len(inputs), batch))
    with torch.inference_mode():
        return torch.cat([function(*tensors(module, part)).cpu() for part in parts])


def _class_logits(module: nn.Module, inputs: np.ndarray[Any, np.dtype[np.float32]], batch: int) -> Tensor:
    return _in_batches(_logits(module.eval()), module, inputs, batch)


def _logits(module: nn.Module) -> Callable[[Tensor], Tensor]:
    if not isinstance(module, Classifier):
        raise SandtableError(f"{type(module).__name__} outputs a value, not classes: use a squared loss")
    return module.logits


def _loss(module: nn.Module, inputs: Tensor, values: Tensor, kind: str) -> Tensor:
    """The loss, summed over the samples."""
    if kind == "classes":
        return nn.functional.cross_entropy(_logits(module)(inputs), classes_of(values), reduction="sum")
    return nn.functional.mse_loss(module(inputs), values, reduction="sum")


class _Values:
    """The objective of predicting games' results from encoded states."""

    def __init__(self, samples: Samples, held_out: np.ndarray[Any, np.dtype[np.bool_]], settings: Settings) -> None:
        self._settings = settings
        self._inputs, self._values = torch.from_numpy(samples.inputs), torch.from_numpy(samples.values)
        self._training_indices = torch.from_numpy(np.flatnonzero(~held_out))
        self._held_out_indices = torch.from_numpy(np.flatnonzero(held_out))
        content = hashlib.sha256()
        for array in (samples.inputs, samples.values, held_out):
            content.update(np.ascontiguousarray(array).tobytes())
        self.digest = content.hexdigest()

    @property
    def steps(self) -> int:
        return -(-len(self._training_indices) // self._settings.batch)

    def batches(self, epoch: int) -> Iterator[tuple[Tensor, Tensor]]:
        augment = AUGMENTATIONS[self._settings.augment]
        generator = torch.Generator().manual_seed(epoch_seed(self._settings, epoch) + 500_000)
        order = shuffled(self._training_indices, self._settings, epoch)
        for chosen in parts_of(order, self._settings.batch):
            if len(chosen) > 1 or len(order) == 1:  # a batch norm cannot learn from a single sample
                yield augment(self._inputs[chosen], generator), self._values[chosen]

    def held_out(self) -> Iterator[tuple[Tensor, Tensor]]:
        for chosen in parts_of(self._held_out_indices, 1024):
            yield self._inputs[chosen], self._values[chosen]

    def losses(self, module: nn.Module, batch: tuple[Tensor, Tensor]) -> Losses:
        inputs, values = (one.to(device_of(module)) for one in batch)
        return Losses(len(values), {"loss": _loss(module, inputs, values, self._settings.loss)})


def parts_of(chosen: Tensor, size: int) -> Iterator[Tensor]:
    return (chosen[start : start + size] for start in range(0, len(chosen), size))


def epoch_seed(settings: Settings, epoch: int) -> int:
    return settings.seed * 1_000_003 + epoch


def shuffled(samples: Tensor, settings: Settings, epoch: int) -> Tensor:
    generator = torch.Generator().manual_seed(epoch_seed(settings, epoch))
    return samples[torch.randperm(len(samples), generator=generator)]


def _held_out(module: nn.Module, objective: Objective) -> dict[str, float]:
    module.eval()
    with torch.inference_mode():
        return _means(objective.losses(module, batch) for batch in objective.held_out())


def _epoch(
    module: nn.Module, optimizer: torch.optim.Optimizer, objective: Objective, settings: Settings, epoch: int
) -> dict[str, float]:
    """Train for one pass over the samples; returns the mean losses."""
    module.train()
    torch.manual_seed(epoch_seed(settings, epoch))  # for dropout: an epoch does not depend on earlier random numbers

    def learnt() -> Iterator[Losses]:
        for batch in objective.batches(epoch):
            optimizer.zero_grad(set_to_none=True)
            found = objective.losses(module, batch)
            (found.sums["loss"] / found.samples).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            yield found

    return _means(learnt())


def _means(batches: Iterable[Losses]) -> dict[str, float]:
    samples, sums = 0, dict[str, float]()
    for batch in batches:
        samples += batch.samples
        for name, value in batch.sums.items():
            sums[name] = sums.get(name, 0.0) + float(value.detach())
    return {name: total / samples for name, total in sums.items()}
