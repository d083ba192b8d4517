"""How two players of TUBSTAP finish their games against each other, on the suite `dev`, in both seats.

    python benchmarks/final_choice.py [--games 240] [--workers 1] [--seed 0] [SPEC SPEC]

Without players it compares the two final choices of `sandtable` at 100 simulations. Prints the score of the first with
its 95% interval (ties count half), the share of draws, and for each player the share of operations in which a unit
neither moved nor attacked, all with intervals. The interval of a share of operations is computed over games, because
the operations of a game are correlated. Game i is played on position i // 2 of the suite, seats swapped on odd i.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
from collections.abc import Sequence
from typing import NamedTuple

import sandtable as st
from sandtable.arena.statistics import wilson
from sandtable.arena.suites import suite

DEFAULT = ("sandtable(simulations=100, choice=bound)", "sandtable(simulations=100, choice=visits)")


class Finished(NamedTuple):
    """A game; `score` is the first player's. Pairs are of the first and the second player."""

    score: float
    operations: tuple[int, int]
    stayed: tuple[int, int]


def play(task: tuple[tuple[str, str], int, int]) -> Finished:
    specs, number, seed = task
    entries = suite("dev", "tubstap").entries
    start, swapped = entries[number // 2 % len(entries)].source.start(), number % 2
    record = st.play(start, *(specs[::-1] if swapped else specs), seed=seed + number // 2)
    state, operations, stayed = start.copy(), [0, 0], [0, 0]
    for move in record.moves:
        who = state.side ^ swapped
        operations[who] += 1
        unit = next(one for one in state.units if one.id == move.unit)
        stayed[who] += move.target is None and (unit.x, unit.y) == (move.x, move.y)
        state.play(move)
    score = 0.5 if record.winner is None else float(record.winner == swapped)
    return Finished(score, (operations[0], operations[1]), (stayed[0], stayed[1]))


def stays(games: Sequence[Finished], who: int) -> str:
    """A player's share of operations in which a unit stayed put, with its interval."""
    operations = sum(game.operations[who] for game in games)
    share = sum(game.stayed[who] for game in games) / operations
    error = math.sqrt(sum((game.stayed[who] - share * game.operations[who]) ** 2 for game in games)) / operations
    low, high = share - 1.96 * error, share + 1.96 * error
    return f"{share:.1%} ({low:.1%} .. {high:.1%}) of {operations} operations"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", metavar="SPEC")
    parser.add_argument("--games", type=int, default=240)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if len(arguments.specs) not in (0, 2):
        parser.error("give two players, or none")
    specs = (arguments.specs[0], arguments.specs[1]) if arguments.specs else DEFAULT
    tasks = [(specs, number, arguments.seed) for number in range(arguments.games)]
    with multiprocessing.Pool(arguments.workers) as pool:
        games = pool.map(play, tasks, chunksize=2)
    scores = [game.score for game in games]
    low, high = wilson(sum(scores), len(scores))
    print(f"{specs[0]} against {specs[1]}: {sum(scores) / len(scores):.1%} ({low:.1%} .. {high:.1%})")
    draws = scores.count(0.5)
    low, high = wilson(draws, len(scores))
    print(f"  {draws} of {len(scores)} games drawn: {draws / len(scores):.1%} ({low:.1%} .. {high:.1%})")
    for who, spec in enumerate(specs):
        print(f"  {spec}: stays put in {stays(games, who)}")


if __name__ == "__main__":
    main()
