"""Reading small files whole and writing files so that nobody ever sees half of one."""

import contextlib
import errno
import glob
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sandtable.errors import SandtableError

_UNFINISHED = ".part"  # the ending of files that are being written
# 100 parts of a dotted key or more: to parse one takes the square of their number.
_ABSURD_KEY = r"""(?a)(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}"""
_STREAMS = ("/dev/fd/", "/dev/stdout", "/dev/stderr", "/proc/")  # open files of a process, which must stay themselves


def read_at_most(path: Path, limit: int) -> bytes:
    """The file's bytes; an error if it is larger than `limit` bytes, without reading it all."""
    data = bytearray()
    with path.open("rb") as file:
        # In pieces: a file asked for so many bytes reserves memory for all of them.
        while len(data) <= limit and (piece := file.read(min(limit + 1 - len(data), 1 << 20))):
            data += piece
    if len(data) > limit:
        raise SandtableError(f"{path}: larger than the {limit:,} bytes that such a file may have")
    return bytes(data)


def read_toml(path: Path, limit: int) -> dict[str, Any]:
    """What a TOML file of at most `limit` bytes says."""
    import tomllib  # not needed to play

    data = read_at_most(path, limit)
    try:
        text = data.decode("utf-8")
        absurd = re.search(_ABSURD_KEY, text)
        content = {} if absurd else tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise SandtableError(f"{path}: not TOML: byte {error.start} is not UTF-8 text") from None
    except RecursionError:
        raise SandtableError(f"{path}: not TOML: it is nested too deep") from None
    except tomllib.TOMLDecodeError as error:
        raise SandtableError(f"{path}: not TOML: {str(error).splitlines()[0]:.100}") from None
    except ValueError:  # of a number that Python does not read
        raise SandtableError(f"{path}: not TOML: a number has too many digits") from None
    if absurd:
        raise SandtableError(f"{path}: a key has more than 100 parts with dots between them")
    return content


def lines_of(path: Path, limit: int) -> Iterator[str]:
    """The lines of a text file that are not empty, one at a time; an error at one of more than `limit` bytes."""
    with path.open("rb") as file:
        while line := file.readline(limit + 1):
            if len(line) > limit:
                raise SandtableError(f"{path}: a line is longer than the {limit:,} bytes that one may have")
            if text := line.decode("utf-8-sig", errors="replace").strip():
                yield text


def write_whole(path: Path, data: bytes) -> None:
    """Write beside the target, then rename: the old file or the new one, never a part. Behind a symbolic link the
    target is what it points to. A device, pipe or stream has no such choice: the data is written into it."""
    if is_stream(path):
        try:
            with path.open("wb") as file:
                file.write(data)
        except OSError as error:
            raise _naming(path, error) from None
        return
    import tempfile  # slow to import, and not needed to read

    target = _target(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=_UNFINISHED)
    except OSError as error:
        raise _naming(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            with contextlib.suppress(OSError):  # of file systems that cannot
                _hold(file.fileno())
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)  # mkstemp is private; the file should be as any other
        Path(name).replace(target)
    except OSError as error:  # which does not know what the file would have been called
        Path(name).unlink(missing_ok=True)
        raise _naming(path, error) from None
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def check_writable(*paths: Path | None) -> None:
    """OSError unless each path (None: not asked for) can be written. Commands ask before hours of work, not after.
    What killed processes left of it is deleted."""
    import tempfile

    for path in paths:
        if path is None:
            continue
        if is_stream(path):
            if not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            continue
        target = _target(path)
        folder = target.parent
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder}", str(path))
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise _naming(path, error) from None
        remove_unfinished_of(target)


def remove_unfinished(folder: Path) -> None:
    """Delete what killed processes were writing in a folder of which the caller holds the lock."""
    for path in folder.rglob(f".*{_UNFINISHED}"):
        path.unlink(missing_ok=True)


def remove_unfinished_of(path: Path) -> None:
    """Delete what killed processes were writing in place of this file; what another process is writing stays."""
    for left in path.parent.glob(f".{glob.escape(path.name[:100])}.*{_UNFINISHED}"):
        with contextlib.suppress(OSError):
            with left.open("rb") as file:
                _hold(file.fileno())
            left.unlink()


def _hold(file: int) -> None:
    """Hold an open file until it is closed, or its process ends; OSError if another process holds it."""
    if sys.platform != "win32":  # which deletes no open file
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_stream(path: Path) -> bool:
    """Whether it is a device, a pipe or an open file of a process, and not a file of its own."""
    return str(path.absolute()).startswith(_STREAMS) or (path.exists() and not path.is_file() and not path.is_dir())


def _target(path: Path) -> Path:
    """The regular file to write, symbolic links followed. OSError if it cannot be one."""
    target = Path(os.path.realpath(path))
    problem = errno.EISDIR if target.is_dir() else errno.ELOOP if target.is_symlink() else None
    if problem is not None:
        raise OSError(problem, os.strerror(problem), str(path))
    return target


def _naming(path: Path, error: OSError) -> OSError:
    return type(error)(error.errno, error.strerror, str(path))


class Lock:
    """Held by one process at a time: it ends with the process that holds it, however it ends."""

    def __init__(self, path: Path, taken: SandtableError) -> None:
        from filelock import FileLock, Timeout  # slow to import, and only needed here

        self._lock = FileLock(path, mode=0o666)
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise taken from None

    def free(self) -> None:
        self._lock.release(force=True)
