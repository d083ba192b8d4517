"""Supervised training of a network, which can be stopped and goes on exactly where it was.

After every epoch all that the next one depends on is written to one file: weights, optimiser, the best weights so far
and the curve. The order of the samples comes from the seed and the epoch's number.
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import save as to_bytes
from torch import Tensor, nn

from sandtable.errors import CheckpointError, SandtableError
from sandtable.files import write_whole
from sandtable.learn.samples import Samples

VERSION = 1


@dataclass(frozen=True)
class Settings:
    batch: int = 256
    learning_rate: float = 1e-3
    patience: int = 8  # epochs without a better figure
    max_epochs: int = 60
    best_by: str = "held_out_loss"  # a column of the curve; a loss should be small, anything else large
    seed: int = 0


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
    """Minimise the squared error with Adam; stop when the figure that counts no longer gets better.

    `resume` is the file that an interrupted training goes on from; it is left there at the end. Returns the network
    with the best weights.
    """
    torch.manual_seed(settings.seed)
    module = build()
    optimizer = torch.optim.Adam(module.parameters(), lr=settings.learning_rate)
    progress = Progress()
    best = copy.deepcopy(module.state_dict())
    about = {"version": VERSION, "settings": dataclasses.asdict(settings), "data": _digest(samples, held_out)}
    if resume.exists():
        progress, best = _restore(resume, module, optimizer, about)
    inputs, values = torch.from_numpy(samples.inputs), torch.from_numpy(samples.values)
    training = torch.from_numpy(np.flatnonzero(~held_out))
    holding = torch.from_numpy(np.flatnonzero(held_out))
    while not progress.ended(settings):
        begin = time.perf_counter()
        order = _order(training, settings.seed, progress.epochs)
        loss = _epoch(module, optimizer, inputs, values, order, settings.batch)
        module.eval()
        held_loss = _loss(module, inputs[holding], values[holding])
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
        _keep(resume, module, optimizer, best, about | {"progress": dataclasses.asdict(progress)})
        watch(progress)
    module.load_state_dict(best)
    return module.eval(), progress


def predictions(module: nn.Module, inputs: np.ndarray[Any, np.dtype[np.float32]], batch: int = 1024) -> Tensor:
    """The network's values, in batches that fit the processor's cache."""
    module.eval()
    with torch.inference_mode():
        return torch.cat([module(torch.from_numpy(inputs[i : i + batch])) for i in range(0, len(inputs), batch)])


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
    module: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, values: Tensor, order: Tensor, batch: int
) -> float:
    """One pass over the samples; the mean loss."""
    module.train()
    total = 0.0
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        if len(chosen) == 1 and len(order) > 1:
            continue  # a batch norm cannot learn from a single sample
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(module(inputs[chosen]), values[chosen])
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        total += float(loss.detach()) * len(chosen)
    return total / len(order)


def _loss(module: nn.Module, inputs: Tensor, values: Tensor) -> float:
    return float(nn.functional.mse_loss(predictions(module, inputs.numpy()), values))


def _keep(
    path: Path,
    module: nn.Module,
    optimizer: torch.optim.Optimizer,
    best: dict[str, Tensor],
    about: dict[str, Any],
) -> None:
    tensors = {f"now.{name}": value for name, value in module.state_dict().items()}
    tensors |= {f"best.{name}": value for name, value in best.items()}
    for index, moments in optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{index}.{name}": value for name, value in moments.items()}
    data = to_bytes({name: value.contiguous() for name, value in tensors.items()}, {"training": json.dumps(about)})
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)


def _restore(
    path: Path, module: nn.Module, optimizer: torch.optim.Optimizer, wanted: dict[str, Any]
) -> tuple[Progress, dict[str, Tensor]]:
    from safetensors import safe_open

    try:
        with safe_open(path, framework="pt") as file:
            about = json.loads(file.metadata()["training"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        text = " ".join(str(error).split())
        raise CheckpointError(f"{path}: not a training to go on with: {text:.120}") from None
    for key, value in wanted.items():
        if not isinstance(about, dict) or about.get(key) != value:
            raise CheckpointError(f"{path}: a training with other {key}; delete the file to begin anew")
    now, best, adam = ({}, {}, {})  # type: tuple[dict[str, Tensor], dict[str, Tensor], dict[int, dict[str, Tensor]]]
    for name, value in tensors.items():
        part, _, rest = name.partition(".")
        if part == "adam":
            index, _, moment = rest.partition(".")
            adam.setdefault(int(index), {})[moment] = value
        else:
            (now if part == "now" else best)[rest] = value
    try:
        module.load_state_dict(now)
        optimizer.load_state_dict({"state": adam, "param_groups": optimizer.state_dict()["param_groups"]})
        return Progress(**about["progress"]), best
    except (RuntimeError, ValueError, TypeError, KeyError):
        raise CheckpointError(f"{path}: the training of another network; delete the file to begin anew") from None
