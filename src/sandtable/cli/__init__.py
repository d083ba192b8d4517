"""The command `sandtable`. One file per subcommand."""

import functools
import io
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from sandtable.cli.app import COMPETE, INSIDE, LEARN, PLAY, REPRODUCE, App, Group
from sandtable.cli.deferred import Deferred
from sandtable.cli.usage import UsageError, usage_line
from sandtable.errors import SandtableError, one_line, reason_of
from sandtable.games.game import Command, imported
from sandtable.games.installed import taken
from sandtable.games.registry import commands_of_games
from sandtable.players.registry import import_module
from sandtable.texts import shown

FIRST_STEPS = """\
Sandtable: a laboratory for turn-based strategy AI. To begin with:

  sandtable play                                     play in your browser
  sandtable match uct greedy --map ford --games 10   two players, and the score
  sandtable puzzles list                             positions to solve
  sandtable recipes                                  networks to train yourself

All commands: sandtable --help. Help on one of them: sandtable match --help.
"""

# The group in which each command is listed, its function or App, and the first paragraph of its help.
COMMANDS = {
    "demo": (
        PLAY,
        "demo:demo",
        "Play li2022's graph network against its tree search MCTS-200, keep the games, and print the score.",
    ),
    "play": (
        PLAY,
        "play:play",
        "Play in the browser: against a level or another person, or watch two players; analyse and replay games.",
    ),
    "show": (
        PLAY,
        "show:show",
        "Step through a recorded game with the arrow keys; without a terminal, or with an option, print one position.",
    ),
    "maps": (PLAY, "maps:app", "List, show, check, convert and generate maps."),
    "players": (
        PLAY,
        "players:players",
        "List the players, or show one with its settings, their defaults and ranges.",
    ),
    "match": (
        COMPETE,
        "match:match",
        "Play two players against each other, seats swapped, and print the score with its interval.",
    ),
    "tournament": (
        COMPETE,
        "tournament:tournament",
        "Play a tournament into its store. It can be stopped at any time; the same command continues it.",
    ),
    "games": (
        COMPETE,
        "records:app",
        "List the games of a store (games STORE), or convert records to other formats and back.",
    ),
    "dataset": (
        LEARN,
        "dataset:app",
        "Export games as a data set, Parquet files with a data card, or turn one back into records.",
    ),
    "ratings": (COMPETE, "games:ratings", "Rate the players of a store on the Elo scale, with 95% intervals."),
    "levels": (
        COMPETE,
        "levels:levels",
        "Show the Elo ratings of the levels of `sandtable play`, or measure them in a tournament.",
    ),
    "suite": (
        COMPETE,
        "suite:app",
        "List, show, verify or make suites: fixed lists of fair positions to compare players on.",
    ),
    "check-player": (
        COMPETE,
        "players:check",
        "Check a player: that its moves are legal, its games repeatable, and its time limit kept.",
    ),
    "bot": (
        COMPETE,
        "bot:bot",
        "Run a player as a bot: it speaks the bots' protocol (docs/protocol.md) on stdin and stdout.",
    ),
    "check-bot": (
        COMPETE,
        "check_bot:check",
        "Check that a bot keeps to the protocol and the rules, and explain what is wrong.",
    ),
    "train": (
        LEARN,
        "train:train",
        "Train a network by self-play. It can be stopped at any time; the same command continues it. More `minutes` or "
        "`games` in the recipe make it longer.",
    ),
    "recipes": (LEARN, "recipes:app", "List, show and copy the training recipes that come with the package."),
    "reproduce": (
        REPRODUCE,
        "reproduce:reproduce",
        "Reproduce a paper's tables. It can be stopped at any time; the same command continues it.",
    ),
    "analyse": (
        INSIDE,
        "analyse:analyse",
        "Analyse positions: queries on stdin, answers on stdout, as lines of JSON (docs/protocol.md).",
    ),
    "bench": (
        INSIDE,
        "bench:bench",
        "Measure playouts, searches, move lists and copies per second, on one core.",
    ),
}


class Commands(Group):
    """Our commands, and those of the games. A command is imported when it is run."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (group, place, summary) in COMMANDS.items():
            load = functools.partial(imported, f"sandtable.cli.{place}")
            self.commands[name] = Deferred(name, group, summary, load)
        for name, command, ours in commands_of_games():
            add = functools.partial(self._add, name, command)
            if ours:
                add()
            else:
                taken("command", name, add)

    def invoke(self, ctx: Any) -> None:
        """Run the named command. Its function's return value is not an exit code."""
        super().invoke(ctx)

    def _add(self, name: str, command: Command) -> None:
        """Add a command of a game, which may not have the name of another command."""
        if not isinstance(command, Command):
            raise SandtableError(f"it is not a sandtable.games.Command but {command!r:.60}")
        if name in self.commands:
            raise SandtableError("a command of this name already exists")
        load = functools.partial(_load_command, name, command.reference)
        self.commands[name] = Deferred(name, command.group, command.summary, load)


def _load_command(name: str, reference: str) -> Any:
    """Import a command of a game, which may be in another package."""
    try:
        return imported(reference)
    except Exception as error:
        raise SandtableError(f"the command {name} cannot be loaded: {one_line(error)}") from None


app = App(
    cls=Commands,
    help="A laboratory for turn-based strategy AI.\n\nExample: sandtable match uct greedy --map ford --games 10",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from sandtable.version import __version__

        print(f"sandtable {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    modules: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="MODULE",
            help="Import this module first, such as one that registers a game; repeatable.",
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    for module in modules or ():
        import_module(module)
    if context.invoked_subcommand is None:
        print(FIRST_STEPS, end="")


def main() -> None:
    """Run the command; bad input gets one line on stderr and exit code 2."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller; the next file that is opened would take its place
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # characters that the terminal lacks become marks
    try:
        sys.exit(app(prog_name="sandtable", standalone_mode=False))
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # the help has been printed
            sys.exit(2)
        _fail(usage_line(error))
    except typer.Abort:  # the user aborted a question
        print("sandtable: stopped", file=sys.stderr)
        sys.exit(1)
    except SandtableError as error:
        _fail(str(error))
    except BrokenPipeError:  # the reader of our output has gone, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _fail(f"{error.filename}: {reason_of(error)}" if error.filename else reason_of(error))


def _fail(message: str) -> None:
    print("sandtable: " + shown(message.replace("\n", " ")), file=sys.stderr)
    sys.exit(2)
