"""The memory of a tree of a million nodes: growth of the peak resident set size, in a fresh process for each search.

    python benchmarks/tree_memory.py

`uct` counts the moves that it lists, but makes a node of a move only when it first tries it, so its memory still grows
after the limit.
"""

import subprocess
import sys

SEARCHES = {
    "uct(simulations=60000, max_nodes=1000000)": "tubstap.maps.symmetric(1).start()",
    "uct(simulations=2000000, max_nodes=1000000)": "tubstap.maps.symmetric(1).start()",
    "mcts(iterations=60000, max_nodes=1000000, rollout_levels=6)": "conquest.load('italy').start(1)",
}
PROGRAM = """
import resource, sys, sandtable as st
def megabytes(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
state, player = st.{start}, st.player(sys.argv[1])
before = megabytes()
nodes = player.analyse(state, 0).nodes
print(f"{{nodes:,}} nodes  {{megabytes() - before:5.1f}} MB  {{sys.argv[1]}}")
"""


def main() -> None:
    for spec, start in SEARCHES.items():
        subprocess.run([sys.executable, "-c", PROGRAM.format(start=start), spec], check=True)


if __name__ == "__main__":
    main()
