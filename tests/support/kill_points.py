"""Kills programs at a chosen change of a file: see kill_shim.c, which is compiled when it is needed."""

import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from support import commands

SOURCE = Path(__file__).with_name("kill_shim.c")
STATE_BYTES = 4096
COUNT_BYTES = 8


def compiled(folder: Path) -> Path:
    """The shim as a shared library in that folder."""
    library = folder / "kill_shim.so"
    words = ["cc", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", str(SOURCE), "-o", str(library), "-ldl"]
    subprocess.run(words, check=True)
    return library


@dataclass(frozen=True)
class Shim:
    """Runs commands with the shim. Only calls on files below `folder` count; the shim's own file is beside `folder`."""

    library: Path
    folder: Path

    def count(self, command: Sequence[str]) -> int:
        """The number of points at which an undisturbed run can be killed."""
        done = self._run(command, 0, "group")
        assert done.returncode == 0, done.stderr
        return self._read()[0]

    def kill(self, command: Sequence[str], at: int, whom: str) -> str | None:
        """Run the command and kill it at that point. Returns the prevented call and the file's name, or None if the
        command made fewer calls, as one that depends on the clock may.

        `whom`: "group", the whole program; "one", the process that makes the call.
        """
        done = self._run(command, at, whom)
        prevented = self._read()[1]
        if prevented is None:
            assert done.returncode == 0, done.stderr
        elif whom == "group":
            assert done.returncode == -signal.SIGKILL, done.stderr
        return None if prevented is None else prevented.replace(f"{self.folder}/", "")

    @property
    def _state(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.kill_state")

    def _run(self, command: Sequence[str], at: int, whom: str) -> subprocess.CompletedProcess[str]:
        self._state.write_bytes(bytes(STATE_BYTES))
        shim = {
            "LD_PRELOAD": str(self.library),
            "KILL_FOLDER": str(self.folder.resolve()),
            "KILL_STATE": str(self._state.resolve()),
            "KILL_AT": str(at),
            "KILL_WHOM": whom,
        }
        return commands.run(command, self.folder, os.environ | shim, new_session=True)

    def _read(self) -> tuple[int, str | None]:
        data = self._state.read_bytes()
        prevented = data[COUNT_BYTES:].partition(b"\0")[0].decode()
        return int.from_bytes(data[:COUNT_BYTES], "little"), prevented or None
