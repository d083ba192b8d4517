"""A command killed at one point after the other, each time in a fresh copy of a folder, and run again to its end."""

import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from support import commands
from support.kill_points import Shim
from support.torture import spread

LEFT_OVER = r"\.part$|-(wal|shm|journal)$|^tmp"


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
    shim: it must end well, check(folder) must hold and no temporary file may be left. Prints what was tried."""
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
        done = commands.run(command, folder)
        assert done.returncode == 0, f"{where}: {done.stderr}"
        assert not left_over(folder), f"{where}: {left_over(folder)}"
        assert names(folder) == expected, f"{where}: {names(folder) ^ expected}"
        try:
            check(folder)
        except AssertionError as error:
            raise AssertionError(f"{where}: {error}") from error
    shutil.rmtree(folder)
    assert kills
    counts = ", ".join(f"{number} {call}" for call, number in Counter(kills).most_common())
    print(f"\n{start.name}, {whom}: {len(kills)} kills at {points} points ({counts}), each run again to its end")


def names(folder: Path) -> set[str]:
    """The files, but for those whose names depend on the time or on chance."""
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return {name for name in found if not re.search(r"tensorboard/|/games/|published/\d", name)}


def left_over(folder: Path, pattern: str = LEFT_OVER) -> list[Path]:
    """The temporary files of programs that have ended."""
    return [path for path in folder.rglob("*") if re.search(pattern, path.name)]
