"""Additions to the extension's classes of states: equality, and signatures for editors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandtable.signatures import show_signatures


def complete(kind: type[Any], content: Callable[[Any], Any]) -> None:
    """Make states of the class equal if their `content` is equal: everything that decides how a game goes on. States
    change in place, so Python's own hash() refuses them; state.hash() is the hash of the position."""

    def equal(self: Any, other: object) -> Any:
        if not isinstance(other, kind):
            return NotImplemented
        return self.hash() == other.hash() and content(self) == content(other)

    kind.__eq__ = equal  # type: ignore[assignment]
    kind.__hash__ = None  # type: ignore[assignment]
    show_signatures()
