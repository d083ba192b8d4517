"""A program that answers line by line: its pipes, its time, its memory, and its end with all that it started.

This module knows nothing of what the lines say. Every failure is a BotFailure with one line for the program's author.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import time
import uuid
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from sandtable.errors import PlayerError, SandtableError
from sandtable.texts import shown

MAX_LINE_BYTES = 1 << 20
STDERR_KEPT_BYTES = 4096  # the last of what it wrote
STDERR_SHOWN = 400  # characters, in the reason of a failure
LAST_READS = 64  # of its standard error when it ends; a child of its own may write for ever
READ_BYTES = 1 << 16
POLL_SECONDS = 0.05  # between looks at whether it still runs: a child of its own may keep its pipes open
EXIT_SECONDS = 2.0  # from the closing of its input to its end by force
MARK = "SANDTABLE_BOT_PROCESS"  # in its environment: finds children that left the process group

Clock = Callable[[], float]


class BotFailure(SandtableError):  # noqa: N818 - an outcome of the program's, not a mistake of ours
    """A program that does not answer as it must."""


class BotProcess:
    """`send` hands a line over without ever blocking, `receive` waits for one, `end` ends the program."""

    def __init__(
        self, command: Sequence[str], *, memory_megabytes: int | None = None, clock: Clock = time.monotonic
    ) -> None:
        check_program(command)
        self._clock = clock
        self._mark = uuid.uuid4().hex
        self._unsent = bytearray()
        self._unread = bytearray()
        self._stderr = bytearray()
        try:
            self._process = subprocess.Popen(
                _limited(command, memory_megabytes),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env=os.environ | {MARK: self._mark},
            )
        except OSError as error:
            raise BotFailure(f"cannot be started: {error.strerror or error}") from None
        self._end_now = weakref.finalize(self, _end_all, self._process, self._mark)
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
        self._watch(self._process.stdout, self._read_stdout)
        self._watch(self._process.stderr, self._read_stderr)
        self._output_ended = False

    def send(self, line: bytes) -> None:
        """Hand over a line. What the program does not read at once is kept, and offered again by receive()."""
        assert self._process.stdin is not None
        if self._process.stdin.closed:
            return  # receive() says why
        if not self._unsent:
            self._watch(self._process.stdin, self._write_stdin)
        self._unsent += line + b"\n"
        self._write_stdin()

    def receive(self, seconds: float, limit: float | None = None) -> bytes:
        """The next line. BotFailure if none comes in time, or if none can come any more. `limit`: the time for the
        whole answer, if part of it has been used."""
        deadline = self._clock() + seconds
        while (line := self._next_line()) is None:
            if self._output_ended:
                raise BotFailure(self._how_it_ended())
            assert self._process.stdin is not None
            left, read = deadline - self._clock(), len(self._unread)
            gone = self._process.poll() is not None or self._process.stdin.closed
            self._exchange(0 if gone else min(max(left, 0), POLL_SECONDS))
            if len(self._unread) > read:
                continue  # what has come counts, though this process may be late to look at it
            if gone:
                raise BotFailure(self._how_it_ended())
            if left <= 0:
                raise BotFailure(f"did not answer within {seconds if limit is None else limit:.3g} s")
        return line

    def unasked(self) -> bytes | None:
        """A line that came though nobody waits for one."""
        self._exchange(0)
        return self._next_line()

    @property
    def stderr(self) -> str:
        """The end of what it wrote to its standard error, as it wrote it: not for a terminal."""
        return self._stderr.decode("utf-8", errors="replace")

    @property
    def stderr_line(self) -> str:
        """The last of that, so far, in one line for a terminal."""
        self._exchange(0)
        said = " ".join(shown(self.stderr).split())
        return said if len(said) <= STDERR_SHOWN else "..." + said[-STDERR_SHOWN:]

    def end(self, grace: float = EXIT_SECONDS) -> bool:
        """Close its input, give it a moment, and end it with all that it started. Whether it ended by itself."""
        if not self._end_now.alive:
            return True
        with contextlib.suppress(OSError):
            if self._unsent:
                self._write_stdin()
        self._close_stdin()
        deadline = self._clock() + grace
        while self._process.poll() is None and self._clock() < deadline:
            self._exchange(0.01)
            if self._output_ended:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(max(0.0, min(POLL_SECONDS, deadline - self._clock())))
        by_itself = self._process.poll() is not None
        self._read_last_stderr()
        self._selector.close()
        self._end_now()
        return by_itself

    def _watch(self, pipe: IO[bytes] | None, ready: Callable[[], object]) -> None:
        assert pipe is not None
        event = selectors.EVENT_WRITE if pipe is self._process.stdin else selectors.EVENT_READ
        self._selector.register(pipe, event, ready)

    def _exchange(self, seconds: float) -> None:
        """Read and write what can be, waiting at most so long for the first."""
        if not self._selector.get_map():
            time.sleep(seconds)
            return
        for key, _ in self._selector.select(seconds):
            key.data()

    def _write_stdin(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            written = os.write(pipe.fileno(), self._unsent)
        except BlockingIOError:
            return
        except OSError:
            # Why is told by whoever next waits for an answer: it closed its input, or it has ended.
            self._close_stdin()
            return
        del self._unsent[:written]
        if not self._unsent:
            self._selector.unregister(pipe)

    def _close_stdin(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        if pipe.closed:
            return
        if self._unsent:
            self._selector.unregister(pipe)
            self._unsent.clear()
        with contextlib.suppress(OSError):
            pipe.close()

    def _read_stdout(self) -> None:
        if data := self._read(self._process.stdout):
            if len(self._unread) <= MAX_LINE_BYTES:  # a flood is not kept
                self._unread += data
        elif data is not None:
            self._output_ended = True

    def _read_stderr(self) -> bool:
        """Whether there was something to read."""
        data = self._read(self._process.stderr)
        self._stderr += data or b""
        del self._stderr[:-STDERR_KEPT_BYTES]
        return bool(data)

    def _read_last_stderr(self) -> None:
        """Read what the pipe still holds."""
        for _ in range(LAST_READS):
            if self._process.stderr not in self._selector.get_map() or not self._read_stderr():
                return

    def _read(self, pipe: IO[bytes] | None) -> bytes | None:
        """What there is; None if there is nothing yet, empty at the end, after which the pipe is watched no more."""
        assert pipe is not None
        try:
            data = os.read(pipe.fileno(), READ_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        if not data:
            self._selector.unregister(pipe)
        return data

    def _next_line(self) -> bytes | None:
        end = self._unread.find(b"\n")
        if end > MAX_LINE_BYTES or (end == -1 and len(self._unread) > MAX_LINE_BYTES):
            raise BotFailure(f"wrote a line of more than {MAX_LINE_BYTES:,} bytes")
        if end == -1:
            return None
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    def _how_it_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(EXIT_SECONDS)
        code = self._process.returncode
        half = f" in the middle of a line ({_quoted(self._unread)})" if self._unread else ""
        if code is None:
            return f"closed its {'output' if self._output_ended else 'input'}{half}, but still runs"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"was killed by {signal.Signals(-code).name}{half}"
        return f"ended with exit code {code}{half}"


def check_program(command: Sequence[str]) -> None:
    """PlayerError if there is no such program."""
    if not command:
        raise PlayerError("command: it is empty; give a program, for instance command='python3 my_bot.py'")
    if shutil.which(command[0]) is None:
        raise PlayerError(f"command: there is no program {command[0]!r:.100}")


def _limited(command: Sequence[str], memory_megabytes: int | None) -> list[str]:
    """The command, with its address space limited by a shell that it then replaces."""
    if memory_megabytes is None:
        return list(command)
    return ["/bin/sh", "-c", f'ulimit -v {memory_megabytes * 1024} && exec "$@"', "sh", *command]


def _quoted(data: bytes | bytearray) -> str:
    return f"{shown(bytes(data[:60]).decode('utf-8', errors='replace'))!r}"


def _end_all(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill the process group, and what left it, and collect what is left to collect."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    while escaped := _marked(mark):  # again, because they may have been starting others
        for pid in escaped:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            if pipe is not None:
                pipe.close()
    process.wait()


def _marked(mark: str) -> list[int]:
    """Processes that have the mark in their environment, where the system shows it."""
    wanted, found, processes = f"{MARK}={mark}".encode(), [], Path("/proc")
    for name in os.listdir(processes) if processes.is_dir() else ():  # noqa: PTH208 - a tenth of the time
        with contextlib.suppress(OSError):
            if name.isdigit() and wanted in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                found.append(int(name))
    return found
