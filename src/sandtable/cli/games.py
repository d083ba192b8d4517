"""`sandtable games` and `sandtable ratings`: what a store holds."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sandtable import json_fields
from sandtable.arena.store import Store
from sandtable.arena.tables import Results
from sandtable.arena.tasks import Row
from sandtable.cli import output
from sandtable.cli.results import AsJson, CsvFile, SvgFile, report, show_ratings
from sandtable.errors import SandtableError
from sandtable.files import check_writable
from sandtable.games import games as all_games

StoreFile = Annotated[Path, typer.Argument(metavar="STORE", help="The .sqlite file of a tournament or match.")]
Name = Annotated[
    str | None, typer.Option("--tournament", help="One of several in the store, by the start of its name.")
]


def games(
    store: StoreFile,
    tournament: Name = None,
    player: Annotated[str | None, typer.Option(help="Only games of this player.")] = None,
    map: Annotated[str | None, typer.Option("--map", help="Only games on this map.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only games that failed.")] = False,
    export: Annotated[
        Path | None, typer.Option(help="Write the records, one JSON line each, in the order of tasks.")
    ] = None,
) -> None:
    """List the games of a store, or export their records.

    Example: sandtable games list cup.sqlite --player greedy --export games.jsonl
    """
    with Store(store, write=False) as opened:
        rows = [
            (number, row)
            for number, row in opened.numbered(tournament, records=export is not None)
            if player in (None, row.first, row.second)
            and map in (None, row.ground)
            and (row.error is not None or not failed)
        ]
    if export:
        output.write(export, "".join(row.record + "\n" for _, row in rows if row.error is None).encode())
        return
    found = output.table("no.", "game", "result", "turns")
    for number, row in rows:
        outcome = row.error or ("tie" if row.winner is None else (row.first, row.second)[row.winner])
        found.add_row(str(number), row.label, outcome, str(row.turns))
    output.console().print(found)


def ratings(
    store: StoreFile,
    tournament: Name = None,
    table: Annotated[bool, typer.Option("--table", help="Also the results of all pairs.")] = False,
    as_json: AsJson = False,
    csv_file: CsvFile = None,
    svg_file: SvgFile = None,
) -> None:
    """Rate the players of a store on the Elo scale, with intervals.

    Example: sandtable ratings cup.sqlite --table
    """
    check_writable(csv_file, svg_file)
    if table or csv_file or svg_file:
        results = Results(_rows(store, tournament))
        report(results, as_json=as_json, csv_file=csv_file, svg_file=svg_file, in_turns=_in_turns(store))
    if not (table and as_json):
        show_ratings(_rows(store, tournament), as_json)


def _rows(path: Path, name: str | None) -> Iterator[Row]:
    with Store(path, write=False) as store:
        yield from (row for _, row in store.numbered(name, records=False))


def _in_turns(path: Path) -> bool:
    """Whether one side moves at a time in the games of the store, as far as their records say."""
    names = []
    with Store(path, write=False) as store:
        for record in store.record_of_each_ground():
            with contextlib.suppress(SandtableError):  # tables need no records, and do not fail for a damaged one
                names.append(json_fields.read_object(record).get("game"))
    return not any(one.simultaneous for one in all_games() if one.name in names)
