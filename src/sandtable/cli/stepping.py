"""Step through positions with keys. A picture that does not fit the terminal can be scrolled."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

FORTH, BACK = (" ", "\r", "\n", "\x1b[C", "\x1bOC", "l"), ("\x1b[D", "\x1bOD", "h", "\x7f", "\b")
FIRST, LAST = ("\x1b[H", "\x1bOH", "\x1b[1~", "g"), ("\x1b[F", "\x1bOF", "\x1b[4~", "G")
UP, DOWN = ("\x1b[A", "\x1bOA", "k"), ("\x1b[B", "\x1bOB", "j")
PAGE_UP, PAGE_DOWN = ("\x1b[5~",), ("\x1b[6~",)
LEFTWARD, RIGHTWARD = ("<", ","), (">", ".")
LEAVE = ("q", "Q", "\x1b", "\x03", "\x04")
ONE_KEY = re.compile(r"\x1b(?:\[[\d;]*[A-Za-z~]|O[A-Za-z])|.", re.DOTALL)
WORD = re.compile(r"[^\W\d_]{3}")

KEYS = "space, right: next   left: back   home, end: first, last position   q: quit"
SIDEWAYS = 10  # columns that one key press scrolls


class Page(NamedTuple):
    """A position: lines about the game, the picture, which position it is, and what is played next."""

    heading: Sequence[str]
    picture: Text | str
    place: str
    next: str


class _Fitted(NamedTuple):
    """The part of a page that the terminal shows, and how far its picture is scrolled."""

    lines: list[Text]
    top: int
    left: int
    rows: int  # visible rows of the picture


def step_through(last: int, page: Callable[[int], Page], console: Console, read_key: Callable[[], str]) -> None:
    """Show the pages 0 to `last`, one at a time; keys choose which."""
    at = top = left = 0
    pressed: deque[str] = deque()  # a key that is held down may be read several times at once
    with console.screen(hide_cursor=True):
        while True:
            shown = _fitted(page(at), console, top, left)
            console.clear()
            console.print(Text("\n").join(shown.lines), end="", no_wrap=True, crop=False, overflow="ignore")
            if not pressed:
                try:
                    pressed.extend(ONE_KEY.findall(read_key()))
                except (EOFError, KeyboardInterrupt):
                    return
            key = pressed.popleft() if pressed else ""
            if key in LEAVE:
                return
            at = last if key in LAST else 0 if key in FIRST else at + (key in FORTH) - (key in BACK)
            at = min(max(at, 0), last)
            page_rows = max(1, shown.rows - 1)
            top = shown.top + (key in DOWN) - (key in UP) + page_rows * ((key in PAGE_DOWN) - (key in PAGE_UP))
            left = shown.left + SIDEWAYS * ((key in RIGHTWARD) - (key in LEFTWARD))


def _fitted(page: Page, console: Console, top: int, left: int) -> _Fitted:
    width, height = console.size
    head = _wrapped(Text("\n".join(page.heading), style="bold"), console, max(1, height // 6))
    following = _wrapped(Text(page.next), console, max(1, height // 4)) if page.next else []
    picture = page.picture if isinstance(page.picture, Text) else Text(page.picture)
    drawn = [
        part for line in picture.split("\n") for part in (line.wrap(console, width) if _is_prose(line) else [line])
    ]
    widest = max(line.cell_len for line in drawn)
    # The place and the list of keys take a row each; the scrolling keys take another if there is something to scroll.
    rows = height - len(head) - len(following) - 2
    scrolls = len(drawn) > rows or widest > width
    rows = max(1, rows - scrolls)
    top, left = (max(0, min(*pair)) for pair in ((top, len(drawn) - rows), (left, widest - width)))
    lines = [*head, *(line[left:] for line in drawn[top : top + rows]), Text(page.place, style="bold"), *following]
    if scrolls:
        parts = [f"up, down: rows {top + 1} to {min(top + rows, len(drawn))} of {len(drawn)}"] * (len(drawn) > rows)
        parts += [f"< >: columns {left + 1} to {left + width} of {widest}"] * (widest > width)
        lines.append(Text("   ".join(parts), style="dim"))
    lines.append(Text(KEYS, style="dim"))
    for line in lines:
        line.truncate(width)
    return _Fitted(lines, top, left, rows)


def _is_prose(line: Text) -> bool:
    """Whether a line of a picture may be wrapped: it has words, and is not aligned in columns."""
    return bool(WORD.search(line.plain)) and "  " not in line.plain.strip()


def _wrapped(text: Text, console: Console, most: int) -> list[Text]:
    """The text in lines that fit the terminal, at most `most` of them."""
    lines = list(text.wrap(console, console.width))
    if len(lines) > most:
        lines = lines[:most]
        lines[-1].truncate(console.width - 4)
        lines[-1].append(" ...")
    return lines
