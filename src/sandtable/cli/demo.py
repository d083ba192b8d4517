"""`sandtable demo`: a trained network against a tree search, to see that everything works."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sandtable.arena import Record
from sandtable.arena.grounds import grounds
from sandtable.arena.tables import Results
from sandtable.arena.tasks import GameTask
from sandtable.cli.results import print_results
from sandtable.files import check_writable, write_whole
from sandtable.games import game_of
from sandtable.texts import shown_line

PLAYERS = ("minimax(evaluator=gcn_4)", "uct(simulations=200)")
REPORT = Path("results/li2022/report.html")


def demo(
    games: Annotated[int, typer.Option(min=2, help="Number of games: two on each map, with seats swapped.")] = 20,
    out: Annotated[Path, typer.Option(help="Write the games to this file.")] = Path("demo.jsonl"),
) -> None:
    """Play li2022's graph network against its tree search MCTS-200, keep the games, and print the score.

    Example: sandtable demo --games 10
    """
    check_writable(out)
    console = Console(highlight=False, markup=False)
    (maps,) = grounds("symmetric")
    console.print(f"{games} games on symmetric 8x8 maps:\n{PLAYERS[0]} against {PLAYERS[1]}", style="bold")
    rows = [GameTask(*PLAYERS, maps, number, seed=0).play() for number in range(games)]
    write_whole(out, "".join(f"{row.record}\n" for row in rows).encode())
    last = Record.from_line(rows[-1].record).verify()
    console.print("The end of the last game:")
    console.print(game_of(last).text(last), no_wrap=True, crop=False, overflow="ignore")
    print_results(Results(rows))
    known = REPORT if REPORT.is_file() else "sandtable reproduce li2022 --scale quick"
    file = shown_line(str(out))
    for line in (
        f"\nThe games are in {file}: sandtable show {file} --game {games} --moves",
        f"All tables of the network's paper: {known}",
        "How fast the engine is on this machine: sandtable bench",
        "Play yourself, in the browser: sandtable play",
    ):
        console.print(line, soft_wrap=True)
