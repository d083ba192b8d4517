"""The command `sandtable`. One file a subcommand."""

import io
import os
import signal
import sys
from typing import Annotated

import typer

import sandtable
from sandtable.cli import (
    bench,
    demo,
    games,
    maps,
    match,
    players,
    recipes,
    reproduce,
    show,
    suite,
    tournament,
    train,
)
from sandtable.cli.app import COMPETE, INSIDE, LEARN, PLAY, REPRODUCE, App
from sandtable.errors import SandtableError
from sandtable.games import games as all_games
from sandtable.games.game import imported
from sandtable.players.registry import import_module
from sandtable.startup import answer_ctrl_c
from sandtable.texts import shown

FIRST_STEPS = """\
Sandtable: a laboratory for turn-based strategy AI. To begin with:

  sandtable demo                                     a trained network plays
  sandtable match uct greedy --map ford --games 10   two players, and the score
  sandtable puzzles list                             positions to solve
  sandtable recipes                                  networks to train yourself

All commands: sandtable --help. More of one: sandtable match --help.
"""

app = App(
    help="A laboratory for turn-based strategy AI.\n\nExample: sandtable match uct greedy --map ford --games 10",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"sandtable {sandtable.__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    modules: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="MODULE", help="Import a Python module first: it may register a game."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    for module in modules or ():
        import_module(module)
    if context.invoked_subcommand is None:
        print(FIRST_STEPS, end="")


app.command(rich_help_panel=PLAY)(demo.demo)
app.command(rich_help_panel=PLAY)(show.show)
app.add_typer(maps.app, name="maps", rich_help_panel=PLAY)
app.command(rich_help_panel=PLAY)(players.players)
app.command(rich_help_panel=COMPETE)(match.match)
app.command(rich_help_panel=COMPETE)(tournament.tournament)
app.command(rich_help_panel=COMPETE)(games.games)
app.command(rich_help_panel=COMPETE)(games.ratings)
app.add_typer(suite.app, name="suite", rich_help_panel=COMPETE)
app.command("check-player", rich_help_panel=COMPETE)(players.check)
app.command(rich_help_panel=LEARN)(train.train)
app.add_typer(recipes.app, name="recipes", rich_help_panel=LEARN)
app.command(rich_help_panel=REPRODUCE)(reproduce.reproduce)
app.command(rich_help_panel=INSIDE)(bench.bench)

for game in all_games():
    for name, reference in game.commands.items():
        command = imported(reference)
        group = getattr(command, "group", INSIDE)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=group)
        else:
            app.command(name, rich_help_panel=group)(command)


def main() -> None:
    """Run the command; bad input gets one line on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a mark
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        answer_ctrl_c()
    try:
        app(prog_name="sandtable")
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
