"""A text as an SVG picture, for games that draw nothing of their own."""

from __future__ import annotations

from html import escape

LINE, LETTER, MARGIN = 18, 9, 10  # pixels


def text_svg(text: str) -> str:
    lines = text.splitlines() or [""]
    width = 2 * MARGIN + LETTER * max(map(len, lines))
    height = 2 * MARGIN + LINE * len(lines)
    rows = "\n".join(
        f'<text x="{MARGIN}" y="{MARGIN + LINE * (i + 0.8):g}" xml:space="preserve">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="monospace" font-size="15">\n<rect width="100%" height="100%" fill="#fff"/>\n{rows}\n</svg>\n'
    )
