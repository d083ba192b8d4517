"""What Python adds to the states that the extension holds: equality, and signatures for editors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandtable.signatures import show_signatures


def complete(kind: type[Any], content: Callable[[Any], Any]) -> None:
    """States of the class are equal if their content is: all that decides how a game goes on. They change in place, so
    Python's own hash() refuses them; state.hash() is that of the position."""

    def equal(self: Any, other: object) -> Any:
        if not isinstance(other, kind):
            return NotImplemented
        return self.hash() == other.hash() and content(self) == content(other)

    kind.__eq__ = equal  # type: ignore[assignment]
    kind.__hash__ = None  # type: ignore[assignment]
    show_signatures()
