"""The command `sandtable`. One file a subcommand."""

import functools
import io
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sandtable.cli.deferred import Deferred
from sandtable.errors import SandtableError
from sandtable.games.game import imported
from sandtable.games.registry import commands_of_games
from sandtable.players.registry import import_module
from sandtable.texts import shown

# Each command's function or Typer, and the first paragraph of its help.
COMMANDS = {
    "maps": ("sandtable.cli.maps:app", "List, show, check, convert and generate maps."),
    "suite": ("sandtable.cli.suite:app", "Fixed lists of fair positions that players are compared on."),
    "bench": (
        "sandtable.cli.bench:bench",
        "Measure playouts, searches, move lists and copies a second, on one core.",
    ),
    "demo": (
        "sandtable.cli.demo:demo",
        "Play li2022's GCN, trained on 8x8 maps, against its MCTS-200; keep the games, and print the score.",
    ),
    "players": (
        "sandtable.cli.players:players",
        "List the players, or show one with its settings, their defaults and ranges.",
    ),
    "check-player": (
        "sandtable.cli.players:check",
        "Check that a player keeps the rules: legal moves, repeatable games, its clock.",
    ),
    "show": ("sandtable.cli.show:show", "Show a recorded game."),
    "match": (
        "sandtable.cli.match:match",
        "Play two players against each other, seats swapped, and print the score with its interval.",
    ),
    "tournament": (
        "sandtable.cli.tournament:tournament",
        "Play a tournament into its store. Stop it anywhere and run it again: it goes on.",
    ),
    "games": ("sandtable.cli.games:games", "List the games of a store, or export their records."),
    "ratings": ("sandtable.cli.games:ratings", "Rate the players of a store on the Elo scale, with intervals."),
    "reproduce": (
        "sandtable.cli.reproduce:reproduce",
        "Make a paper's tables anew. Stop it anywhere and run it again: it goes on.",
    ),
    "train": (
        "sandtable.cli.train:train",
        "Train a network by self-play. Stop it anywhere and run it again: it goes on.",
    ),
}


class Commands(TyperGroup):
    """Our commands, and those of the games."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (place, summary) in COMMANDS.items():
            self.commands[name] = Deferred(name, summary, functools.partial(imported, place))
        for name, known, load in commands_of_games():
            self.commands[name] = Deferred(name, known, load)


app = typer.Typer(
    cls=Commands,
    help="A laboratory for turn-based strategy AI.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def options(
    modules: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="MODULE", help="Import a Python module first: it may register a game."),
    ] = None,
) -> None:
    for module in modules or ():
        import_module(module)


def main() -> None:
    """Run the command; bad input gets one line on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a mark
    try:
        app()
    except SandtableError as error:
        _fail(str(error))
    except BrokenPipeError:  # the reader of our output has gone, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))


def _fail(message: str) -> None:
    print("sandtable: " + shown(message.replace("\n", " ")), file=sys.stderr)
    sys.exit(2)
