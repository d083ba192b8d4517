"""A program that answers line by line: its pipes, its limits of time and memory, and its end.

This module does not interpret the lines. Ending the program kills its child processes too. Every failure is a
BotFailure with a message of one line for the program's author.
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
STDERR_KEPT_BYTES = 4096  # the end of the program's standard error
STDERR_SHOWN = 400  # characters of it, in the reason of a failure
LAST_READS = 64  # of standard error when the program ends; limited because a child of it may write forever
READ_BYTES = 1 << 16
POLL_SECONDS = 0.05  # between checks that the program still runs: a child of it may keep its pipes open
EXIT_SECONDS = 2.0  # from closing the program's input to killing it
MARK = "SANDTABLE_BOT_PROCESS"  # in the program's environment; identifies children that left the process group

Clock = Callable[[], float]


class BotFailure(SandtableError):  # noqa: N818 - an outcome of the program's, not a mistake of ours
    """The program cannot be started, does not answer in time, writes too long a line, or has ended."""


class BotProcess:
    """`send` writes a line without blocking, `receive` waits for a line, `end` ends the program."""

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
        """Write a line. Bytes that the program does not read at once are kept; receive() tries again to write them."""
        assert self._process.stdin is not None
        if self._process.stdin.closed:
            return  # receive() reports why
        if not self._unsent:
            self._watch(self._process.stdin, self._write_stdin)
        self._unsent += line + b"\n"
        self._write_stdin()

    def receive(self, seconds: float, limit: float | None = None) -> bytes:
        """The next line. BotFailure if none comes in time, or if none can come any more. `limit`: the time limit to
        name in the error, if part of it was used before this call."""
        deadline = self._clock() + seconds
        while (line := self._next_line()) is None:
            if self._output_ended:
                raise BotFailure(self._how_it_ended())
            assert self._process.stdin is not None
            left, read = deadline - self._clock(), len(self._unread)
            gone = self._process.poll() is not None or self._process.stdin.closed
            self._exchange(0 if gone else min(max(left, 0), POLL_SECONDS))
            if len(self._unread) > read:
                continue  # data that has arrived counts, even if this process reads it late
            if gone:
                raise BotFailure(self._how_it_ended())
            if left <= 0:
                raise BotFailure(f"did not answer within {seconds if limit is None else limit:.3g} s")
        return line

    def unasked(self) -> bytes | None:
        """A line that the program wrote without being asked, if there is one."""
        self._exchange(0)
        return self._next_line()

    @property
    def stderr(self) -> str:
        """The end of the program's standard error, unfiltered: not safe to print on a terminal."""
        return self._stderr.decode("utf-8", errors="replace")

    @property
    def stderr_line(self) -> str:
        """The end of the standard error so far, as one line that is safe for a terminal."""
        self._exchange(0)
        said = " ".join(shown(self.stderr).split())
        return said if len(said) <= STDERR_SHOWN else "..." + said[-STDERR_SHOWN:]

    def end(self, grace: float = EXIT_SECONDS) -> bool:
        """Close the program's input, wait up to `grace` seconds, and kill it with all processes that it started.
        Returns whether it ended by itself."""
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
        """Read and write all pipes that are ready, after waiting at most `seconds` for the first of them."""
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
            # The program closed its input or has ended; the next receive() reports which.
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
            if len(self._unread) <= MAX_LINE_BYTES:  # a flood is dropped
                self._unread += data
        elif data is not None:
            self._output_ended = True

    def _read_stderr(self) -> bool:
        """Read once from standard error. Returns whether there was something to read."""
        data = self._read(self._process.stderr)
        self._stderr += data or b""
        del self._stderr[:-STDERR_KEPT_BYTES]
        return bool(data)

    def _read_last_stderr(self) -> None:
        """Read what the pipe of standard error still holds."""
        for _ in range(LAST_READS):
            if self._process.stderr not in self._selector.get_map() or not self._read_stderr():
                return

    def _read(self, pipe: IO[bytes] | None) -> bytes | None:
        """The bytes that can be read now: None if there are none yet; empty at the end (the pipe is unregistered)."""
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
    """The command, run by a shell that limits the address space and is then replaced by it (exec)."""
    if memory_megabytes is None:
        return list(command)
    return ["/bin/sh", "-c", f'ulimit -v {memory_megabytes * 1024} && exec "$@"', "sh", *command]


def _quoted(data: bytes | bytearray) -> str:
    return f"{shown(bytes(data[:60]).decode('utf-8', errors='replace'))!r}"


def _end_all(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill the process group and the processes that left it, close the pipes, and reap the program."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    while escaped := _marked(mark):  # repeated, because they may have started others meanwhile
        for pid in escaped:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            if pipe is not None:
                pipe.close()
    process.wait()


def _marked(mark: str) -> list[int]:
    """The ids of the processes that have the mark in their environment, on systems with /proc."""
    wanted, found, processes = f"{MARK}={mark}".encode(), [], Path("/proc")
    for name in os.listdir(processes) if processes.is_dir() else ():  # noqa: PTH208 - a tenth of the time
        with contextlib.suppress(OSError):
            if name.isdigit() and wanted in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                found.append(int(name))
    return found
