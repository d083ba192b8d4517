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


LEAKS = """
import resource, sandtable as st
def megabytes(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
def work():
    state = st.tubstap.load("duel").start()
    for _ in range(300):
        state.moves(), state.moves_array(), state.units, state.copy(), state.combat(state.moves()[0])
    land = st.conquest.load("italy").start(1)
    for seed in range(300):
        orders = land.random_move(0, seed)
        land.copy().resolve(orders, []), land.decode(land.repair(land.encode(orders), 0, seed))
        try:
            land.resolve([(99, 1)], [])
        except ValueError:
            pass
    st.player("uct(simulations=200)").analyse(state)
for _ in range(3):
    work()
before = megabytes()
for _ in range(30):
    work()
print(megabytes() - before)
"""


def test_nothing_leaks() -> None:
    done = subprocess.run([sys.executable, "-c", LEAKS], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 5
