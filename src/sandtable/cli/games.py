"""`sandtable games` and `sandtable ratings`: list a store's games, and rate its players."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from sandtable import json_fields
from sandtable.arena.store import Store
from sandtable.arena.tables import Results
from sandtable.cli import output
from sandtable.cli.results import AsJson, CsvFile, SvgFile, print_ratings, print_results, write_results
from sandtable.errors import SandtableError
from sandtable.files import check_writable
from sandtable.games import games as all_games

StoreFile = Annotated[Path, typer.Argument(metavar="STORE", help="The .sqlite file of a tournament or match.")]
Name = Annotated[str | None, typer.Option("--tournament", help="Only tournaments whose name begins with this.")]
Player = Annotated[str | None, typer.Option("--player", help="Only games of this player.")]
Map = Annotated[str | None, typer.Option("--map", help="Only games on this map.")]


def games(
    store: StoreFile,
    tournament: Name = None,
    player: Player = None,
    map: Map = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only games that failed.")] = False,
) -> None:
    """List the games of a store.

    Example: sandtable games list cup.sqlite --player greedy
    """
    with Store(store, write=False) as opened:
        rows = [
            (number, row)
            for number, row in opened.numbered(tournament, records=False)
            if row.matches(player, map) and (row.error is not None or not failed)
        ]
    found = output.table("no.", "game", "result", "turns")
    for number, row in rows:
        outcome = row.error or ("draw" if row.winner is None else (row.first, row.second)[row.winner])
        found.add_row(str(number), row.label, outcome, str(row.turns))
    output.console().print(found)


def ratings(
    store: StoreFile,
    tournament: Name = None,
    table: Annotated[bool, typer.Option("--table", help="Also print the results of all pairs.")] = False,
    as_json: AsJson = False,
    csv_file: CsvFile = None,
    svg_file: SvgFile = None,
) -> None:
    """Rate the players of a store on the Elo scale, with 95% intervals.

    Example: sandtable ratings cup.sqlite --table
    """
    check_writable(csv_file, svg_file)
    with Store(store, write=False) as opened:
        opened.check_same_players(tournament)
        results = Results(row for _, row in opened.numbered(tournament, records=False))
    results.sort_by_rating()
    if table:
        print_results(results, as_json=as_json, in_turns=_in_turns(store), rated=results.ratings())
    else:
        print_ratings(results.ratings(), as_json=as_json)
    write_results(results, csv_file, svg_file)


def _in_turns(path: Path) -> bool:
    """Whether one side moves at a time in all games of the store whose records can be read."""
    names = []
    with Store(path, write=False) as store:
        for record in store.record_of_each_ground():
            with contextlib.suppress(SandtableError):  # tables need no records, and do not fail for a damaged one
                names.append(json_fields.read_object(record).get("game"))
    return not any(one.simultaneous for one in all_games() if one.name in names)
