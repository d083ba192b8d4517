"""`sandtable reproduce`: reproduce a paper, from its maps to its tables."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sandtable import papers
from sandtable.cli import completion
from sandtable.cli.installed import check_installed, check_ray
from sandtable.cli.output import resumable
from sandtable.cli.results import Device, Ray
from sandtable.errors import SandtableError, nearest
from sandtable.learn.devices import check_device
from sandtable.machine import cores
from sandtable.papers import report
from sandtable.papers.run import Run
from sandtable.progress import Bars
from sandtable.scale import MAX_WORKERS


def reproduce(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER",
            autocompletion=completion.names(lambda: papers.PAPERS),
            help=f"One of: {', '.join(papers.PAPERS)}.",
        ),
    ],
    scale: Annotated[str, typer.Option(help="Size of the run: smoke, quick or paper.")] = "quick",
    folder: Annotated[Path | None, typer.Option(help="The run's folder. Default: runs/PAPER-SCALE.")] = None,
    results: Annotated[
        Path | None, typer.Option(help="Write the report to this folder. Default: results/PAPER.")
    ] = None,
    keep_as: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Before the new report is written, move the old one to the folder NAME inside the results folder.",
        ),
    ] = None,
    change: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a setting of the scale.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Stop after this stage.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=MAX_WORKERS, help="Number of local processes. Default: one per core.")
    ] = None,
    ray: Ray = None,
    device: Device = "auto",
    render: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Only rewrite the report in this folder, from its stored tables."),
    ] = None,
) -> None:
    """Reproduce a paper's tables. It can be stopped at any time; the same command continues it.

    Example: sandtable reproduce li2022 --scale quick
    """
    module = papers.paper(_one_of("paper", paper, papers.PAPERS))
    if render is not None:
        if change or until or folder or results or keep_as:
            raise SandtableError(
                "--render rewrites a report from its stored tables: it takes no setting, stage or folder"
            )
        check_installed("--render", ("matplotlib",))
        print(report.render(render, paper, module.compose) / "report.html")
        return
    check_installed(paper, module.NEEDS)
    check_ray(ray)
    if device != "auto":  # most stages need no PyTorch, which takes seconds to import
        check_device(device)
    if keep_as is not None and not re.fullmatch(r"[a-z0-9][a-z0-9-]*", keep_as):
        raise SandtableError(
            f"--keep-as {keep_as!r:.40}: must be a folder name of lower-case letters, digits and hyphens"
        )
    settings = _changed(module.SCALES[_one_of("scale", scale, module.SCALES)], change or [])
    last = list(module.STAGES)[-1] if until is None else _one_of("stage", until, module.STAGES)
    where = folder or Path("runs") / f"{paper}-{scale}"
    with (
        resumable(f"progress is saved in {where}: run the same command again to continue"),
        Bars() as bars,
        Run(
            where,
            scale=scale,
            results=results or Path("results") / paper,
            keep_as=keep_as,
            workers=workers or cores(),
            ray=ray,
            device=device,
            watch=lambda now: bars(*now),
        ) as run,
    ):
        made = module.STAGES[last](run, settings)
    if isinstance(made, Path):
        print(made / "report.html")


def _changed(settings: Any, changes: Sequence[str]) -> Any:
    """The settings with the changes NAME=VALUE. A value is a text, a number or, for a tuple, several numbers."""
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
            form = "comma-separated numbers" if isinstance(old, tuple) else f"a {'whole ' * isinstance(old, int)}number"
            raise SandtableError(f"--set {change}: {name} must be {form}, such as {','.join(map(str, wanted))}")
        new = type(old)(*values) if isinstance(old, tuple) else type(old)(values[0])
        settings = dataclasses.replace(settings, **{name: new})
    return settings


def _one_of(what: str, word: str, known: Iterable[str]) -> str:
    if word not in known:
        raise SandtableError(f"no {what} is called {word!r:.40}{nearest(word, known)}; there are {', '.join(known)}")
    return word
