"""Records for people and other programs: notation, digests, and the commands that write them."""

import json
import subprocess
from pathlib import Path

import pytest

import sandtable as st
from sandtable.arena.record import Record
from sandtable.arena.record_formats import read, turns, write_json, write_text
from sandtable.arena.store import Store
from sandtable.errors import RecordError
from support.commands import sandtable


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return [st.play(st.load(name), "random", "random", seed=1) for name in ("duel", "simple")]


def test_a_text_has_a_line_for_each_turn(records: list[Record]) -> None:
    for record in records:
        head, _, moves = write_text(record).decode().partition("\n\n")
        assert head.splitlines()[0] == f"game     {record.digest}"
        assert len(moves.splitlines()) == len(list(turns(record)))
    duel, simple = (write_text(record).decode() for record in records)
    assert "\n   0 side 0: " in duel
    assert "\n   1 side 1: " in duel
    assert "\n   0 both: " in simple
    assert " | " in simple


def test_notation_has_every_move(records: list[Record]) -> None:
    duel, simple = records
    assert sum(len(moves) for _, _, moves in turns(duel)) == len(duel.moves)
    assert [(turn, movers) for turn, movers, _ in turns(simple)] == [(turn, (0, 1)) for turn in range(simple.turns)]
    unit, x, y, _ = duel.moves[0]
    assert next(turns(duel))[2][0].startswith(f"{unit}:{x},{y}")


def test_json_round_trips_and_damaged_json_is_refused(records: list[Record]) -> None:
    for record in records:
        written = write_json(record)
        assert read(written, "json", "name").to_line() == record.to_line()
        found = json.loads(written)
        found["digest"] = "0" * 16
        with pytest.raises(RecordError, match="digest: '0000000000000000' where the game has"):
            read(json.dumps(found).encode(), "json", "name")
    for damaged in (b"", b"[]", b"{}", b'{"record":{}}', b"[" * 100_000, b"\xff", written[:-30]):
        with pytest.raises(RecordError):
            read(damaged, "json", "name")


def test_the_digest_depends_on_rules_and_moves_alone(records: list[Record]) -> None:
    duel = records[0]
    assert Record.from_line(duel.to_line()).digest == duel.digest
    renamed = Record(**{**vars(duel), "players": ("a", "b"), "seed": 7})
    assert renamed.digest == duel.digest
    assert Record(**{**vars(duel), "moves": duel.moves[:-1]}).digest != duel.digest
    other_rules = st.play(st.tubstap.load("duel", "platform"), "random", "random", seed=1)
    assert len({duel.digest, records[1].digest, other_rules.digest}) == 3
    assert duel.digest == "2bba39179c9eb0d5"


def test_the_commands_export_and_import_games(tmp_path: Path, records: list[Record]) -> None:
    (tmp_path / "games.jsonl").write_text("".join(record.to_line() + "\n" for record in records))

    def games(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        return sandtable("games", *arguments, cwd=tmp_path, code=code)

    assert games("export", "games.jsonl").stdout.count("result ") == 2
    assert games("export", "games.jsonl", "--game", 2).stdout == write_text(records[1]).decode()
    (tmp_path / "folder").mkdir()
    games("export", "games.jsonl", "--format", "json", "--out", "folder")
    names = [f"{number}-{record.digest}.json" for number, record in enumerate(records, 1)]
    assert sorted(path.name for path in (tmp_path / "folder").iterdir()) == names
    games("import", *(f"folder/{name}" for name in names), "--out", "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text() == (tmp_path / "games.jsonl").read_text()
    for words, message in (
        (("export", "games.jsonl", "--format", "sfg"), "there is no format 'sfg' (did you mean 'sgf'?)"),
        (("export", "games.jsonl", "--format", "sgf", "--game", 2), "game 2: records of conquest have no format sgf"),
        (("export", "games.jsonl", "--game", 3), "there is no game 3; it holds 2"),
        (("export", "games.jsonl", "--format", "json", "--out", "x.json"), "2 games need an existing folder"),
        (("import", "games.jsonl", "--out", "x.jsonl"), "not from .jsonl"),
        (("export", "nothing.jsonl"), "No such file"),
    ):
        error = games(*words, code=2).stderr
        assert message in error
        assert error.count("\n") == 1


def test_a_store_is_exported_and_still_listed(tmp_path: Path) -> None:
    sandtable("match", "random", "greedy", "--map", "duel", "--games", 2, "--store", "g.sqlite", cwd=tmp_path)
    assert "random | greedy | duel | 0" in sandtable("games", "g.sqlite", cwd=tmp_path).stdout
    assert (
        sandtable("games", "list", "g.sqlite", cwd=tmp_path).stdout
        == sandtable("games", "g.sqlite", cwd=tmp_path).stdout
    )
    assert sandtable("games", "export", "g.sqlite", cwd=tmp_path).stdout.count("result ") == 2
    with Store(tmp_path / "g.sqlite", write=False) as store:
        lines = "".join(f"{row.record}\n" for row in store.rows())
    assert sandtable("games", "export", "g.sqlite", "--format", "jsonl", cwd=tmp_path).stdout == lines
    mine = ("--player", "greedy", "--map", "duel", "--tournament", "match")
    sandtable("games", "export", "g.sqlite", *mine, "--out", "mine.jsonl", cwd=tmp_path)
    assert (tmp_path / "mine.jsonl").read_text() == lines
    for words, message in (
        (("g.sqlite", "--player", "uct"), "no game matches this player and map"),
        (("g.sqlite", "--tournament", "cup"), "no tournament is called 'cup'"),
        (("mine.jsonl", "--player", "random"), "a file of records; --player and --map work only with a store"),
        (("mine.jsonl", "--tournament", "match"), "a file of records; only a store has tournaments"),
        (("g.sqlite", "--format", "jsonl", "--out", "."), "directory"),
    ):
        assert message in sandtable("games", "export", *words, cwd=tmp_path, code=2).stderr
