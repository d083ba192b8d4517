"""The package as it is installed: light to import, typed, with stubs that match the core."""

import subprocess
import sys
from pathlib import Path

import pytest

import sandtable

STUBS = Path(sandtable.__file__).parent / "_core"


def test_importing_is_light() -> None:
    code = "import sys, sandtable; print(*[m for m in ('torch', 'rich', 'typer', 'ray') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_stubs_are_those_of_the_core(tmp_path: Path) -> None:
    pytest.importorskip("nanobind")
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "sandtable._core", "-r", "-O", str(tmp_path)]
    subprocess.run(command, check=True)
    made = {path.name: path.read_text() for path in (tmp_path / "_core").iterdir()}
    assert made == {path.name: path.read_text() for path in STUBS.iterdir()}, "run `make stubs`"


def test_the_package_is_typed() -> None:
    assert (Path(sandtable.__file__).parent / "py.typed").exists()
