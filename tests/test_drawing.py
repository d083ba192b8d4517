"""Pictures of states."""

import xml.etree.ElementTree as ET

from hypothesis import given, settings

import sandtable as st
from sandtable.tubstap import Scenario
from support.strategies import scenarios

SVG = "{http://www.w3.org/2000/svg}"


def test_text_shows_sides_hp_and_who_has_acted() -> None:
    state = st.tubstap.load("duel").start()
    state.play((0, 2, 2, None))
    lines = str(st.tubstap.text(state)).splitlines()
    assert lines[0].split() == [str(x) for x in range(1, 9)]
    assert lines[2].split() == ["2", ".", "I10'", ".", ".", "I10", ".", ".", "."]
    assert lines[6].split() == ["6", ".", ".", ".", ".", ".", "p5", ".", "."]
    assert lines[-1] == "turn 0 | red to move | red 3 units, 25 HP | blue 3 units, 25 HP"


def test_text_has_colours() -> None:
    assert any("on #b03030" in str(span.style) for span in st.tubstap.text(st.tubstap.load("duel")).spans)


@given(scenarios())
@settings(max_examples=50, deadline=None)
def test_pictures_of_anything(scenario: Scenario) -> None:
    state = scenario.start()
    text = str(st.tubstap.text(state)).splitlines()
    assert len(text) == scenario.height
    picture = ET.fromstring(st.tubstap.svg(state))
    titles = [group.findtext(f"{SVG}title") for group in picture.findall(f"{SVG}g")]
    assert len(titles) == len(state.units)
    known = {symbol.get("id") for symbol in picture.iter(f"{SVG}symbol")}
    assert {str(use.get("href")).removeprefix("#") for use in picture.iter(f"{SVG}use")} == known


def test_a_hostile_name_stays_text() -> None:
    scenario = st.tubstap.load("duel")
    text = st.tubstap.jsonmap.format(scenario).replace('"name": "duel"', '"name": "<script>&"')
    picture = ET.fromstring(st.tubstap.svg(st.tubstap.parse(text)))
    assert str(picture.findtext(f"{SVG}title")).startswith("<script>&: turn 0")
