"""The command line, within this process and in separate processes.

A separate process imports the package again, so only tests that kill it or that need its environment start one. Its
processor time is limited, not its wall-clock time: a busy machine fails no test.
"""

import contextlib
import io
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest import mock

from sandtable import cli

PROCESSOR_SECONDS = 300


def run(
    command: Sequence[object],
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    *,
    new_session: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end or to its limit of processor time. `new_session`: in a process group of its own."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_limit,
        start_new_session=new_session,
    )


def python(code: str) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, "-c", code])


def command(*arguments: object) -> list[str]:
    """The command line as a list of words."""
    return [sys.executable, "-m", "sandtable", *map(str, arguments)]


def sandtable(*arguments: object, cwd: Path | None = None, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command within this process. It must end with the exit code `code`."""
    words, out, errors, ended = list(map(str, arguments)), io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["sandtable", *words]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
        contextlib.chdir(cwd or Path.cwd()),
    ):
        try:
            cli.main()
        except SystemExit as end:
            ended = end.code if isinstance(end.code, int) else int(end.code is not None)
    done = subprocess.CompletedProcess(words, ended, out.getvalue(), errors.getvalue())
    assert done.returncode == code, done.stderr + done.stdout
    return done


def sandtable_process(*arguments: object, cwd: Path | None = None, code: int = 0) -> subprocess.CompletedProcess[str]:
    """The same in a separate process."""
    done = run(command(*arguments), cwd)
    assert done.returncode == code, done.stderr + done.stdout
    assert "Traceback" not in done.stderr + done.stdout
    return done


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
