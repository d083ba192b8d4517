"""The engine's playouts against a bare C++ loop, alternating in one run, because clocks here are noisy.

    python benchmarks/against_yardstick.py YARDSTICK.cpp [--rounds 9]

The yardstick is any program that plays random TUBSTAP operations on the 3 v 3 map `duel` and prints how many a second
it made. Prints the median ratio of each engine figure to it, with the quartiles.
"""

import argparse
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sandtable import tubstap
from sandtable.tubstap import Move
from sandtable.tubstap.counting import POLICIES


def playout_rate(scenario: tubstap.Scenario, policy: str) -> Callable[[], float]:
    state = scenario.start()

    def measure() -> float:
        operations, start = 0, time.perf_counter()
        while (passed := time.perf_counter() - start) < 0.5:
            operations += tubstap.playouts(state, 200, seed=operations, policy=policy).operations
        return operations / passed

    return measure


def call_seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    for _ in range(2000):
        function()
    return (time.perf_counter() - start) / 2000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("yardstick", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    duel, mixed = tubstap.load("duel"), tubstap.maps.mixed(1)
    engine = {f"3 v 3 8x8, {policy}": playout_rate(duel, policy) for policy in POLICIES}
    engine |= {f"10 v 10 12x12, {policy}": playout_rate(mixed, policy) for policy in POLICIES}
    ratios: dict[str, list[float]] = {name: [] for name in engine}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "yardstick"
        subprocess.run(["g++", "-O3", "-std=c++20", arguments.yardstick, "-o", program], check=True)
        for _ in range(arguments.rounds):
            for name, measure in engine.items():
                bare = float(subprocess.run([program], capture_output=True, text=True, check=True).stdout)
                ratios[name].append(measure() / bare)
    for name, values in ratios.items():
        low, middle, high = statistics.quantiles(values, n=4)
        print(f"{name:28} {middle:6.1%} of the yardstick  ({low:.1%} .. {high:.1%})")
    state = duel.start()
    moves = state.moves()
    listing = [call_seconds(state.moves) / call_seconds(lambda: [Move(*move) for move in moves]) for _ in range(9)]
    arrays = [1 / call_seconds(state.moves_array) for _ in range(9)]
    print(f"moves() takes {statistics.median(listing):.2f} of the time of building its {len(moves)} objects in Python")
    print(f"moves_array() {statistics.median(arrays):,.0f} calls a second")


if __name__ == "__main__":
    main()
