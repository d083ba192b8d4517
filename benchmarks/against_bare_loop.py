"""Compare the engine's playouts with the bare loop of cpp/tubstap/bare_loop.h. Both alternate: clocks are noisy.

    python benchmarks/against_bare_loop.py [--rounds 15] [--policy uniform]

Prints for each board the operations per second of processor time, as a share of the bare loop's on 8x8: the median and
the quartiles. Rounds are short, so that both sides of a ratio meet the same load. On a busy machine, run it on one core
at real-time priority (chrt -f 50 taskset -c 1).
"""

import argparse
import statistics

from sandtable.rates import paired
from sandtable.tubstap.benchmarks import bare_loop, boards, operations
from sandtable.tubstap.counting import POLICIES

SECONDS = 0.05  # of processor time for each side of a ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--policy", choices=POLICIES, default="uniform")
    arguments = parser.parse_args()
    for where, scenario in boards().items():
        pairs = paired(operations(scenario.start(), arguments.policy), bare_loop, SECONDS, arguments.rounds)
        low, middle, high = statistics.quantiles([made / bare for made, bare in pairs], n=4)
        bare = statistics.median(bare for _, bare in pairs)
        print(f"{where:28} {middle:6.1%}  ({low:.1%} .. {high:.1%}) of {bare:,.0f} operations per second")


if __name__ == "__main__":
    main()
