"""How quickly a player of Conquest beats `random`, which loses to any player that attacks.

    python benchmarks/won_games.py [--games 100] [--map italy] [--workers 1] [SPEC ...]

Prints for each player the mean number of turns with its standard error, the median and the longest game, and the games
that were not won: the start's number, the player's seat, and the champion's value of the start for that seat. Game i
begins with start i // 2, seats swapped on odd i.
"""

from __future__ import annotations

import argparse
import multiprocessing
from statistics import fmean, median, stdev

import sandtable as st

DEFAULT = ("flow", "sandtable(progress=0)", "sandtable")


def play(task: tuple[str, str, int]) -> tuple[int, bool]:
    """The number of turns, and whether the player won."""
    spec, name, number = task
    seats = ("random", spec) if number % 2 else (spec, "random")
    record = st.play(st.conquest.load(name), *seats, seed=number // 2)
    return len(record.moves), record.winner == number % 2


def champion_value(name: str, number: int) -> float:
    """The champion's value of the game's start, for the seat of the player."""
    champion = st.player("sandtable(rounds=20)")
    return float(champion.analyse(st.conquest.load(name).start(number // 2), number % 2).value)  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", metavar="SPEC")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--map", default="italy")
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    with multiprocessing.Pool(arguments.workers) as pool:
        for spec in arguments.specs or DEFAULT:
            games = pool.map(play, [(spec, arguments.map, number) for number in range(arguments.games)], chunksize=2)
            turns = [found for found, _ in games]
            error = stdev(turns) / len(turns) ** 0.5
            print(
                f"{spec}: {fmean(turns):.2f} +- {error:.2f} turns, median {median(turns):g}, longest {max(turns)}",
                flush=True,
            )
            for number in [number for number, (_, won) in enumerate(games) if not won]:
                value = champion_value(arguments.map, number)
                print(
                    f"  not won: start {number // 2}, seat {number % 2}, champion's value of the start {value:.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
