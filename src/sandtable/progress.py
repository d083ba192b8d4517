"""Progress bars, one for each piece of work, on a terminal or in a notebook."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column

LINES = 20  # printed for each piece of work where there is no terminal


class Bars:
    """A context manager; call it with the number of `things` done so far. `note` is a text beside the bar. Where no bar
    can be shown, plain lines are printed if `lines` is set, as it is for commands but not for functions."""

    def __init__(self, *, lines: bool = True) -> None:
        self._lines = lines
        console = Console(stderr=True)
        notebook = console.is_jupyter and find_spec("ipywidgets") is not None  # rich needs it for bars there
        self._progress = Progress(
            TextColumn("{task.description:>12}"),
            BarColumn(),
            # On a narrow terminal the bar becomes shorter and the note wraps; the figures stay whole.
            MofNCompleteColumn(table_column=Column(no_wrap=True)),
            TimeElapsedColumn(table_column=Column(no_wrap=True)),
            TimeRemainingColumn(table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[note]}", table_column=Column()),
            console=console,
            disable=not (notebook or (sys.stderr.isatty() and not console.is_jupyter)),
        )
        self._bars: dict[str, TaskID] = {}
        self._printed: dict[str, int] = {}

    def __enter__(self) -> Bars:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, work: str, done: int, total: int, note: str = "", things: str = "") -> None:
        if self._progress.disable:
            part = LINES * done // max(1, total)
            if self._lines and part > self._printed.get(work, -1):
                self._printed[work] = part
                counted = f"{work}: {done} of {total} {things}".rstrip()
                print(f"{counted}: {note}" if note else counted, file=sys.stderr, flush=True)
            return
        if work not in self._bars:
            self._bars[work] = self._progress.add_task(work, total=total, note="")
        self._progress.update(self._bars[work], completed=done, total=total, note=note)
