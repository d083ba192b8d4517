"""`sandtable check-bot`: check that a program speaks the bots' protocol."""

from typing import Annotated

import typer

from sandtable.arena.bot_check import check_bot
from sandtable.cli.players import print_checks


def check(
    command: Annotated[str, typer.Argument(metavar="COMMAND", help="The bot's program with its arguments, in quotes.")],
    games: Annotated[int, typer.Option(min=1, help="Games on each map.")] = 2,
    seconds: Annotated[float, typer.Option(min=0.001, max=100_000, help="Seconds for each move.")] = 10.0,
    seed: Annotated[int, typer.Option(help="Seed of the games.")] = 0,
) -> None:
    """Check that a bot keeps to the protocol and the rules, and explain what is wrong.

    Example: sandtable check-bot "python3 my_bot.py"
    """
    print_checks(check_bot(command, games=games, seconds=seconds, seed=seed))
