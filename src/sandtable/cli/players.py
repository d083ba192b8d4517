"""`sandtable players` and `sandtable check-player`."""

import inspect
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sandtable.arena.conformance import check_player
from sandtable.players import player_class, settings_of
from sandtable.players import players as player_names


def players() -> None:
    """List the players, with their settings and defaults."""
    table = Table("player", "games", "settings", "about", box=None, pad_edge=False)
    for name in player_names():
        kind = player_class(name)
        settings = ", ".join(f"{key}={value}" for key, value in settings_of(kind).items() if value is not None)
        about = (inspect.getdoc(kind) or "").replace("\n", " ")
        table.add_row(name, ", ".join(kind.games), settings, about)
    Console(highlight=False, markup=False).print(table)


def check(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="A player, for instance 'my_module:MyPlayer(depth=3)'.")],
    games: Annotated[int, typer.Option(min=1, help="Games a check plays.")] = 2,
    seed: Annotated[int, typer.Option(help="Seed of the games.")] = 0,
) -> None:
    """Check that a player keeps the rules: legal moves, repeatable games, its clock."""
    failed = 0
    for name, problem in check_player(spec, games=games, seed=seed):
        print(f"{'ok' if problem is None else 'BAD'}: {name}" + ("" if problem is None else f": {problem}"))
        failed += problem is not None
    if failed:
        raise typer.Exit(1)
