"""Stores: no game is lost, replaced or mistaken for another; changed and foreign files get a one-line error."""

import functools
import json
import os
import shutil
import sqlite3
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import sandtable as st
from sandtable.arena import tournament
from sandtable.arena.store import Store
from sandtable.arena.tasks import Row
from sandtable.arena.tournament import Tournament
from sandtable.nets.evaluators import locate
from sandtable.web.keeping import GameStore
from support import commands
from support.commands import sandtable as run


def cup(games: int = 4, **options: Any) -> Tournament:
    return tournament.make("cup", ["random", "greedy"], ["duel"], games, **options)


def finished(plan: Tournament, path: Path) -> list[Row]:
    with Store(path) as store:
        tournament.run(plan, store)
        return list(tournament.played(plan, store))


def edit_store(path: Path, statement: str, *values: Any) -> None:
    """Edit the store by hand."""
    database = sqlite3.connect(path)
    database.execute(statement, values)
    database.commit()
    database.close()


def test_a_game_is_never_replaced_unless_it_failed(tmp_path: Path) -> None:
    plan = cup()
    task = plan.tasks()[0]
    with Store(tmp_path / "store") as store:
        store.add(plan.key, [task.failed("it broke")])
        assert [row.error for row in store.rows()] == ["it broke"]
        good = task.play()
        store.add(plan.key, [good])
        assert list(store.rows()) == [good]
        for again in (good, task.failed("later")):
            with pytest.raises(st.SandtableError, match="it already has one of these games"):
                store.add(plan.key, [plan.tasks()[1].play(), again])
        assert list(store.rows()) == [good], "all rows of a group, or none"


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE games SET number = (number + 2) % 4",
        "UPDATE games SET task = 'abc' WHERE number = 1",
        "UPDATE games SET first = 'greedy', second = 'random'",
        "UPDATE games SET ground = 'ford' WHERE number = 2",
    ],
)
def test_rows_that_disagree_with_their_tasks_are_refused(edit: str, tmp_path: Path) -> None:
    plan = cup()
    finished(plan, tmp_path / "store")
    edit_store(tmp_path / "store", edit)
    with pytest.raises(st.SandtableError, match=r"does not belong to its task|has the record of another game"):
        finished(plan, tmp_path / "store")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("winner", 2),
        ("winner", "red"),
        ("winner", 0.5),
        ("number", "one"),
        ("number", -1),
        ("turns", 1.5),
        ("first_seat_won", 7),
        ("first_seat_won", None),
        ("winner", None),
        ("error", "a failure, though somebody won"),
        ("seconds0", "long"),
        ("seconds1", float("inf")),
        ("seconds1", -1.0),
        ("decisions0", "many"),
        ("overruns1", -3),
        ("overruns0", 10**6),
        ("decisions1", 10**18),
        ("turns", 10**12),
        ("number", 10**18),
        ("seconds0", 1e300),
        ("task", b""),
        ("first", b"\xff\xfe"),
        ("second", "\x1b[31mred"),
        ("ground", "\x00"),
        ("error", "\x1b]0;title\x07"),
        ("error", b"5"),
        ("record", b"5"),
    ],
)
def test_values_that_no_game_can_have_are_refused(column: str, value: Any, tmp_path: Path) -> None:
    finished(cup(), tmp_path / "store")
    edit_store(tmp_path / "store", f"UPDATE games SET {column} = ? WHERE number = 0", value)
    with pytest.raises(st.SandtableError, match="damaged: the game ") as caught, Store(tmp_path / "store") as store:
        list(store.rows())
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("kind", [Store, GameStore])
def test_a_store_must_be_a_regular_file(kind: type[Any], tmp_path: Path) -> None:
    """SQLite would leave its files beside a device, as root even in /dev."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/null")
    before = sorted(tmp_path.iterdir())
    for name in ("pipe", "device"):
        with pytest.raises(st.SandtableError, match="a device, a pipe or an open file"):
            kind(tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before


def test_a_damaged_store_gets_a_one_line_error_and_no_output(tmp_path: Path) -> None:
    finished(cup(), tmp_path / "store.sqlite")
    edit_store(tmp_path / "store.sqlite", "UPDATE games SET winner = 2, second = '\x1b[31m' WHERE number = 3")
    for command in (["ratings", "--table"], ["games", "list"], ["games", "export", "--out", "out.jsonl"]):
        done = run(*command, "store.sqlite", cwd=tmp_path, code=2)
        assert "damaged" in done.stderr
        assert done.stderr.count("\n") == 1
        assert "\x1b" not in done.stderr
        assert done.stdout == ""
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    "edit",
    [
        "task = x'ff'",
        "winner = 2",
        "turns = 'long'",
        "seconds0 = -1.0",
        "decisions0 = 1000000000000000000",
        "number = 0.5",
        "tournament = x'ff'",
        "tournament = char(27) || '[31m'",
    ],
)
def test_a_tournament_does_not_continue_from_a_damaged_store(edit: str, tmp_path: Path) -> None:
    """It does not even count the stored games as progress."""
    match = ("match", "random", "greedy", "--map", "duel", "--store", "store.sqlite", "--games")
    run(*match, 4, cwd=tmp_path)
    edit_store(tmp_path / "store.sqlite", f"UPDATE games SET {edit} WHERE number = 3")
    done = run(*match, 8, cwd=tmp_path, code=2)
    assert "damaged" in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    "edit",
    [
        "record = (SELECT record FROM games WHERE number = 2)",
        "record = json_set(record, '$.winner', NULL)",
        "record = json_set(record, '$.turns', turns + 1)",
        "record = json_set(record, '$.players', json_array('random', 'greedy'))",
        "winner = 1 - winner, first_seat_won = 1 - first_seat_won",
    ],
)
def test_a_record_of_another_game_is_refused(edit: str, tmp_path: Path) -> None:
    finished(cup(), tmp_path / "store.sqlite")
    edit_store(tmp_path / "store.sqlite", f"UPDATE games SET {edit} WHERE number = 1")
    for command in (
        ["show", "store.sqlite", "--game", 2],
        ["show", "store.sqlite", "--verify"],
        ["games", "export", "store.sqlite", "--format", "text", "--out", "games.txt"],
        ["games", "export", "store.sqlite", "--out", "games.jsonl"],
        ["dataset", "export", "store.sqlite", "--out", "data"],
    ):
        done = run(*command, cwd=tmp_path, code=2)
        assert "store.sqlite, game 2: the game random | greedy | duel | 1 has the record of another game" in done.stderr
        assert done.stderr.count("\n") == 1
        assert done.stdout == ""
    assert not (tmp_path / "games.txt").exists()
    assert not (tmp_path / "games.jsonl").exists()


@pytest.mark.parametrize(
    "edit",
    [
        "record = ''",
        "record = 'no JSON'",
        "record = '[]'",
        "record = '{}'",
        "record = json_set(record, '$.players', json_array('random', 'greedy'))",
        "winner = 1 - winner, first_seat_won = 1 - first_seat_won",
    ],
)
def test_a_game_with_the_record_of_another_is_never_counted(edit: str, tmp_path: Path) -> None:
    match = ("match", "random", "greedy", "--map", "duel", "--store", "store.sqlite", "--games")
    run(*match, 4, cwd=tmp_path)
    edit_store(tmp_path / "store.sqlite", f"UPDATE games SET {edit} WHERE number = 1")
    for command in ((*match, 8), ("ratings", "store.sqlite")):
        done = run(*command, cwd=tmp_path, code=2)
        assert "damaged: the game random | greedy | duel | 1 has the record of another game" in done.stderr
        assert done.stderr.count("\n") == 1
        assert done.stdout == ""
    assert run("games", "export", "store.sqlite", "--out", "games.jsonl", cwd=tmp_path, code=2).stderr.count("\n") == 1


def test_a_record_with_another_order_of_keys_still_counts(tmp_path: Path) -> None:
    finished(cup(), tmp_path / "store")
    with Store(tmp_path / "store", write=False) as store:
        lines = {row.task: row.record for row in store.rows()}
    for task, line in lines.items():
        other = json.dumps(json.loads(line), sort_keys=True)
        edit_store(tmp_path / "store", "UPDATE games SET record = ? WHERE task = ?", other, task)
    assert len(finished(cup(8), tmp_path / "store")) == 8


def test_a_tournament_does_not_continue_from_a_record_of_another_seed(tmp_path: Path) -> None:
    """Even if its players and its result are the same."""
    finished(cup(), tmp_path / "store")
    edit_store(tmp_path / "store", "UPDATE games SET record = json_set(record, '$.seed', 5) WHERE number = 1")
    with pytest.raises(st.SandtableError, match=r"damaged: the game .* has the record of another game"):
        finished(cup(8), tmp_path / "store")


def test_a_store_named_like_sqlite_memory_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(finished(cup(), Path(":memory:"))) == 4
    assert (tmp_path / ":memory:").is_file()
    with Store(Path(":memory:"), write=False) as store:
        assert len(list(store.rows())) == 4


def test_reading_a_store_leaves_no_files_beside_it(tmp_path: Path) -> None:
    finished(cup(), tmp_path / "store")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for _ in range(2):
        with Store(tmp_path / "store", write=False) as store:
            assert len(list(store.rows())) == 4
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_unfinished_store_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever statement was the last before the interruption."""
    connect, ended = sqlite3.connect, 0

    class Interrupted(sqlite3.Connection):
        left = 0

        def execute(self, *arguments: Any) -> sqlite3.Cursor:
            if Interrupted.left == 0:
                raise KeyboardInterrupt
            Interrupted.left -= 1
            return super().execute(*arguments)

    for statements in range(30):
        path = tmp_path / f"{statements}.sqlite"
        Interrupted.left = statements
        with monkeypatch.context() as patch:
            patch.setattr(sqlite3, "connect", functools.partial(connect, factory=Interrupted))
            try:
                Store(path).__exit__()
                ended += 1
            except KeyboardInterrupt:
                pass
        assert len(finished(cup(), path)) == 4
    assert 0 < ended < 25


