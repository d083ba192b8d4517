"""Records of games: round trips, and damaged ones."""

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable import json_fields
from sandtable._core import instruction_sets


@pytest.mark.parametrize(
    "start", [st.tubstap.load("duel"), st.tubstap.maps.symmetric(3), st.conquest.load("banana")], ids=str
)
def test_records_round_trip(start: Any) -> None:
    record = st.play(start, "random", "random", seed=7)
    line = record.to_line()
    assert "\n" not in line
    again = st.Record.from_line(line)
    assert again.to_line() == line
    assert again.verify().hash() == record.verify().hash()
    assert len(list(again.states())) == len(record.moves) + 1
    assert st.play(start, "random", "random", seed=7).to_line() == line
    assert st.play(start, "random", "random", seed=8).to_line() != line


def test_json_that_is_no_object_is_refused() -> None:
    with pytest.raises(st.SandtableError, match="the record must be an object"):
        st.Record.from_line("[]")
    with pytest.raises(st.SandtableError, match=r"^the JSON must be an object$"):  # of a message to the page
        json_fields.read_object("[]")


@pytest.mark.parametrize(
    "player", ["pvmcts(simulations=2)", "tempered(player='pvmcts(simulations=2)')", "sandtable(simulations=2)"]
)
def test_a_game_with_a_network_names_the_instruction_set(player: str) -> None:
    """The instruction set decides how sums are rounded."""
    record = st.play(st.load("duel"), "random", player)
    assert record.instruction_set == instruction_sets()[0]
    line = record.to_line()
    assert st.Record.from_line(line).to_line() == line
    before = line.replace(f'"instruction_set":"{record.instruction_set}",', "")
    assert before != line
    assert st.Record.from_line(before).to_line() == before


@pytest.mark.parametrize("player", ["uct(simulations=2)", "minimax(depth=1)", "tempered(player='uct(simulations=2)')"])
def test_a_game_without_a_network_names_no_instruction_set(player: str) -> None:
    assert "instruction_set" not in st.play(st.load("duel"), player, "random").to_line()


def test_a_game_can_begin_at_any_state() -> None:
    state = st.tubstap.load("duel").start()
    state.end_turn()
    record = st.play(state, "greedy", "random", seed=1)
    assert record.start.turn == 1
    assert state.turn == 1
    st.Record.from_line(record.to_line()).verify()


def test_a_player_may_end_its_turn() -> None:
    @dataclasses.dataclass
    class Lazy:
        games = ("tubstap",)

        def act(self, state: Any, side: int | None = None) -> None:
            return None

    record = st.play(st.tubstap.load("duel"), Lazy(), Lazy())
    assert record.moves == (None,) * 40
    assert st.Record.from_line(record.to_line()).verify().turn == 40


RECORD = json.loads(st.play(st.tubstap.load("duel"), "random", "random", seed=1).to_line())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "pgn"}, "format"),
        ({"version": 2}, "version"),
        ({"game": "chess"}, "no game is called 'chess'"),
        ({"game_version": 99}, "version 99 of tubstap"),
        ({"map": {}}, "format is missing"),
        ({"map": []}, "."),
        ({"players": ["a"]}, "must be two"),
        ({"players": [1, 2]}, "must be a string"),
        ({"seed": -1}, "seed"),
        ({"moves": "none"}, "moves: must be a list"),
        ({"moves": [[0, 99, 99, -1]]}, "move 0: illegal move"),
        ({"moves": ["abcd"]}, r"moves\[0\]: a move is"),
        ({"moves": [7]}, r"moves\[0\]: a move is"),
        ({"moves": []}, "and is not over"),
        ({"winner": 1 - RECORD["winner"]}, "says winner"),
        ({"winner": 5}, "winner: 5"),
        ({"turns": 0}, "says winner"),
        ({"extra": 1}, "unknown key"),
        ({"game": "conquest", "game_version": 1}, "."),
        ({"game_version": True}, "version True"),
        ({"version": 1.0}, "version"),
        ({"start": 5}, "must be null"),
        ({"players": ["\ud800", "x"]}, "cannot be shown"),
        ({"reason": "forfeit: \ud800"}, "cannot be shown"),
        ({"reason": "forfeit: \x1b[31m"}, "cannot be shown"),
        ({"reason": 7}, "must be a string"),
        ({"instruction_set": 7}, "instruction_set: must be a string"),
        ({"instruction_set": "\x1b[31m"}, "cannot be shown"),
    ],
)
def test_bad_records_get_a_one_line_error(changes: dict[str, object], message: str) -> None:
    with pytest.raises(st.RecordError, match=message) as caught:
        st.Record.from_line(json.dumps(RECORD | changes)).verify()
    assert "\n" not in str(caught.value)


LAND_RECORD = json.loads(st.play(st.conquest.load("simple"), "random", "random", seed=1).to_line())


@pytest.mark.parametrize(
    "turn",
    [
        None,
        [],
        [[], []],
        [[], [], 2, 0],
        [[], [], "a", 0],
        [[], [], 0, -1],
        [[], [], 0, 10**30],
        [[[99, 1]], [], 0, 0],
        [5, [], 0, 0],
    ],
)
def test_bad_turns_of_conquest_records_get_a_one_line_error(turn: object) -> None:
    with pytest.raises(st.RecordError) as caught:
        st.Record.from_line(json.dumps(LAND_RECORD | {"moves": [turn]})).verify()
    assert "\n" not in str(caught.value)


@given(s.sampled_from((RECORD, LAND_RECORD)), s.integers(0, 5000), s.text(max_size=3))
@settings(max_examples=300, deadline=None)
def test_damaged_records_get_a_one_line_error(record: dict[str, object], at: int, text: str) -> None:
    line = json.dumps(record)
    at %= len(line)
    try:
        st.Record.from_line(line[:at] + text + line[at + len(text) :]).verify()
    except st.SandtableError as error:
        assert "\n" not in str(error)
