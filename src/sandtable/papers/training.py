"""Stage `training`: trains each network in a process of its own, and shows the epochs while they go on."""

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
    """The tasks' results by name. Each task trains the network of its name and saves it as weights(run, name)."""
    with _showing_progress(run, stage, list(tasks), max_epochs):
        found = run.collect(stage, settings, list(tasks.values()), here=True)
    for name in tasks:
        card = weights(run, name).with_suffix(".json")  # enough: weights may be deleted once their games are played
        if not card.is_file():
            log = run.folder / f"{stage}.jsonl"
            raise RunError(f"{card}: missing, although the network was trained; delete {log} to train it again")
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
    """Saves a network, with its provenance on its card; returns its curve and its best epoch. `rules`: the digest of
    the rules that it was trained with."""
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
    """The networks, as an addition to the settings that a stage depends on: a network that was trained again is a
    different one."""
    return {"networks": {name: read_card(path).sha256[:16] for name, path in files.items()}}


def resume_file(path: Path) -> Path:
    """The checkpoint from which an interrupted training of the weights at `path` continues."""
    return path.with_suffix(".resume")


def noting(path: Path, column: str, form: str) -> Callable[[supervised.Progress], None]:
    """A callback that leaves a note after each epoch, with the latest figure in a column of the curve."""
    return lambda progress: leave_note(path, progress.epochs, form.format(progress.curve[-1][column]))


def leave_note(path: Path, epochs: int, figure: str) -> None:
    """Writes a note for the display of progress: how many epochs the training of the weights at `path` has done (in
    self-play: games), and a figure."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(_note_file(path), json.dumps({"epochs": epochs, "figure": figure}).encode())


def _note_file(path: Path) -> Path:
    return path.with_suffix(".progress")


@contextlib.contextmanager
def _showing_progress(run: Run, stage: str, names: list[str], max_epochs: int) -> Iterator[None]:
    """Shows the notes that the running trainings leave after each epoch."""
    ended = threading.Event()

    def show(over: bool) -> None:
        notes = {}
        for name in names:
            # Notes are for display only: a missing or damaged note does not stop a training.
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                note = json.loads(_note_file(weights(run, name)).read_text())
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
