"""The package as it is installed: light to import, typed, with stubs that match the core."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import sandtable
from sandtable.cli import app

STUBS = Path(sandtable.__file__).parent / "_core"


# All of our modules that `import sandtable` may load: none needs numpy or the extension. Time is measured by hand
# (docs/engine.md); a test of it would depend on the machine.
LOADED = {
    *(
        "sandtable",
        "sandtable.analysis",
        "sandtable.errors",
        "sandtable.files",
        "sandtable.lazy",
        "sandtable.map_files",
    ),
    *("sandtable.settings", "sandtable.startup"),
    *(f"sandtable.games{part}" for part in ("", ".game", ".registry", ".sources")),
    *(f"sandtable.players{part}" for part in ("", ".protocol", ".registry", ".spec")),
}


def loaded_by(code: str) -> set[str]:
    """The modules that a new process has loaded after some code; its own output is discarded."""
    code = f"import sys\n{code}\nprint('\\0', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("\0")[2].split())


def test_importing_loads_no_heavy_module() -> None:
    found = loaded_by("import sandtable")
    assert {name for name in found if name.startswith("sandtable")} == LOADED
    outside = {name.partition(".")[0] for name in found} - set(sys.stdlib_module_names) - {"sandtable"}
    assert outside.isdisjoint(("numpy", "torch", "rich", "typer", "ray", "filelock", "onnxruntime"))
    assert found.isdisjoint(("importlib.metadata", "tempfile", "urllib.request", "ssl", "socket", "sqlite3"))


def test_a_first_move_loads_neither_numpy_nor_a_runtime() -> None:
    """The champions' networks run in the core."""
    first_move = "import sandtable as st; st.player('sandtable').act(st.load({!r}).start(), 0)"
    for map in ("ford", "italy"):
        found = loaded_by(first_move.format(map))
        assert {"sandtable._core.tubstap", "sandtable.players.timing"} <= found
        outside = {name.partition(".")[0] for name in found} - set(sys.stdlib_module_names)
        assert outside.isdisjoint(("numpy", "torch", "onnxruntime", "safetensors", "rich", "typer", "filelock"))
        assert found.isdisjoint(("importlib.metadata", "importlib.resources", "logging", "html", "tempfile", "zipfile"))
        drawings = {name for name in found if name.endswith((".drawing.vector", ".drawing.layout"))}
        assert not drawings | (found & {"sandtable.tubstap.puzzles", "sandtable.arena", "sandtable.learn"})


def test_the_list_of_commands_loads_neither_numpy_nor_the_core() -> None:
    code = "from sandtable.cli import app\ntry:\n    app(['--help'])\nexcept SystemExit:\n    pass"
    found = loaded_by(code)
    assert "sandtable.cli.deferred" in found
    assert found.isdisjoint(("numpy", "sandtable._core", "sandtable.tubstap", "sandtable.cli.match"))


def test_every_public_name_exists() -> None:
    assert len(set(sandtable.__all__)) == len(sandtable.__all__)
    for name in sandtable.__all__:
        assert getattr(sandtable, name) is not None
    assert set(sandtable.__all__) <= set(dir(sandtable))
    with pytest.raises(AttributeError, match="module 'sandtable' has no attribute 'nonsense'"):
        _ = sandtable.nonsense
    assert callable(sandtable.games)  # and not the module that defines it
    assert callable(sandtable.players)


def test_the_games_are_listed_in_a_fixed_order() -> None:
    code = "import sandtable; sandtable.conquest; print([one.name for one in sandtable.games()])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['tubstap', 'conquest']\n"


def test_a_command_summary_is_the_first_paragraph_of_its_help() -> None:
    commands: Any = get_command(app)
    assert len(commands.commands) > 10
    for name, command in commands.commands.items():
        summary = command.loaded().help.split("\n\n")[0]
        assert command.help == " ".join(summary.split()), name


def test_the_stubs_match_the_core(tmp_path: Path) -> None:
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


def test_repeated_work_leaks_no_memory() -> None:
    done = subprocess.run([sys.executable, "-c", LEAKS], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 5
