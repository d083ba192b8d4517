"""What a command leaves behind: files, which it names, and tables that fit the terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from sandtable.files import is_stream, write_whole
from sandtable.texts import shown_line

INTERRUPTED = 130  # the exit code that shells give a command ended by Ctrl-C


def write(path: Path, data: bytes) -> None:
    """Write a file and say so."""
    write_whole(path, data)
    say_written(path)


def say_written(path: Path, what: str = "") -> None:
    """On the stream of errors, so that what a command prints can be piped on."""
    if not is_stream(path):
        print(f"wrote {shown_line(str(path))}{what}", file=sys.stderr)


@contextlib.contextmanager
def going_on(how: str) -> Iterator[None]:
    """Ctrl-C says how to go on with what was begun."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"\nsandtable: stopped; {how}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def console() -> Console:
    """For tables and texts without markup. Where there is no terminal, lines are as long as they need be."""
    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 200)


def table(*columns: str, **options: Any) -> Table:
    """A table whose texts are folded rather than cut off."""
    made = Table(box=None, pad_edge=False, **options)
    for column in columns:
        made.add_column(column, overflow="fold")
    return made
