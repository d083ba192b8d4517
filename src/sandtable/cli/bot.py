"""`sandtable bot`: a player as a program that speaks the bots' protocol."""

import sys
from typing import Annotated

import typer

from sandtable.cli import completion
from sandtable.players.bots.serving import lines_within, serve

MAX_LINE_BYTES = 1 << 26  # of a referee's message, which may hold a large map


def bot(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC", autocompletion=completion.players, help="A player, for instance 'uct(simulations=200)'."
        ),
    ],
) -> None:
    """Run a player as a bot: it speaks the bots' protocol (docs/protocol.md) on stdin and stdout.

    Example: sandtable bot "uct(simulations=200)"
    """
    serve(spec, lines_within(sys.stdin.buffer, MAX_LINE_BYTES), sys.stdout.buffer)
