"""The command `sandtable`. One file a subcommand."""

import functools
import io
import os
import signal
import sys
from typing import Annotated

import typer

from sandtable.cli import (
    analyse,
    bench,
    bot,
    check_bot,
    demo,
    games,
    maps,
    match,
    players,
    records,
    reproduce,
    show,
    suite,
    tournament,
    train,
)
from sandtable.errors import SandtableError
from sandtable.games import games as all_games
from sandtable.games.game import imported
from sandtable.games.installed import taken
from sandtable.players.registry import import_module
from sandtable.startup import answer_ctrl_c
from sandtable.texts import shown

app = typer.Typer(
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


app.add_typer(maps.app, name="maps")
app.add_typer(suite.app, name="suite")
app.command()(analyse.analyse)
app.command()(bench.bench)
app.command()(bot.bot)
app.command("check-bot")(check_bot.check)
app.command()(demo.demo)
app.command()(players.players)
app.command("check-player")(players.check)
app.command()(show.show)
app.command()(match.match)
app.command()(tournament.tournament)
app.add_typer(records.app, name="games")
app.command()(games.ratings)
app.command()(reproduce.reproduce)
app.command()(train.train)

for game in all_games():
    for name, reference in game.commands.items():
        command = taken("command", reference, functools.partial(imported, reference))
        if command is None:
            continue
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)


def main() -> None:
    """Run the command; bad input gets one line on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a mark
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        answer_ctrl_c()
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
