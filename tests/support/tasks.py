"""Tasks for sandtable.scale. Workers import this module, so it imports little: no test framework."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sandtable import scale
from support.processes import MAX_SECONDS


def square(number: int) -> int:
    return number * number


def fail(number: int) -> int:
    if number % 3 == 0:
        raise KeyError(f"no {number}\nat all")
    return number


def wait_for(mark: Path) -> bool:
    """Whether another task makes the mark while this one runs."""
    for _ in range(100 * MAX_SECONDS):
        if mark.exists():
            return True
        time.sleep(0.01)
    return False


def make(mark: Path) -> bool:
    mark.touch()
    return True


def die_always(number: int) -> int:
    if number == 5:
        os._exit(1)
    return number


def outlive(mark: Path) -> None:
    """Marks that it runs, then sleeps for longer than any test waits."""
    (mark / str(os.getpid())).touch()
    time.sleep(2 * MAX_SECONDS)


def die_once(folder: Path, number: int) -> int:
    """Kills its worker the first time it runs."""
    mark = folder / str(number)
    if number % 7 == 3 and not mark.exists():
        mark.touch()
        os._exit(1)
    return number


class Large:
    """A value of 30 MB whose sending stops after the first half."""

    def __init__(self, mark: Path, *, dies: bool) -> None:
        self.mark, self.dies = mark, dies

    def __reduce__(self) -> Any:
        def send_half(connection: Connection, message: memoryview) -> None:
            left = memoryview(message)[: len(message) // 2]
            while left:
                left = left[os.write(connection.fileno(), left) :]
            self.mark.touch()
            if self.dies:
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(2 * MAX_SECONDS)

        Connection._send = send_half  # type: ignore[attr-defined]
        return bytes, (bytes(30 << 20),)


def large_once(folder: Path, number: int) -> Any:
    """Kills its worker the first time it runs, while its value is being sent."""
    mark = folder / str(number)
    return Large(mark, dies=True) if number % 7 == 3 and not mark.exists() else number


def large(mark: Path) -> Any:
    """A value that takes longer to send than any test waits."""
    return Large(mark, dies=False)


def unpicklable(number: int) -> Any:
    return (lambda: number) if number == 5 else number


def collected(tasks: Sequence[scale.Task], **options: Any) -> list[scale.Done]:
    done = sorted(scale.run(tasks, **options))
    assert [one.place for one in done] == list(range(len(tasks)))
    return done


def start_driver(tmp_path: Path, work: str) -> subprocess.Popen[str]:
    """Start a program that executes `work`, a statement with tasks. A separate process, so that a test can kill it."""
    script = tmp_path / "drive.py"
    script.write_text(
        "import functools, pathlib, sys\n"
        "from sandtable import scale\n"
        "from support import tasks\n"
        f"folder = pathlib.Path({str(tmp_path)!r})\n"
        f"if __name__ == '__main__': {work}\n"
    )
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.Popen(
        [sys.executable, str(script)], env=here, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
