"""`sandtable reproduce`: a paper, from its maps to its tables."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from sandtable import papers
from sandtable.cli.results import LINE_EVERY, Ray
from sandtable.errors import SandtableError, nearest
from sandtable.papers.run import Progress, Run


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help=", ".join(papers.PAPERS))],
    scale: Annotated[str, typer.Option(help="smoke, quick or paper.")] = "quick",
    folder: Annotated[Path | None, typer.Option(help="The run's folder. Default: runs/PAPER-SCALE.")] = None,
    results: Annotated[Path | None, typer.Option(help="Where the report goes. Default: results/PAPER.")] = None,
    change: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a setting of the scale.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Stop after this stage.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Local processes. Default: a process a core.")] = None,
    ray: Ray = None,
) -> None:
    """Make a paper's tables anew. Stop it anywhere and run it again: it goes on."""
    module = papers.paper(_one_of("paper", paper, papers.PAPERS))
    _check_installed(paper, module.NEEDS)
    settings = _changed(module.SCALES[_one_of("scale", scale, module.SCALES)], change or [])
    last = list(module.STAGES)[-1] if until is None else _one_of("stage", until, module.STAGES)
    with (
        Bars(
            TextColumn("{task.description:>12}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
        ) as bars,
        Run(
            folder or Path("runs") / f"{paper}-{scale}",
            scale=scale,
            results=results or Path("results") / paper,
            workers=workers or len(os.sched_getaffinity(0)),
            ray=ray,
            watch=_Shown(bars),
        ) as run,
    ):
        made = module.STAGES[last](run, settings)
    if isinstance(made, Path):
        print(made / "report.html")


def _check_installed(paper: str, packages: Sequence[str]) -> None:
    """An error before the first hour, not after it."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise SandtableError(f"{paper} needs {', '.join(missing)}: pip install 'sandtable[learn]'")


def _changed(settings: Any, changes: Sequence[str]) -> Any:
    """The settings with NAME=VALUE changed: numbers, or several of them for a setting that is several."""
    known = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}
    for change in changes:
        name, _, text = change.partition("=")
        old = known[_one_of("setting", name, known)]
        if isinstance(old, str):
            settings = dataclasses.replace(settings, **{name: text})
            continue
        try:
            values = json.loads(f"[{text}]")
        except (ValueError, RecursionError):
            values = []
        wanted = old if isinstance(old, tuple) else (old,)
        fits = len(values) == len(wanted) and all(
            type(value) in ((int, float) if isinstance(one, float) else (int,)) and value >= 0
            for value, one in zip(values, wanted, strict=True)
        )
        if not fits:
            form = "numbers with commas" if isinstance(old, tuple) else "a number"
            raise SandtableError(f"--set {change}: {name} is {form}, such as {','.join(map(str, wanted))}")
        new = type(old)(*values) if isinstance(old, tuple) else type(old)(values[0])
        settings = dataclasses.replace(settings, **{name: new})
    return settings


def _one_of(what: str, word: str, known: Iterable[str]) -> str:
    if word not in known:
        raise SandtableError(f"no {what} is called {word!r:.40}{nearest(word, known)}; there are {', '.join(known)}")
    return word


class _Shown:
    """Progress as a bar a stage, or in plain lines where there is no terminal."""

    def __init__(self, bars: Bars) -> None:
        self.bars = bars
        self.shown: dict[str, TaskID] = {}
        self.printed: dict[str, int] = {}

    def __call__(self, now: Progress) -> None:
        if self.bars.disable:
            part = LINE_EVERY * now.done // max(1, now.total)
            if part > self.printed.get(now.stage, -1):
                self.printed[now.stage] = part
                print(f"{now.stage}: {now.done} of {now.total} {now.note}".rstrip(), file=sys.stderr, flush=True)
            return
        if now.stage not in self.shown:
            self.shown[now.stage] = self.bars.add_task(now.stage, total=now.total, note="")
        self.bars.update(self.shown[now.stage], completed=now.done, total=now.total, note=now.note)
