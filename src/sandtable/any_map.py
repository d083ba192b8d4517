"""Maps and generators of either game, for those who serve both."""

from __future__ import annotations

from pathlib import Path

from sandtable import conquest, map_files, tubstap
from sandtable.errors import SandtableError
from sandtable.files import read_at_most
from sandtable.json_fields import read_object

Position = tubstap.Scenario | conquest.Land

GENERATORS = tubstap.maps.GENERATORS | conquest.maps.GENERATORS


def shipped() -> dict[str, Path]:
    """The maps of both games that come with the package, by name."""
    return tubstap.maps.shipped() | conquest.maps.shipped()


def load(source: str, rules: str | None = None) -> Position:
    """The map of whichever game it belongs to, under its own rules or the named ones."""
    path = map_files.find(source, shipped())
    if _is_conquest(path):
        return conquest.load(path) if rules is None else conquest.load(path, rules=rules)
    return tubstap.load(path, rules=rules)


def _is_conquest(path: Path) -> bool:
    """A conquest map is a JSON object with territories or edges; anything else is TUBSTAP's to read or refuse."""
    try:
        keys = read_object(read_at_most(path, map_files.MAX_FILE_BYTES).decode("utf-8-sig"))
        return not keys.keys().isdisjoint(("territories", "edges", "bonuses"))
    except (SandtableError, UnicodeDecodeError):
        return False
