"""A state as SVG. The drawings are the symbols of symbols.svg, which the page shows too."""

from __future__ import annotations

import re
from importlib.resources import files
from xml.sax.saxutils import escape

from sandtable.tubstap.drawing.caption import as_state, hp_text, summary
from sandtable.tubstap.scenario import Scenario, State
from sandtable.tubstap.types import KINDS, SIDES, Unit

CELL = 40
MARGIN = 22
FOOT = 26
SYMBOLS: dict[str, str] = {
    found[1]: found[0]
    for found in re.finditer(
        r'<symbol id="([^"]+)".*?</symbol>',
        files("sandtable.tubstap.drawing").joinpath("symbols.svg").read_text(encoding="utf-8"),
    )
}


def svg(position: State | Scenario, labels: bool = True) -> str:
    """The board with its units (dimmed once they have acted); `labels` adds coordinates and a line about the game."""
    state = as_state(position)
    scenario = state.scenario
    margin, foot = (MARGIN, FOOT) if labels else (0, 0)
    width = (scenario.width - 2) * CELL + 2 * margin
    height = (scenario.height - 2) * CELL + margin + foot
    caption = escape(f"{scenario.name}: {summary(state)}")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{MARGIN - margin} {MARGIN - margin} {width} {height}" '
        f'width="{width}" height="{height}" font-family="system-ui,sans-serif" role="img">',
        f"<title>{caption}</title>",
        _symbols(scenario, state),
    ]
    # A ground below the cells: no seams between them on a dark page.
    ground = f'x="{MARGIN}" y="{MARGIN}" width="{width - 2 * margin}" height="{height - margin - foot}" fill="#cfd6ad"'
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
        parts.append(f'<text x="{MARGIN}" y="{height - 9}" font-size="12" fill="#777777">{caption}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


_LABEL = 'font-size="11" fill="#777777" text-anchor="middle"'


def _left(coordinate: int) -> int:
    return MARGIN + (coordinate - 1) * CELL


def _symbols(scenario: Scenario, state: State) -> str:
    """Those that the picture uses."""
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
