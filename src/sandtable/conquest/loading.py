"""Lands from files, texts and the shipped maps, and back to files."""

from __future__ import annotations

from pathlib import Path

from sandtable import map_files
from sandtable.conquest import mapfile
from sandtable.conquest.land import Land
from sandtable.conquest.ruleset import Rules
from sandtable.conquest.ruleset import rules as find_rules
from sandtable.errors import MapError, SandtableError
from sandtable.files import read_at_most, write_whole
from sandtable.games.sources import find_file
from sandtable.texts import shown_line

SHIPPED = Path(__file__).parent / "maps"
DEFAULT_RULES = "soares2025"


def shipped() -> dict[str, Path]:
    """The maps that come with the package, by name."""
    return map_files.shipped_in(SHIPPED, (".json",))


def load(source: str | Path, rules: str | Rules = DEFAULT_RULES) -> Land:
    """A land from a .json file, or a shipped map by its name."""
    path = find_file(source, "conquest", shipped())
    chosen = find_rules(rules)  # outside the try: a wrong name is not an error of the file
    try:
        text = read_at_most(path, map_files.MAX_FILE_BYTES).decode("utf-8-sig")
        return parse(text, rules=chosen, name=shown_line(path.stem))
    except UnicodeDecodeError as error:
        raise MapError(f"{path}: byte {error.start}: the file is not UTF-8 text") from None
    except SandtableError as error:
        raise MapError(f"{path}: {error}") from None


def parse(text: str, rules: str | Rules = DEFAULT_RULES, name: str = "map") -> Land:
    """A land from the text of a map file."""
    map_files.check_text(text)
    return mapfile.parse(text, find_rules(rules), name)


def save(land: Land, path: str | Path) -> None:
    """Write a land as a .json file."""
    path = Path(path)
    if path.suffix != ".json":
        raise MapError(f"{path}: a conquest map is saved as .json")
    write_whole(path, mapfile.format(land).encode())
