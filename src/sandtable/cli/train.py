"""`sandtable train`: train a network by self-play, following a recipe."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table

from sandtable.cli import completion
from sandtable.cli.allowing import AllowCode, allowance
from sandtable.cli.installed import check_installed, check_ray
from sandtable.cli.output import resumable
from sandtable.cli.results import Device, Ray
from sandtable.machine import cores
from sandtable.scale import MAX_WORKERS

if TYPE_CHECKING:
    from sandtable.learn.recipe import Recipe
    from sandtable.learn.self_play_training import Progress

NEEDS = ("torch", "safetensors", "onnx", "onnxruntime", "tensorboardX")


def train(
    recipe: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE",
            autocompletion=completion.recipes,
            help="A shipped recipe by its name (`sandtable recipes`), or a .toml file.",
        ),
    ],
    folder: Annotated[Path | None, typer.Option(help="Folder of the training. Default: runs/NAME.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=MAX_WORKERS, help="Number of local processes. Default: one per core.")
    ] = None,
    ray: Ray = None,
    device: Device = "auto",
    allow_code: AllowCode = None,
) -> None:
    """Train a network by self-play. It can be stopped at any time; the same command continues it. More `minutes` or
    `games` in the recipe make it longer.

    Example: sandtable train mine.toml --workers 2
    """
    from sandtable.learn.recipe import load, locate

    # Recipes can be found without the packages for training: a wrong name is refused before packages are asked for.
    file = locate(recipe)
    check_installed("training", NEEDS)
    check_ray(ray)
    found = load(file, allowance(file, allow_code))
    # These import torch, which takes seconds: a bad recipe is refused before.
    from sandtable.learn.devices import check_device, training_on
    from sandtable.learn.self_play_training import train as train_by_self_play

    check_device(device)
    where = folder or Path("runs") / found.name
    count = workers or cores()
    console = Console(stderr=True)
    lines, live = _Lines(found), Live(console=console, refresh_per_second=2)
    reports = 0

    def watch(now: Progress) -> None:
        nonlocal reports
        reports += 1
        if console.is_terminal:
            live.update(_table(found, now))
        else:
            lines(now)

    again = f"the training is saved in {where}: run the same command again to continue"
    with training_on(device), resumable(again), live if console.is_terminal else contextlib.nullcontext():
        made = train_by_self_play(found, where, workers=count, ray=ray, watch=watch)
    lines.end()
    if not reports:
        print(f"{where}: this training has ended; more games or minutes in its recipe extend it", file=sys.stderr)
    print(made)


def target(recipe: Recipe, now: Progress) -> dict[str, str]:
    """The progress of a training: what ends it, the share that is done, and the time that is left at this pace."""
    seconds, games = 60 * recipe.minutes, recipe.games
    wanted = [f"{games:,} games"] * bool(games) + [f"{number(recipe.minutes)} minutes"] * bool(seconds)
    ends = []  # (share done, seconds left) by either limit
    if seconds:
        ends.append((now.seconds / seconds, seconds - now.seconds))
    if games:
        share = now.games / games
        ends.append((share, now.seconds * (1 - share) / share if share else float("inf")))
    share, left = max(ends)
    minutes, rest = divmod(round(max(left, 0)) if left < 10**9 else 0, 60)
    hours, minutes = divmod(minutes, 60)
    return {
        "target": " or ".join(wanted),
        "done": f"{min(share, 1):.0%}",
        "time left": f"{hours}:{minutes:02}:{rest:02}" if left < 10**9 else "not known yet",
    }


def number(value: float) -> str:
    """A figure for display: without decimals if it is whole or large, else with at most two, or four below 1."""
    if isinstance(value, int) or value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return (f"{value:.2f}" if abs(value) >= 1 else f"{value:.4f}").rstrip("0").rstrip(".")


def _table(recipe: Recipe, now: Progress) -> Table:
    table = Table("figure", "value", title="self-play and learning")
    for name, text in target(recipe, now).items():
        table.add_row(name, text, style="bold")
    for name, value in now.figures().items():
        table.add_row(name.replace("_", " "), number(value))
    for name, counts in now.strength.items():
        table.add_row(f"against {name}", "-".join(map(str, counts)))
    return table


class _Lines:
    """Prints a line a minute and one at the end, where there is no terminal."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.next = 0.0
        self.unprinted: Progress | None = None

    def __call__(self, now: Progress) -> None:
        self.unprinted = now
        if now.seconds >= self.next:
            self.next = now.seconds + 60
            self.end()

    def end(self) -> None:
        if self.unprinted is None:
            return
        now, self.unprinted = self.unprinted, None
        wanted = target(self.recipe, now)
        far = f"{wanted['done']} of {wanted['target']}, {wanted['time left']} left"
        figures = ", ".join(f"{name.replace('_', ' ')} {number(value)}" for name, value in now.figures().items())
        strength = "".join(f"; {name}: {'-'.join(map(str, counts))}" for name, counts in now.strength.items())
        print(f"{far}: {figures}{strength}", file=sys.stderr, flush=True)
