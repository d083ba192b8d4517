"""Our own map files, `.json`: whole positions under any rules, HP as real numbers too. docs/formats.md has it all."""

from __future__ import annotations

import json
from typing import Any

from sandtable.errors import MapError
from sandtable.tubstap.ruleset import PRESETS, Rules
from sandtable.tubstap.ruleset import rules as find_rules
from sandtable.tubstap.scenario import MAX_TURNS, MAX_UNITS, Scenario, check_terrain, check_units
from sandtable.tubstap.types import Unit

FORMAT = "sandtable-tubstap"
VERSION = 1

# Every key of the object, and the value that stands for a missing one; ... means that it must be there.
_FIELDS = {
    "format": ...,
    "version": ...,
    "name": None,
    "author": "",
    "comment": "",
    "rules": None,
    "turn_limit": None,
    "hp_threshold": None,
    "turn": 0,
    "quiet": 0,
    "hp_lost": False,
    "terrain": ...,
    "units": ...,
}
_UNIT_FIELDS = {"kind": ..., "side": ..., "x": 0, "y": 0, "hp": ..., "acted": False}


def parse(text: str, rules: Rules | None, name: str) -> Scenario:
    """The scenario of the text. The file's rules count unless others are given."""
    try:
        document = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise MapError("the JSON is nested too deep") from None
    except ValueError as error:
        raise MapError(f"not JSON: {error}") from None
    fields = _fields("the map", document, _FIELDS)
    if fields["format"] != FORMAT:
        raise MapError(f"format: {fields['format']!r:.40} where a map has {FORMAT!r}")
    if fields["version"] != VERSION:
        raise MapError(f"version: {fields['version']!r:.40}; this program reads version {VERSION}")
    if rules is None:
        rules = find_rules("original" if fields["rules"] is None else fields["rules"])
    terrain = _terrain(fields["terrain"])
    check_terrain(terrain, where="terrain row {}".format)
    units = _units(fields["units"])
    check_units(terrain, units, rules, where="units[{}]".format)
    limit, threshold = fields["turn_limit"], fields["hp_threshold"]
    return Scenario(
        name=name if fields["name"] is None else _text("name", fields["name"]),
        terrain=terrain,
        units=units,
        rules=rules,
        turn_limit=None if limit is None else _whole("turn_limit", limit, 1, MAX_TURNS),
        hp_threshold=None if threshold is None else _real("hp_threshold", threshold, 0, MAX_TURNS),
        author=_text("author", fields["author"]),
        comment=_text("comment", fields["comment"]),
        turn=_whole("turn", fields["turn"], 0, MAX_TURNS),
        quiet=_whole("quiet", fields["quiet"], 0, MAX_TURNS),
        hp_lost=_flag("hp_lost", fields["hp_lost"]),
    )


def format(scenario: Scenario) -> str:
    """The scenario as JSON, a row of terrain and a unit a line."""
    preset = PRESETS.get(scenario.rules.name) == scenario.rules
    head = {
        "format": FORMAT,
        "version": VERSION,
        "name": scenario.name,
        "author": scenario.author,
        "comment": scenario.comment,
        "rules": scenario.rules.name if preset else scenario.rules.to_json(),
        "turn_limit": scenario.turn_limit,
        "hp_threshold": scenario.hp_threshold,
        "turn": scenario.turn,
        "quiet": scenario.quiet,
        "hp_lost": scenario.hp_lost,
    }
    lines = [f"  {_dump(key)}: {_dump(value)}," for key, value in head.items()]
    rows = ["".join(map(str, row)) for row in scenario.terrain]
    units = [{key: value for key, value in unit._asdict().items() if key != "id"} for unit in scenario.units]
    lines += _block("terrain", rows, ","), _block("units", units, "")
    return "{\n" + "\n".join(lines) + "\n}\n"


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _block(key: str, items: list[Any], end: str) -> str:
    return f"  {_dump(key)}: [\n" + ",\n".join(f"    {_dump(item)}" for item in items) + f"\n  ]{end}"


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number")


def _fields(where: str, value: Any, known: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MapError(f"{where} must be an object")
    for key in value:
        if key not in known:
            raise MapError(f"{where}: unknown key {key!r:.40}; the keys are {', '.join(known)}")
    for key, default in known.items():
        if default is ... and key not in value:
            raise MapError(f"{where}: {key} is missing")
    return {key: value.get(key, default) for key, default in known.items()}


def _terrain(value: Any) -> tuple[tuple[int, ...], ...]:
    if not isinstance(value, list) or len(value) > 100:
        raise MapError("terrain: must be a list of rows")
    for y, row in enumerate(value):
        if not isinstance(row, str) or len(row) > 100 or not row.isascii() or not row.isdigit():
            raise MapError(f"terrain row {y}: must be a string of digits, one a cell")
    return tuple(tuple(int(cell) for cell in row) for row in value)


def _units(value: Any) -> tuple[Unit, ...]:
    if not isinstance(value, list) or len(value) > 2 * MAX_UNITS:
        raise MapError(f"units: must be a list of at most {2 * MAX_UNITS} units")
    units = []
    for i, item in enumerate(value):
        where = f"units[{i}]"
        fields = _fields(where, item, _UNIT_FIELDS)
        units.append(
            Unit(
                id=i,
                kind=_text(f"{where}.kind", fields["kind"]),
                side=_whole(f"{where}.side", fields["side"], 0, 1),
                x=_whole(f"{where}.x", fields["x"], -999, 999),
                y=_whole(f"{where}.y", fields["y"], -999, 999),
                hp=_real(f"{where}.hp", fields["hp"], 0, 10),
                acted=_flag(f"{where}.acted", fields["acted"]),
            )
        )
    return tuple(units)


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise MapError(f"{where}: must be a text, not {value!r:.40}")
    return value


def _flag(where: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise MapError(f"{where}: must be true or false, not {value!r:.40}")
    return value


def _whole(where: str, value: Any, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise MapError(f"{where}: must be a whole number, not {value!r:.40}")
    if not low <= value <= high:
        raise MapError(f"{where}: {value!r:.40} is not within {low}..{high}")
    return value


def _real(where: str, value: Any, low: float, high: float) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise MapError(f"{where}: must be a number, not {value!r:.40}")
    if not low <= value <= high:
        raise MapError(f"{where}: {value!r:.40} is not within {low}..{high}")
    return value
