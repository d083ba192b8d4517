"""The cost of a first move of `sandtable`: processor time of fresh processes, from their start to their end.

    python benchmarks/first_move.py [--rounds 9]

Programs alternate. Prints the median of each, and how much longer it takes than `import sandtable` alone. numpy is
listed for comparison: no first move imports it. On a busy machine, run it on one core at real-time priority
(chrt -f 50 taskset -c 1).
"""

import argparse
import resource
import statistics
import subprocess
import sys

IMPORT = "import sandtable as st"
MOVE = f"{IMPORT}; st.player('sandtable').act(st.load('{{}}').start(), 0)"
PROGRAMS = {
    "python alone": "pass",
    "import numpy": "import numpy",
    "import sandtable": IMPORT,
    "first move on ford": MOVE.format("ford"),
    "first move on Italy": MOVE.format("italy"),
}


def milliseconds(program: str) -> float:
    """The processor time of a process that runs the program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    found: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(arguments.rounds):
        for name, program in PROGRAMS.items():
            found[name].append(milliseconds(program))
    medians = {name: statistics.median(times) for name, times in found.items()}
    for name, median in medians.items():
        print(f"{name:20} {median:6.0f} ms  {median - medians['import sandtable']:+6.0f} ms", flush=True)


if __name__ == "__main__":
    main()
