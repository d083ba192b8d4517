"""The layout of a land: its territories as tiles, in pixels. svg() and the page share it.

A territory's tile is its Voronoi cell, cut to a disc so that the coast is round. Tiles that touch need not be
neighbours, and neighbours need not touch: the edges are drawn as roads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

from sandtable.conquest.land import Land

Point = tuple[float, float]

SPACING = 88.0  # median distance in pixels between a territory and the nearest other
NARROWEST = 58.0  # distance between the nearest two territories; SPACING gives way to it
WIDEST = 1600.0  # greatest extent of the whole map; both give way to it
MARGIN = 66.0
AROUND = 0.7  # an edge that spans more than this share of the map's width goes around the world
REACH = 60.0  # radius of a tile without neighbours
GAP = 1.5  # between a tile's border and the line halfway to the other territory
BONUS_COLOURS = (
    "#c98a1b",
    "#4a8f57",
    "#8d5aa0",
    "#2f8c9c",
    "#b4633f",
    "#6d7d2c",
    "#a8487a",
    "#5865b0",
    "#86803a",
    "#357f72",
)


def ground(land: Land) -> dict[str, Any]:
    """The parts of the picture that never change during a game, as JSON."""
    points = _scaled(land.places)
    largest_first = sorted(range(len(land.bonuses)), key=lambda b: len(land.bonuses[b].territories), reverse=True)
    bonus_of = {t: b for b in largest_first for t in land.bonuses[b].territories}  # smaller ones replace larger ones
    return {
        "width": round(max(x for x, _ in points) + MARGIN),
        "height": round(max(y for _, y in points) + MARGIN),
        "territories": [
            {
                "name": name,
                "x": round(x, 1),
                "y": round(y, 1),
                "tile": [[round(px, 1), round(py, 1)] for px, py in _tile(t, points)],
                "bonus": bonus_of.get(t),
            }
            for t, (name, (x, y)) in enumerate(zip(land.territories, points, strict=True))
        ],
        "edges": [list(edge) for edge in land.edges],
        "bonuses": [
            {
                "name": bonus.name,
                "value": bonus.value,
                "territories": list(bonus.territories),
                "colour": BONUS_COLOURS[b % len(BONUS_COLOURS)],
                "tint": _tint(BONUS_COLOURS[b % len(BONUS_COLOURS)]),
            }
            for b, bonus in enumerate(land.bonuses)
        ],
    }


def ways(map: dict[str, Any], edge: Sequence[int]) -> list[tuple[Point, Point]]:
    """The lines that draw an edge: one, or two if it would cross the whole picture. Such an edge goes around the world:
    it leaves the map on one side and returns on the other."""
    (x1, y1), (x2, y2) = ((map["territories"][t]["x"], map["territories"][t]["y"]) for t in edge)
    width = map["width"]
    if abs(x1 - x2) <= AROUND * width:
        return [((x1, y1), (x2, y2))]
    out, back = (0, width) if x1 < x2 else (width, 0)
    y = round(y1 + (y2 - y1) * abs(x1 - out) / (abs(x1 - out) + abs(x2 - back)), 1)
    return [((x1, y1), (out, y)), ((back, y), (x2, y2))]


def _tint(colour: str) -> str:
    """A light shade: a quarter of the colour mixed with the colour of paper."""
    mixed = (
        0.24 * int(colour[i : i + 2], 16) + 0.76 * paper for i, paper in zip((1, 3, 5), (244, 240, 230), strict=True)
    )
    return "#" + "".join(f"{round(channel):02x}" for channel in mixed)


def _scaled(places: Sequence[Point]) -> list[Point]:
    """The places in pixels, scaled to the distances above."""
    left, top = min(x for x, _ in places), min(y for _, y in places)
    extent = max(max(x for x, _ in places) - left, max(y for _, y in places) - top, 1e-6)
    nearest = [min(math.dist(a, b) for j, b in enumerate(places) if j != i) for i, a in enumerate(places)]
    scale = WIDEST / extent
    if min(nearest) > extent / 1e6:
        scale = min(scale, max(SPACING / median(nearest), NARROWEST / min(nearest)))
    return [(MARGIN + (x - left) * scale, MARGIN + (y - top) * scale) for x, y in places]


def _tile(t: int, points: Sequence[Point]) -> list[Point]:
    """A disc, cut along the line halfway between this territory and each nearby one."""
    x, y = points[t]
    corners = 32
    tile = [
        (x + REACH * math.cos(2 * math.pi * k / corners), y + REACH * math.sin(2 * math.pi * k / corners))
        for k in range(corners)
    ]
    for other in points:
        distance = math.dist(points[t], other)
        if 1e-6 < distance < 2 * REACH + GAP:
            normal = ((other[0] - x) / distance, (other[1] - y) / distance)
            tile = _cut(tile, normal, normal[0] * x + normal[1] * y + distance / 2 - GAP)
    return tile


def _cut(polygon: Sequence[Point], normal: Point, limit: float) -> list[Point]:
    """The part of a convex polygon whose dot product with the normal is at most the limit (Sutherland and Hodgman)."""
    kept: list[Point] = []
    for (ax, ay), (bx, by) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
        a, b = normal[0] * ax + normal[1] * ay - limit, normal[0] * bx + normal[1] * by - limit
        if a <= 0:
            kept.append((ax, ay))
        if (a < 0 < b) or (b < 0 < a):
            share = a / (a - b)
            kept.append((ax + share * (bx - ax), ay + share * (by - ay)))
    return kept
