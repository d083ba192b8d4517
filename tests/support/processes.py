"""Programs with all the processes that they start: a mark in the environment, which children inherit, tells them from
any others, whatever groups and sessions they move to. For Linux.
"""

import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

MARK = "SANDTABLE_TEST_PROGRAM"
MAX_SECONDS = 1200  # until a test that waits in vain gives up: far more than a starved machine needs


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
        """Its processes that run, with their titles."""
        wanted = f"{MARK}={self._mark}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
            except OSError:
                continue  # it has ended, or is somebody else's
        return found

    def running(self, title: str) -> list[int]:
        """Its processes whose titles begin like that."""
        return [number for number, found in self.processes().items() if found.startswith(title)]

    @property
    def has_ended(self) -> bool:
        """Whether the command itself has; others that it started may go on."""
        return self.process.poll() is not None

    def wait_until_none_is_left(self) -> None:
        wait_until(lambda: not self.processes(), "no process of the program is left")

    def end_all(self) -> None:
        """Kill whatever is left of it."""
        for number in self.processes():
            with_signal(number, signal.SIGKILL)
        self.process.wait()


def is_running(number: int) -> bool:
    """Whether there is such a process, other than one that has ended and is still listed."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def with_signal(number: int, which: signal.Signals) -> bool:
    """Send a process a signal. False if it has ended."""
    try:
        os.kill(number, which)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition: Callable[[], object], what: str) -> None:
    """AssertionError only after so long that no machine is merely slow."""
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() - begin < MAX_SECONDS, f"waited in vain: {what}"
        time.sleep(0.02)
