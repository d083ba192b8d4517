"""Runs a disturbed command again: it must give the results of an undisturbed run."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from support import commands

LEFT_OVER = r"\.part$|-(wal|shm|journal)$|^tmp"


def check_run_again(
    where: str, command: Sequence[str], folder: Path, expected: set[str], check: Callable[[Path], None]
) -> None:
    """Run the command in the folder that it left when it was disturbed at `where`: it must succeed, with the expected
    files and no temporary one, and check(folder) must hold."""
    done = commands.run(command, folder)
    assert done.returncode == 0, f"{where}: {done.stderr}"
    assert not left_over(folder), f"{where}: {left_over(folder)}"
    assert names(folder) == expected, f"{where}: {names(folder) ^ expected}"
    try:
        check(folder)
    except AssertionError as error:
        raise AssertionError(f"{where}: {error}") from error


def names(folder: Path) -> set[str]:
    """The names of the files, except those that depend on the time or on chance."""
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return {name for name in found if not re.search(r"tensorboard/|/games/|published/\d", name)}


def left_over(folder: Path, pattern: str = LEFT_OVER) -> list[Path]:
    """The temporary files of programs that have ended."""
    return [path for path in folder.rglob("*") if re.search(pattern, path.name)]
