"""Maps of either game shown, described and written, for the commands that serve both."""

from pathlib import Path

from sandtable import conquest, tubstap
from sandtable.any_map import Position, load
from sandtable.errors import SandtableError
from sandtable.files import write_whole

GAMES = {"tubstap": tubstap.maps, "conquest": conquest.maps}
PRESETS = [*tubstap.PRESETS, *conquest.PRESETS]


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
