"""Shared by the SVG pictures: the width of a text, captions that fit, arrows, and colours that every viewer shows."""

from __future__ import annotations

import colorsys
import math
import unicodedata
from collections.abc import Sequence
from html import escape

Point = tuple[float, float]

CAPTION_SIZE, CAPTION_LINE = 12, 16  # pixels
SEPARATOR = " | "


def text_width(text: str, size: float) -> float:
    """The approximate width of a text in pixels. The viewer picks the font: the estimate is generous for usual ones."""
    return size * sum(1.05 if unicodedata.east_asian_width(letter) in "WF" else 0.62 for letter in text)


def caption_lines(caption: str, width: float) -> list[str]:
    """A caption in as few lines as fit the width, broken only between its parts."""
    lines: list[str] = []
    for part in caption.split(SEPARATOR):
        if lines and text_width(longer := lines[-1] + SEPARATOR + part, CAPTION_SIZE) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def caption_width(caption: str) -> float:
    """The least width of a caption: that of its widest part."""
    return max(text_width(part, CAPTION_SIZE) for part in caption.split(SEPARATOR))


def caption_svg(lines: Sequence[str], x: float, bottom: float) -> str:
    """The lines as SVG; `bottom` is the baseline of the last one."""
    return "".join(
        f'<text x="{x:.0f}" y="{bottom - CAPTION_LINE * (len(lines) - 1 - i):.0f}" font-size="{CAPTION_SIZE}" '
        f'fill="#777">{escape(line, quote=False)}</text>'
        for i, line in enumerate(lines)
    )


def score_colour(share: float) -> str:
    """A colour from red (no points) through yellow to green (all points), light enough for dark text."""
    red, green, blue = colorsys.hls_to_rgb(share / 3, 0.72, 0.5)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def arrow_svg(start: Point, end: Point, colour: str, width: float, *, bend: float = 0, dashes: str = "") -> str:
    """An arrow whose tip touches `end`; `bend` moves its middle to the right, seen in its direction, in pixels. The
    white rim keeps it visible on any background."""
    (x1, y1), (x2, y2) = start, end
    length = math.dist(start, end) or 1.0
    middle = ((x1 + x2) / 2 - bend * (y2 - y1) / length, (y1 + y2) / 2 + bend * (x2 - x1) / length)
    control = (2 * middle[0] - (x1 + x2) / 2, 2 * middle[1] - (y1 + y2) / 2)
    along = (x2 - control[0], y2 - control[1])
    size = math.hypot(*along) or 1.0
    ux, uy = along[0] / size, along[1] / size
    head = 2.2 * width + 4
    neck = (x2 - head * ux, y2 - head * uy)
    line = f"M{x1:.1f} {y1:.1f}Q{control[0]:.1f} {control[1]:.1f} {neck[0]:.1f} {neck[1]:.1f}"
    tip = (
        f"M{x2:.1f} {y2:.1f}L{neck[0] - 0.55 * head * uy:.1f} {neck[1] + 0.55 * head * ux:.1f}"
        f"L{neck[0] + 0.55 * head * uy:.1f} {neck[1] - 0.55 * head * ux:.1f}Z"
    )
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<path d="{line}" stroke="#fff" stroke-width="{width + 2.4:.1f}" fill="none"/>'
        f'<path d="{tip}" fill="{colour}" stroke="#fff" stroke-width="1.2" stroke-linejoin="round"/>'
        f'<path d="{line}" stroke="{colour}" stroke-width="{width:.1f}" fill="none"{dashed}/>'
    )


def tag_width(text: str) -> float:
    """The width of a tag with this text."""
    return text_width(text, 10.5) + 9


def tag_svg(x: float, y: float, text: str, colour: str) -> str:
    """A short text in white on a rounded tag around (x, y)."""
    width = tag_width(text)
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - 8:.1f}" width="{width:.1f}" height="16" rx="8" fill="{colour}" '
        f'stroke="#fff" stroke-width="1.2"/><text x="{x:.1f}" y="{y + 3.8:.1f}" font-size="10.5" font-weight="700" '
        f'fill="#fff" text-anchor="middle">{escape(text, quote=False)}</text>'
    )
