"""Foreign files run no code: which players a tournament's file or a recipe may name, and which need permission."""

from pathlib import Path

import pytest

from sandtable.arena import tournament
from sandtable.errors import PlayerError, SandtableError
from sandtable.learn import recipe
from sandtable.players import player
from sandtable.players.registry import player_class, players
from sandtable.players.trust import check_code, reads_files, runs_code
from support.commands import sandtable_process as sandtable

MODULE = """
from pathlib import Path

Path("imported").touch()


class Mine:
    games = ("tubstap",)

    def __init__(self, **settings):
        Path("made").touch()

    def act(self, state, side=None):
        return state.moves()[0]


class NoPlayer:
    def __init__(self, **settings):
        Path("made").touch()
"""
TOURNAMENT = 'players = ["{spec}", "random"]\nmaps = ["ford"]\ngames = 2\n'
RECIPE = """
name = "mine"
games = 1
[network]
architecture = "kimura2020_small"
[[maps]]
source = "ford"
[strength]
every = 1
opponents = ["{spec}"]
maps = ["ford"]
"""


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module that leaves traces when it runs."""
    (tmp_path / "strangers_module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def traces(folder: Path) -> set[str]:
    return {name for name in ("imported", "made") if (folder / name).exists()}


def assert_refused(folder: Path, spec: str) -> None:
    (folder / "cup.toml").write_text(TOURNAMENT.replace("{spec}", spec))
    (folder / "recipe.toml").write_text(RECIPE.replace("{spec}", spec))
    with pytest.raises(SandtableError, match="would run code; if you trust it, allow it: --allow-code"):
        tournament.read(folder / "cup.toml")
    with pytest.raises(SandtableError, match=r"strength.opponents: .*would run code"):
        recipe.load(folder / "recipe.toml")
    assert traces(folder) == set()


def test_a_file_may_not_start_a_program(stranger: Path) -> None:
    assert_refused(stranger, f"subprocess:Popen(args='touch {stranger}/made', shell=True)")


def test_a_file_may_not_name_a_class_of_a_module(stranger: Path) -> None:
    assert_refused(stranger, "strangers_module:Mine")
    assert_refused(stranger, "strangers_module:Mine(depth=2)")


def test_a_file_may_not_name_a_class_in_the_settings_of_another_player(stranger: Path) -> None:
    assert_refused(stranger, "duct(root='strangers_module:Mine')")
    assert_refused(stranger, "duct(root='duct(root=\\\\'strangers_module:Mine\\\\')')")


def test_a_class_that_is_allowed_by_its_name_plays(stranger: Path) -> None:
    (stranger / "cup.toml").write_text(TOURNAMENT.replace("{spec}", "strangers_module:Mine"))
    refusal = sandtable("tournament", "cup.toml", cwd=stranger, code=2).stderr
    assert "--allow-code strangers_module:Mine" in refusal
    assert traces(stranger) == set()
    sandtable("tournament", "cup.toml", "--allow-code", "strangers_module:Other", cwd=stranger, code=2)
    assert traces(stranger) == set()
    played = sandtable("tournament", "cup.toml", "--allow-code", "strangers_module:Mine", cwd=stranger)
    assert "strangers_module:Mine" in played.stdout


def test_the_command_line_may_name_any_class(stranger: Path) -> None:
    sandtable("match", "strangers_module:Mine", "random", "--map", "ford", "--games", 2, cwd=stranger)


def test_only_classes_of_players_are_instantiated(stranger: Path) -> None:
    with pytest.raises(PlayerError, match="a player needs act"):
        player("strangers_module:NoPlayer")
    assert traces(stranger) <= {"imported"}
    with pytest.raises(PlayerError, match="a player needs act"):
        player("subprocess:Popen(args='true')")


def test_shipped_players_declare_whether_they_run_code_or_read_files() -> None:
    kinds = {name: player_class(name) for name in players()}
    assert [name for name, kind in kinds.items() if runs_code(kind)] == ["bot"]
    assert {"pvmcts", "minimax", "sandtable"} <= {name for name, kind in kinds.items() if reads_files(kind)}
    assert not any(reads_files(kinds[name]) for name in ("random", "greedy", "pmc"))
    for name in kinds.keys() - {"bot"}:
        check_code(name, lambda _: False)


def test_a_player_that_declares_to_run_code_needs_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_class("random"), "runs_code", True, raising=False)
    with pytest.raises(PlayerError, match="--allow-code random"):
        check_code("random(seed=3)", lambda _: False)
    check_code("random(seed=3)", lambda name: name == "random")
