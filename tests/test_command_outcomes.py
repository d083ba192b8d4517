"""What commands report: the files that they wrote, tables that fit, and how to continue after Ctrl-C."""

import io
import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sandtable.arena import matches, tournament
from sandtable.cli import results
from sandtable.players import players
from sandtable.progress import Bars
from support.commands import sandtable as run

CUP = 'players = ["random", "greedy", "uct(simulations=5)"]\nmaps = ["duel"]\ngames = 4\n'


def test_commands_say_what_they_wrote(tmp_path: Path) -> None:
    for words in (
        ("maps", "show", "duel", "--svg", "duel.svg"),
        ("maps", "convert", "duel", "duel.json"),
        ("maps", "generate", "symmetric", "--out", "one.tbsmap"),
        ("match", "random", "greedy", "--map", "duel", "--games", 2, "--csv", "pairs.csv"),
        ("match", "random", "greedy", "--map", "duel", "--games", 2, "--svg", "pairs.svg"),
    ):
        done = run(*words, cwd=tmp_path)
        assert f"wrote {words[-1]}" in done.stderr
        assert (tmp_path / str(words[-1])).is_file()
    folder = run("maps", "generate", "symmetric", "--count", 3, "--out", "made", cwd=tmp_path)
    assert folder.stderr == "wrote made: 3 maps\n"
    assert "wrote" not in run("maps", "convert", "duel", "/dev/stdout", code=2).stderr


@pytest.mark.parametrize("name", ["one.json", "one.tbsmap", "one.svg"])
def test_several_maps_do_not_create_a_folder_named_like_a_file(name: str, tmp_path: Path) -> None:
    done = run("maps", "generate", "symmetric", "--count", 3, "--out", name, cwd=tmp_path, code=2)
    assert "3 maps need a folder" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_tournament_ends_with_its_table_and_ratings(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    shown = run("tournament", "cup.toml", cwd=tmp_path).stdout
    assert "both seats" in shown
    assert "the first player to move scores" in shown
    ratings = run("ratings", "cup.sqlite", cwd=tmp_path).stdout
    assert shown.endswith(ratings)
    assert all(len(line) <= 80 for line in shown.splitlines())
    found = json.loads(run("tournament", "cup.toml", "--json", cwd=tmp_path).stdout)
    assert [one["player"] for one in found["ratings"]] == [line.split()[0] for line in ratings.splitlines()[1:]]


def test_a_store_that_has_other_games_of_the_name_is_reported(tmp_path: Path) -> None:
    def match(second: str) -> str:
        return run("match", "random", second, "--map", "duel", "--games", 2, "--store", "s.sqlite", cwd=tmp_path).stderr

    said = "s.sqlite: the store already has other games of 'match'; the new ones are added\n"
    assert [said in match(second) for second in ("greedy", "greedy", "uct(simulations=2)")] == [False, False, True]


def test_tables_of_long_names_fit(tmp_path: Path) -> None:
    names = ["uct(simulations=3, c=0.25)", "uct(simulations=2, expand_after=2)"]
    shown = run("match", *names, "--map", "duel", "--games", 2).stdout
    assert f"{names[0]} against {names[1]}" in shown or f"{names[1]} against {names[0]}" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_a_terminal_shows_long_names_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=80, highlight=False)
    monkeypatch.setattr(results, "terminal", lambda: terminal)
    names = ["uct(simulations=3, c=0.25)", "uct(simulations=2, expand_after=2)"]
    run("match", *names, "--map", "duel", "--games", 2)
    shown = terminal.file.getvalue()  # type: ignore[attr-defined]
    assert f"{names[0]} against {names[1]}" in shown or f"{names[1]} against {names[0]}" in shown


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_progress_bar_with_a_long_note_keeps_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    note = "greedy 84.4%, random 37.5%, uct(simulations=50) 28.1%"
    with Bars() as bars:
        bars("cup", 24, 24, note)
    shown = terminal.getvalue()
    assert "24/24" in shown
    assert all(word in shown for word in note.split())


def test_descriptions_of_players_are_wrapped_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in players():
        about = run("players", name).stdout.partition("\n\nsetting ")[0].split("\n\n")
        for lines in map(str.splitlines, about):
            for line, after in pairwise(lines):  # the next word would not have fitted
                assert len(line) + 1 + len(after.split()[0]) > 80, line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "its games are lost (--store FILE keeps them)"),
        (("--store", "cup.sqlite"), "the finished games are in cup.sqlite: run the same command again to continue"),
    ],
)
def test_ctrl_c_says_how_to_continue(
    options: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, progress: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    match = ("match", "random", "greedy", "--map", "duel", "--games", 2, *options)
    monkeypatch.setattr(matches, "run", interrupted)
    done = run(*match, cwd=tmp_path, code=130)
    assert done.stderr == f"\nsandtable: stopped; {message}\n"
    monkeypatch.setattr(matches, "run", tournament.run)
    run(*match, cwd=tmp_path)
