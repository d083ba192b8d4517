"""`sandtable levels`: show or measure the strength of the page's levels."""

import json
from pathlib import Path
from typing import Annotated

import typer

from sandtable.arena.store import Store
from sandtable.cli import completion, output
from sandtable.cli.results import Workers
from sandtable.files import check_writable
from sandtable.games import game
from sandtable.progress import Bars
from sandtable.web import levels as levels_of
from sandtable.web.pages import page_of


def levels(
    name: Annotated[
        str,
        typer.Argument(
            metavar="GAME", autocompletion=completion.game_names, help="The game whose levels are shown or measured."
        ),
    ],
    games: Annotated[
        int | None,
        typer.Option(
            help="Measure the levels: an even number of games that each plays on a map against each of the next two."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    store: Annotated[
        Path, typer.Option(help="Keep the games in this file; an interrupted measurement continues from it.")
    ] = Path("levels.sqlite"),
    out: Annotated[Path, typer.Option(help="Write the result to this file.")] = Path("levels.json"),
    workers: Workers = 1,
) -> None:
    """Show the Elo ratings of the levels of `sandtable play`, or measure them in a tournament.

    Example: sandtable levels GAME --games 4 --store levels.sqlite
    """
    of = game(name)
    if games is not None:
        check_writable(out)
        again = f"the finished games are in {store}: run the same command again to continue"
        with output.resumable(again), Store(store) as kept, Bars() as bars:
            found = levels_of.calibrate(
                of, games, seed, kept, workers or 1, lambda done, total: bars("levels", done, total, things="games")
            )
        output.write(out, (json.dumps(found, indent=1) + "\n").encode())
        rated = {one["name"]: one for one in found["levels"]}
    else:
        rated = levels_of.measured(of.name)
    table = output.table("level", "player", "Elo", "interval", "ms per decision")
    for level in page_of(of).levels:
        one = rated.get(level.name)
        middle, low, high = one["elo"] if one else ("-", "-", "-")
        cost = str(one["milliseconds"]) if one else "-"
        table.add_row(level.name, level.spec, str(middle), f"{low} .. {high}", cost)
    output.console().print(table)
