"""`sandtable train`: a network by self-play, as a recipe says."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table

from sandtable.cli.allowing import AllowCode, allowance
from sandtable.cli.installed import check_installed
from sandtable.cli.results import Ray
from sandtable.machine import cores
from sandtable.scale import MAX_WORKERS

if TYPE_CHECKING:
    from sandtable.learn.self_play_training import Progress

NEEDS = ("torch", "safetensors", "onnx", "onnxruntime", "tensorboardX")


def train(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE.toml", help="See recipes/ and docs/training.md.")],
    folder: Annotated[Path | None, typer.Option(help="The training's folder. Default: runs/NAME.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=MAX_WORKERS, help="Local processes. Default: a process a core.")
    ] = None,
    ray: Ray = None,
    allow_code: AllowCode = None,
) -> None:
    """Train a network by self-play. Stop it anywhere and run it again: it goes on."""
    check_installed("training", NEEDS)
    from sandtable.learn.recipe import load

    found = load(recipe, allowance(recipe, allow_code))
    # Imports torch, which takes seconds: a bad recipe is refused before.
    from sandtable.learn.self_play_training import train as train_by_self_play

    where = folder or Path("runs") / found.name
    count = workers or cores()
    console = Console(stderr=True)
    if console.is_terminal:
        with Live(console=console, refresh_per_second=2) as live:
            made = train_by_self_play(found, where, workers=count, ray=ray, watch=lambda now: live.update(_table(now)))
    else:
        made = train_by_self_play(found, where, workers=count, ray=ray, watch=_Lines())
    print(made)


def _table(now: Progress) -> Table:
    table = Table("figure", "value", title="self-play and learning")
    for name, value in now.figures().items():
        table.add_row(name.replace("_", " "), f"{value:,.3f}".rstrip("0").rstrip("."))
    for name, counts in now.strength.items():
        table.add_row(f"against {name}", "-".join(map(str, counts)))
    return table


class _Lines:
    """A line a minute, where there is no terminal."""

    def __init__(self) -> None:
        self.next = 0.0

    def __call__(self, now: Progress) -> None:
        if now.seconds < self.next:
            return
        self.next = now.seconds + 60
        figures = ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in now.figures().items())
        strength = "".join(f"; {name}: {'-'.join(map(str, counts))}" for name, counts in now.strength.items())
        print(figures + strength, file=sys.stderr, flush=True)
