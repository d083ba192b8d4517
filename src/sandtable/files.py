"""Read small files whole, and write files so that no reader ever sees half of one."""

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
# A dotted key of more than 100 parts: parsing one takes time quadratic in their number.
_ABSURD_KEY = r"""(?a)(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}"""
_STREAMS = ("/dev/fd/", "/dev/stdout", "/dev/stderr", "/proc/")  # open files of a process: never replaced


def read_at_most(path: Path, limit: int) -> bytes:
    """The file's bytes; an error if it is larger than `limit` bytes, without reading it all."""
    data = bytearray()
    with path.open("rb") as file:
        # In pieces: read(n) reserves memory for all n bytes.
        while len(data) <= limit and (piece := file.read(min(limit + 1 - len(data), 1 << 20))):
            data += piece
    if len(data) > limit:
        raise SandtableError(f"{path}: larger than the {limit:,} bytes allowed")
    return bytes(data)


def read_toml(path: Path, limit: int) -> dict[str, Any]:
    """The content of a TOML file of at most `limit` bytes."""
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
    except ValueError:  # for a number that Python refuses to read
        raise SandtableError(f"{path}: not TOML: a number has too many digits") from None
    if absurd:
        raise SandtableError(f"{path}: a key has more than 100 parts separated by dots")
    return content


def lines_of(path: Path, limit: int) -> Iterator[str]:
    """The non-empty lines of a text file, one at a time; an error at a line of more than `limit` bytes."""
    with path.open("rb") as file:
        while line := file.readline(limit + 1):
            if len(line) > limit:
                raise SandtableError(f"{path}: a line is longer than the {limit:,} bytes allowed")
            if text := line.decode("utf-8-sig", errors="replace").strip():
                yield text


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside the target, then rename it: a reader sees the old file or the new one, never a part. A
    symbolic link is followed to its target. A device, pipe or stream cannot be replaced: the data is written into
    it."""
    if is_stream(path):
        try:
            with path.open("wb") as file:
                file.write(data)
        except OSError as error:
            raise _with_path(path, error) from None
        return
    import tempfile  # slow to import, and not needed to read

    target = _target(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=_UNFINISHED)
    except OSError as error:
        raise _with_path(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            with contextlib.suppress(OSError):  # some file systems cannot lock files
                _flock(file.fileno())
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)  # mkstemp creates a private file; give it the usual permissions
        Path(name).replace(target)
    except OSError as error:  # the error does not name the file that was to be written
        Path(name).unlink(missing_ok=True)
        raise _with_path(path, error) from None
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def check_writable(*paths: Path | None) -> None:
    """OSError unless each path can be written; None is skipped. Commands check before hours of work, not after.
    Unfinished files that killed processes left for these paths are deleted."""
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
            raise _with_path(path, error) from None
        remove_unfinished_of(target)


def remove_unfinished(folder: Path) -> None:
    """Delete the unfinished files of killed processes in a folder whose lock the caller holds."""
    for path in folder.rglob(f".*{_UNFINISHED}"):
        path.unlink(missing_ok=True)


def remove_unfinished_of(path: Path) -> None:
    """Delete the unfinished files that killed processes left for this path, not those that a process is still
    writing."""
    for left in path.parent.glob(f".{glob.escape(path.name[:100])}.*{_UNFINISHED}"):
        with contextlib.suppress(OSError):
            with left.open("rb") as file:
                _flock(file.fileno())
            left.unlink()


def _flock(file: int) -> None:
    """Lock an open file until it is closed or this process ends; OSError if another process has locked it."""
    if sys.platform != "win32":  # Windows does not delete open files
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_stream(path: Path) -> bool:
    """Whether the path is a device, a pipe or an open file of a process, and not a regular file."""
    return str(path.absolute()).startswith(_STREAMS) or (path.exists() and not path.is_file() and not path.is_dir())


def _target(path: Path) -> Path:
    """The regular file to write, with symbolic links followed. OSError if it is a folder or a loop of links."""
    target = Path(os.path.realpath(path))
    problem = errno.EISDIR if target.is_dir() else errno.ELOOP if target.is_symlink() else None
    if problem is not None:
        raise OSError(problem, os.strerror(problem), str(path))
    return target


def _with_path(path: Path, error: OSError) -> OSError:
    return type(error)(error.errno, error.strerror, str(path))


class Lock:
    """A lock that one process at a time can hold. It is released when that process ends, however it ends."""

    def __init__(self, path: Path, taken: SandtableError) -> None:
        from filelock import FileLock, Timeout  # slow to import, and only needed here

        self._lock = FileLock(path, mode=0o666)
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise taken from None

    def free(self) -> None:
        self._lock.release(force=True)
