"""Files: read within a limit, written whole or not at all."""

import errno
import os
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest

from sandtable.errors import SandtableError
from sandtable.files import check_writable, lines_of, read_at_most, read_toml, remove_unfinished, write_whole


def test_a_file_larger_than_the_limit_is_not_read(tmp_path: Path) -> None:
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


def test_a_full_disk_is_reported_with_the_file_s_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old file is kept, and no temporary file is left."""
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


def test_writing_to_a_symbolic_link_writes_its_target(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "folder" / "other")
    write_whole(dangling, b"first")
    assert dangling.is_symlink()
    assert (tmp_path / "folder" / "other").read_bytes() == b"first"
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="symbolic links"):
        write_whole(loop, b"")
    assert loop.is_symlink()


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    """The data is written into the pipe, which is not replaced."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"data")
    reader.join()
    assert found == [b"data"]
    assert pipe.is_fifo()


def test_a_redirected_stream_keeps_its_other_output(tmp_path: Path) -> None:
    code = "import sys; from sandtable.files import *; write_whole(Path('/dev/stdout'), b'one\\n'); print('two')"
    out = tmp_path / "out"
    with out.open("ab") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert out.read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("name", ["", "missing/file", "file/beneath", "folder"])
def test_paths_that_cannot_be_written_are_found_before_the_work(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OSError, match=f"{tmp_path / name}"):
        check_writable(tmp_path / "file", None, tmp_path / name)
    check_writable(tmp_path / "file", tmp_path / "folder" / "new", None)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_temporary_file_of_a_killed_process_is_removed(tmp_path: Path) -> None:
    code = (
        "import os, signal; from sandtable.files import *; os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL);"
        f"write_whole(Path({str(tmp_path)!r}) / 'file', b'data')"
    )
    (tmp_path / "kept").touch()
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode < 0
    assert len(list(tmp_path.iterdir())) == 2
    remove_unfinished(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_the_next_command_removes_the_temporary_file_of_a_killed_one(tmp_path: Path) -> None:
    """The temporary files of a running command and of other files are kept."""
    code = (
        "import os, sys; from sandtable.files import *; os.fsync = lambda _: (print(flush=True), sys.stdin.read());"
        f"write_whole(Path({str(tmp_path)!r}) / 'file', b'data')"
    )
    first, second = (
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)
    )
    for one in (first, second):
        assert one.stdout is not None
        one.stdout.readline()
    (tmp_path / ".file2.abc.part").touch()
    first.kill()
    first.communicate()
    assert len(list(tmp_path.iterdir())) == 3
    check_writable(tmp_path / "file")
    assert len(list(tmp_path.iterdir())) == 2
    second.communicate()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".file2.abc.part", "file"]
    assert (tmp_path / "file").read_bytes() == b"data"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("games = " + "9" * 5000, "not TOML: a number has too many digits"),
        (".".join(["a"] * 100_000) + " = 1", "a key has more than 100 parts"),
        ("[" + " . ".join(["'a'", '"b"'] * 50_000) + "]", "a key has more than 100 parts"),
        ("a = {" + ".".join(["b-1"] * 100_000) + " = 1}", "a key has more than 100 parts"),
        ("a = " + "[" * 100_000, "nested too deep"),
        ("a = \xff", "not UTF-8"),
    ],
    ids=["digits", "key", "header", "inline", "nested", "bytes"],
)
def test_pathological_toml_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SandtableError, match=message):
        read_toml(path, 1 << 20)


@pytest.mark.parametrize("text", ["a" * (1 << 19), "a." * 99, '"' * 100_001, "a " * 200_000, '"a".' * 60])
def test_a_toml_comment_may_contain_anything(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_text(f"# {text}\na.b = 1")
    assert read_toml(path, 1 << 20) == {"a": {"b": 1}}


def test_lines_are_read_one_by_one_and_within_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\n\n  \ntwo \xff\nthree")
    assert list(lines_of(path, 10)) == ["one", "two \ufffd", "three"]
    with pytest.raises(SandtableError, match="longer than the 5 bytes"):
        list(lines_of(path, 5))
    with pytest.raises(SandtableError, match="longer than"):
        next(lines_of(Path("/dev/zero"), 1000))
