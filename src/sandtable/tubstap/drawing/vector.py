"""A state as SVG. Its graphics are the symbols of symbols.svg, which the page also uses."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from sandtable.analysis import Candidate
from sandtable.pictures import (
    CAPTION_LINE,
    Point,
    arrow_svg,
    caption_lines,
    caption_svg,
    caption_width,
    tag_svg,
    tag_width,
)
from sandtable.tubstap.drawing.caption import as_state, hp_text, summary
from sandtable.tubstap.scenario import Scenario, State
from sandtable.tubstap.types import KINDS, SIDES, Unit

CELL = 40
MARGIN = 22
FOOT = 10
SIDE_COLOURS = ("#b8322a", "#2a55b5")  # as in symbols.svg
UNIT = 36  # side of the square in a unit's cell that a tag must not cover
ON_THE_WAY = (0.28, 0.5, 0.12, 0.68, 0.0)  # places of a tag on an arrow, as shares of its length from the tip
Box = tuple[float, float, float, float]  # left, top, right, bottom
CANDIDATE_COLOURS = ("#1d1f24", "#5a2d82", "#7a5200")  # best first; the last is for all others
SYMBOLS: dict[str, str] = {
    found[1]: found[0]
    for found in re.finditer(
        r'<symbol id="([^"]+)".*?</symbol>',
        files("sandtable.tubstap.drawing").joinpath("symbols.svg").read_text(encoding="utf-8"),
    )
}


def svg(position: State | Scenario, *, labels: bool = True, candidates: Sequence[Candidate] = ()) -> str:
    """The board with its units (dimmed once they have acted). `labels` adds coordinates and a line about the game;
    `candidates` are moves that a player considers, drawn with their ranks and values: a solid arrow for the way, a
    dashed one for the attack, both wider for more visits. Where a value has no room, only the rank is shown."""
    state = as_state(position)
    scenario = state.scenario
    caption = f"{scenario.name}: {summary(state)}"
    board_width, board_height = (scenario.width - 2) * CELL, (scenario.height - 2) * CELL
    width, height, margin = board_width, board_height, 0
    under: list[str] = []
    if labels:
        margin = MARGIN
        width = max(board_width, round(caption_width(caption))) + 2 * MARGIN
        under = caption_lines(caption, width - 2 * MARGIN)
        height = board_height + MARGIN + CAPTION_LINE * len(under) + FOOT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{MARGIN - margin} {MARGIN - margin} {width} {height}" '
        f'width="{width}" height="{height}" font-family="system-ui,sans-serif" role="img">',
        f"<title>{escape(caption, quote=False)}</title>",
        _symbols(scenario, state),
    ]
    # A background under the cells hides seams between them on a dark page.
    ground = f'x="{MARGIN}" y="{MARGIN}" width="{board_width}" height="{board_height}" fill="#cfd6ad"'
    parts.append(f"<rect {ground}/>")
    for y in range(1, scenario.height - 1):
        for x in range(1, scenario.width - 1):
            parts.append(f'<use href="#st-terrain-{scenario.terrain[y][x]}" x="{_left(x)}" y="{_left(y)}"/>')
    parts.append(_lines(scenario))
    parts += [_unit(unit) for unit in state.units]
    if labels:
        parts += [f'<text x="{_left(x) + CELL / 2}" y="15" {_LABEL}>{x}</text>' for x in range(1, scenario.width - 1)]
        parts += [
            f'<text x="11" y="{_left(y) + CELL / 2 + 4}" {_LABEL}>{y}</text>' for y in range(1, scenario.height - 1)
        ]
        parts.append(caption_svg(under, MARGIN, height - FOOT))
    parts += _candidates(state, candidates)
    return "\n".join([*parts, "</svg>"]) + "\n"


_LABEL = 'font-size="11" fill="#777777" text-anchor="middle"'


def _left(coordinate: int) -> int:
    return MARGIN + (coordinate - 1) * CELL


def _symbols(scenario: Scenario, state: State) -> str:
    """The definitions of the symbols that the picture uses."""
    names = {f"st-terrain-{cell}" for row in scenario.terrain[1:-1] for cell in row[1:-1]}
    names |= {f"st-kind-{KINDS.index(unit.kind)}" for unit in state.units}
    names |= {f"st-token-{unit.side}" for unit in state.units}
    names |= {f"st-veil-{unit.side}" for unit in state.units if unit.acted}
    return "<defs>" + "".join(SYMBOLS[name] for name in sorted(names)) + "</defs>"


def _lines(scenario: Scenario) -> str:
    right, bottom = _left(scenario.width - 1), _left(scenario.height - 1)
    columns = "".join(f"M{_left(x)} {MARGIN}V{bottom}" for x in range(1, scenario.width))
    rows = "".join(f"M{MARGIN} {_left(y)}H{right}" for y in range(1, scenario.height))
    return f'<path d="{columns}{rows}" stroke="#3a3a2a" stroke-opacity=".14" fill="none"/>'


def _unit(unit: Unit) -> str:
    title = f"unit {unit.id}: {SIDES[unit.side]} {unit.kind}, HP {hp_text(unit.hp)}" + (", acted" if unit.acted else "")
    veil = f'<use href="#st-veil-{unit.side}"/>' if unit.acted else ""
    return (
        f'<g transform="translate({_left(unit.x)} {_left(unit.y)})">'
        f"<title>{title}</title>"
        f'<use href="#st-token-{unit.side}"/><use href="#st-kind-{KINDS.index(unit.kind)}"/>{veil}'
        '<rect x="22" y="27" width="17" height="12.5" rx="4" fill="#24231f"/>'
        '<text x="30.5" y="36.8" font-size="10" font-weight="700" fill="#ffffff" text-anchor="middle">'
        f"{hp_text(unit.hp)}</text></g>"
    )


def _candidates(state: State, candidates: Sequence[Candidate]) -> list[str]:
    """Arrows and tags of the candidates. The best is drawn last, over the others."""
    units = {unit.id: unit for unit in state.units}
    most = max((candidate.visits for candidate in candidates), default=0) or 1
    arrows, tags, placed = [], [], [_around(_middle(one.x, one.y), UNIT, UNIT) for one in state.units]
    for rank, candidate in enumerate(candidates):
        unit, x, y, target = candidate.move
        colour = CANDIDATE_COLOURS[min(rank, len(CANDIDATE_COLOURS) - 1)]
        width = 1.5 + 3 * candidate.visits / most
        here, there = _middle(units[unit].x, units[unit].y), _middle(x, y)
        around = [(here[0] + aside * CELL, here[1] + down * CELL) for aside in (0, -0.5, 0.5) for down in (-0.7, 0.7)]
        way, spots = "", [*around, _corner(here)]
        if here != there:
            way = arrow_svg(_toward(here, there, CELL * 0.4), there, colour, width)
            spots = [_toward(there, here, share * math.dist(here, there)) for share in ON_THE_WAY]
        if target is not None:
            foe = _middle(units[target].x, units[target].y)
            shot = _toward(there, foe, 3), _toward(foe, there, CELL * 0.3)
            way += arrow_svg(*shot, SIDE_COLOURS[state.side], width, dashes="5 3")
        arrows.append(way)
        numbered = f"{rank + 1}: " if len(candidates) > 1 else ""
        texts = [f"{numbered}{candidate.value:+.2f}", *([str(rank + 1)] if numbered else [])]
        tags.append(_tag(texts, spots, placed, colour))
    return [*reversed(arrows), *reversed(tags)]


def _tag(texts: Sequence[str], spots: Sequence[Point], placed: list[Box], colour: str) -> str:
    """A tag with the first of the texts, longest first, that covers no unit and no other tag at one of the spots; if
    none fits, the last text at the last spot. The tag's box is added to `placed`."""
    tags = [(text, spot, _around(spot, tag_width(text), 16)) for text in texts for spot in spots]
    text, spot, box = next((tag for tag in tags if not any(_overlap(tag[2], one) for one in placed)), tags[-1])
    placed.append(box)
    return tag_svg(*spot, text, colour)


def _around(middle: Point, width: float, height: float) -> Box:
    return middle[0] - width / 2, middle[1] - height / 2, middle[0] + width / 2, middle[1] + height / 2


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _corner(middle: Point) -> Point:
    """The upper left corner of a unit's cell, where a tag covers the least of the unit."""
    return middle[0] - 0.35 * CELL, middle[1] - 0.35 * CELL


def _middle(x: int, y: int) -> Point:
    return _left(x) + CELL / 2, _left(y) + CELL / 2


def _toward(start: Point, end: Point, pixels: float) -> Point:
    """The point that lies `pixels` from the start towards the end."""
    share = pixels / math.dist(start, end)
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