def test_a_replaced_network_begins_a_new_tournament(tmp_path: Path) -> None:
    """The games of one network are never counted for another of the same name."""
    net = tmp_path / "net.safetensors"

    def placed(name: str) -> None:
        source = locate(name)
        for suffix in (".safetensors", ".onnx", ".json"):
            shutil.copy(source.with_suffix(suffix), net.with_suffix(suffix))

    def plan() -> Tournament:
        return tournament.make("cup", [f"minimax(evaluator={str(net)!r}, depth=1)", "random"], ["symmetric"], 2)

    placed("gcn_4")
    first = plan()
    games = finished(first, tmp_path / "store")
    placed("cnn_g")
    second = plan()
    assert second.key != first.key
    assert {task.id for task in second.tasks()}.isdisjoint(task.id for task in first.tasks())
    finished(second, tmp_path / "store")
    placed("gcn_4")
    assert finished(plan(), tmp_path / "store") == games
    with Store(tmp_path / "store") as store:
        assert len(store.tournaments()) == 2
    done = run("ratings", "store", cwd=tmp_path, code=2)
    assert "has different networks in " in done.stderr
    assert "choose one of them with --tournament" in done.stderr
    assert done.stderr.count("\n") == 1
    for one in (first, second):
        run("ratings", "store", "--tournament", one.key, cwd=tmp_path)


