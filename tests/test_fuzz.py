"""Arbitrary input for all parsers and for the API: a result or a one-line error, never a crash.

The same tests run a second time on a build of the core with the sanitizers on (see the Makefile).
"""

import pytest
from hypothesis import example, given
from hypothesis import strategies as s

import sandtable as st
from sandtable.tubstap import PRESETS
from support.examples import examples, examples_for_the_core
from support.map_documents import TBSMAP, board_document, land_document

PIECES = (
    "SIZEX[",
    "SIZEY[",
    "MAP[",
    "UNIT[",
    "]",
    ";",
    "[",
    "0",
    "1",
    ",",
    "-",
    "infantry",
    "TURNLIMIT[",
    "\n",
    "99",
    "{",
)

some_text = s.one_of(s.text(max_size=200), s.lists(s.sampled_from(PIECES), max_size=80).map("".join))


@s.composite
def mutations(draw: s.DrawFn, source: str) -> str:
    """The text with a few pieces removed, doubled or inserted."""
    text = source
    for _ in range(draw(s.integers(1, 4))):
        start = draw(s.integers(0, len(text)))
        end = draw(s.integers(start, min(len(text), start + 30)))
        middle = draw(s.one_of(s.just(""), s.just(text[start:end] * 2), s.sampled_from(PIECES), s.text(max_size=4)))
        text = text[:start] + middle + text[end:]
    return text


def survive(text: str, rules: str | None) -> None:
    try:
        scenario = st.tubstap.parse(text, rules=rules)
    except st.SandtableError as error:
        assert str(error)
        assert "\n" not in str(error)
        return
    state = scenario.start()
    while not state.over and state.turn < scenario.turn + 4:
        state.play(state.moves()[-1])
    assert st.tubstap.svg(state)
    assert str(st.tubstap.text(state))


rule_names = s.sampled_from((None, *PRESETS))


@given(some_text, rule_names)
@examples(400)
def test_any_text_is_parsed_or_refused(text: str, rules: str | None) -> None:
    survive(text, rules)


@given(mutations(TBSMAP), rule_names)
@examples(600)
@example(TBSMAP.replace("MAP[0,1", "MAP[\x1f0,1"), None)  # str.strip() strips more characters than int() does
def test_damaged_tbsmaps_are_parsed_or_refused(text: str, rules: str | None) -> None:
    survive(text, rules)


@given(mutations(board_document()), rule_names)
@examples(600)
@example(board_document(units=[{"kind": "infantry", "side": s % 2, "hp": 0} for s in range(2)]), None)
@example(board_document(turn=1_000_000), None)
def test_damaged_json_is_parsed_or_refused(text: str, rules: str | None) -> None:
    survive(text, rules)


@given(s.binary(max_size=300))
@examples(200)
def test_any_bytes_are_decoded_or_refused(data: bytes) -> None:
    try:
        text = st.tubstap.tbsmap.decode(data)
    except st.MapError as error:
        assert "byte" in str(error)
    else:
        survive(text, None)


@given(mutations(land_document()))
@examples(500)
def test_damaged_conquest_maps_are_parsed_or_refused(text: str) -> None:
    try:
        land = st.conquest.parse(text)
    except st.SandtableError as error:
        assert "\n" not in str(error)
        return
    assert st.conquest.svg(land)
    n = len(land.territories)
    state = land.state([i % 2 for i in range(n)], [3] * n)
    while not state.over and state.turn < 3:
        state.resolve(state.random_move(0, 1), state.random_move(1, 1))


any_json = s.recursive(
    s.none() | s.booleans() | s.integers() | s.floats() | s.text(max_size=5),
    lambda inner: s.lists(inner, max_size=7) | s.dictionaries(s.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(s.dictionaries(s.sampled_from(sorted(PRESETS["original"].to_json())), any_json))
@examples(300)
def test_any_rules_are_accepted_or_refused(changes: dict[str, object]) -> None:
    try:
        rules = st.tubstap.rules(PRESETS["original"].to_json() | changes)
    except st.RulesError as error:
        assert "\n" not in str(error)
    else:
        assert st.tubstap.rules(rules.to_json()) == rules


@given(s.lists(s.lists(any_json, max_size=4) | s.lists(s.integers(-2, 10), min_size=2, max_size=3), max_size=3))
@examples_for_the_core(300)
def test_any_orders_are_resolved_or_refused(orders: list[list[object]]) -> None:
    state = st.conquest.load("simple").start(1)
    try:
        state.resolve(orders, [])  # type: ignore[arg-type]
    except ValueError as error:
        assert "\n" not in str(error)
        assert state.turn == 0


@given(s.lists(any_json, min_size=3, max_size=5))
@examples_for_the_core(300)
def test_any_move_is_played_or_refused(move: list[object]) -> None:
    state = st.tubstap.load("duel").start()
    try:
        state.play(move)  # type: ignore[arg-type]
    except ValueError as error:
        assert "move" in str(error)


@given(any_json.filter(lambda value: not isinstance(value, str)) | s.binary(max_size=5))
@examples(50)
def test_maps_that_are_not_text_are_refused(text: object) -> None:
    for parse in (st.tubstap.parse, st.conquest.parse):
        with pytest.raises(TypeError, match="the text of a map must be a str"):
            parse(text)  # type: ignore[arg-type]
