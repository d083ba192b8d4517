"""Texts from files: characters that cannot be shown or written back are refused, or replaced in mere comments."""

import unicodedata
from collections.abc import Iterable, Sequence

from sandtable.errors import MapError


def _unprintable(character: str) -> bool:
    """Whether it is a control character, a lone surrogate, or one of the two code points that XML does not allow."""
    return character not in "\n\t" and (unicodedata.category(character) in ("Cc", "Cs") or character in "\ufffe\uffff")


def check_text(where: str, text: object, *, one_line: bool = False) -> None:
    """MapError unless it is a text that can be shown and written; `one_line`: in one line of 1 to 200 characters."""
    if not isinstance(text, str):
        raise MapError(f"{where}: must be a string, not {text!r:.40}")
    for character in text:
        if _unprintable(character):
            raise MapError(f"{where}: the character {character!a} cannot be shown; remove it")
    if one_line and (not text or "\n" in text or len(text) > 200):
        raise MapError(f"{where}: must be one line of 1 to 200 characters")


def is_plain(text: str) -> bool:
    """Whether a terminal shows the text as it is: no escape sequences, no lone surrogates."""
    return text.isprintable() or not any(map(_unprintable, text))


def shown(text: str) -> str:
    """The text with a replacement mark for every character that cannot be shown."""
    return "".join("\ufffd" if _unprintable(character) else character for character in text)


def shown_line(text: str) -> str:
    """shown(), with line breaks and tabs replaced too: for a path on one line."""
    return shown(text).replace("\n", "\ufffd").replace("\t", "\ufffd")


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table for notebooks."""
    from html import escape  # slow to import, and only needed here

    head, *body = (
        "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
        for tag, row in (("th", columns), *(("td", row) for row in rows))
    )
    return f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"
