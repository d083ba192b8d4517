"""Files: read within a limit, written whole or not at all."""

import errno
import os
import tracemalloc
from pathlib import Path

import pytest

from sandtable.errors import SandtableError
from sandtable.files import read_at_most, write_whole


def test_reading_keeps_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 3_000_000)
    assert read_at_most(path, 3_000_000) == b"x" * 3_000_000
    with pytest.raises(SandtableError, match="larger than the 2,999,999 bytes"):
        read_at_most(path, 2_999_999)


def test_reading_takes_no_more_memory_than_the_file_needs(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 1000)
    tracemalloc.start()
    assert len(read_at_most(path, 1 << 30)) == 1000
    assert tracemalloc.get_traced_memory()[1] < 4_000_000
    tracemalloc.stop()


def test_a_full_disk_is_told_with_the_file_s_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the old file is still there, and nothing beside it."""
    path = tmp_path / "file"
    write_whole(path, b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_whole(path, b"new")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
