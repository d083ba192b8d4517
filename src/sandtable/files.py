"""Reading small files whole and writing files so that nobody ever sees half of one."""

import fcntl
import os
import tempfile
from pathlib import Path

from sandtable.errors import SandtableError


def read_at_most(path: Path, limit: int) -> bytes:
    """The file's bytes; an error if it is larger than `limit` bytes, without reading it all."""
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise SandtableError(f"{path}: larger than the {limit:,} bytes that such a file may have")
    return data


def write_whole(path: Path, data: bytes) -> None:
    """Write beside the target, then rename: the old file or the new one, never a part."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)  # mkstemp is private; the file should be as any other
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class Lock:
    """Held by one process at a time: it ends with the process that holds it, however it ends."""

    def __init__(self, path: Path, taken: SandtableError) -> None:
        self._handle: int | None = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.free()
            raise taken from None

    def free(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
