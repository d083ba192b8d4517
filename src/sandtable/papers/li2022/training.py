"""Stage `training`: the four value networks on the same states (section 4.2)."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sandtable.learn import samples
from sandtable.learn.processor import prepare_for_training
from sandtable.papers.dataset import folder
from sandtable.papers.li2022.data import check_records, make_dataset, rules
from sandtable.papers.li2022.settings import NETWORKS, Settings
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.training import noting, resume_file, save_trained, train_all, weights

if TYPE_CHECKING:
    from torch import nn

    from sandtable.learn import supervised

WIN, LOSS = 0.5, -0.5  # section 4.2: outputs above WIN are wins, below LOSS losses, between them ties


@stage(
    "training",
    needs=(check_records, make_dataset),
    settings=(
        *("batch", "learning_rate", "held_out", "best_by", "patience", "max_epochs"),
        *("layer", "inputs", "planes"),
    ),
)
def train_networks(run: Run, settings: Settings, records: dict[str, Any], _: Any) -> dict[str, Any]:
    """The learning curve of each network; its weights are stored at weights(run, network)."""
    tasks = {
        network: functools.partial(
            _train,
            network,
            settings,
            {part: folder(run, part, settings.architecture(network).encoder.name) for part in ("train", "test")},
            weights(run, network),
        )
        for network in NETWORKS
    }
    depends = train_networks.depends(settings) | {"records": records["digest"]}
    return train_all(run, depends, tasks, settings.max_epochs)


def labels(values: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.int8]]:
    """The results that the paper reads from a network's outputs: 1, -1 or 0."""
    return (values > WIN).astype(np.int8) - (values < LOSS).astype(np.int8)


def hyperparameters(settings: Settings, seed: int, patience: int, max_epochs: int) -> supervised.Settings:
    from sandtable.learn import supervised

    return supervised.Settings(
        batch=settings.batch,
        learning_rate=settings.learning_rate,
        patience=patience,
        max_epochs=max_epochs,
        best_by=settings.best_by,
        seed=seed,
    )


def _train(network: str, settings: Settings, data: dict[str, Path], path: Path) -> dict[str, Any]:
    """Train one network, in its own process."""
    learnt, test = samples.load(data["train"]), samples.load(data["test"])
    module, progress = train(network, settings, learnt, test, path)
    architecture, rules_digest = settings.architecture(network).name, rules(settings).digest
    depends = train_networks.depends(settings)
    return save_trained(path, module, architecture, rules_digest, "li2022", depends, len(learnt), progress)


def train(
    network: str,
    settings: Settings,
    learnt: samples.Samples,
    test: samples.Samples,
    path: Path,
    seed: int | None = None,
) -> tuple[nn.Module, supervised.Progress]:
    """Train a network on samples, with a tenth of their games held out for early stopping. A checkpoint beside `path`
    lets an interrupted training continue. `seed`: of the weights, the batches and the held-out games; by default the
    run's."""
    from sandtable.learn import supervised

    prepare_for_training()
    seed = settings.seed if seed is None else seed
    held_out = samples.held_out_by_game(learnt.games, settings.held_out, seed)

    def measure(module: nn.Module) -> dict[str, float]:
        held = supervised.predictions(module, learnt.inputs[held_out]).numpy()
        tested = supervised.predictions(module, test.inputs).numpy()
        return {
            "held_out_accuracy": float((labels(held) == learnt.values[held_out]).mean()),
            "test_accuracy": float((labels(tested) == test.values).mean()),
        }

    how = hyperparameters(settings, seed, settings.patience, settings.max_epochs)
    build, note = settings.architecture(network).build, noting(path, "held_out_accuracy", "{:.1%}")
    return supervised.train(build, learnt, held_out, how, resume_file(path), measure, note)
