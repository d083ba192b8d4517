"""The strength of the players: matches with fixed seeds, seats swapped, and 95% Wilson intervals.

    python benchmarks/strength.py [--games 400] [--workers 2] [NAME...]

Prints a row for each match, as Markdown. Ties count half.
"""

import argparse
import multiprocessing
import time
from typing import NamedTuple

import sandtable as st
from sandtable.arena.statistics import wilson


class Match(NamedTuple):
    first: str
    second: str
    maps: str  # "symmetric", or the name of a shipped map


MATCHES = {
    "uct-random": Match("uct(simulations=200)", "random", "symmetric"),
    "uct-uct": Match("uct(simulations=2000)", "uct(simulations=200)", "symmetric"),
    "uct-greedy": Match("uct(simulations=2000)", "greedy", "symmetric"),
    "muct-muct": Match("muct(opponent=adversarial, simulations=2000)", "muct(simulations=2000)", "symmetric"),
    "muct-muct-crossroads": Match(
        "muct(opponent=adversarial, simulations=2000)", "muct(simulations=2000)", "crossroads"
    ),
    "minimax-greedy": Match("minimax", "greedy", "symmetric"),
    "pmc-uct": Match("pmc(playouts=10)", "uct(simulations=800)", "symmetric"),
    "mcts-random": Match("mcts(iterations=300)", "random", "owl_island"),
    "flow-random": Match("flow", "random", "owl_island"),
    "flow-random-italy": Match("flow", "random", "italy"),
    "flow-mcts": Match("flow", "mcts(iterations=300)", "owl_island"),
    "flow-mcts-italy": Match("flow", "mcts(iterations=300)", "italy"),
    "coevolution-mcts": Match("coevolution(generations=100)", "mcts(iterations=300)", "owl_island"),
}


def result(task: tuple[Match, int]) -> float:
    """The first player's score, 1, 0.5 or 0. Game i is on the pair's map i // 2, seats swapped on odd i."""
    match, number = task
    start: st.tubstap.Scenario | st.conquest.Land
    if match.maps == "symmetric":
        start = st.tubstap.maps.symmetric(number // 2)
    elif match.maps in st.conquest.maps.shipped():
        start = st.conquest.load(match.maps)
    else:
        start = st.tubstap.load(match.maps)
    swapped = number % 2
    seats = (match.second, match.first) if swapped else (match.first, match.second)
    winner = st.play(start, *seats, seed=number // 2).winner
    return 0.5 if winner is None else float(winner == swapped)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MATCHES))
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in MATCHES:
            parser.error(f"no match is called {name!r}")
    print("| first | second | maps | W-L-D | score | 95% | s |\n|---|---|---|---|---|---|---|", flush=True)
    with multiprocessing.Pool(arguments.workers) as pool:
        for name in arguments.names or MATCHES:
            match, start = MATCHES[name], time.perf_counter()
            scores = pool.map(result, [(match, i) for i in range(arguments.games)], chunksize=2)
            low, high = wilson(sum(scores), len(scores))
            counts = "-".join(str(scores.count(score)) for score in (1.0, 0.0, 0.5))
            share = sum(scores) / len(scores)
            seconds = time.perf_counter() - start
            players = f"| `{match.first}` | `{match.second}` | {match.maps} "
            print(f"{players}| {counts} | {share:.1%} | {low:.1%} .. {high:.1%} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
