"""Scenarios from files, texts and the shipped maps, and back to files."""

from __future__ import annotations

from pathlib import Path

from sandtable import map_files
from sandtable.errors import MapError, SandtableError
from sandtable.files import read_at_most, write_whole
from sandtable.games import check_position
from sandtable.games.sources import find_file
from sandtable.texts import shown_line
from sandtable.tubstap import jsonmap, tbsmap
from sandtable.tubstap.ruleset import Rules
from sandtable.tubstap.ruleset import rules as find_rules
from sandtable.tubstap.scenario import Scenario, State

SHIPPED = Path(__file__).parent / "maps"
SUFFIXES = (".tbsmap", ".json")
ENCODINGS = ("utf-8", "cp932", "ascii")


def shipped() -> dict[str, Path]:
    """The maps that come with the package, by name."""
    return map_files.shipped_in(SHIPPED, SUFFIXES)


def load(source: str | Path, rules: str | Rules | None = None) -> Scenario:
    """A scenario from a .tbsmap or .json file, or a shipped map by its name.

    `rules`: a preset's name or Rules; by default the file's own, which are `original` for a .tbsmap.
    """
    path = find_file(source, "tubstap", shipped())
    chosen = None if rules is None else find_rules(rules)  # outside the try: a wrong name is not an error of the file
    try:
        return parse(
            tbsmap.decode(read_at_most(path, map_files.MAX_FILE_BYTES)), rules=chosen, name=shown_line(path.stem)
        )
    except SandtableError as error:
        raise MapError(f"{path}: {error}") from None


def parse(text: str, rules: str | Rules | None = None, name: str = "map") -> Scenario:
    """A scenario from the text of a .tbsmap or .json file; a text that begins with { is JSON."""
    map_files.check_text(text)
    chosen = None if rules is None else find_rules(rules)
    if text.removeprefix("\ufeff").lstrip().startswith("{"):
        return jsonmap.parse(text.removeprefix("\ufeff"), chosen, name)
    return tbsmap.parse(text, chosen or find_rules("original"), name)


def save(scenario: Scenario | State, path: str | Path, encoding: str = "utf-8") -> None:
    """Write a scenario, or the scenario that begins with a state, as .tbsmap or .json by the path's ending.

    The original platform reads Shift-JIS: use encoding="cp932" for a .tbsmap with Japanese text that it is to read.
    """
    check_position("tubstap", scenario, or_map=True)
    if isinstance(scenario, State):
        scenario = scenario.scenario.at(scenario)
    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise MapError(f"{path}: a map is saved as .tbsmap or .json")
    if encoding not in ENCODINGS:
        raise MapError(f"a map is written in one of {', '.join(ENCODINGS)}, not {encoding!r:.40}")
    text = (tbsmap if path.suffix == ".tbsmap" else jsonmap).format(scenario)
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError as error:
        raise MapError(f"{path}: {error.object[error.start]!r} cannot be written in {encoding}") from None
    write_whole(path, data)
