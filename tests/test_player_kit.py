"""The conformance kit for players, and users' own players."""

import sys
from pathlib import Path
from typing import Any

import pytest

import sandtable as st
from sandtable.arena.conformance import check_player
from support.tiny_bots import GOOD, SKELETON, raw_program

BAD_PLAYERS = """
import itertools
from dataclasses import dataclass
counter = itertools.count()

class Illegal:
    games = ("tubstap",)
    def act(self, state, side=None):
        return (0, 99, 99, None)

class Changing:
    games = ("tubstap",)
    def act(self, state, side=None):
        move = state.moves()[0]
        state.play(move)
        return move

class Moody:
    games = ("tubstap",)
    def act(self, state, side=None):
        moves = state.moves()
        return moves[next(counter) * 7 % len(moves)]

class Leaving:
    games = ("tubstap",)
    def act(self, state, side=None):
        raise SystemExit(0)

class Plain:
    games = ("tubstap",)
    def act(self, state, side):
        return None

class Chess:
    games = ("chess",)
    def act(self, state):
        return None

class Crashing:
    games = ("conquest",)
    def act(self, state, side=None):
        raise KeyError("oops")

@dataclass
class Slow:
    seconds: float | None = None
    games = ("tubstap",)
    def act(self, state, side=None):
        import time
        time.sleep(0.2 if self.seconds else 0)
        return state.moves()[0]
"""


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Illegal", "illegal move: (99, 99) is off the board"),
        ("Changing", "act() changed the state"),
        ("Moody", "two games with the same seed differ"),
        ("Crashing", "KeyError: 'oops'"),
        ("Slow", " s; the limit is 0."),
        ("Leaving", "SystemExit"),
    ],
)
def test_the_kit_finds_each_fault(name: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad_players.py").write_text(BAD_PLAYERS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("bad_players", None)
    problems = [found for _, found in check_player(f"bad_players:{name}", games=1) if found]
    assert any(problem in found for found in problems), problems
    assert not any(found for _, found in check_player("bad_players:Plain", games=1))  # which ends every turn at once
    with pytest.raises(st.PlayerError, match="its `games` must be"):
        list(check_player("bad_players:Chess"))


def test_a_bot_is_checked_in_the_games_that_it_plays(tmp_path: Path) -> None:
    code = SKELETON.replace('["tubstap", "conquest"]', '["conquest"]').replace("{misbehaviour}", f"    {GOOD}")
    spec = f"bot(command='{raw_program(tmp_path, code)}')"
    checks = list(check_player(spec))
    assert {name.partition(":")[0] for name, _ in checks} == {"simple", "owl_island"}
    assert not any(problem for _, problem in checks)
    bot = st.player(spec)
    with pytest.raises(st.PlayerError, match="plays conquest, not tubstap"):
        bot.act(st.tubstap.load("duel").start())


@pytest.mark.parametrize(
    "code", ["syntax error", "raise KeyError(1)", "from json import nothing", "import sys; sys.exit(3)"]
)
def test_a_module_that_cannot_be_imported_gets_a_one_line_error(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_module.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("broken_module", None)
    with pytest.raises(st.PlayerError, match="broken_module:Player") as caught:
        st.player("broken_module:Player")
    assert "\n" not in str(caught.value)


def test_settings_of_a_users_own_player_are_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "typed_module.py").write_text(
        "from dataclasses import dataclass\nfrom typing import Literal, Optional\n"
        "@dataclass\nclass Player:\n    depth: Optional[int] = None\n    mode: Literal['a', 'b'] = 'a'\n"
        "    other: 'Unknown' = 1\n    games = ('tubstap',)\n    def act(self, state, side): return state.moves()[0]\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    made: Any = st.player("typed_module:Player(depth=3, mode=b, other=x)")
    assert (made.depth, made.mode, made.other) == (3, "b", "x")
    assert st.play(st.tubstap.load("duel"), made, "random").players[0].startswith("typed_module:Player(depth=3")
