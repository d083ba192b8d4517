"""A state as SVG, from simple shapes of our own. One symbol a terrain and a kind, used wherever it stands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from sandtable.analysis import Candidate
from sandtable.pictures import CAPTION_LINE, Point, arrow_svg, caption_lines, caption_svg, caption_width, tag_svg
from sandtable.tubstap.drawing.caption import as_state, hp_text, summary
from sandtable.tubstap.scenario import Scenario, State
from sandtable.tubstap.types import KINDS, SIDES, Unit

CELL = 40
MARGIN = 22
FOOT = 10
SIDE_COLOURS = ("#c8352b", "#2b58c8")
CANDIDATE_COLOURS = ("#1d1f24", "#5a2d82", "#7a5200")  # the best first; the others have the last

_PLAIN = '<rect width="40" height="40" fill="#d3e3a8"/>'
# Each in a box of 40 x 40.
TERRAIN_SHAPES = (
    '<rect width="40" height="40" fill="#4a4d55"/>'
    '<path d="M12 12 28 28M28 12 12 28" stroke="#6a6d76" stroke-width="3"/>',
    _PLAIN + '<path d="M9 29l2-5 2 5M27 14l2-5 2 5" stroke="#b3c982" stroke-width="1.5" fill="none"/>',
    '<rect width="40" height="40" fill="#86bce2"/><path d="M5 14q5-5 10 0t10 0 10 0M5 28q5-5 10 0t10 0 10 0" '
    'stroke="#e8f4fc" stroke-width="2" fill="none"/>',
    '<rect width="40" height="40" fill="#b4d391"/><path d="M11 5l8 15H3zM29 9l8 15H21zM17 20l8 15H9z" fill="#4d8b47"/>',
    '<rect width="40" height="40" fill="#dccfae"/><path d="M2 35 15 8l13 27zM17 35l10-19 11 19z" fill="#92826a"/>'
    '<path d="M15 8l-5 10 5-3 5 3zM27 16l-4 8 4-2 4 2z" fill="#fbfaf6"/>',
    '<rect width="40" height="40" fill="#cfc8ba"/><path d="M0 20H40M20 0V40" stroke="#efeae0" stroke-width="3" '
    'stroke-dasharray="6 5"/>',
    _PLAIN
    + '<path d="M6 35V13h5v5h6v-5h6v5h6v-5h5v22z" fill="#9a9aa6"/><path d="M16 35v-8q4-5 8 0v8z" fill="#5b5b66"/>',
)
# White on a disc of the side's colour, around (20, 17).
KIND_SHAPES = (
    '<path d="M20 5l3 9 9 7v3l-9-2-1 5 3 2v1H15v-1l3-2-1-5-9 2v-3l9-7z"/>',
    '<path d="M18 6q2-3 4 0v6h11v5H22v8l4 3v2H14v-2l4-3v-8H7v-5h11z"/><path d="M10 18v4M14 18v4M26 18v4M30 18v4" '
    'stroke="#fff" stroke-width="2"/>',
    '<rect x="8" y="19" width="24" height="8" rx="4"/><rect x="14" y="12" width="11" height="7" rx="2"/>'
    '<path d="M24 15h10" stroke="#fff" stroke-width="2.5"/>',
    '<circle cx="16" cy="23" r="5.5"/><path d="M12 20 32 7" stroke="#fff" stroke-width="4"/>'
    '<path d="M16 23 8 28" stroke="#fff" stroke-width="3"/>',
    '<rect x="8" y="20" width="24" height="7" rx="3.5"/><path d="M16 20V14l5-8M23 20V14l5-8" stroke="#fff" '
    'stroke-width="2.8" fill="none"/>',
    '<circle cx="18" cy="9" r="4"/><path d="M12 28l1-13q5-3 10 0l1 13z"/><path d="M22 22 32 9" stroke="#fff" '
    'stroke-width="2.2"/>',
)


def svg(position: State | Scenario, *, candidates: Sequence[Candidate] = ()) -> str:
    """The board with coordinates, units (dimmed once they have acted) and a line about the game; and the moves that a
    player considers with their values: the way is a full arrow, the attack a dashed one, wider the more visits."""
    state = as_state(position)
    scenario = state.scenario
    caption = f"{scenario.name}: {summary(state)}"
    width = max((scenario.width - 2) * CELL + 2 * MARGIN, round(caption_width(caption)) + 2 * MARGIN)
    under = caption_lines(caption, width - 2 * MARGIN)
    height = (scenario.height - 2) * CELL + MARGIN + CAPTION_LINE * len(under) + FOOT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui,sans-serif" role="img">',
        f"<title>{escape(caption, quote=False)}</title>",
        _symbols(scenario, state),
    ]
    for x in range(1, scenario.width - 1):
        parts.append(f'<text x="{_left(x) + CELL / 2}" y="15" {_LABEL}>{x}</text>')
    for y in range(1, scenario.height - 1):
        parts.append(f'<text x="11" y="{_left(y) + CELL / 2 + 4}" {_LABEL}>{y}</text>')
        for x in range(1, scenario.width - 1):
            parts.append(f'<use href="#st-terrain-{scenario.terrain[y][x]}" x="{_left(x)}" y="{_left(y)}"/>')
    parts.append(_lines(scenario))
    parts += [_unit(unit) for unit in state.units]
    parts += _candidates(state, candidates)
    parts.append(caption_svg(under, MARGIN, height - FOOT) + "</svg>")
    return "\n".join(parts) + "\n"


_LABEL = 'font-size="11" fill="#777" text-anchor="middle"'


def _left(coordinate: int) -> int:
    return MARGIN + (coordinate - 1) * CELL


def _symbols(scenario: Scenario, state: State) -> str:
    terrains = sorted({cell for row in scenario.terrain[1:-1] for cell in row[1:-1]})
    kinds = sorted({KINDS.index(unit.kind) for unit in state.units})
    symbols = [f'<symbol id="st-terrain-{t}" width="40" height="40">{TERRAIN_SHAPES[t]}</symbol>' for t in terrains]
    symbols += [f'<symbol id="st-kind-{k}" width="40" height="40">{KIND_SHAPES[k]}</symbol>' for k in kinds]
    return "<defs>" + "".join(symbols) + "</defs>"


def _lines(scenario: Scenario) -> str:
    right, bottom = _left(scenario.width - 1), _left(scenario.height - 1)
    columns = "".join(f"M{_left(x)} {MARGIN}V{bottom}" for x in range(1, scenario.width))
    rows = "".join(f"M{MARGIN} {_left(y)}H{right}" for y in range(1, scenario.height))
    return f'<path d="{columns}{rows}" stroke="#000" stroke-opacity=".13" fill="none"/>'


def _unit(unit: Unit) -> str:
    colour, kind = SIDE_COLOURS[unit.side], KINDS.index(unit.kind)
    title = f"unit {unit.id}: {SIDES[unit.side]} {unit.kind}, HP {hp_text(unit.hp)}" + (", acted" if unit.acted else "")
    dim = ' opacity=".6"' if unit.acted else ""
    return (
        f'<g transform="translate({_left(unit.x)} {_left(unit.y)})"{dim}>'
        f"<title>{title}</title>"
        f'<circle cx="20" cy="19" r="17" fill="{colour}" stroke="#fff" stroke-width="1.5"/>'
        f'<use href="#st-kind-{kind}" fill="#fff"/>'
        f'<rect x="21" y="26" width="19" height="13" rx="4" fill="#fff" stroke="{colour}"/>'
        f'<text x="30.5" y="36" font-size="10.5" font-weight="700" fill="{colour}" text-anchor="middle">'
        f"{hp_text(unit.hp)}</text></g>"
    )


def _candidates(state: State, candidates: Sequence[Candidate]) -> list[str]:
    """The best is drawn last, over the others."""
    units = {unit.id: unit for unit in state.units}
    most = max((candidate.visits for candidate in candidates), default=0) or 1
    arrows, tags = [], []
    for rank, candidate in enumerate(candidates):
        unit, x, y, target = candidate.move
        colour = CANDIDATE_COLOURS[min(rank, len(CANDIDATE_COLOURS) - 1)]
        width = 1.5 + 3 * candidate.visits / most
        here, there = _middle(units[unit].x, units[unit].y), _middle(x, y)
        way, tagged = "", there
        if here != there:
            way = arrow_svg(_toward(here, there, CELL * 0.4), there, colour, width)
            tagged = _toward(there, here, CELL * 0.75)
        if target is not None:
            foe = _middle(units[target].x, units[target].y)
            shot = _toward(there, foe, 3), _toward(foe, there, CELL * 0.3)
            way += arrow_svg(*shot, SIDE_COLOURS[state.side], width, dashes="5 3")
        arrows.append(way)
        tags.append(tag_svg(*tagged, f"{candidate.value:+.2f}", colour))
    return [*reversed(arrows), *reversed(tags)]


def _middle(x: int, y: int) -> Point:
    return _left(x) + CELL / 2, _left(y) + CELL / 2


def _toward(start: Point, end: Point, pixels: float) -> Point:
    """The point so many pixels from the start on the way to the end."""
    share = pixels / math.dist(start, end)
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
