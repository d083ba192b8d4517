"""What searches found."""

from typing import Any


def moves_of(found: Any) -> list[Any]:
    return [move for move, *_ in found.candidates]
