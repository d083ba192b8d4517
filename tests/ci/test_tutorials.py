"""The commands of each tutorial run one after another, in a folder with the files that its reader is told to save. Part
of `make ci`; tests/test_docs.py runs the tutorials' Python."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.pages import ROOT, blocks, files, page_name

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


def commands(path: Path) -> list[str]:
    lines = [line for block in blocks(path, "console") for line in block.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


@pytest.mark.parametrize("path", [one for one in TUTORIALS if commands(one)], ids=page_name)
def test_the_commands_of_a_tutorial_run(path: Path, tmp_path: Path) -> None:
    for name, content in files(path):
        (tmp_path / name).write_text(content, encoding="utf-8")
    for command in commands(path):
        program, *words = shlex.split(command)
        assert program == "sandtable", command
        done = subprocess.run(
            [str(Path(sys.executable).with_name(program)), *words],
            cwd=tmp_path,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
