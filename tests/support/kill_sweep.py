"""Kills a command at one point after another, each time in a fresh copy of a folder, and runs it again to its end."""

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from support.kill_points import Shim
from support.running_again import check_run_again, names
from support.torture import spread


def sweep(
    library: Path,
    start: Path,
    command: Sequence[str],
    check: Callable[[Path], None],
    *,
    most: int,
    whom: str = "group",
) -> None:
    """Kill the command at up to `most` points, each time in a copy of the folder `start`, and run it again without the
    shim: it must succeed, check(folder) must hold and no temporary file may be left. Prints a summary."""
    folder = start.with_name(f"{start.name}-{whom}")
    shim = Shim(library, folder)
    shutil.copytree(start, folder)
    points = shim.count(command)
    expected = names(folder)  # before the check: SQLite leaves files of its own beside a store that is only read
    check(folder)
    kills: list[str] = []
    for at in spread(points, most):
        shutil.rmtree(folder)
        shutil.copytree(start, folder)
        prevented = shim.kill(command, at, whom)
        if prevented is not None:
            kills.append(prevented.partition(": ")[0])
        where = f"killed at {at} of {points}, before: {prevented}"
        check_run_again(where, command, folder, expected, check)
    shutil.rmtree(folder)
    assert kills
    counts = ", ".join(f"{number} {call}" for call, number in Counter(kills).most_common())
    print(f"\n{start.name}, {whom}: {len(kills)} kills at {points} points ({counts}), all runs recovered")
