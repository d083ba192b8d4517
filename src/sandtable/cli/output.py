"""The output of commands: files, whose names are printed, and tables that fit the terminal."""

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
    """Name a written file on stderr, so that the output of a command can be piped."""
    if not is_stream(path):
        print(f"wrote {shown_line(str(path))}{what}", file=sys.stderr)


@contextlib.contextmanager
def resumable(hint: str) -> Iterator[None]:
    """On Ctrl-C, print how to continue the work, and exit."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"\nsandtable: stopped; {hint}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def console() -> Console:
    """A console for tables and texts without markup. Where there is no terminal, lines have up to 200 characters."""
    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 200)


def table(*columns: str, **options: Any) -> Table:
    """A table whose texts are folded rather than cut off."""
    made = Table(box=None, pad_edge=False, **options)
    for column in columns:
        made.add_column(column, overflow="fold")
    return made
