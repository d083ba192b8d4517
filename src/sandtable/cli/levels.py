"""`sandtable levels`: how strong the levels of the page are."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sandtable.arena.store import Store
from sandtable.cli.progress import Bars
from sandtable.cli.results import Workers
from sandtable.files import check_writable, write_whole
from sandtable.games import game
from sandtable.web import levels as levels_of
from sandtable.web.pages import page_of


def levels(
    name: Annotated[str, typer.Argument(metavar="GAME", help="The game whose levels are shown or measured.")],
    games: Annotated[
        int | None, typer.Option(help="Measure them anew: games of each pair of near levels on each map, even.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all that is random.")] = 0,
    store: Annotated[
        Path, typer.Option(help="Where the games are kept: stop it anywhere and run it again, and it goes on.")
    ] = Path("levels.sqlite"),
    out: Annotated[
        Path, typer.Option(help="Where the result is written; the page reads it from its own folder.")
    ] = Path("levels.json"),
    workers: Workers = 1,
) -> None:
    """Show the levels of the page with their Elo, or measure them by a tournament."""
    of = game(name)
    if games is not None:
        check_writable(out)
        with Store(store) as kept, Bars() as bars:
            found = levels_of.calibrate(
                of, games, seed, kept, workers or 1, lambda done, total: bars("levels", done, total, things="games")
            )
        write_whole(out, (json.dumps(found, indent=1) + "\n").encode())
        rated = {one["name"]: one for one in found["levels"]}
    else:
        rated = levels_of.measured(of.name)
    table = Table("level", "player", "Elo", "interval", "ms a decision", box=None, pad_edge=False)
    for level in page_of(of).levels:
        one = rated.get(level.name)
        middle, low, high = one["elo"] if one else ("-", "-", "-")
        cost = str(one["milliseconds"]) if one else "-"
        table.add_row(level.name, level.spec, str(middle), f"{low} .. {high}", cost)
    Console(highlight=False, markup=False).print(table)
