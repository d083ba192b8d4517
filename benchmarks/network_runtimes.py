"""Compare the core and onnxruntime on our networks: alone, in searches and in self-play; and time the learner's update.

    python benchmarks/network_runtimes.py [--rounds 9] [--only networks,searches,self-play,update]

These are the measurements of `sandtable bench`, with more batch sizes and more rounds;
sandtable.tubstap.network_benchmarks describes them. Ratios are onnxruntime's time divided by the core's.
"""

import argparse
from collections.abc import Iterator

from sandtable import _core
from sandtable.conquest import network_benchmarks as conquest
from sandtable.rates import Comparison
from sandtable.tubstap import network_benchmarks as tubstap

BATCHES = (1, 11, 16, 64)
GAMES = 48


def comparisons(part: str, rounds: int) -> Iterator[Comparison]:
    if part == "networks":
        yield from tubstap.networks(rounds, BATCHES)
        yield from conquest.networks(rounds, BATCHES)
    elif part == "searches":
        yield from tubstap.searches(rounds)
    elif part == "self-play":
        yield from tubstap.play(max(1, rounds // 3), GAMES)


def show(one: Comparison) -> None:
    times = "  ".join(f"{name} {1e6 * seconds:10,.1f}" for name, seconds in one.seconds.items())
    ratio = "" if one.ratio is None else f": {one.ratio:.2f}"
    least = "" if one.least is None else f", should be {one.least:g} or more"
    print(f"{one.what + ', ' + one.where:46} {times} microseconds per {one.each}{ratio}{least}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="networks,searches,self-play,update")
    arguments = parser.parse_args()
    print(f"instructions: {_core.instruction_sets()[0]}")
    for part in arguments.only.split(","):
        for one in comparisons(part, arguments.rounds):
            show(one)
        if part == "update":
            for rate in tubstap.updates(max(5, arguments.rounds)):
                print(f"{rate.what}, {rate.where}: {1000 / rate.per_second:.1f} ms, {rate.note}")


if __name__ == "__main__":
    main()