def test_a_store_can_be_read_where_nothing_can_be_written() -> None:
    # Not in pytest's folder, which only its user can read: root can write anywhere, so another user reads then.
    drop = "os.setgid(65534); os.setuid(65534)" if os.geteuid() == 0 else ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "store.sqlite"
        finished(cup(), path)
        before = sorted(folder.iterdir())
        path.chmod(0o444)
        folder.chmod(0o555)
        code = f"""
import os, sqlite3  # while Python's own files can be read
from pathlib import Path
from sandtable.arena.store import Store
{drop}
with Store(Path({str(path)!r}), write=False) as store:
    print(len(list(store.rows())))
"""
        done = commands.python(code)
        folder.chmod(0o755)
        assert done.stdout == "4\n", done.stderr
        assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seed", "-1"), "a seed must be a whole number within 0.."),
        (("--seed", "12345678901234567890123"), "a seed must be"),
        (("--workers", "10000000000"), "1024"),
        (("--workers", "0"), "1"),
        (("--games", "10000002"), "games must be within"),
        (("--store", "/"), "a folder; a store is a file"),
        (("--store", ""), "a folder; a store is a file"),
        (("--store", "missing/store.sqlite"), "missing"),
        (("--csv", "missing/pairs.csv"), "missing/pairs.csv"),
        (("--svg", "."), "directory"),
    ],
)
def test_bad_options_are_refused_before_the_first_game(
    arguments: tuple[str, str], message: str, tmp_path: Path
) -> None:
    done = run("match", "random", "greedy", "--map", "duel", *arguments, cwd=tmp_path, code=2)
    assert message in done.stderr
    assert "of 100" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_a_bad_number_of_workers_leaves_no_store(tmp_path: Path) -> None:
    for workers in (0, -1, 10**10):
        text = f'players = ["random", "greedy"]\nmaps = ["duel"]\ngames = 2\nworkers = {workers}\n'
        (tmp_path / "cup.toml").write_text(text)
        assert "workers must be within" in run("tournament", "cup.toml", cwd=tmp_path, code=2).stderr
        assert [path.name for path in tmp_path.iterdir()] == ["cup.toml"]


