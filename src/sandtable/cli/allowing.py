"""Ask whether a player that a file names may run its own code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sandtable.players.trust import MayRun

AllowCode = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-code",
        metavar="PLAYER",
        help="Allow the file to use this player, such as my_module:MyPlayer, which runs its own code; may be given "
        "several times.",
    ),
]


def allowance(file: Path, allowed: Sequence[str] | None) -> MayRun:
    """Allow the players in `allowed`; on a terminal, ask about each other player once."""
    answers = dict.fromkeys(allowed or (), True)

    def may_run(name: str) -> bool:
        if name not in answers:
            asked = sys.stdin.isatty() and sys.stderr.isatty()
            answers[name] = asked and typer.confirm(f"{file} names {name}, which runs its own code. Run it?", err=True)
        return answers[name]

    return may_run
