"""A device that a command writes to stays a device, and receives the output."""

import os
import stat
from pathlib import Path

import pytest

from support import commands

NULL, FULL = (1, 3), (1, 7)  # the numbers of /dev/null and /dev/full


def device(path: Path, numbers: tuple[int, int]) -> Path:
    """A new character device; skips the test where none can be made or opened."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(*numbers))
        path.open("wb").close()
    except OSError as error:
        pytest.skip(f"a device node needs mknod, as root, in a folder that allows devices: {error}")
    return path


@pytest.mark.parametrize(("numbers", "code"), [(NULL, 0), (FULL, 2)], ids=["null", "full"])
@pytest.mark.parametrize("option", ["--csv", "--svg"])
def test_a_table_is_written_to_the_device(option: str, numbers: tuple[int, int], code: int, tmp_path: Path) -> None:
    node = device(tmp_path / "node", numbers)
    match = ("match", "random", "greedy", "--map", "duel", "--games", 2)
    done = commands.sandtable(*match, option, node, code=code)
    assert ("No space left on device" in done.stderr) == (code == 2), "what is written reaches the device"
    found = node.lstat()
    assert stat.S_ISCHR(found.st_mode)
    assert (os.major(found.st_rdev), os.minor(found.st_rdev)) == numbers
    assert [path.name for path in tmp_path.iterdir()] == ["node"]
