"""Sandtable's own map files, `.json`: complete positions under any rules, with whole or real HP. docs/formats.md
describes the format."""

from __future__ import annotations

from typing import Any

from sandtable import json_fields
from sandtable.errors import MapError
from sandtable.tubstap.ruleset import PRESETS, Rules
from sandtable.tubstap.ruleset import rules as find_rules
from sandtable.tubstap.scenario import MAX_HP, MAX_TURNS, MAX_UNITS, Scenario, check_terrain, check_units
from sandtable.tubstap.types import Unit

FORMAT = "sandtable-tubstap"
VERSION = 1

# The keys of the object with their default values; ... marks a required key.
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
    """The scenario of the text. `rules`, if given, replace the rules of the file."""
    found = json_fields.fields("the map", json_fields.read_object(text, "the map"), _FIELDS)
    json_fields.header(found, FORMAT, VERSION)
    if rules is None:
        rules = find_rules("original" if found["rules"] is None else found["rules"])
    terrain = _terrain(found["terrain"])
    check_terrain(terrain, where="terrain row {}".format)
    units = _units(found["units"])
    check_units(terrain, units, rules, where="units[{}]".format)
    limit, threshold = found["turn_limit"], found["hp_threshold"]
    return Scenario(
        name=name if found["name"] is None else json_fields.text("name", found["name"]),
        terrain=terrain,
        units=units,
        rules=rules,
        turn_limit=None if limit is None else json_fields.whole("turn_limit", limit, 1, MAX_TURNS),
        hp_threshold=None if threshold is None else json_fields.real("hp_threshold", threshold, 0, MAX_TURNS),
        author=json_fields.text("author", found["author"]),
        comment=json_fields.text("comment", found["comment"]),
        turn=json_fields.whole("turn", found["turn"], 0, MAX_TURNS),
        quiet=json_fields.whole("quiet", found["quiet"], 0, MAX_TURNS),
        hp_lost=json_fields.flag("hp_lost", found["hp_lost"]),
    )


def format(scenario: Scenario) -> str:
    """The scenario as JSON, with one line per terrain row and per unit."""
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
    lines = [f"  {json_fields.dump(key)}: {json_fields.dump(value)}," for key, value in head.items()]
    rows = ["".join(map(str, row)) for row in scenario.terrain]
    units = [{key: value for key, value in unit._asdict().items() if key != "id"} for unit in scenario.units]
    lines += json_fields.block("terrain", rows, ","), json_fields.block("units", units)
    return "{\n" + "\n".join(lines) + "\n}\n"


def _terrain(value: Any) -> tuple[tuple[int, ...], ...]:
    rows = json_fields.items("terrain", value, 100)
    for y, row in enumerate(rows):
        if not isinstance(row, str) or len(row) > 100 or not row.isascii() or not row.isdigit():
            raise MapError(f"terrain row {y}: must be a string of digits, one a cell")
    return tuple(tuple(int(cell) for cell in row) for row in rows)


def _units(value: Any) -> tuple[Unit, ...]:
    units = []
    for i, item in enumerate(json_fields.items("units", value, 2 * MAX_UNITS)):
        where = f"units[{i}]"
        found = json_fields.fields(where, item, _UNIT_FIELDS)
        units.append(
            Unit(
                id=i,
                kind=json_fields.text(f"{where}.kind", found["kind"]),
                side=json_fields.whole(f"{where}.side", found["side"], 0, 1),
                x=json_fields.whole(f"{where}.x", found["x"], -999, 999),
                y=json_fields.whole(f"{where}.y", found["y"], -999, 999),
                hp=json_fields.real(f"{where}.hp", found["hp"], 0, MAX_HP),
                acted=json_fields.flag(f"{where}.acted", found["acted"]),
            )
        )
    return tuple(units)
