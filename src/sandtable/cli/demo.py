"""`sandtable demo`: a small match, to see that everything works."""

import time
from collections import Counter
from typing import Annotated

import typer
from rich.console import Console

from sandtable import tubstap
from sandtable.cli.positions import load_scenario
from sandtable.players import Greedy, Player, Random


def demo(
    map: Annotated[str, typer.Option(help="A shipped map or a map file.")] = "crossroads",
    games: Annotated[int, typer.Option(min=2, help="Games; seats are swapped after each.")] = 20,
) -> None:
    """Play `greedy` against `random`, and print a board, the result and the engine's speed."""
    console = Console(highlight=False, markup=False)
    scenario = load_scenario(map)
    console.print(f"{games} games on {scenario.name}, seats swapped: greedy against random", style="bold")
    score: Counter[str] = Counter()
    state = scenario.start()
    for game in range(games):
        greedy_side = game % 2
        players: list[Player] = [Random(game), Random(game)]
        players[greedy_side] = Greedy(game)
        state = _play(scenario, players)
        score["draws" if state.winner is None else "greedy" if state.winner == greedy_side else "random"] += 1
    console.print("\nThe last game's end:")
    console.print(tubstap.text(state), no_wrap=True, crop=False, overflow="ignore")
    console.print(f"\ngreedy {score['greedy']}, random {score['random']}, draws {score['draws']}", style="bold")
    start = time.perf_counter()
    operations = tubstap.playouts(scenario.start(), 5000).operations
    rate = operations / (time.perf_counter() - start)
    console.print(f"The engine plays {rate:,.0f} random operations a second on one core (sandtable bench has more).")


def _play(scenario: tubstap.Scenario, players: list[Player]) -> tubstap.State:
    state = scenario.start()
    while not state.over:
        state.play(players[state.side].act(state))
    return state
