"""A program with all the processes that it starts. A mark in the environment, which child processes inherit, identifies
them, whatever groups and sessions they move to. Only for Linux.
"""

import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

MARK = "SANDTABLE_TEST_PROGRAM"
MAX_SECONDS = 1200  # the limit of a wait: far more than an overloaded machine needs


class Program:
    """A command that runs; what it prints goes to `out` and `errors` in the folder `beside`."""

    def __init__(self, command: Sequence[str], cwd: Path, beside: Path) -> None:
        self._mark = uuid.uuid4().hex
        self.out, self.errors = beside / "out", beside / "errors"
        with self.out.open("wb") as out, self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                command, cwd=cwd, env=os.environ | {MARK: self._mark}, stdout=out, stderr=errors, start_new_session=True
            )

    def processes(self) -> dict[int, str]:
        """Its running processes, with their command lines."""
        wanted = f"{MARK}={self._mark}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
            except OSError:
                continue  # it has ended, or belongs to another user
        return found

    def running(self, title: str) -> list[int]:
        """Its processes whose command lines begin with the title."""
        return [number for number, found in self.processes().items() if found.startswith(title)]

    @property
    def has_ended(self) -> bool:
        """Whether the command itself has ended; processes that it started may still run."""
        return self.process.poll() is not None

    def wait_until_none_is_left(self) -> None:
        wait_until(lambda: not self.processes(), "no process of the program is left")

    def end_all(self) -> None:
        """Kill all its processes that are left."""
        for number in self.processes():
            send_signal(number, signal.SIGKILL)
        self.process.wait()


def is_running(number: int) -> bool:
    """Whether the process exists and is not a zombie."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def send_signal(number: int, which: signal.Signals) -> bool:
    """Send a process a signal. False if it has ended."""
    try:
        os.kill(number, which)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition: Callable[[], object], what: str) -> None:
    """AssertionError after MAX_SECONDS, so long that the machine is not merely slow."""
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() - begin < MAX_SECONDS, f"waited in vain: {what}"
        time.sleep(0.02)
