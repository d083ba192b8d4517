"""docs/protocol.md matches the programs, and no message of either side crashes the other."""

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import sandtable as st
from sandtable.errors import SandtableError
from sandtable.games import game_of
from sandtable.players.bots import messages
from sandtable.players.bots.messages import FROM_BOT, FROM_REFEREE, MessageError, decode, encode
from sandtable.players.bots.serving import ServedPlayer, lines_within, serve
from support.commands import sandtable_process
from support.protocol_page import PAGE, regenerated

JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text(max_size=8),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


def test_protocol_md_matches_the_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert regenerated(text) == text


def transcript(title: str) -> list[tuple[str, str]]:
    """The lines of a game in docs/protocol.md, each with its sender."""
    section = PAGE.read_text(encoding="utf-8").split(f"## {title}\n")[1].split("```\n")[1]
    return [(line[0], line[2:]) for line in section.splitlines()]


@pytest.mark.parametrize("title", ["A whole game of TUBSTAP", "A whole game of Conquest"])
def test_a_served_player_answers_the_referee_of_protocol_md(title: str) -> None:
    asked = [line.encode() for who, line in transcript(title) if who == ">" and '"type":"moves"' not in line]
    output = io.BytesIO()
    serve("random", asked, output)
    hello, ready, move = (decode(line, FROM_BOT) for line in output.getvalue().splitlines())
    assert (hello.version, hello.name, ready) == (1, "random", messages.BotReady())
    assert move.id == 1


def test_messages_round_trip() -> None:
    for title in ("A whole game of TUBSTAP", "A whole game of Conquest"):
        for who, line in transcript(title):
            kinds = FROM_REFEREE if who == ">" else FROM_BOT
            message = decode(line.encode(), kinds)
            assert decode(encode(message), kinds) == message
            if who == ">":
                assert encode(message).decode() == line
    with pytest.raises(MessageError, match="move: unknown field 'mvoe'"):
        decode(b'{"type":"move","id":1,"move":null,"mvoe":1}', FROM_BOT)
    later = b'{"type":"end","winner":null,"reason":null,"rating":1500}'
    assert decode(later, FROM_REFEREE, strict=False) == messages.End(None, None)


def mutated(line: str) -> some.SearchStrategy[bytes]:
    """A message with one field changed, removed or added."""
    fields = json.loads(line)
    key = some.sampled_from(sorted(fields))
    changed = some.builds(lambda name, value: fields | {name: value}, key | some.text(max_size=6), JSON)
    less = key.map(lambda name: {one: value for one, value in fields.items() if one != name})
    return (changed | less).map(lambda found: json.dumps(found).encode())


REFEREE = [
    line for title in ("TUBSTAP", "Conquest") for who, line in transcript(f"A whole game of {title}") if who == ">"
]
BOT = [line for who, line in transcript("A whole game of TUBSTAP") if who == "<"]


@settings(max_examples=200, deadline=None)
@given(
    some.lists(
        some.one_of(*map(mutated, REFEREE), *(some.just(line.encode()) for line in REFEREE), some.binary(max_size=30))
    )
)
def test_no_message_of_a_referee_crashes_our_player(lines: list[bytes]) -> None:
    served = ServedPlayer("random")
    for line in lines:
        try:
            answer = served.answer(line)
        except SandtableError as error:
            assert "\n" not in str(error)
        else:
            assert answer is None or decode(answer, FROM_BOT)


@settings(max_examples=200, deadline=None)
@given(some.one_of(*map(mutated, BOT), some.binary(max_size=40), JSON.map(lambda found: json.dumps(found).encode())))
def test_no_message_of_a_bot_crashes_the_referee(line: bytes) -> None:
    try:
        message = decode(line, FROM_BOT)
    except MessageError as error:
        assert "\n" not in str(error)
        return
    if isinstance(message, messages.BotMove):
        for state in (st.load("duel").start(), st.load("simple").start(1)):
            read_and_play(state, message.move)


@settings(max_examples=200, deadline=None)
@given(JSON | some.lists(some.lists(some.integers(-3, 12) | some.integers(), max_size=4), max_size=4))
def test_no_move_crashes_the_referee(move: Any) -> None:
    for state in (st.load("duel").start(), st.load("simple").start(1)):
        read_and_play(state, move)


def read_and_play(state: Any, written: Any) -> None:
    """Read and play a bot's move, or check that it is refused in one line."""
    game = game_of(state)
    movers = game.movers(state)
    try:
        move = game.read_move(state, 0, written)
        moves = [move if side == 0 else game.random_move(state, side, 1) for side in movers]
        game.advance(state, moves, st.Rng(1, "fuzz"))
    except SandtableError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("name", ["duel", "simple"])
def test_offered_moves_are_legal_and_round_trip(name: str) -> None:
    start = st.load(name)
    game = game_of(start)
    for seed in range(3):
        state = game.start(start, seed)
        for side in game.movers(state):
            found = game.choices(state, side, 20, seed)
            assert found.complete is not game.simultaneous
            for written in found.moves:
                move = game.read_move(state, side, written)
                assert game.write_move(state, side, move) == written
                game.advance(
                    state.copy(),
                    [move if one == side else game.random_move(state, one, 1) for one in game.movers(state)],
                    st.Rng(1, "x"),
                )


def test_lines_have_a_maximum_length() -> None:
    assert list(lines_within(io.BytesIO(b"a\n\n b\r\nc"), 4)) == [b"a\n", b" b\r\n", b"c"]
    with pytest.raises(SandtableError, match="a line of more than 4 bytes"):
        list(lines_within(io.BytesIO(b"abcde\n"), 4))


def test_a_referee_s_mistakes_are_reported() -> None:
    for line, message in (
        ('{"type":"move","id":1,"seconds":1,"bank":null,"position":{}}', "the first messages must be hello and start"),
        ('{"type":"hello","version":2}', "hello: 'sandtable-bot', version 2; this is sandtable-bot, version 1"),
        ('{"type":"error","message":"you lost"}', "the referee says: you lost"),
        (REFEREE[1].replace('"side":0,"seed"', '"side":2,"seed"'), "start: side: must be 0 or 1, not 2"),
        (
            REFEREE[1].replace('"game_version":1', '"game_version":9'),
            "start: version 9 of tubstap; this program plays 1",
        ),
        (REFEREE[1].replace('"terrain":["00000"', '"terrain":["0000"'), "row"),
    ):
        with pytest.raises(SandtableError, match="(?s).*" + message.replace("(", r"\(")):
            ServedPlayer("random").answer(line.encode())
    done = sandtable_process("bot", "nobody", code=2)
    assert done.stderr.startswith("sandtable: no player is called 'nobody'")
