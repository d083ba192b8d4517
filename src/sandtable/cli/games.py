"""`sandtable games` and `sandtable ratings`: what a store holds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sandtable.arena.store import Store
from sandtable.arena.tables import Results
from sandtable.arena.tasks import Row
from sandtable.cli.results import AsJson, CsvFile, SvgFile, report, show_ratings
from sandtable.errors import StoreError, nearest
from sandtable.files import check_writable, write_whole

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
    """List the games of a store, or export their records."""
    rows = [
        row
        for row in _rows(store, tournament, records=export is not None)
        if player in (None, row.first, row.second)
        and map in (None, row.ground)
        and (row.error is not None or not failed)
    ]
    if export:
        write_whole(export, "".join(row.record + "\n" for row in rows if row.error is None).encode())
        return
    table = Table("game", "result", "turns", box=None, pad_edge=False)
    for row in rows:
        outcome = row.error or ("tie" if row.winner is None else (row.first, row.second)[row.winner])
        table.add_row(row.label, outcome, str(row.turns))
    Console(highlight=False, markup=False).print(table)


def ratings(
    store: StoreFile,
    tournament: Name = None,
    table: Annotated[bool, typer.Option("--table", help="Also the results of all pairs.")] = False,
    as_json: AsJson = False,
    csv_file: CsvFile = None,
    svg_file: SvgFile = None,
) -> None:
    """Rate the players of a store on the Elo scale, with intervals."""
    check_writable(csv_file, svg_file)
    if table or csv_file or svg_file:
        rows = _rows(store, tournament, records=False)
        report(Results(rows), as_json=as_json, csv_file=csv_file, svg_file=svg_file)
    if not (table and as_json):
        show_ratings(_rows(store, tournament, records=False), as_json)


def _rows(path: Path, name: str | None, *, records: bool) -> Iterator[Row]:
    with Store(path, write=False) as store:
        known = store.tournaments()
        chosen = [key for key in known if name is None or key.startswith(name)]
        if name is not None and not chosen:
            raise StoreError(f"{path}: no tournament is called {name!r:.40}{nearest(name, known)}")
        for key in chosen:
            yield from store.rows(key, records=records)
