"""The time and memory that resuming a tournament takes, by the number of games in its store.

    python benchmarks/large_store.py 100000 1000000

Games are made up, with records of two kilobytes; only the last two are played.
"""

from __future__ import annotations

import itertools
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sandtable.arena import tournament
from sandtable.arena.store import Store
from sandtable.arena.tables import Results
from sandtable.arena.tasks import GameTask, Row
from sandtable.arena.tournament import Tournament


def plan(games: int) -> Tournament:
    return tournament.make("large", ["random", "greedy"], ["duel"], games)


def fill(path: Path, games: int) -> None:
    tasks = plan(games).tasks()
    places = iter(range(games - 2))
    with Store(path) as store:
        while group := list(itertools.islice(places, 10_000)):
            store.add(plan(games).key, [made_up(tasks[place]) for place in group])


def made_up(task: GameTask) -> Row:
    """A made-up game, won by side 0."""
    said = {"map": "x" * 1000, "players": task.seats, "winner": 0, "turns": 0, "seed": task.game_seed}
    record = json.dumps(said | {"moves": [[place % 10, 12, 34, -1] for place in range(80)]}, separators=(",", ":"))
    return task.failed("")._replace(error=None, winner=task.number % 2, first_seat_won=1, record=record)


def resume(path: Path, games: int) -> None:
    """Runs in a process of its own: prints the seconds of processor time and the peak memory in megabytes."""
    cup = plan(games)
    begin = time.process_time()
    with Store(path) as store:
        tournament.run(cup, store)
        resumed = time.process_time() - begin
        results = Results(tournament.played(cup, store, records=False))
    assert results.games == games
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{games} games: resumed in {resumed:.1f} s, with tables {time.process_time() - begin:.1f} s, {memory:.0f} MB"
    )


def main() -> None:
    if sys.argv[1] == "resume":
        resume(Path(sys.argv[2]), int(sys.argv[3]))
        return
    for games in map(int, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            fill(Path(folder) / "store.sqlite", games)
            subprocess.run([sys.executable, __file__, "resume", f"{folder}/store.sqlite", str(games)], check=True)


if __name__ == "__main__":
    main()
