"""Texts and pictures of states and tables."""

import xml.etree.ElementTree as ET

from hypothesis import given, settings

import sandtable as st
from sandtable.analysis import Candidate
from sandtable.arena.tables import Results, cross_table_svg
from sandtable.conquest.drawing.layout import ground, ways
from sandtable.pictures import SEPARATOR, text_width
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
def test_any_position_can_be_drawn(scenario: Scenario) -> None:
    state = scenario.start()
    text = str(st.tubstap.text(state)).splitlines()
    assert len(text) == scenario.height
    picture = ET.fromstring(st.tubstap.svg(state))
    titles = [group.findtext(f"{SVG}title") for group in picture.findall(f"{SVG}g")]
    assert len(titles) == len(state.units)
    known = {symbol.get("id") for symbol in picture.iter(f"{SVG}symbol")}
    assert {str(use.get("href")).removeprefix("#") for use in picture.iter(f"{SVG}use")} == known


def test_markup_in_a_map_s_name_is_escaped() -> None:
    scenario = st.tubstap.load("duel")
    text = st.tubstap.jsonmap.format(scenario).replace('"name": "duel"', '"name": "<script>&"')
    picture = ET.fromstring(st.tubstap.svg(st.tubstap.parse(text)))
    assert str(picture.findtext(f"{SVG}title")).startswith("<script>&: turn 0")


def test_candidates_are_drawn_as_arrows_with_their_values() -> None:
    state = st.tubstap.load("duel").start()
    attack = next(move for move in state.moves() if move.target is not None)
    still = next(unit for unit in state.units if unit.side == 0)
    found = [Candidate(attack, 30, 0.25), Candidate((still.id, still.x, still.y, None), 10, -0.5)]
    picture = st.tubstap.svg(state, candidates=found)
    ET.fromstring(picture)
    assert "+0.25" in picture
    assert "-0.50" in picture
    assert picture.count("stroke-dasharray") == st.tubstap.svg(state).count("stroke-dasharray") + 1  # the attack


def test_the_tags_of_candidates_cover_no_unit_and_no_other_tag() -> None:
    state = st.tubstap.load("crossroads").start()
    units = [unit for unit in state.units if unit.side == 0][:3]
    cells = {(unit.x, unit.y) for unit in state.units}
    ways = [move for move in state.moves() if (move.x, move.y) not in cells]
    steps = [next(move for move in ways if move.unit == unit.id) for unit in units[:2]]
    steps.append(next(one for one in state.moves() if one[:3] == (units[2].id, units[2].x, units[2].y)))
    picture = ET.fromstring(st.tubstap.svg(state, candidates=[Candidate(move, 10, 0.5) for move in steps]))
    tags = [
        tuple(float(rect.get(key, 0)) for key in ("x", "y", "width", "height"))
        for rect in picture.findall(f"{SVG}rect")
        if rect.get("stroke-width") == "1.2"
    ]
    assert len(tags) == len(units)
    kept_free = [(24 + 40 * (x - 1), 24 + 40 * (y - 1), 36, 36) for x, y in cells]
    for number, (x, y, width, height) in enumerate(tags):
        for left, top, wide, high in [*kept_free, *tags[:number]]:
            assert x >= left + wide or left >= x + width or y >= top + high or top >= y + height


def test_orders_are_drawn_as_arrows_and_tags() -> None:
    state = st.conquest.load("italy").start(seed=1)
    orders = [state.random_move(side, seed=side) for side in (0, 1)]
    picture = ET.fromstring(st.conquest.svg(state, orders=orders))
    texts = [text.text for text in picture.findall(f"{SVG}text")]
    for order in (order for plan in orders for order in plan):
        assert (f"+{order.armies}" if isinstance(order, st.conquest.Deploy) else str(order.armies)) in texts


def test_an_edge_around_the_world_is_drawn_in_two_parts() -> None:
    land = st.conquest.load("earth")
    edge = [land.territories.index(name) for name in ("Alaska", "Kamchatka")]
    map = ground(land)
    (begin, out), (back, end) = ways(map, edge)
    assert [begin, end] == [(map["territories"][t]["x"], map["territories"][t]["y"]) for t in edge]
    assert (out[0], back[0]) == (0, map["width"])
    assert out[1] == back[1]
    assert ways(map, edge[::-1]) == [(end, back), (out, begin)]
    assert sum(len(ways(map, other)) > 1 for other in land.edges) == 1
    march = st.conquest.March(edge[0], edge[1], 3)
    assert ET.fromstring(st.conquest.svg(land, orders=[[march], []])) is not None


@given(scenarios())
@settings(max_examples=20, deadline=None)
def test_captions_are_complete_and_fit(scenario: Scenario) -> None:
    picture = ET.fromstring(st.tubstap.svg(scenario))
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    caption = [text for text in picture.findall(f"{SVG}text") if text.get("font-size") == "12"]
    assert SEPARATOR.join(str(text.text) for text in caption) == picture.findtext(f"{SVG}title")
    for text in caption:
        assert float(text.attrib["x"]) + text_width(str(text.text), 12) <= width
        assert float(text.attrib["y"]) < height


def test_cross_tables_have_the_strongest_first_and_plain_colours() -> None:
    results = Results()
    for first, second, winner in (("weak", "strong", 1), ("middling", "strong", 1), ("weak", "middling", 1)):
        results.count(first, second, winner, games=9)
        results.count(first, second, 1 - winner, games=1)
    results.sort_by_rating()
    picture = ET.fromstring(cross_table_svg(results.table))
    labels = [str(text.text) for text in picture.findall(f"{SVG}text") if text.get("x") == "8"]
    assert labels == ["1 strong", "2 middling", "3 weak"]
    assert {str(square.get("fill")) for square in picture.findall(f"{SVG}rect")} == {"#888", "#a2db94", "#dba294"}
