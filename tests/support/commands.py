"""Programs in processes of their own. Their processor time is limited, not the clock: a busy machine fails no test."""

import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

PROCESSOR_SECONDS = 300


def run(
    command: Sequence[object], cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A command to its end, or to the end of its processor time."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False, preexec_fn=_limit)


def python(code: str) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, "-c", code])


def command(*arguments: object) -> list[str]:
    """The command line as a list of words."""
    return [sys.executable, "-m", "sandtable", *map(str, arguments)]


def sandtable(*arguments: object, cwd: Path | None = None, code: int | None = 0) -> subprocess.CompletedProcess[str]:
    """The command with these arguments, which must end with that exit code; None: with any."""
    done = run(command(*arguments), cwd)
    assert code in (None, done.returncode), done.stderr + done.stdout
    assert "Traceback" not in done.stderr + done.stdout
    return done


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
