"""Reading small files whole and writing files so that nobody ever sees half of one."""

import os
import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

from sandtable.errors import SandtableError


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
    except OSError as error:  # which does not know what the file would have been called
        Path(name).unlink(missing_ok=True)
        raise type(error)(error.errno, error.strerror, str(path)) from None
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class Lock:
    """Held by one process at a time: it ends with the process that holds it, however it ends."""

    def __init__(self, path: Path, taken: SandtableError) -> None:
        self._lock = FileLock(path, mode=0o666)
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise taken from None

    def free(self) -> None:
        self._lock.release(force=True)
