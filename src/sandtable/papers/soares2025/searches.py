"""Searches of the thesis as specs with blanks that a run fills in: the file of a network, the time for a move, counts.

Runs and stores identify their games by the texts of these specs, so settings keep the order in which they are written.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Blank(NamedTuple):
    name: str

    def __str__(self) -> str:
        return f"{{{self.name}}}"


NET, SECONDS = Blank("net"), Blank("seconds")


class Search(NamedTuple):
    """A player and its settings: numbers, words, blanks, or a search within the search."""

    player: str
    settings: dict[str, Any]

    def __str__(self) -> str:
        """The spec with its blanks."""
        return self._text(lambda value: f'"{value}"' if isinstance(value, Search) else _word(value))

    def filled(self, **blanks: Any) -> str:
        """The spec with these texts in its blanks."""

        def text(value: Any) -> str:
            if isinstance(value, Search):
                return repr(value.filled(**blanks))
            return str(blanks[value.name]) if isinstance(value, Blank) else _word(value)

        return self._text(text)

    @property
    def has_net(self) -> bool:
        return any(value.has_net if isinstance(value, Search) else value == NET for value in self.settings.values())

    def changed(self, **changes: Any) -> Search:
        return Search(self.player, self.settings | changes)

    def _text(self, text: Any) -> str:
        given = ", ".join(f"{key}={text(value)}" for key, value in self.settings.items())
        return f"{self.player}({given})" if given else self.player


def search(player: str, **settings: Any) -> Search:
    return Search(player, settings)


def said(settings: dict[str, Any]) -> str:
    """Settings as a text."""
    return ", ".join(f"{key}={_word(value)}" for key, value in settings.items())


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
