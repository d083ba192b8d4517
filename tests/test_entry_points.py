"""Players and games of installed packages: they are loaded lazily, and a broken one costs one line."""

import os
import sys
import zipfile
from pathlib import Path

import pytest

from support.commands import command, run

PLUGIN = Path(__file__).parents[1] / "examples" / "plugin"
ENTRY_POINTS = """
[sandtable.players]
hunter = sandtable_hunter:Hunter
exits = broken:Exits
missing = no_such_package:Player
nothing = broken:nothing
raising = raising:Player

[sandtable.games]
race = sandtable_hunter.race:GAME
exits = exiting:GAME
text = broken:nothing
hostile = broken:HOSTILE
uct = broken:UNNAMED
commanding = broken:COMMANDING
"""
BROKEN = """
from pathlib import Path
from sandtable import PythonGame
from sandtable.games import Command
from sandtable_hunter.race import Race

Path({trace!r}).touch()
nothing = "nothing"

class Hostile(PythonGame):
    @property
    def players(self):
        raise RuntimeError("two\\nlines")

class Commanding(PythonGame):
    commands = {{
        "march": Command("no_such_package:command", "Compete", "March somewhere."),
        "perft": Command("raising:command", "Compete", "Take another's name."),
        "retreat": "raising:command",
    }}

COMMANDING = Commanding("commanding", Race, maps={{"a": Race}})
HOSTILE = Hostile("hostile", Race, maps={{"a": Race}})
UNNAMED = PythonGame("No Name", Race, maps={{"a": Race}})
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages as pip would install them: the template and broken ones."""
    folder = tmp_path_factory.mktemp("packages")
    (folder / "sandtable_hunter").symlink_to(PLUGIN / "src" / "sandtable_hunter")
    (folder / "broken.py").write_text(BROKEN.format(trace=str(folder / "imported")))
    (folder / "exiting.py").write_text("raise SystemExit(9)\n")
    (folder / "raising.py").write_text("raise KeyError('x')\n")
    info = folder / "others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder


def run_installed(packages: Path, *arguments: object, code: int = 0) -> tuple[str, list[str]]:
    """Run a command with the packages installed: its output and the lines of its standard error."""
    words = [*arguments] if arguments[0] == sys.executable else command(*arguments)
    done = run(words, env=os.environ | {"PYTHONPATH": str(packages)})
    assert done.returncode == code, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr.splitlines()


def test_importing_sandtable_loads_no_package(packages: Path) -> None:
    before = (packages / "imported").exists()
    out, _ = run_installed(
        packages, sys.executable, "-c", "import sandtable, sys; print('sandtable_hunter' in sys.modules)"
    )
    assert out == "False\n"
    assert (packages / "imported").exists() == before


def test_a_player_and_a_game_of_an_installed_package_can_be_played(packages: Path) -> None:
    out, _ = run_installed(packages, "match", "hunter(profit=0.5)", "random", "--map", "duel", "--games", 2)
    assert "hunter(profit=0.5)" in out
    out, _ = run_installed(packages, "match", "minimax(depth=8)", "random", "--map", "race:short", "--games", 2)
    assert "minimax(depth=8)" in out


def test_broken_packages_get_one_line_each(packages: Path) -> None:
    out, warnings = run_installed(packages, "players")
    assert "hunter" in out
    assert "uct " in out
    assert [line.split(" cannot be loaded: ")[0] for line in warnings] == [
        "sandtable: the game exiting:GAME",
        "sandtable: the game broken:nothing",
        "sandtable: the game broken:HOSTILE",
        "sandtable: the game broken:UNNAMED",
        "sandtable: the command perft",
        "sandtable: the command retreat",
        "sandtable: the player exits",
        "sandtable: the player missing",
        "sandtable: the player nothing",
        "sandtable: the player raising",
    ]
    _, lines = run_installed(packages, "march", code=2)
    assert lines[-1].startswith("sandtable: the command march cannot be loaded: ModuleNotFoundError")
    _, lines = run_installed(packages, "match", "raising", "random", "--map", "duel", code=2)
    assert lines[-1] == "sandtable: raising:Player: KeyError: 'x'"
    _, lines = run_installed(packages, "match", "huntr", "random", "--map", "duel", code=2)
    assert lines[-1].startswith("sandtable: no player is called 'huntr' (did you mean 'hunter'?)")


def test_packages_in_an_archive_are_found(tmp_path: Path) -> None:
    """There the entry points are not separate files on disk."""
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("packed-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: packed\nVersion: 1.0\n")
        packed.writestr("packed-1.0.dist-info/entry_points.txt", "[sandtable.players]\npacked = packed:Player\n")
        packed.writestr("packed.py", "class Player:\n    games = ('tubstap',)\n\n    def act(self, state, side): ...\n")
    out, warnings = run_installed(archive, "players")
    assert "packed" in out
    assert not warnings
