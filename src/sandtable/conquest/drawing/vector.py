"""A state as SVG: territories as tiles in their owner's colour with their armies, rimmed in their bonus's colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from sandtable.conquest.drawing.caption import as_state, summary
from sandtable.conquest.drawing.layout import ground, ways
from sandtable.conquest.land import Land, State
from sandtable.conquest.types import Deploy, March
from sandtable.pictures import CAPTION_LINE, arrow_svg, caption_lines, caption_svg, caption_width, tag_svg, text_width

ORDER_COLOURS = ("#b8322a", "#2a55b5")
RADIUS = 20  # of a token
MARGIN = 28

TILE_COLOURS = {0: "#e3a79f", 1: "#a9bbe6"}
TOKENS = {
    -1: '<circle r="17" fill="#fbfaf6" stroke="#8d887c" stroke-width="1.6"/>',
    0: '<circle r="20" fill="#b8322a" stroke="#ffffff" stroke-width="1.6"/>',
    1: '<rect x="-18.5" y="-18.5" width="37" height="37" rx="8" fill="#2a55b5" stroke="#ffffff" stroke-width="1.6"/>',
}
NUMBER_COLOURS = {-1: "#4b473e", 0: "#ffffff", 1: "#ffffff"}
NO_BONUS = {"colour": "#a8a192", "tint": "#e9e4d8"}
LINE = 17


def svg(
    position: State | Land,
    *,
    labels: bool = True,
    tokens: bool = True,
    orders: Sequence[Sequence[Deploy | March]] = (),
) -> str:
    """The map with its edges, bonuses, owners and armies. `labels` adds names, bonuses and a line about the game;
    without `tokens` the armies are left out; `orders` are those of a turn, player 0's first: deployments as +n, marches
    as arrows."""
    state = as_state(position)
    map = ground(state.land)
    caption = f"{state.land.name}: {summary(state)}"
    width, height = map["width"], map["height"]
    under: list[str] = []
    if labels:
        named = max((text_width(f"{bonus['name']} +{bonus['value']}", 12) for bonus in map["bonuses"]), default=0)
        width = math.ceil(max(width, caption_width(caption) + 2 * MARGIN, 2 * (named + 17 + MARGIN), 420))
        under = caption_lines(caption, width - 2 * MARGIN)
        height += LINE * ((len(map["bonuses"]) + 1) // 2) + CAPTION_LINE * len(under) + 18
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="system-ui,sans-serif" role="img">',
        f"<title>{escape(caption, quote=False)}</title>",
        *(_tile(map, t, owner) for t, owner in enumerate(state.owner)),
        *(_road(map, edge) for edge in map["edges"]),
        *(_token(map, t, owner, state.armies[t], labels) for t, owner in enumerate(state.owner) if tokens),
    ]
    if labels:
        parts += [_legend(map, b, width) for b in range(len(map["bonuses"]))]
        parts.append(caption_svg(under, MARGIN, height - 9))
    for given, colour in zip(orders, ORDER_COLOURS, strict=False):
        parts += _orders(given, map, colour)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _tile(map: dict[str, Any], t: int, owner: int) -> str:
    territory = map["territories"][t]
    outline = "M" + "L".join(f"{x} {y}" for x, y in territory["tile"]) + "Z"
    bonus = NO_BONUS if territory["bonus"] is None else map["bonuses"][territory["bonus"]]
    fill = TILE_COLOURS.get(owner, bonus["tint"])
    return f'<path d="{outline}" fill="{fill}" stroke="{bonus["colour"]}" stroke-width="2.5" stroke-linejoin="round"/>'


def _road(map: dict[str, Any], edge: list[int]) -> str:
    lines = ways(map, edge)
    path = "".join(f"M{x1} {y1}L{x2} {y2}" for (x1, y1), (x2, y2) in lines)
    faint = ' stroke-dasharray="2 7"' if len(lines) > 1 else ""
    return f'<path d="{path}" stroke="#6b6455" stroke-width="2"{faint}/>'


def _token(map: dict[str, Any], t: int, owner: int, armies: int, labels: bool) -> str:
    territory = map["territories"][t]
    name = escape(territory["name"], quote=False)
    label = f'<text y="32" font-size="10.5" fill="#3d3a33" text-anchor="middle">{t} {name}</text>' if labels else ""
    return (
        f'<g transform="translate({territory["x"]} {territory["y"]})"><title>{t} {name}</title>{TOKENS[owner]}'
        f'<text y="6" font-size="17" font-weight="700" fill="{NUMBER_COLOURS[owner]}" text-anchor="middle">{armies}'
        f"</text>{label}</g>"
    )


def _legend(map: dict[str, Any], b: int, width: int) -> str:
    bonus = map["bonuses"][b]
    x, y = MARGIN + (b % 2) * width // 2, map["height"] + 8 + LINE * (b // 2)
    said = escape(f"{bonus['name']} +{bonus['value']}", quote=False)
    return (
        f'<rect x="{x}" y="{y - 10}" width="11" height="11" rx="3" fill="{bonus["colour"]}"/>'
        f'<text x="{x + 17}" y="{y}" font-size="12" fill="#777777">{said}</text>'
    )


def _orders(orders: Sequence[Deploy | March], map: dict[str, Any], colour: str) -> list[str]:
    lines, tags = [], []
    for order in orders:
        if isinstance(order, Deploy):
            place = map["territories"][order.territory]
            tags.append(tag_svg(place["x"] + RADIUS, place["y"] - RADIUS + 2, f"+{order.armies}", colour))
            continue
        for (x1, y1), (x2, y2) in ways(map, order[:2]):
            length = math.dist((x1, y1), (x2, y2))
            ux, uy = (x2 - x1) / length, (y2 - y1) / length
            start = x1 + RADIUS * ux, y1 + RADIUS * uy
            end = x2 - (RADIUS + 2) * ux, y2 - (RADIUS + 2) * uy
            # Bent, to keep apart the marches in both directions along an edge.
            lines.append(arrow_svg(start, end, colour, 3.5, bend=8))
            tags.append(tag_svg((x1 + x2) / 2 - 10 * uy, (y1 + y2) / 2 + 10 * ux, str(order.armies), colour))
    return lines + tags
