"""Games written in Python: the tutorial's, and one in which both sides decide at once."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sandtable as st
from sandtable.arena import tournament
from sandtable.arena.store import Store
from sandtable.games import registry
from support.commands import sandtable, sandtable_process
from support.pages import files

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "your-own-game.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the tutorial's reader, with a toy game beside the tutorial's game."""
    for name, content in files(PAGE):
        (tmp_path / name).write_text(content)
    (tmp_path / "goofspiel.py").write_text((ROOT / "tests" / "support" / "goofspiel.py").read_text())
    return tmp_path


@pytest.fixture
def games(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, st.Game]:
    own = ("skirmish", "goofspiel")  # tests of other files may have registered these
    known = {name: game for name, game in registry._GAMES.items() if name not in own}
    monkeypatch.setattr(registry, "_GAMES", known)
    monkeypatch.syspath_prepend(folder)
    for name in own:
        sys.modules.pop(name, None)
        __import__(name)
    return {name: st.game(name) for name in ("skirmish", "goofspiel")}


def run(folder: Path, *arguments: object, command: Callable[..., Any] = sandtable) -> str:
    done = command("--import", "skirmish", "--import", "goofspiel", *arguments, cwd=folder)
    return str(done.stdout + done.stderr)


def test_the_tutorials_game_is_short() -> None:
    ((_, content),) = files(PAGE)
    assert len(content.splitlines()) < 100


def test_no_file_of_the_package_names_these_games() -> None:
    """TUBSTAP has a generator `skirmish`, so only the class name Skirmish is looked for."""
    for path in Path(st.__file__).parent.rglob("*.py"):
        assert not re.search(r"Skirmish|[Gg]oofspiel", path.read_text()), path


def test_the_tutorials_commands_run(folder: Path, games: dict[str, st.Game]) -> None:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("sandtable ")]
    assert len(lines) == 7
    for number, line in enumerate(lines):
        words = [word for word in re.findall(r'"[^"]*"|\S+', line)[1:] if word not in ("--import", "skirmish")]
        command = sandtable if number else sandtable_process  # the first in a new process, as the reader runs it
        out = run(folder, *(word.strip('"') for word in words), command=command)
        assert "BAD" not in out
    assert "archer at" in run(folder, "show", "games.jsonl", "--moves")
    assert "20 games replayed" in run(folder, "show", "games.jsonl", "--verify")


def test_a_map_without_a_size_is_described_by_its_rules(folder: Path, games: dict[str, st.Game]) -> None:
    assert run(folder, "maps", "show", "skirmish:long").startswith("long: rules skirmish\n")
    assert run(folder, "maps", "check", "skirmish:long") == "ok: skirmish:long: rules skirmish\n"


@pytest.mark.parametrize(
    ("map", "players"),
    [
        ("skirmish:line", ["uct(simulations=20)", "minimax", "pmc(playouts=2)"]),
        ("goofspiel:four", ["regret(simulations=50)", "duct(simulations=50)", "random"]),
    ],
)
def test_a_tournament_is_resumed_and_does_not_depend_on_workers(
    map: str, players: list[str], folder: Path, games: dict[str, st.Game]
) -> None:
    text = f"players = {json.dumps(players)}\nmaps = [{json.dumps(map)}]\ngames = 4\n"
    (folder / "cup.toml").write_text(text)
    (folder / "half.toml").write_text(text.replace("games = 4", 'games = 2\nname = "cup"'))
    run(folder, "tournament", "half.toml", "--store", "a.sqlite", "--workers", 1)
    out = run(folder, "tournament", "cup.toml", "--store", "a.sqlite", "--workers", 2, command=sandtable_process)
    assert "failed" not in out
    run(folder, "tournament", "cup.toml", "--store", "b.sqlite", "--workers", 1)
    for name in "ab":
        run(folder, "games", "export", f"{name}.sqlite", "--out", f"{name}.jsonl")
    assert (folder / "a.jsonl").read_bytes() == (folder / "b.jsonl").read_bytes()
    assert "12 games replayed" in run(folder, "show", "a.jsonl", "--verify")
    assert players[0] in run(folder, "ratings", "a.sqlite")
    run(folder, "show", "a.jsonl", "--svg", "end.svg")
    assert "<svg" in (folder / "end.svg").read_text()


@pytest.mark.parametrize(
    ("player", "reason"),
    [
        ("regret(root='coevolution(generations=2)')", "is a search of conquest, not goofspiel: leave it out"),
        ("duct(evaluator=soares2025)", "evaluator=soares2025 is a network for conquest, not goofspiel: leave it out"),
    ],
)
def test_options_of_another_game_are_refused_before_the_first_game(
    player: str, reason: str, folder: Path, games: dict[str, st.Game]
) -> None:
    done = sandtable("match", player, "random", "--map", "goofspiel:four", "--games", 2, code=2)
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
    with pytest.raises(st.SandtableError, match=reason):
        st.player(player).act(st.load("goofspiel:four").start(), 0)


