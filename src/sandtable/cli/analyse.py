"""`sandtable analyse`: an analysis engine for other tools."""

import sys
from typing import Annotated, Any

import typer

from sandtable.cli import completion
from sandtable.cli.bot import MAX_LINE_BYTES
from sandtable.players.analysing import Engine, to_line
from sandtable.players.bots.serving import lines_within


def analyse(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            autocompletion=completion.players,
            help="A player that can analyse, such as 'uct(simulations=500)'.",
        ),
    ],
    threads: Annotated[int, typer.Option(min=1, max=256, help="Queries that are searched at the same time.")] = 1,
) -> None:
    """Analyse positions: queries on stdin, answers on stdout, as lines of JSON (docs/protocol.md).

    Example: sandtable analyse "uct(simulations=500)" --threads 2 < queries.jsonl
    """
    engine = Engine(spec, _print, threads)
    try:
        for line in lines_within(sys.stdin.buffer, MAX_LINE_BYTES):
            engine.ask(line)
    finally:
        engine.finish()


def _print(answer: dict[str, Any]) -> None:
    sys.stdout.write(to_line(answer) + "\n")
    sys.stdout.flush()
