"""`sandtable players` and `sandtable check-player`."""

import inspect
from collections.abc import Iterable
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sandtable.arena.conformance import check_player, unchecked
from sandtable.cli import completion
from sandtable.players import player_class
from sandtable.players import players as player_names
from sandtable.settings import declared


def players(
    name: Annotated[
        str | None,
        typer.Argument(metavar="PLAYER", autocompletion=completion.players, help="Show this player and its settings."),
    ] = None,
) -> None:
    """List the players, or show one with its settings, their defaults and ranges.

    Example: sandtable players uct
    """
    console = Console(highlight=False, markup=False)
    if name is None:
        table = Table("player", "games", "about", box=None, pad_edge=False)
        for one in player_names():
            table.add_row(one, ", ".join(player_class(one).games), _about(one).partition("\n\n")[0].replace("\n", " "))
        console.print(table)
        console.print("sandtable players PLAYER shows a player's settings.")
        return
    kind = player_class(name)
    # Lines are broken to fit the terminal, not as in the source.
    about = "\n\n".join(" ".join(paragraph.split()) for paragraph in _about(name).split("\n\n"))
    console.print(f"{name} ({', '.join(kind.games)}): {about}\n")
    table = Table("setting", "default", "values", "meaning", box=None, pad_edge=False)
    for setting in declared(kind):
        table.add_row(*setting.row)
    console.print(table)
    if any(setting.is_count for setting in declared(kind)):
        console.print("\nThe default of a count applies only if no time limit is given.")


def _about(name: str) -> str:
    return inspect.getdoc(player_class(name)) or ""


def check(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            autocompletion=completion.players,
            help="A player, for instance 'my_module:MyPlayer(depth=3)'.",
        ),
    ],
    games: Annotated[int, typer.Option(min=1, help="Games that each check plays.")] = 2,
    seed: Annotated[int, typer.Option(help="Seed of the games.")] = 0,
) -> None:
    """Check a player: that its moves are legal, its games repeatable, and its time limit kept.

    Example: sandtable check-player "mine:Hunter(profit=0.5)"
    """
    for name, reason in unchecked(spec).items():
        print(f"not checked: {name}: {reason}")
    print_checks(check_player(spec, games=games, seed=seed))


def print_checks(checks: Iterable[tuple[str, str | None]]) -> None:
    """Print a line for each check, and each problem only once; exit code 1 if there is a problem."""
    problems: list[str] = []
    for name, problem in checks:
        said = "" if problem is None else ": as above" if problem in problems else f": {problem}"
        print(f"{'ok' if problem is None else 'BAD'}: {name}{said}", flush=True)
        if problem is not None:
            problems.append(problem)
    if problems:
        raise typer.Exit(1)
