"""Maps of either game by name or file, for the commands that serve both."""

from pathlib import Path

from sandtable import conquest, map_files, tubstap
from sandtable.errors import SandtableError
from sandtable.files import read_at_most, write_whole
from sandtable.json_fields import read_object

Position = tubstap.Scenario | conquest.Land

GAMES = {"tubstap": tubstap.maps, "conquest": conquest.maps}
PRESETS = [*tubstap.PRESETS, *conquest.PRESETS]


def load(source: str, rules: str | None = None) -> Position:
    """The map of whichever game it belongs to, under its own rules or the named ones."""
    path = map_files.find(source, tubstap.maps.shipped() | conquest.maps.shipped())
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


def text_of(position: Position) -> str:
    """The map as a file's text: .tbsmap for TUBSTAP, .json for Conquest."""
    if isinstance(position, conquest.Land):
        return conquest.mapfile.format(position)
    return tubstap.tbsmap.format(position)


def write(position: Position, path: Path, encoding: str = "utf-8") -> None:
    """Write the map in the format of the path's ending, .svg among them."""
    if path.suffix == ".svg":
        write_svg(position, path)
    elif isinstance(position, conquest.Land):
        conquest.save(position, path)
    else:
        tubstap.save(position, path, encoding=encoding)


def write_svg(position: Position, path: Path) -> None:
    if path.suffix != ".svg":
        raise SandtableError(f"{path}: a picture is written as .svg")
    picture = conquest.svg(position) if isinstance(position, conquest.Land) else tubstap.svg(position)
    write_whole(path, picture.encode())


def load_scenario(source: str, rules: str | None = None) -> tubstap.Scenario:
    """A map of TUBSTAP, for the commands that know only that."""
    position = load(source, rules)
    if isinstance(position, conquest.Land):
        raise SandtableError(f"{source} is a map of Conquest, and this needs one of TUBSTAP")
    return position


def size(position: Position) -> str:
    """How large the map is, in a few words."""
    if isinstance(position, conquest.Land):
        return f"{len(position.territories)} territories, {len(position.bonuses)} bonuses"
    sides = [sum(unit.side == side for unit in position.units) for side in (0, 1)]
    return f"{position.width - 2}x{position.height - 2}, {sides[0]} v {sides[1]}"
