"""Map files: reading, writing, and one-line errors for malformed files."""

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as s

import sandtable as st
from sandtable.tubstap import Scenario, jsonmap, tbsmap
from support.examples import examples
from support.map_documents import TBSMAP, board_document
from support.strategies import GENERATORS, scenarios


def test_a_file_is_read() -> None:
    scenario = st.tubstap.parse(TBSMAP)
    assert (scenario.width, scenario.height, scenario.turn_limit, scenario.hp_threshold) == (6, 5, 12, 3)
    assert (scenario.author, scenario.comment, scenario.rules.name) == ("somebody", "a small map", "original")
    assert scenario.terrain[1] == (0, 1, 2, 3, 4, 0)
    assert scenario.units[1] == (1, "fighter", 1, 3, 2, 7, True)


@pytest.mark.parametrize(
    "text",
    [
        TBSMAP.replace("\n", "\r\n"),
        "\ufeff" + TBSMAP,
        TBSMAP.replace("\n", ""),
        TBSMAP.replace(";", ";\n\n ;"),
        TBSMAP.replace(";", " "),  # several keys share one piece
        TBSMAP.rstrip().removesuffix(";"),
        "\n".join(reversed([line for line in TBSMAP.splitlines() if not line.startswith(("MAP[", "UNIT["))]))
        + "\n".join(line for line in TBSMAP.splitlines() if line.startswith(("MAP[", "UNIT["))),
        TBSMAP + "FUTURE[1;2];OTHER[];",
        TBSMAP + "コメント[x];MAP-NAME[y];1P[z];",
        TBSMAP.replace("UNIT[1,1,infantry", "UNIT [ 1 ,\n1, infantry "),
    ],
)
def test_the_layout_of_a_file_does_not_matter(text: str) -> None:
    assert st.tubstap.parse(text) == st.tubstap.parse(TBSMAP)


@pytest.mark.parametrize("comment", ["[a] b", "a;b", "a ] b", "KEY[v", "", "表示ソ能", "日本語[二]"])
def test_comments_may_hold_brackets_and_semicolons(comment: str) -> None:
    assert st.tubstap.parse(TBSMAP.replace("a small map", comment)).comment == comment


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "utf-8-sig", "cp932"])
def test_files_are_read_and_written_in_several_encodings(tmp_path: Path, encoding: str) -> None:
    # The second byte of several of these is a bracket or a backslash in Shift-JIS.
    comment = "plain" if encoding == "ascii" else "ゼゾ表ソ能"
    if encoding == "cp932":
        assert b"[" in comment.encode(encoding)
        assert b"]" in comment.encode(encoding)
    path = tmp_path / "map.tbsmap"
    path.write_bytes(TBSMAP.replace("a small map", comment).encode(encoding))
    scenario = st.tubstap.load(path)
    assert (scenario.comment, scenario.name) == (comment, "map")
    st.tubstap.save(scenario, path, encoding=encoding.removesuffix("-sig"))
    assert st.tubstap.load(path) == scenario


def edited(old: str, new: str) -> str:
    assert old in TBSMAP
    return TBSMAP.replace(old, new, 1)


