"""The platform's .sgf records: round trips, games that cannot be written, and one-line errors for damaged files."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import sandtable as st
from sandtable.arena.record import Record
from sandtable.errors import RecordError
from sandtable.tubstap.platform import sgf
from support.commands import sandtable

EXAMPLE = """\
SIZEX[5];SIZEY[3];
TURNLIMIT[4];HPTHRESHOLD[0];
UNITNUMRED[1];UNITNUMBLUE[1];
MAP[0,0,0,0,0];
MAP[0,1,1,1,0];
MAP[0,0,0,0,0];
UNIT[1,1,infantry,0,10,0];
UNIT[3,1,panzer,1,10,0];
PLAYEDDATE[];PLAYEDRULE[rule_set_version_0100];PLAYERRED[one]PLAYERBLUE[two];
TURNINFO[0,0,1];
ACTION[0,2,1,1,1,-1,0,0,1,0,0];
TURNINFO[1,1,1];
ACTION[1,3,1,3,1,0,2,1,2,7,0];
TURNINFO[2,0,1];
ACTION[-1,0,0,0,0,-1,0,0,3,0,0];
TURNINFO[3,1,1];
ACTION[1,3,1,3,1,0,2,1,2,3,0];
"""


def played(map: str, seed: int, rules: str = "original") -> Record:
    return st.play(st.tubstap.load(map, rules), "random", "greedy", seed=seed)


def test_the_example_of_the_format_is_read_and_written() -> None:
    record = sgf.read(EXAMPLE.encode(), "example")
    assert (record.players, record.winner, record.reason, record.turns) == (("one", "two"), 1, "annihilation", 3)
    attack = st.tubstap.Move(1, 3, 1, 0)
    assert record.moves == (st.tubstap.Move(0, 2, 1, None), attack, None, attack)
    assert st.Record.from_line(record.to_line()) == record
    assert sgf.write(record).decode() == EXAMPLE
    record.verify()


@pytest.mark.parametrize(("map", "rules"), [("ford", "original"), ("duel", "platform"), ("crossroads", "original")])
def test_games_round_trip(map: str, rules: str) -> None:
    for seed in range(3):
        record = played(map, seed, rules)
        written = sgf.write(record)
        again = sgf.read(written, map)
        assert again.moves == record.moves
        assert (again.winner, again.reason, again.turns) == (record.winner, record.reason, record.turns)
        assert again.players == record.players
        assert sgf.write(again) == written
        if rules == "original":
            assert again.digest == record.digest


def test_attacks_that_do_no_damage_need_the_platform_s_rules() -> None:
    text = EXAMPLE.replace("panzer", "fighter").replace("TURNLIMIT[4]", "TURNLIMIT[1]")
    text = text.partition("TURNINFO")[0] + "TURNINFO[0,0,1];\nACTION[0,2,1,1,1,1,3,1,2,0,0];\n"
    record = sgf.read(text.encode(), "example")
    assert record.start.scenario.rules == st.tubstap.rules("platform")
    assert sgf.write(record).decode() == text


def test_units_without_an_action_stay() -> None:
    shortened = EXAMPLE.replace("TURNINFO[2,0,1];\nACTION[-1,0,0,0,0,-1,0,0,3,0,0];\n", "TURNINFO[2,0,0];\n")
    assert sgf.read(shortened.encode(), "example").moves[2] is None


def test_games_that_the_platform_cannot_have_played_are_not_written() -> None:
    with pytest.raises(RecordError, match="under the rules original or platform"):
        sgf.write(played("duel", 1, "kimura2020"))
    with pytest.raises(RecordError, match="hold only games of tubstap"):
        sgf.write(st.play(st.load("simple"), "random", "random", seed=1))
    begun = st.tubstap.load("duel").start()
    begun.play(begun.moves()[0])
    begun.end_turn()
    with pytest.raises(RecordError, match=r"the map at the start of an \.sgf: a \.tbsmap holds only games that have"):
        sgf.write(st.play(begun, "random", "random", seed=1))


def test_names_cannot_end_a_statement() -> None:
    record = st.play(st.tubstap.load("duel"), "random", "random", seed=1)
    strange = Record(**{**vars(record), "players": ("a];ACTION[", "b\nc\x1b")})
    assert sgf.read(sgf.write(strange), "duel").players == ("a),ACTION(", "b c\ufffd")


DAMAGE = {
    "breaks off": ("TURNINFO[3,1,1];\nACTION[1,3,1,3,1,0,2,1,2,3,0];\n", "", "the file ends in turn 3"),
    "an action is missing": ("ACTION[0,2,1,1,1,-1,0,0,1,0,0];\n", "", r"TURNINFO\[1,1,1\]: 1 ACTION statements of the"),
    "an action too many": ("TURNINFO[0,0,1]", "TURNINFO[0,0,0]", "more than its TURNINFO announced"),
    "wrong turn": ("TURNINFO[1,1,1]", "TURNINFO[3,1,1]", "it is turn 1, of team 1"),
    "wrong team": ("TURNINFO[1,1,1]", "TURNINFO[1,0,1]", "it is turn 1, of team 1"),
    "no numbers": ("TURNINFO[1,1,1]", "TURNINFO[1,x,1]", r"must be \[turn,team,operations\]"),
    "illegal": ("ACTION[0,2,1,1,1", "ACTION[0,9,1,1,1", "ACTION 1 .*off the board"),
    "unknown unit": ("ACTION[0,2,1,1,1", "ACTION[7,2,1,1,1", "ACTION 1 .*there is no unit 7"),
    "too few": ("ACTION[0,2,1,1,1,", "ACTION[0,2,1,1,", "has 10 values where an operation has 11"),
    "a word": ("ACTION[0,2,1,1,1,", "ACTION[0,2,1,1,one,", "from_y: 'one' is not a whole number"),
    "unknown kind": ("0,0,1,0,0]", "0,0,4,0,0]", "kind: 4 is not 1"),
    "a move with a target": ("1,1,-1,0,0,1,0,0]", "1,1,1,0,0,1,0,0]", "only an attack has one"),
    "other damage": ("2,1,2,7,0]", "2,1,2,6,0]", "dealt is 6 where the game has 7"),
    "other place": ("ACTION[0,2,1,1,1", "ACTION[0,2,1,3,1", "from_x is 3 where the game has 1"),
    "a damaged map": ("SIZEX[5];", "", "SIZEX is missing"),
    "an open bracket": ("ACTION[1,3,1,3,1,0,2,1,2,3,0];\n", "ACTION[1,3,1,3,1,0", "the closing ] is missing"),
}


@pytest.mark.parametrize(("old", "new", "message"), DAMAGE.values(), ids=DAMAGE)
def test_damaged_files_get_a_one_line_error(old: str, new: str, message: str) -> None:
    assert EXAMPLE.count(old) == 1 or old == "0,0,1,0,0]"
    with pytest.raises(RecordError, match=message) as caught:
        sgf.read(EXAMPLE.replace(old, new).encode(), "example")
    assert "\n" not in str(caught.value)


@settings(max_examples=150, deadline=None)
@given(some.integers(0, len(EXAMPLE) - 1), some.integers(0, 40), some.binary(max_size=12))
def test_any_damage_is_refused_or_harmless(at: int, length: int, inserted: bytes) -> None:
    data = EXAMPLE.encode()
    try:
        record = sgf.read(data[:at] + inserted + data[at + length :], "damaged")
    except RecordError as error:
        assert "\n" not in str(error)
    else:
        record.verify()


def test_the_commands_import_and_export_games(tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text(EXAMPLE)
    printed = sandtable("games", "import", "game.sgf", "--out", "games.jsonl", cwd=tmp_path).stdout
    assert printed == "1 game replayed and written to games.jsonl\n"
    sandtable("show", "games.jsonl", "--verify", cwd=tmp_path)
    sandtable("games", "export", "games.jsonl", "--format", "sgf", "--out", "again.sgf", cwd=tmp_path)
    assert (tmp_path / "again.sgf").read_text() == EXAMPLE
    (tmp_path / "bad.sgf").write_text(EXAMPLE[:300])
    error = sandtable("games", "import", "game.sgf", "bad.sgf", "--out", "two.jsonl", cwd=tmp_path, code=2).stderr
    assert re.fullmatch(r"sandtable: bad\.sgf: .*\n", error)
    assert not (tmp_path / "two.jsonl").exists()
    error = sandtable("games", "import", "game.txt", "--out", "x.jsonl", cwd=tmp_path, code=2).stderr
    assert "No such file" in error
