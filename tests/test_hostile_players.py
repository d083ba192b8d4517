"""Players that raise any exception but Ctrl-C's anywhere: each command reports it in one line and fails."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandtable.players.analysing import Engine
from support.commands import sandtable

PLAYERS = """
class OddError(BaseException):
    def __str__(self):
        raise ValueError("no text")


class Leaving(type):
    @property
    def games(cls):
        raise SystemExit(0)


class NamesNoGames(metaclass=Leaving):
    def act(self, state, side=None):
        return state.moves()[0]


class HasNothing:
    games = ("tubstap", "conquest")

    def act(self, state, side=None):
        return state.moves()[0]

    def __getattr__(self, name):
        raise SystemExit(0)


class Odd:
    games = ("tubstap", "conquest")

    def act(self, state, side=None):
        raise OddError

    def analyse(self, state, side=None):
        raise OddError


class Nameless(type):
    @property
    def __name__(cls):
        raise SystemExit(0)


class NamelessError(Exception, metaclass=Nameless):
    pass


class Unnamed:
    games = ("tubstap", "conquest")

    def act(self, state, side=None):
        raise NamelessError

    def analyse(self, state, side=None):
        raise NamelessError
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user's folder with the module `hostile`, which is removed from `sys.modules` afterwards."""
    (tmp_path / "hostile.py").write_text(PLAYERS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("hostile", None)
    yield tmp_path
    sys.modules.pop("hostile", None)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("NamesNoGames", "SystemExit: 0"),
        ("HasNothing", "SystemExit: 0"),
        ("Odd", "OddError"),
        ("Unnamed", "NamelessError"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ("match", "hostile:{name}", "random", "--map", "duel", "--games", 2),
        ("check-player", "hostile:{name}", "--games", 1),
        ("players", "hostile:{name}"),
        ("puzzles", "--player", "hostile:{name}", "--seeds", 1, "--theme", "tag"),
        ("exploitability", "hostile:{name}", "--seeds", 2, "--position", "path"),
    ],
    ids=lambda command: command[0],
)
def test_every_command_reports_a_hostile_player_and_fails(command: tuple[object, ...], name: str, reason: str) -> None:
    if command[0] == "players" and name != "NamesNoGames":
        pytest.skip("this command creates no player")
    code = 1 if name in ("Odd", "Unnamed") and command[0] in ("match", "check-player") else 2
    done = sandtable(*(str(word).format(name=name) for word in command), code=code)
    told = (done.stderr + done.stdout).splitlines()
    assert sum(f"hostile:{name}" in line and reason in line for line in told) >= (code == 2)
    assert any(reason in line for line in told)
    assert code == 1 or done.stderr.count("sandtable: ") == 1


def test_an_analysis_that_raises_anything_is_answered_with_an_error() -> None:
    answers: list[dict[str, object]] = []
    engine = Engine("hostile:Odd", answers.append, 1)
    for name in ("first", "second"):
        engine.ask(json.dumps({"id": name, "game": "tubstap", "map": "duel"}).encode())
    engine.finish()
    assert [(answer["id"], answer["error"]) for answer in answers] == [("first", "OddError"), ("second", "OddError")]