MALFORMED = {
    "an empty file": ("", "SIZEX is missing"),
    "no SIZEX": (edited("SIZEX[6];", ""), "SIZEX is missing"),
    "no SIZEY": (edited("SIZEY[5];", ""), "SIZEY is missing"),
    "no TURNLIMIT": (edited("TURNLIMIT[12];", ""), "TURNLIMIT is missing"),
    "no HPTHRESHOLD": (edited("HPTHRESHOLD[3];", ""), "HPTHRESHOLD is missing"),
    "no UNITNUMRED": (edited("UNITNUMRED[1];", ""), "UNITNUMRED is missing"),
    "no UNITNUMBLUE": (edited("UNITNUMBLUE[2];", ""), "UNITNUMBLUE is missing"),
    "SIZEX twice": (TBSMAP + "SIZEX[6];", "SIZEX: given twice"),
    "AUTHOR twice": (TBSMAP + "AUTHOR[x];", "AUTHOR: given twice"),
    "a size that is no number": (edited("SIZEX[6]", "SIZEX[six]"), "SIZEX: 'six' is not a whole number"),
    "a size with a fraction": (edited("SIZEX[6]", "SIZEX[6.0]"), "SIZEX: '6.0' is not a whole number"),
    "a size in other digits": (edited("SIZEX[6]", "SIZEX[６]"), "SIZEX: '６' is not a whole number"),
    "a size with an underscore": (edited("SIZEX[6]", "SIZEX[0_6]"), "SIZEX: '0_6' is not a whole number"),
    "an empty size": (edited("SIZEX[6]", "SIZEX[]"), "SIZEX: '' is not a whole number"),
    "a huge size": (edited("SIZEX[6]", "SIZEX[99999999999999]"), "SIZEX: '99999999999999' is not a whole number"),
    "a size past the limit": (edited("SIZEX[6]", "SIZEX[35]"), "SIZEX: 35 is not within 3..34"),
    "a negative turn limit": (edited("TURNLIMIT[12]", "TURNLIMIT[-1]"), "TURNLIMIT: -1 is not within"),
    "a negative threshold": (edited("HPTHRESHOLD[3]", "HPTHRESHOLD[-2]"), "HPTHRESHOLD: -2 is not within"),
    "no red units": (edited("UNITNUMRED[1]", "UNITNUMRED[0]"), "UNITNUMRED: 0 is not within 1..32"),
    "too few rows": (edited("MAP[0,1,1,1,0,0];\n", ""), "MAP: 4 rows where SIZEY says 5"),
    "too many rows": (edited("MAP[0,1,1,1,0,0];", "MAP[0,1,1,1,0,0];MAP[0,1,1,1,0,0];"), "MAP: 6 rows where SIZEY"),
    "endless rows": (TBSMAP + "MAP[0,0,0,0,0,0];" * 40, "MAP: more than 34 rows"),
    "a short row": (edited("MAP[0,1,2,3,4,0]", "MAP[0,1,2,3,0]"), "MAP row 1 has 5 cells where SIZEX says 6"),
    "a long row": (edited("MAP[0,1,2,3,4,0]", "MAP[0,1,2,3,4,4,0]"), "MAP row 1 has 7 cells where SIZEX says 6"),
    "an empty row": (edited("MAP[0,1,2,3,4,0]", "MAP[]"), "MAP row 1: '' is not a whole number"),
    "unknown terrain": (edited("MAP[0,1,2,3,4,0]", "MAP[0,1,2,7,4,0]"), "MAP row 1: 7 is not within 0..6"),
    "terrain in words": (edited("MAP[0,1,2,3,4,0]", "MAP[0,1,sea,3,4,0]"), "MAP row 1: 'sea' is not a whole number"),
    "a gap in the ring above": (edited("MAP[0,0,0,0,0,0]", "MAP[0,0,1,0,0,0]"), "MAP row 0, column 2: the border ring"),
    "a gap in the ring at the side": (
        edited("MAP[0,1,2,3,4,0]", "MAP[0,1,2,3,4,5]"),
        "MAP row 1, column 5: the border ring",
    ),
    "a unit with too few values": (
        edited("UNIT[1,1,infantry,0,10,0]", "UNIT[1,1,infantry,0,10]"),
        "statement 1: 5 values",
    ),
    "a unit with too many": (
        edited("UNIT[1,1,infantry,0,10,0]", "UNIT[1,1,infantry,0,10,0,0]"),
        "statement 1: 7 values",
    ),
    "an unknown kind": (edited("infantry", "wizard"), "UNIT statement 1: unknown kind 'wizard'; the kinds are fighter"),
    "an unknown team": (edited("infantry,0", "infantry,2"), "UNIT statement 1, team: 2 is not within 0..1"),
    "HP 0": (edited("infantry,0,10", "infantry,0,0"), "UNIT statement 1, HP: 0 is not within 1..10"),
    "HP 11": (edited("infantry,0,10", "infantry,0,11"), "UNIT statement 1, HP: 11 is not within 1..10"),
    "HP with a fraction": (edited("infantry,0,10", "infantry,0,9.5"), "UNIT statement 1, HP: '9.5' is not a whole"),
    "a strange flag": (edited("10,0]", "10,2]"), "UNIT statement 1, acted: 2 is not within 0..1"),
    "a unit on the ring": (
        edited("UNIT[1,1", "UNIT[0,1"),
        r"UNIT statement 1: \(0, 1\) is off the board; playable are x 1",
    ),
    "a unit far away": (edited("UNIT[1,1", "UNIT[1,99"), r"UNIT statement 1: \(1, 99\) is off the board"),
    "a unit left of the board": (edited("UNIT[1,1", "UNIT[-5,1"), r"UNIT statement 1: \(-5, 1\) is off the board"),
    "a unit on no-entry": (edited("UNIT[1,1", "UNIT[4,3"), r"UNIT statement 1: \(4, 3\) is a no-entry cell"),
    "two on one cell": (edited("UNIT[1,3", "UNIT[3,2"), r"statement 3: \(3, 2\) is taken by UNIT statement 2"),
    "too few red units": (edited("UNITNUMRED[1]", "UNITNUMRED[2]"), "UNITNUMRED: says 2, but there are 1 red UNIT"),
    "too many blue units": (
        edited("UNITNUMBLUE[2]", "UNITNUMBLUE[1]"),
        "UNITNUMBLUE: says 1, but there are 2 blue UNIT",
    ),
    "endless units": (TBSMAP + "UNIT[1,1,infantry,0,10,0];" * 70, "UNIT: more than 32 units a side"),
    "no closing bracket": (edited("SIZEX[6]", "SIZEX[6"), r"SIZEX \(line 1\): the closing \] is missing"),
    "no closing bracket at the end": (TBSMAP + "MAPNAME[x", r"MAPNAME \(line 14\): the closing \] is missing"),
    "no opening bracket": (edited("SIZEX[6]", "SIZEX 6]"), "line 1: 'SIZEX 6]"),
    "stray text": (edited("TURNLIMIT", "hello TURNLIMIT"), "line 2: 'hello TURNLIMIT"),
    "another kind of file": ("<html><body>not a map</body></html>", "line 1: '<html>"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_map_gets_a_one_line_error(name: str) -> None:
    text, message = MALFORMED[name]
    with pytest.raises(st.MapError, match=message) as caught:
        st.tubstap.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def unit(**changes: object) -> list[object]:
    units: list[dict[str, object]] = json.loads(board_document())["units"]
    units[0] = {key: value for key, value in (units[0] | changes).items() if value is not ...}
    return list(units)


MALFORMED_JSON = {
    "a list": ("{}", "format is missing"),
    "cut off": (board_document()[:50], "not JSON"),
    "not a number": (board_document().replace('"turn": 0', '"turn": NaN'), "not JSON: NaN"),
    "nested too deep": ('{"format": ' + "[" * 100_000, "not JSON|too deep"),
    "another format": (board_document(format="chess"), "format: must be .*, not 'chess'"),
    "a later version": (board_document(version=2), "version: 2; this program reads version 1"),
    "an unknown key": (board_document(colour="red"), "unknown key 'colour'"),
    "no terrain": (board_document(terrain=...), "terrain is missing"),
    "terrain as numbers": (board_document(terrain=[[0, 0]]), "terrain row 0: must be a string of digits"),
    "terrain of letters": (board_document(terrain=["000", "0x0", "000"]), "terrain row 1: must be a string of digits"),
    "terrain past 6": (board_document(terrain=["000", "090", "000"]), "terrain row 1, column 1: terrain 9"),
    "uneven terrain": (
        board_document(terrain=["000", "0110", "000"]),
        "terrain row 1 has 4 cells where it should have 3",
    ),
    "no rows": (board_document(terrain=[]), "the map has 0 rows"),
    "units as a word": (board_document(units="none"), "units: must be a list"),
    "no units": (board_document(units=[]), "red has 0 units"),
    "a unit as a word": (board_document(units=["infantry"]), r"units\[0\] must be an object"),
    "an unknown kind": (board_document(units=unit(kind="wizard")), r"units\[0\]: unknown kind 'wizard'"),
    "a kind by number": (board_document(units=unit(kind=5)), r"units\[0\].kind: must be a string"),
    "HP past 10": (board_document(units=unit(hp=10.5)), r"units\[0\].hp: 10.5 is not within"),
    "HP as a text": (board_document(units=unit(hp="ten")), r"units\[0\].hp: must be a number"),
    "HP with a fraction under integer rules": (
        board_document(units=unit(hp=9.5)),
        r"units\[0\]: HP 9.5 is not a whole number",
    ),
    "no HP": (board_document(units=unit(hp=...)), r"units\[0\]: hp is missing"),
    "a flag by number": (board_document(units=unit(acted=1)), r"units\[0\].acted: must be true or false"),
    "off the board": (board_document(units=unit(x=50)), r"units\[0\]: \(50, 1\) is off the board"),
    "an endless turn": (board_document(turn=10**30), "turn: 1000.* is not within"),
    "a turn limit of true": (board_document(turn_limit=True), "turn_limit: must be a whole number"),
    "no turn limit where the rules want one": (board_document(turn_limit=None), "take the turn limit from the map"),
    "unknown rules": (board_document(rules="chess"), "no rules are called 'chess'"),
    "rules of a wrong shape": (board_document(rules={"name": "x"}), "rules: power is missing"),
    "rules as a list": (board_document(rules=[]), "give a preset's name"),
    "a name by number": (board_document(name=3), "name: must be a string"),
    "half a character": (board_document(comment="\ud800"), "comment: .* cannot be shown"),
    "a name of two lines": (board_document(name="a\nb"), "name: must be one line"),
    "a bell": (board_document(author="\a"), "author: .* cannot be shown"),
}


@pytest.mark.parametrize("name", MALFORMED_JSON)
def test_a_malformed_json_map_gets_a_one_line_error(name: str) -> None:
    text, message = MALFORMED_JSON[name]
    with pytest.raises(st.SandtableError, match=message) as caught:
        st.tubstap.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@given(scenarios())
@examples(100)
def test_json_keeps_every_scenario(scenario: Scenario) -> None:
    assert st.tubstap.parse(jsonmap.format(scenario)) == scenario


texts = s.text(s.characters(exclude_categories=("Cc", "Cs", "Cn")) | s.sampled_from("\n\t[];A"), max_size=20)


@given(s.sampled_from(sorted(GENERATORS)), s.integers(0, 2**64 - 1), texts, texts)
@examples(100)
def test_tbsmap_keeps_every_map_or_refuses_it(generator: str, seed: int, author: str, comment: str) -> None:
    scenario = GENERATORS[generator](seed, rules="original")
    scenario = dataclasses.replace(scenario, author=author, comment=comment)
    try:
        text = tbsmap.format(scenario)
    except st.MapError as error:
        assert "]" in author + comment, error
    else:
        assert st.tubstap.parse(text, name=scenario.name) == scenario


def test_maps_that_a_tbsmap_cannot_hold_are_refused_and_not_written(tmp_path: Path) -> None:
    scenario = st.tubstap.maps.symmetric(1)
    state = scenario.start()
    state.end_turn()
    path = tmp_path / "map.tbsmap"
    path.write_text("precious")
    for thing in (state, dataclasses.replace(scenario, turn_limit=None), dataclasses.replace(scenario, comment="a];")):
        with pytest.raises(st.MapError):
            st.tubstap.save(thing, path)
    with pytest.raises(st.MapError, match="cannot be written in ascii"):
        st.tubstap.save(dataclasses.replace(scenario, comment="é"), path, encoding="ascii")
    with pytest.raises(st.MapError, match=r"saved as \.tbsmap or \.json"):
        st.tubstap.save(scenario, tmp_path / "map.txt")
    with pytest.raises(st.MapError, match="written in one of utf-8"):
        st.tubstap.save(scenario, path, encoding="klingon")
    assert path.read_text() == "precious"
    assert [p.name for p in tmp_path.iterdir()] == ["map.tbsmap"]


def test_files_that_are_no_maps_are_refused(tmp_path: Path) -> None:
    with pytest.raises(st.MapError, match="did you mean 'crossroads'"):
        st.tubstap.load("crosroads")
    with pytest.raises(st.MapError, match="no such file"):
        st.tubstap.load(tmp_path / "missing.tbsmap")
    with pytest.raises(st.MapError, match="no such file"):
        st.tubstap.load(tmp_path)
    binary = tmp_path / "binary.tbsmap"
    binary.write_bytes(bytes(range(128, 256)))
    with pytest.raises(st.MapError, match=r"binary\.tbsmap: byte \d+: .* neither UTF-8 nor Shift-JIS"):
        st.tubstap.load(binary)
    huge = tmp_path / "huge.tbsmap"
    huge.write_bytes(b" " * (1 << 20) + b" ")
    with pytest.raises(st.MapError, match="larger than"):
        st.tubstap.load(huge)
    huge.write_bytes(b"MAPCOM[" + b"] " * 400_000)
    with pytest.raises(st.MapError):
        st.tubstap.load(huge)
