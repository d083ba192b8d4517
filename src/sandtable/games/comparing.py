"""Equality of states that the extension holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def compare_by(kind: type[Any], content: Callable[[Any], Any]) -> None:
    """States of a class are equal if their content is: all that decides how a game goes on. They change in place, so
    Python's own hash() refuses them; state.hash() is that of the position."""

    def equal(self: Any, other: object) -> bool:
        if not isinstance(other, kind):
            return NotImplemented
        return bool(self.hash() == other.hash() and content(self) == content(other))

    kind.__eq__ = equal  # type: ignore[assignment]
    kind.__hash__ = None  # type: ignore[assignment]
