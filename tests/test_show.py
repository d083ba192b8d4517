"""`sandtable show`: positions, moves in words, stepping with keys, games of a store."""

import io
from pathlib import Path

import pytest
from rich.console import Console

import sandtable as st
from sandtable.arena import tournament
from sandtable.arena.record import Record
from sandtable.arena.record_formats import write_text
from sandtable.arena.store import Store
from sandtable.cli import show
from sandtable.web.replays import read_records
from support.commands import sandtable as run


@pytest.fixture(scope="module")
def record() -> st.Record:
    return st.play(st.tubstap.load("duel"), "random", "greedy", seed=1)


def test_moves_are_shown_as_sentences_and_in_notation(record: st.Record, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    land = st.play(st.conquest.load("simple"), "random", "flow", seed=1)
    path.write_text(f"{record.to_line()}\n{land.to_line()}\n")
    game = st.game("tubstap")
    lines = run("show", path, "--moves").stdout.splitlines()
    for number, (state, kept) in enumerate(zip(record.states(), record.moves, strict=False)):
        (move,) = game.moves_of(state, kept)
        assert f"{number}: {game.notation(state, move)}: {game.describe(state, move)}" in lines
    assert "rules original" in lines[0]
    both = run("show", path, "--game", 2, "--moves").stdout
    assert "; blue " in both
    assert ": red deploys" in both


def test_the_description_of_a_move_names_the_unit_and_its_place() -> None:
    state = st.tubstap.load("duel").start()
    descriptions = {st.game("tubstap").describe(state, move) for move in state.moves()}
    unit = next(unit for unit in state.units if unit.side == 0)
    assert f"red {unit.kind} at ({unit.x}, {unit.y}) stays" in descriptions


def stepped(record: st.Record, *keys: str, width: int = 80, height: int = 24) -> list[str]:
    """The screens that are shown while these keys are pressed."""
    pressed = iter(keys)
    screens: list[str] = []
    console = Console(
        file=io.StringIO(), force_terminal=True, color_system=None, width=width, height=height, highlight=False
    )

    def read_key() -> str:
        screens.append(console.file.getvalue().rpartition("\x1b[2J")[2])  # type: ignore[attr-defined]
        return next(pressed)

    show.step_through(record, console, read_key)
    return screens


def test_keys_step_through_a_game(record: st.Record) -> None:
    last = len(record.moves)
    right, left, home, end = "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F"
    screens = stepped(record, right, " ", left, left, left, end, right, home, "x", "q")
    places = [screen.partition("position ")[2].split()[0] for screen in screens]
    assert places == ["0", "1", "2", "1", "0", "0", str(last), str(last), "0", "0"]
    assert "has won after" in screens[6] or "a draw after" in screens[6]
    assert "next: red " in screens[0]


@pytest.mark.parametrize(("width", "height"), [(80, 24), (80, 30), (120, 50), (40, 8)])
def test_every_screen_fits_the_terminal(width: int, height: int) -> None:
    keys = (" ", "\x1b[B", "\x1b[6~", ">", ">", "\x1b[F", "\x1b[5~", "<", "q")
    for played in (
        st.play(st.conquest.load("italy"), "random", "flow", seed=1),
        st.play(st.tubstap.load("capital"), "random", "random", seed=1),
    ):
        for screen in stepped(played, *keys, width=width, height=height):
            lines = screen.partition("\x1b[H")[2].split("\n")
            assert len(lines) <= height
            assert all(len(line) <= width for line in lines)


def test_positions_that_do_not_fit_can_be_scrolled() -> None:
    land = st.play(st.conquest.load("italy"), "flow", "flow", seed=1)
    screens = stepped(land, *["\x1b[B"] * 3, "\x1b[6~\x1b[6~", " ", "\x1b[A", "\x1b[5~\x1b[5~\x1b[5~", "q")
    names = st.conquest.load("italy").territories
    assert [names[0] in screen for screen in screens] == [True, *[False] * 6, True]
    assert [names[2] in screen for screen in screens[:4]] == [True, True, True, False]
    assert ["turn " in screen for screen in screens[3:6]] == [False, True, True]  # the scrolling is kept
    assert "up, down: rows 4 to " in screens[3]
    board = st.play(st.tubstap.load("capital"), "random", "random", seed=1)
    screens = stepped(board, ">", ">", ">", "<", "q")
    assert "< >: columns 1 to 80 of 103" in screens[0]
    assert ["19   20" in screen for screen in screens] == [False, False, False, True, False]


def test_positions_that_fit_are_not_scrolled(record: st.Record) -> None:
    for screen in stepped(record, "\x1b[B", ">", "q", height=40):
        assert "up, down" not in screen
        assert "< >" not in screen


def test_games_of_a_store_are_shown_by_their_numbers(tmp_path: Path) -> None:
    store, games = tmp_path / "cup.sqlite", tmp_path / "games.jsonl"
    done = run("match", "random", "greedy", "--map", "duel", "--map", "pass", "--games", 4, "--store", store)
    assert f"sandtable show {store} --game 1" in done.stderr
    listed = run("games", store).stdout.splitlines()[1:]
    assert [int(line.split()[0]) for line in listed] == list(range(1, 9))
    assert f"wrote {games}" in run("games", "export", store, "--out", games).stderr
    for number in (1, 6):
        assert run("show", store, "--game", number).stdout == run("show", games, "--game", number).stdout
    only = run("games", store, "--map", "pass").stdout.splitlines()[1:]
    for line in only:
        assert line in listed  # with its number in the whole store
    assert "8 games replayed" in run("show", store, "--verify").stdout
    assert "there is no game 9; it holds 8" in run("show", store, "--game", 9, code=2).stderr
    (tmp_path / "other.sqlite").write_bytes(b"SQLite format 3\0" + b"?" * 100)
    assert "other.sqlite" in run("show", tmp_path / "other.sqlite", code=2).stderr


def test_a_file_without_records_is_named_once(tmp_path: Path) -> None:
    empty = tmp_path / "empty.sqlite"
    with Store(empty):
        pass
    assert run("show", empty, code=2).stderr == f"sandtable: {empty} holds no records\n"
    with pytest.raises(st.SandtableError, match=r"^the file holds no records$"):  # the page adds its name
        read_records(empty.read_bytes())


def test_a_failed_game_does_not_change_the_numbers_of_others(tmp_path: Path) -> None:
    plan, store = tournament.make("cup", ["random", "greedy"], ["duel"], 4), tmp_path / "cup.sqlite"
    tasks = plan.tasks()
    with Store(store) as opened:
        opened.add(plan.key, [tasks[0].play(), tasks[1].failed("it broke"), tasks[2].play(), tasks[3].play()])
        lines = [row.record for row in opened.rows()]
    listed = run("games", store).stdout.splitlines()[1:]
    assert [int(line.split()[0]) for line in listed] == [1, 2, 3, 4]
    assert "it broke" in listed[1]
    for number in (1, 3, 4):
        game = Record.from_line(lines[number - 1])
        assert run("games", "export", store, "--game", number).stdout == write_text(game).decode()
        assert f"seed {game.seed}, rules" in run("show", store, "--game", number).stdout
    for command in (("show", store), ("games", "export", store)):
        assert "game 2: it failed, and has no record: it broke" in run(*command, "--game", 2, code=2).stderr
    (tmp_path / "folder").mkdir()
    run("games", "export", store, "--out", tmp_path / "folder")
    assert sorted(path.name[:2] for path in (tmp_path / "folder").iterdir()) == ["1-", "3-", "4-"]
    assert [number for number, *_ in read_records(store.read_bytes())] == [1, 3, 4]
    assert "3 games replayed" in run("show", store, "--verify").stdout
