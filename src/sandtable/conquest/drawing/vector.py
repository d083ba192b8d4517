"""A state as SVG: territories as discs in their owner's colour with their armies, bonuses as coloured hulls."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sandtable.conquest.drawing.caption import as_state, summary
from sandtable.conquest.land import Land, State
from sandtable.conquest.types import Deploy, March
from sandtable.pictures import (
    CAPTION_LINE,
    Point,
    arrow_svg,
    caption_lines,
    caption_svg,
    caption_width,
    tag_svg,
    text_width,
)

OWNER_COLOURS = {-1: "#8a8d94", 0: "#c8352b", 1: "#2b58c8"}
HULL_COLOURS = (
    "#e0a030",
    "#50a060",
    "#a060b0",
    "#40a0b0",
    "#c07050",
    "#708030",
    "#b05080",
    "#6070c0",
    "#909040",
    "#3f8f80",
)
SPACING = 74  # drawn pixels between the nearest two territories
RADIUS = 17
MARGIN = 56
LINE = 17


def svg(position: State | Land, *, orders: Sequence[Sequence[Deploy | March]] = ()) -> str:
    """The map with its edges, bonuses, owners and armies, and a line about the game; and the orders of a turn, those of
    player 0 first: deployments as +n, marches as arrows."""
    state = as_state(position)
    land, owner, armies = state.land, state.owner, state.armies
    points, map_width, map_height = _scaled(land.places)
    caption = f"{land.name}: {summary(state)}"
    named = max((text_width(f"{bonus.name} +{bonus.value}", 12) for bonus in land.bonuses), default=0)
    width = max(map_width + 2 * MARGIN, caption_width(caption) + MARGIN, 2 * (named + 17 + MARGIN / 2), 420)
    under = caption_lines(caption, width - MARGIN)
    legend_top = map_height + 2 * MARGIN
    height = legend_top + LINE * ((len(land.bonuses) + 1) // 2) + CAPTION_LINE * len(under) + 14
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="system-ui,sans-serif" role="img">',
        f"<title>{escape(caption, quote=False)}</title>",
    ]
    for i, bonus in enumerate(land.bonuses):
        name = escape(bonus.name, quote=False)
        colour = HULL_COLOURS[i % len(HULL_COLOURS)]
        hull = _hull([points[t] for t in bonus.territories])
        outline = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in hull) + "Z"
        # Larger hulls get wider rims, so that those that share land can be told apart.
        rim = 2 * RADIUS + 14 + 3 * len(bonus.territories)
        parts.append(
            f'<path d="{outline}" fill="{colour}" stroke="{colour}" stroke-width="{rim}" stroke-linejoin="round" '
            f'opacity=".22"><title>{name} +{bonus.value}</title></path>'
        )
        x, y = MARGIN / 2 + (i % 2) * width / 2, legend_top + LINE * (i // 2)
        parts.append(
            f'<rect x="{x:.0f}" y="{y - 10:.0f}" width="11" height="11" rx="3" fill="{colour}" opacity=".6"/>'
            f'<text x="{x + 17:.0f}" y="{y:.0f}" font-size="12" fill="#777">{name} +{bonus.value}</text>'
        )
    for a, b in land.edges:
        (x1, y1), (x2, y2) = points[a], points[b]
        # A way around the world would cross the whole picture: it is drawn faintly.
        faint = ' stroke-dasharray="2 6" opacity=".7"' if abs(x1 - x2) > map_width * 0.7 else ""
        parts.append(f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#777" stroke-width="1.6"{faint}/>')
    for t, (x, y) in enumerate(points):
        name = escape(land.territories[t], quote=False)
        parts.append(
            f'<g transform="translate({x:.1f} {y:.1f})"><title>{t} {name}</title>'
            f'<circle r="{RADIUS}" fill="{OWNER_COLOURS[owner[t]]}" stroke="#fff" stroke-width="2"/>'
            f'<text y="5" font-size="14" font-weight="700" fill="#fff" text-anchor="middle">{armies[t]}</text>'
            f'<text y="{RADIUS + 13}" font-size="10" fill="#777" text-anchor="middle">{t} {name}</text></g>'
        )
    for player, given in enumerate(orders):
        parts += _orders(given, points, OWNER_COLOURS[player])
    parts.append(caption_svg(under, MARGIN / 2, height - 9) + "</svg>")
    return "\n".join(parts) + "\n"


def _orders(orders: Sequence[Deploy | March], points: Sequence[Point], colour: str) -> list[str]:
    lines, tags = [], []
    for order in orders:
        if isinstance(order, Deploy):
            x, y = points[order.territory]
            tags.append(tag_svg(x + RADIUS, y - RADIUS + 2, f"+{order.armies}", colour))
            continue
        (x1, y1), (x2, y2) = points[order.source], points[order.target]
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        start = x1 + RADIUS * ux, y1 + RADIUS * uy
        end = x2 - (RADIUS + 2) * ux, y2 - (RADIUS + 2) * uy
        # Bent, so that marches in both directions along an edge stay apart.
        lines.append(arrow_svg(start, end, colour, 3.5, bend=8))
        tags.append(tag_svg((x1 + x2) / 2 - 10 * uy, (y1 + y2) / 2 + 10 * ux, str(order.armies), colour))
    return lines + tags


def _scaled(places: Sequence[Point]) -> tuple[list[Point], float, float]:
    """The places in pixels, such that the nearest two stand well apart, with the extent of the map."""
    left, top = min(x for x, _ in places), min(y for _, y in places)
    nearest = min(
        ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 for i, (ax, ay) in enumerate(places) for bx, by in places[:i]
    )
    extent = max(max(x for x, _ in places) - left, max(y for _, y in places) - top)
    extent = max(extent, 1e-6)
    scale = min(SPACING / nearest, 1600 / extent) if nearest > extent / 1e6 else 1600 / extent
    points = [(MARGIN + (x - left) * scale, MARGIN + (y - top) * scale) for x, y in places]
    return points, max(x for x, _ in points) - MARGIN, max(y for _, y in points) - MARGIN


def _hull(points: Sequence[Point]) -> list[Point]:
    """The convex hull (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered

    def chain(along: Sequence[Point]) -> list[Point]:
        kept: list[Point] = []
        for p in along:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 0:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return chain(ordered) + chain(ordered[::-1])


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
