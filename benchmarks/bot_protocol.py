"""The cost of the bots' protocol: processor time per operation of a Python bot, its own and the referee's.

    python benchmarks/bot_protocol.py [--map ford] [--games 20]

The bot is examples/bots/attack_bot.py, which also asks for the legal moves. Its processor time is that of the whole
program, so its start-up, measured by starting and stopping it once, is subtracted.
"""

import argparse
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import sandtable as st
from sandtable.arena.record import FORFEIT
from sandtable.players.bots.bot import Bot

COMMAND = f"{sys.executable} -I -S {Path(__file__).parents[1] / 'examples' / 'bots' / 'attack_bot.py'}"


def processor_seconds(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


class Measured(Bot):
    """A bot that records the referee's processor time for every decision."""

    referee: list[float]

    def act(self, state: Any, side: int | None = None) -> Any:
        begin = time.process_time()
        move = super().act(state, side)
        self.referee.append(time.process_time() - begin)
        return move


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what the bots' protocol costs.")
    parser.add_argument("--map", default="ford")
    parser.add_argument("--games", type=int, default=20)
    arguments = parser.parse_args()
    start = st.load(arguments.map)
    bot = Measured(command=COMMAND, seconds=600.0, start_seconds=600.0)
    bot.referee = []
    idle = processor_seconds(resource.RUSAGE_CHILDREN)
    bot.launch()
    bot.stop(600.0)
    idle = processor_seconds(resource.RUSAGE_CHILDREN) - idle
    each = []
    for seed in range(arguments.games):
        before, decided = processor_seconds(resource.RUSAGE_CHILDREN), len(bot.referee)
        record = st.play(start, bot, "random", seed=seed)
        if (record.reason or "").startswith(FORFEIT):
            print(record.reason, file=sys.stderr)
            return 1
        decisions = len(bot.referee) - decided
        each.append((processor_seconds(resource.RUSAGE_CHILDREN) - before - idle) / max(1, decisions))
    referee, own = 1000 * statistics.median(bot.referee), 1000 * statistics.median(each)
    print(f"{arguments.map}, {len(bot.referee)} operations; median processor time of one:")
    print(f"  referee  {referee:.3f} ms")
    print(f"  bot      {own:.3f} ms (mean of each game), start-up of {1000 * idle:.0f} ms left out")
    print(f"  together {referee + own:.3f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