def test_the_table_is_printed_even_if_the_file_cannot_be_written(tmp_path: Path) -> None:
    done = run("match", "random", "greedy", "--map", "duel", "--games", 2, "--csv", "/dev/full", code=2)
    assert "the first player to move scores" in done.stdout
    assert "/dev/full: No space left on device" in done.stderr


def test_endless_files_are_refused() -> None:
    assert "bytes allowed" in run("show", "/dev/zero", code=2).stderr
    assert "bytes allowed" in run("tournament", "/dev/zero", code=2).stderr


def test_ten_million_games_are_planned_at_once() -> None:
    tasks = cup(10_000_000).tasks()
    assert len(tasks) == 10_000_000
    assert tasks[9_999_999].number == 9_999_999
    for place in (0, 1, 77_777, 9_999_999):
        task = tasks[place]
        assert tasks.place_of(task.id, task.first, task.second, task.ground.name, task.number) == place
    assert [task.id for task in cup(4).tasks()] == [task.id for task in tasks[:4]]
    with pytest.raises(IndexError):
        tasks[10_000_000]


def test_tournaments_too_large_for_memory_are_refused_before_their_maps_are_read() -> None:
    with pytest.raises(st.SandtableError, match=r"4,498,500 pairs of players on a map, .* at most 250,000"):
        tournament.make("cup", [f"random(seed={seed})" for seed in range(3000)], ["missing"], 2)
    with pytest.raises(st.SandtableError, match=r"300,000 pairs of players"):
        tournament.make("cup", ["random", "greedy"], ["missing"] * 300_000, 2)
    with pytest.raises(st.SandtableError, match=r"60,000,000 games, .* at most 50,000,000"):
        tournament.make("cup", ["random", "greedy", "uct"], ["missing"] * 2, 10_000_000)


def test_a_large_store_is_resumed_in_little_memory(tmp_path: Path) -> None:
    """A finished game takes a few bytes of memory, not those of its row."""
    games = 20_000
    plan = cup(games)
    tasks = plan.tasks()
    row = tasks[0].failed("")._replace(error=None)
    fields = {"players": (), "winner": None, "turns": 0, "moves": "x" * 500}

    def played(number: int) -> Row:
        record = json.dumps(fields | {"seed": tasks[number].game_seed})
        return row._replace(task=tasks[number].id, number=number, record=record)

    with Store(tmp_path / "store") as store:
        store.add(plan.key, [played(number) for number in range(games - 2)])
        tracemalloc.start()
        tournament.run(plan, store)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(list(store.finished(plan.key))) == games
    assert peak < 50 * games


