"""`sandtable demo`: a small match, to see that everything works."""

import time
from collections import Counter
from typing import Annotated

import typer
from rich.console import Console

from sandtable import play, tubstap
from sandtable.cli.positions import load_scenario

PLAYERS = ("uct(simulations=200)", "greedy")


def demo(
    map: Annotated[str, typer.Option(help="A TUBSTAP map: a shipped one or a file.")] = "ford",
    games: Annotated[int, typer.Option(min=2, help="Games; seats are swapped after each.")] = 10,
) -> None:
    """Play a tree search against a greedy player, and print a board, the result and the engine's speed."""
    console = Console(highlight=False, markup=False)
    scenario = load_scenario(map)
    console.print(f"{games} games on {scenario.name}, seats swapped: {PLAYERS[0]} against {PLAYERS[1]}", style="bold")
    score: Counter[int | None] = Counter()
    for game in range(games):
        swapped = game % 2
        record = play(scenario, PLAYERS[swapped], PLAYERS[1 - swapped], seed=game)
        score[None if record.winner is None else record.winner ^ swapped] += 1
    console.print("\nThe last game's end:")
    last = record.verify()
    assert isinstance(last, tubstap.State)
    console.print(tubstap.text(last), no_wrap=True, crop=False, overflow="ignore")
    console.print(f"\n{PLAYERS[0]} won {score[0]}, {PLAYERS[1]} {score[1]}, draws {score[None]}", style="bold")
    start = time.perf_counter()
    operations = tubstap.playouts(scenario.start(), 5000).operations
    rate = operations / (time.perf_counter() - start)
    console.print(f"The engine plays {rate:,.0f} random operations a second on one core (sandtable bench has more).")
