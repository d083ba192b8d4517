"""`sandtable perft`: count sequences of operations, the fingerprint of a rules engine."""

import time
from typing import Annotated

import typer

from sandtable import tubstap
from sandtable.cli import completion
from sandtable.cli.rule_options import SetRule, rule_choice
from sandtable.tubstap.counting import MAX_DEPTH


def perft(
    map: Annotated[
        str,
        typer.Argument(
            metavar="MAP",
            autocompletion=completion.names(tubstap.GAME.shipped),
            help="A TUBSTAP map: a file, or the name of a shipped map.",
        ),
    ],
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=0, max=MAX_DEPTH, help="Most operations in a sequence.")],
    rules: Annotated[str | None, typer.Option(help=f"Rules: {', '.join(tubstap.PRESETS)}.")] = None,
    set_rule: SetRule = None,
    divide: Annotated[bool, typer.Option("--divide", help="Also print the count for each first operation.")] = False,
) -> None:
    """Count the sequences of operations from a map's start, for every number of operations up to DEPTH.

    Example: sandtable perft crossroads 3
    """
    state = rule_choice(rules, set_rule).load(map.removeprefix("tubstap:"), tubstap.load).start()
    if divide and depth > 0:
        for move, count in tubstap.perft_by_move(state, depth).items():
            print(f"{tubstap.GAME.describe(state, move)}: {count}")
    for d in range(depth + 1):
        start = time.perf_counter()
        count = tubstap.perft(state, d)
        print(f"depth {d}: {count} sequences, {time.perf_counter() - start:.2f} s")
