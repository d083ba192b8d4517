"""`sandtable dataset`: games as columns for other tools, and back."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sandtable.cli import completion
from sandtable.cli.app import App
from sandtable.cli.games import Name
from sandtable.cli.installed import check_installed
from sandtable.files import check_writable, write_whole
from sandtable.texts import shown, shown_line

app = App(
    help="Export games as a data set, Parquet files with a data card, or turn one back into records.\n\n"
    "Example: sandtable dataset export cup.sqlite --out cup-data",
    no_args_is_help=True,
)


class Format(StrEnum):
    """The formats of data sets."""

    PARQUET = "parquet"


@app.command()
def export(
    source: Annotated[Path, typer.Argument(metavar="GAMES", help="Records, one JSON line each, or a store (.sqlite).")],
    out: Annotated[Path, typer.Option(help="Folder of the data set.")],
    format: Annotated[Format, typer.Option("--format", help="Format of the files.")] = Format.PARQUET,
    tournament: Name = None,
    analyse: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC", autocompletion=completion.players, help="A player that analyses some of the positions."
        ),
    ] = None,
    every: Annotated[
        int,
        typer.Option(min=1, help="With --analyse: distance between the analysed positions of a game; 1 analyses all."),
    ] = 10,
) -> None:
    """Write games, positions and results (and analyses) as Parquet files with a data card.

    Example: sandtable dataset export cup.sqlite --out cup-data --analyse "uct(simulations=200)"
    """
    check_installed("a data set", ("pyarrow",), extra="data")
    from sandtable.arena.dataset import export as write

    command = shown(shlex.join(["sandtable", *sys.argv[1:]]))
    made = write(source, out, tournament=tournament, analyse=analyse, every=every, command=command)
    counts = f"{made.games:,} games, {made.positions:,} positions and {made.analyses:,} analyses"
    print(f"{counts} written to {shown_line(str(out))}")


@app.command()
def records(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of a data set.")],
    out: Annotated[Path, typer.Option(help="Write the records here, one JSON line each.")],
) -> None:
    """Read the games of a data set, replay them, and write them as records.

    Example: sandtable dataset records cup-data --out games.jsonl
    """
    check_installed("a data set", ("pyarrow",), extra="data")
    from sandtable.arena.dataset import read

    check_writable(out)
    found = []
    for record in read(folder):
        record.verify()
        found.append(record.to_line())
    write_whole(out, "".join(f"{line}\n" for line in found).encode())
    print(f"{len(found)} {'game' if len(found) == 1 else 'games'} replayed and written to {shown_line(str(out))}")