def test_searches_beat_random_play(games: dict[str, st.Game]) -> None:
    start = st.load("skirmish:line")
    for spec in ("uct(simulations=100)", "pmc(playouts=20)", "minimax(depth=3)"):
        wins = [
            st.play(start, *((spec, "random") if number % 2 == 0 else ("random", spec)), seed=number).winner
            == number % 2
            for number in range(10)
        ]
        assert sum(wins) >= 8, spec
    start = st.load("goofspiel:four")
    for spec in ("regret(simulations=300)", "duct(simulations=300)"):
        scores = [st.play(start, spec, "random", seed=number).winner for number in range(20)]
        assert scores.count(0) > scores.count(1) + 3, (spec, scores)


def test_random_play_keeps_the_invariants(games: dict[str, st.Game]) -> None:
    for game in games.values():
        for seed, name in enumerate(game.shipped()):
            record = st.play(game.load(name), "random", "random", seed=seed)
            again = st.Record.from_line(record.to_line())
            assert again.to_line() == record.to_line()
            last = again.verify()
            assert game.movers(last) == ()
            for state, kept in zip(record.states(), record.moves, strict=False):
                before = state.hash()
                copy = state.copy()
                game.replay(copy, kept)
                assert (state.hash(), game.movers(state) != ()) == (before, True)
                assert len(game.moves_of(state, kept)) == len(game.movers(state))
                assert all(isinstance(game.describe(state, move), str) for move in game.moves_of(state, kept))
            # A game from the middle of another: its record contains the earlier moves.
            middle = next(state for number, state in enumerate(record.states()) if number == 2)
            later = st.play(middle, "random", "random", seed=7)
            st.Record.from_line(later.to_line()).verify()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"game": "chess"}, "no game is called 'chess'"),
        ({"map": {"name": "circle"}}, "skirmish has no map 'circle'"),
        ({"map": 5}, "must be an object"),
        ({"moves": [99]}, "record: move 0"),
        ({"moves": [[0, 0]]}, "must be a whole number"),
        ({"start": [-1]}, "not within"),
        ({"start": [99]}, r"start\[0\]"),
    ],
)
def test_bad_records_are_refused(change: dict[str, Any], problem: str, games: dict[str, st.Game]) -> None:
    line = json.loads(st.play(st.load("skirmish:line"), "random", "random").to_line())
    with pytest.raises(st.RecordError, match=problem):
        st.Record.from_line(json.dumps(line | change)).verify()


def test_incomplete_games_and_wrong_players_are_refused(games: dict[str, st.Game]) -> None:
    class Half:
        side, over = 0, True

        def moves(self) -> list[int]:
            return [0]

    with pytest.raises(st.SandtableError, match="Half has no value, hash, copy, play"):
        st.PythonGame("half", Half, {"one": Half})
    with pytest.raises(st.SandtableError, match="needs a map"):
        st.PythonGame("mapless", type(st.load("skirmish:line").start().own), {})
    with pytest.raises(st.SandtableError, match="already"):
        st.register_game(st.PythonGame("tubstap", type(st.load("skirmish:line").start().own), {"one": Half}))
    with pytest.raises(st.SandtableError, match="lower-case letters"):
        st.register_game(st.PythonGame("My Game", type(st.load("skirmish:line").start().own), {"one": Half}))
    with pytest.raises(st.MapError, match="did you mean 'line'"):
        st.load("skirmish:lin")
    with pytest.raises(st.PlayerError, match="policy must be uniform"):
        st.player("uct(policy=attack80)").act(st.load("skirmish:line").start(), 0)
    with pytest.raises(st.PlayerError, match="muct plays tubstap, not skirmish"):
        st.player("muct").act(st.load("skirmish:line").start(), 0)


def test_errors_in_a_game_reach_the_caller(games: dict[str, st.Game], monkeypatch: pytest.MonkeyPatch) -> None:
    start = st.load("skirmish:line").start()

    def broken(self: Any) -> list[Any]:
        raise KeyError("oops")

    monkeypatch.setattr(type(start.own), "moves", broken)
    for spec in ("uct(simulations=5)", "pmc", "minimax"):
        with pytest.raises(KeyError, match="oops"):
            st.player(spec).act(start.copy(), 0)
    monkeypatch.setattr(type(start.own), "moves", lambda self: [])
    with pytest.raises(st.PlayerError, match="there is no move"):
        st.player("uct(simulations=5)").act(start.copy(), 0)


def test_a_repeated_tournament_reuses_its_stored_games(games: dict[str, st.Game], tmp_path: Path) -> None:
    cup = tournament.make("cup", ["random", "uct(simulations=5)"], ["skirmish:line", "skirmish:long"], 2)
    with Store(tmp_path / "cup.sqlite") as store:
        tournament.run(cup, store)
        lines = [row.record for row in tournament.played(cup, store)]
    with Store(tmp_path / "cup.sqlite") as store:
        tournament.run(cup, store)
        assert [row.record for row in tournament.played(cup, store)] == lines
    assert len(lines) == 4