def test_the_seeds_of_games_are_not_kept_in_memory() -> None:
    games = 20_000
    tasks = cup(games).tasks()
    tracemalloc.start()
    for task in tasks:
        assert task.game_seed >= 0
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * games


@pytest.mark.parametrize("limit", [8, 16, 20, 22, 24])
def test_too_few_open_files_get_a_one_line_error_and_the_tournament_continues(limit: int, tmp_path: Path) -> None:
    match = commands.command("match", "random", "greedy", "--map", "duel", "--games", 2, "--workers", 2)
    words = [*match, "--store", "store.sqlite"]
    done = commands.run(["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh", *words], tmp_path)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert sum(line.startswith("sandtable: ") for line in done.stderr.splitlines()) == 1
    run("match", "random", "greedy", "--map", "duel", "--games", 2, "--store", "store.sqlite", cwd=tmp_path)


FAILING = """
class Odd(Exception):
    def __str__(self):
        raise ValueError("no text")

class Failing:
    games = ("tubstap",)
    def act(self, state, side=None):
        raise {error}
"""


@pytest.mark.parametrize(
    ("error", "reason", "workers"),
    [
        ("SystemExit(0)", "SystemExit: 0", 1),
        ("SystemExit(0)", "SystemExit: 0", 2),
        ("GeneratorExit()", "GeneratorExit", 1),
        ("Odd()", "Odd", 2),
        ("ValueError('\\x1b[31mred')", "ValueError: \ufffd[31mred", 1),
    ],
)
def test_anything_that_a_player_raises_fails_that_game(error: str, reason: str, workers: int, tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(FAILING.replace("{error}", error))
    match = ("match", "failing:Failing", "random", "--map", "duel", "--games", 2, "--workers", workers)
    done = commands.sandtable_process(*match, "--store", "store.sqlite", cwd=tmp_path, code=1)
    assert "2 of 2 games" in done.stderr
    with Store(tmp_path / "store.sqlite", write=False) as store:
        place = f"{reason} (at failing.py:"  # followed by the line
        assert [(row.error or "")[: len(place)] for row in store.rows()] == [place] * 2


def test_a_store_of_too_many_players_is_refused(tmp_path: Path) -> None:
    """Ratings solve equations, whose memory grows with the square of the number of players."""
    plan = cup()
    row = plan.tasks()[0].play()
    rows = [row._replace(task=str(number), second=f"random(seed={number})") for number in range(1001)]
    with Store(tmp_path / "store.sqlite") as store:
        store.add(plan.key, rows)
    assert "1,002 players, but at most 1,000" in run("ratings", "store.sqlite", cwd=tmp_path, code=2).stderr


def test_a_store_without_a_table_for_stderr_is_read_and_continued(tmp_path: Path) -> None:
    """As earlier versions wrote it."""
    plan, path = cup(2), tmp_path / "store"
    games = finished(plan, path)
    edit_store(path, "DROP TABLE stderr")
    with Store(path, write=False) as store:
        assert list(store.rows()) == games
        assert store.games_with_stderr(plan.key) == 0
    finished(cup(4), path)
    edit_store(path, "INSERT INTO stderr SELECT tournament, task, 1, 'said' FROM games WHERE number = 3")
    with Store(path, write=False) as store:
        assert [row.stderr for row in store.rows()] == [("", "")] * 3 + [("", "said")]
        assert store.games_with_stderr(plan.key) == 1
    edit_store(path, "UPDATE stderr SET text = x'00'")
    with pytest.raises(st.SandtableError, match="damaged: the game "), Store(path, write=False) as store:
        list(store.rows())


def test_a_store_with_a_view_is_refused(tmp_path: Path) -> None:
    """A view runs its own SQL when it is read, and that may never end."""
    finished(cup(), tmp_path / "store")
    edit_store(tmp_path / "store", "CREATE VIEW more AS SELECT * FROM games")
    for write in (False, True):
        with pytest.raises(st.SandtableError, match="views or triggers"):
            Store(tmp_path / "store", write=write)
