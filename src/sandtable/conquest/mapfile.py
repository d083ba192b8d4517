"""Map files of Conquest: JSON with territories, edges and bonuses. docs/formats.md has the whole format."""

from __future__ import annotations

import json
from typing import Any

from sandtable import json_fields
from sandtable.conquest.land import MAX_BONUSES, MAX_INCOME, MAX_TERRITORIES, Land
from sandtable.conquest.ruleset import Rules
from sandtable.conquest.types import Bonus
from sandtable.errors import MapError, nearest

FORMAT = "sandtable-conquest"
VERSION = 1

_FIELDS = {
    "format": FORMAT,
    "version": VERSION,
    "name": None,
    "comment": "",
    "territories": ...,
    "edges": ...,
    "bonuses": ...,
}


def parse(text: str, rules: Rules, name: str) -> Land:
    """The land of a map file's text."""
    found = json_fields.fields("the map", json_fields.read_object(text, "the map"), _FIELDS)
    json_fields.header(found, FORMAT, VERSION)
    names, places = [], []
    for i, item in enumerate(json_fields.items("territories", found["territories"], MAX_TERRITORIES)):
        where = f"territories[{i}]"
        fields = json_fields.fields(where, item, {"name": ..., "x": ..., "y": ...})
        names.append(json_fields.text(f"{where}.name", fields["name"]))
        places.append(tuple(json_fields.real(f"{where}.{axis}", fields[axis], -1e6, 1e6) for axis in "xy"))
    edges = []
    for i, item in enumerate(json_fields.items("edges", found["edges"], MAX_TERRITORIES**2)):
        where = f"edges[{i}]"
        if not isinstance(item, list) or len(item) != 2:
            raise MapError(f"{where}: must be a pair of territories")
        edges.append((_territory(where, item[0], names), _territory(where, item[1], names)))
    bonuses = []
    for i, item in enumerate(json_fields.items("bonuses", found["bonuses"], MAX_BONUSES)):
        where = f"bonuses[{i}]"
        fields = json_fields.fields(where, item, {"name": ..., "value": ..., "territories": ...})
        members = json_fields.items(f"{where}.territories", fields["territories"], MAX_TERRITORIES)
        bonuses.append(
            Bonus(
                name=json_fields.text(f"{where}.name", fields["name"]),
                value=json_fields.whole(f"{where}.value", fields["value"], 0, MAX_INCOME),
                territories=tuple(_territory(where, member, names) for member in members),
            )
        )
    return Land(
        name=name if found["name"] is None else json_fields.text("name", found["name"]),
        territories=tuple(names),
        places=tuple((x, y) for x, y in places),
        edges=tuple(edges),
        bonuses=tuple(bonuses),
        rules=rules,
        comment=json_fields.text("comment", found["comment"]),
    )


def format(land: Land) -> str:
    """The land as JSON, one item per line. A map file does not contain the rules."""
    head = {"format": FORMAT, "version": VERSION, "name": land.name, "comment": land.comment}
    lines = [f"  {json.dumps(key)}: {json_fields.dump(value)}," for key, value in head.items()]
    places = zip(land.territories, land.places, strict=True)
    lines += (
        json_fields.block("territories", [{"name": name, "x": x, "y": y} for name, (x, y) in places], ","),
        json_fields.block("edges", [list(edge) for edge in land.edges], ","),
        json_fields.block("bonuses", [bonus._asdict() for bonus in land.bonuses]),
    )
    return "{\n" + "\n".join(lines) + "\n}\n"


def _territory(where: str, value: Any, names: list[str]) -> int:
    """A territory by its number or its name."""
    if isinstance(value, str):
        if value not in names:
            raise MapError(f"{where}: there is no territory {value!r:.40}{nearest(value, names)}")
        return names.index(value)
    if not names:
        raise MapError(f"{where}: there are no territories")
    return json_fields.whole(where, value, 0, len(names) - 1)
