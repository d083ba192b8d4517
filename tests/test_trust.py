"""Files of strangers run no code: what a tournament's file or a recipe may name, and who is asked."""

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
    """A folder with a module that leaves traces."""
    (tmp_path / "strangers_module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def traces(folder: Path) -> set[str]:
    return {name for name in ("imported", "made") if (folder / name).exists()}


def refused(folder: Path, spec: str) -> None:
    (folder / "cup.toml").write_text(TOURNAMENT.replace("{spec}", spec))
    (folder / "recipe.toml").write_text(RECIPE.replace("{spec}", spec))
    with pytest.raises(SandtableError, match="would run code; if you trust it, allow it: --allow-code"):
        tournament.read(folder / "cup.toml")
    with pytest.raises(SandtableError, match=r"strength.opponents: .*would run code"):
        recipe.load(folder / "recipe.toml")
    assert traces(folder) == set()


def test_a_file_may_not_start_a_program(stranger: Path) -> None:
    refused(stranger, f"subprocess:Popen(args='touch {stranger}/made', shell=True)")


def test_a_file_may_not_name_a_class_of_a_module(stranger: Path) -> None:
    refused(stranger, "strangers_module:Mine")
    refused(stranger, "strangers_module:Mine(depth=2)")


def test_nor_within_the_settings_of_another_player(stranger: Path) -> None:
    refused(stranger, "duct(root='strangers_module:Mine')")
    refused(stranger, "duct(root='duct(root=\\\\'strangers_module:Mine\\\\')')")


def test_allowed_by_its_name_it_plays(stranger: Path) -> None:
    (stranger / "cup.toml").write_text(TOURNAMENT.replace("{spec}", "strangers_module:Mine"))
    refusal = sandtable("tournament", "cup.toml", cwd=stranger, code=2).stderr
    assert "--allow-code strangers_module:Mine" in refusal
    assert traces(stranger) == set()
    sandtable("tournament", "cup.toml", "--allow-code", "strangers_module:Other", cwd=stranger, code=2)
    assert traces(stranger) == set()
    played = sandtable("tournament", "cup.toml", "--allow-code", "strangers_module:Mine", cwd=stranger)
    assert "strangers_module:Mine" in played.stdout


def test_on_one_s_own_command_line_nothing_is_asked(stranger: Path) -> None:
    sandtable("match", "strangers_module:Mine", "random", "--map", "ford", "--games", 2, cwd=stranger)


def test_only_classes_of_players_are_instantiated(stranger: Path) -> None:
    with pytest.raises(PlayerError, match="a player has act"):
        player("strangers_module:NoPlayer")
    assert traces(stranger) <= {"imported"}
    with pytest.raises(PlayerError, match="a player has act"):
        player("subprocess:Popen(args='true')")


def test_what_the_shipped_players_do() -> None:
    kinds = {name: player_class(name) for name in players()}
    assert [name for name, kind in kinds.items() if runs_code(kind)] == ["bot"]
    assert {"pvmcts", "minimax", "sandtable"} <= {name for name, kind in kinds.items() if reads_files(kind)}
    assert not any(reads_files(kinds[name]) for name in ("random", "greedy", "pmc"))
    for name in kinds.keys() - {"bot"}:
        check_code(name, lambda _: False)


def test_a_player_that_declares_to_run_code_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_class("random"), "runs_code", True, raising=False)
    with pytest.raises(PlayerError, match="--allow-code random"):
        check_code("random(seed=3)", lambda _: False)
    check_code("random(seed=3)", lambda name: name == "random")
