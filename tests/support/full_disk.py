"""Runs a command on a disk that fills up at one point after another, each time in a fresh copy of a folder, and then
again with enough space."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from safetensors import safe_open

from support import commands
from support.running_again import check_run_again, left_over, names
from support.stored_games import games
from support.torture import spread

SIZE = 64 << 20
PAGE = os.sysconf("SC_PAGE_SIZE")  # the unit of allocation of a tmpfs
FULL_DISK_MESSAGES = ("No space left on device", "database or disk is full")


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A tmpfs of its own, mounted at the folder; skips the test where that is not allowed."""
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False) if shutil.which("mount") else None
    if done is None or done.returncode:
        pytest.skip(
            f"a disk that fills up needs `mount -t tmpfs`, as root: {done.stderr.strip() if done else 'no mount'}"
        )
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def sweep(disk: Path, start: Path, command: Sequence[str], check: Callable[[Path], None], *, most: int) -> None:
    """Run the command with up to `most` different amounts of space, each time in a copy of the folder `start`. Where it
    is not enough, the command must say so in one line and end with code 2, leave nothing half-written and, when it is
    run again with enough space, give the results of an undisturbed run. Prints a summary."""
    folder, filler = disk / start.name, disk / "filler"
    shutil.copytree(start, folder)
    free = _free(disk)
    done = commands.run(command, folder)
    assert done.returncode == 0, done.stderr
    expected = names(folder)
    pages = (free - _free(disk)) // PAGE
    check(folder)
    full = 0
    for room in spread(pages, most):
        shutil.rmtree(folder)
        shutil.copytree(start, folder)
        where = f"{room} of {pages} pages free"
        _fill(filler, _free(disk) - room * PAGE)
        done = commands.run(command, folder)
        if done.returncode:
            full += 1
            _check_message(where, done)
            assert not left_over(folder, r"\.part$|^tmp"), f"{where}: {left_over(folder)}"
        filler.unlink()
        for path in folder.rglob("*"):
            _check_whole(where, path)
        check_run_again(where, command, folder, expected, check)
    shutil.rmtree(folder)
    assert full
    print(f"\n{start.name}: the disk was full {full} times, below the {pages} pages needed; all runs recovered")


def _check_message(where: str, done: subprocess.CompletedProcess[str]) -> None:
    """The exit code must be 2, and after the lines about progress one line must say that the disk is full."""
    said = f"{where}: code {done.returncode}: {done.stderr}"
    assert done.returncode == 2, said
    assert "Traceback" not in done.stderr, said
    own = [line for line in done.stderr.splitlines() if line.startswith("sandtable: ")]
    assert own == done.stderr.splitlines()[-1:], said
    assert any(words in own[0] for words in FULL_DISK_MESSAGES), said


def _check_whole(where: str, path: Path) -> None:
    """A file must be readable to its end; only the last line of a log may be cut off."""
    try:
        if path.suffix == ".json":
            json.loads(path.read_bytes())
        elif path.suffix == ".jsonl":
            for line in path.read_bytes().split(b"\n")[:-1]:
                json.loads(line)
        elif path.suffix == ".safetensors":
            with safe_open(path, framework="numpy") as file:
                assert file.keys()
        elif path.suffix == ".sqlite" and not _is_empty(path):
            games(path)
    except Exception as error:
        raise AssertionError(f"{where}: {path.name} is not whole: {error}") from error


def _is_empty(store: Path) -> bool:
    """Whether there was no space for its tables; the next run creates them."""
    with contextlib.closing(sqlite3.connect(store)) as database:
        return bool(database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,))


def _free(disk: Path) -> int:
    found = os.statvfs(disk)
    return found.f_bavail * found.f_frsize


def _fill(filler: Path, size: int) -> None:
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)
