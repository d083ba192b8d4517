"""Stage `training`: networks, each in a process of its own, with their epochs shown while they learn."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandtable.files import write_whole
from sandtable.machine import commit
from sandtable.nets.checkpoints import read_card
from sandtable.papers.run import Progress, Run, RunError, Settings

if TYPE_CHECKING:
    from torch import nn

    from sandtable.learn import supervised


def train_all(
    run: Run,
    settings: Settings,
    tasks: Mapping[str, Callable[[], Any]],
    max_epochs: int,
    *,
    stage: str = "training",
) -> dict[str, Any]:
    """What each task, which trains the network of its name into weights(run, name), says about it."""
    with _followed(run, stage, list(tasks), max_epochs):
        found = run.collect(stage, settings, list(tasks.values()), here=True)
    for name in tasks:
        card = weights(run, name).with_suffix(".json")  # once a network's games are played, the card is enough
        if not card.is_file():
            raise RunError(f"{card}: trained, but gone; delete {run.folder / f'{stage}.jsonl'} to train it anew")
    return dict(zip(tasks, found, strict=True))


def weights(run: Run, name: str) -> Path:
    return run.folder / "nets" / f"{name}.safetensors"


def save_trained(
    path: Path,
    module: nn.Module,
    architecture: str,
    rules: str,
    paper: str,
    settings: Settings,
    samples: int,
    progress: supervised.Progress,
    **more: Any,
) -> dict[str, Any]:
    """Saves a network with where it comes from on its card; gives its curve. `rules`: the digest of those it knows."""
    from sandtable.nets import checkpoints

    about = {
        "paper": paper,
        "settings": settings,
        "samples": samples,
        "epochs": progress.epochs,
        "best_epoch": progress.best_epoch,
        "seconds": round(sum(row["seconds"] for row in progress.curve), 1),
        "commit": commit(),
        **more,
    }
    checkpoints.save(path, module, architecture, rules, about)
    return {"curve": progress.curve, "best_epoch": progress.best_epoch}


def digests(run: Run, names: Iterable[str]) -> Settings:
    """The digests of some of the run's networks."""
    return file_digests({name: weights(run, name) for name in names})


def file_digests(files: Mapping[str, Path]) -> Settings:
    """What stages that use these networks depend on besides their settings: a network that was made anew is another."""
    return {"networks": {name: read_card(path).sha256[:16] for name, path in files.items()}}


def resume_file(path: Path) -> Path:
    """Where the training of the weights at `path` keeps what it goes on from."""
    return path.with_suffix(".resume")


def noting(path: Path, column: str, form: str) -> Callable[[supervised.Progress], None]:
    """Leaves a note after each epoch, with the figure in a column of the curve."""
    return lambda progress: leave_note(path, progress.epochs, form.format(progress.curve[-1][column]))


def leave_note(path: Path, epochs: int, figure: str) -> None:
    """Tells whoever watches how far the training of the weights at `path` is, and a figure of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(_note(path), json.dumps({"epochs": epochs, "figure": figure}).encode())


def _note(path: Path) -> Path:
    return path.with_suffix(".progress")


@contextlib.contextmanager
def _followed(run: Run, stage: str, names: list[str], max_epochs: int) -> Iterator[None]:
    """Shows the notes that the trainings under way leave after each epoch."""
    ended = threading.Event()

    def show(over: bool) -> None:
        notes = {}
        for name in names:
            # A note is for whoever watches: one that is not there, or not as it should be, stops no training.
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                note = json.loads(_note(weights(run, name)).read_text())
                notes[name] = int(note["epochs"]), str(note["figure"])
        epochs = sum(done for done, _ in notes.values())
        said = ", ".join(f"{name} {done}: {figure}" for name, (done, figure) in notes.items())
        run.watch(Progress(f"{stage} epochs", epochs, epochs if over else max_epochs * len(names), said))

    def follow() -> None:
        while not ended.wait(1):
            show(over=False)

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        show(over=True)
