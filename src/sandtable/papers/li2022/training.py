"""Stage `training`: the four value networks on the same states (section 4.2)."""

from __future__ import annotations

import contextlib
import functools
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sandtable import tubstap
from sandtable.files import write_whole
from sandtable.learn import samples
from sandtable.nets.architectures import ARCHITECTURES
from sandtable.papers.li2022.data import GAME_SETTINGS
from sandtable.papers.li2022.samples import folder, make_dataset
from sandtable.papers.li2022.settings import NETWORKS, Settings
from sandtable.papers.run import Progress, Run, RunError, commit

TRAINING_SETTINGS = (*GAME_SETTINGS, "batch", "learning_rate", "held_out", "best_by", "patience", "max_epochs")
WIN, LOSS = 0.5, -0.5  # section 4.2: above one a win, below the other a loss, a tie between them


def train_networks(run: Run, settings: Settings) -> dict[str, Any]:
    """The curve of each network; its weights are at weights(run, network)."""
    make_dataset(run, settings)
    tasks = [
        functools.partial(
            _train,
            network,
            settings,
            {part: folder(run, part, ARCHITECTURES[network].encoder.name) for part in ("train", "test")},
            weights(run, network),
        )
        for network in NETWORKS
    ]
    with _followed(run, settings):
        curves = run.collect("training", settings.only(*TRAINING_SETTINGS), tasks, here=True)
    for network in NETWORKS:
        if not weights(run, network).is_file():
            log = run.folder / "training.jsonl"
            raise RunError(f"{weights(run, network)}: trained, but gone; delete {log} to train it anew")
    return dict(zip(NETWORKS, curves, strict=True))


@contextlib.contextmanager
def _followed(run: Run, settings: Settings) -> Iterator[None]:
    """Shows the epochs of the trainings under way, which are in processes of their own and leave a note after each."""
    ended = threading.Event()

    def follow() -> None:
        while not ended.wait(1):
            notes = {}
            for network in NETWORKS:
                with contextlib.suppress(OSError, ValueError):
                    notes[network] = json.loads(_note(weights(run, network)).read_text())
            epochs = sum(note["epochs"] for note in notes.values())
            said = ", ".join(f"{network} {note['epochs']}: {note['accuracy']:.1%}" for network, note in notes.items())
            run.watch(Progress("epochs", epochs, settings.max_epochs * len(NETWORKS), said))

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _note(path: Path) -> Path:
    return path.with_suffix(".progress")


def weights(run: Run, network: str) -> Path:
    return run.folder / "nets" / f"{network}.safetensors"


def labels(values: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.int8]]:
    """1, -1 or 0 for outputs of a network, as the paper reads them."""
    return (values > WIN).astype(np.int8) - (values < LOSS).astype(np.int8)


def _train(network: str, settings: Settings, data: dict[str, Path], path: Path) -> dict[str, Any]:
    """One network, in a process of its own with one thread."""
    import torch
    from torch import nn

    from sandtable.learn import supervised
    from sandtable.nets import checkpoints

    torch.set_num_threads(1)
    train, test = samples.load(data["train"]), samples.load(data["test"])
    held_games = samples.split_by_game(train.games, settings.held_out, settings.seed)
    held_out = np.isin(train.games, list(held_games))

    def measure(module: nn.Module) -> dict[str, float]:
        held = supervised.predictions(module, train.inputs[held_out]).numpy()
        tested = supervised.predictions(module, test.inputs).numpy()
        return {
            "held_out_accuracy": float((labels(held) == train.values[held_out]).mean()),
            "test_accuracy": float((labels(tested) == test.values).mean()),
        }

    how = supervised.Settings(
        batch=settings.batch,
        learning_rate=settings.learning_rate,
        patience=settings.patience,
        max_epochs=settings.max_epochs,
        best_by=settings.best_by,
        seed=settings.seed,
    )

    def note(progress: supervised.Progress) -> None:
        accuracy = progress.curve[-1]["held_out_accuracy"]
        write_whole(_note(path), json.dumps({"epochs": progress.epochs, "accuracy": accuracy}).encode())

    module, progress = supervised.train(
        ARCHITECTURES[network].build, train, held_out, how, path.with_suffix(".resume"), measure, note
    )
    provenance = {
        "paper": "li2022",
        "settings": settings.only(*TRAINING_SETTINGS),
        "samples": len(train),
        "epochs": progress.epochs,
        "best_epoch": progress.best_epoch,
        "seconds": round(sum(row["seconds"] for row in progress.curve), 1),
        "commit": commit(),
    }
    checkpoints.save(path, module, network, tubstap.rules("li2022").digest, provenance)
    return {"curve": progress.curve, "best_epoch": progress.best_epoch}
