"""The platform's map files, `.tbsmap`: `KEY[value];` statements in any order.

Most files in the wild are Shift-JIS, where the second byte of a character may be a bracket, so the bytes are
decoded before anything else. docs/formats.md has the whole format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandtable.errors import MapError
from sandtable.texts import shown
from sandtable.tubstap.ruleset import Rules
from sandtable.tubstap.scenario import MAX_HP, MAX_SIZE, MAX_TURNS, MAX_UNITS, Scenario, check_terrain, check_units
from sandtable.tubstap.types import KINDS, SIDES, Unit

# The required numbers, with their ranges.
NUMBERS = {
    "SIZEX": (3, MAX_SIZE + 2),
    "SIZEY": (3, MAX_SIZE + 2),
    "TURNLIMIT": (1, MAX_TURNS),
    "HPTHRESHOLD": (0, MAX_TURNS),
    "UNITNUMRED": (1, MAX_UNITS),
    "UNITNUMBLUE": (1, MAX_UNITS),
}
TEXTS = ("AUTHOR", "MAPCOM")
REPEATED = ("MAP", "UNIT")

_OPEN = re.compile(r"([^\s;\[\]]+)\s*\[")
# A bracket closes a value only if a semicolon, another statement or the end follows: comments may contain brackets.
_CLOSE = re.compile(r"\](?=\s*(?:;|\Z|[^\s;\[\]]+\s*\[))")
_BETWEEN = re.compile(r"[\s;]*")
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")


def decode(data: bytes) -> str:
    """The text of a map file: UTF-8 (ASCII, with or without BOM) or else Shift-JIS."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp932")
    except UnicodeDecodeError as error:
        raise MapError(f"byte {error.start}: the file is neither UTF-8 nor Shift-JIS text") from None


def parse(text: str, rules: Rules, name: str) -> Scenario:
    """The scenario of a map file's text."""
    numbers: dict[str, int] = {}
    texts = dict.fromkeys(TEXTS, "")
    rows: list[tuple[int, ...]] = []
    units: list[Unit] = []
    seen: set[str] = set()
    for key, value in statements(text):
        if key in seen and (key in NUMBERS or key in TEXTS):
            raise MapError(f"{key}: given twice; keep one")
        seen.add(key)
        if key in NUMBERS:
            numbers[key] = _whole(key, value, *NUMBERS[key])
        elif key in TEXTS:
            texts[key] = shown(value)
        elif key == "MAP":
            if len(rows) == MAX_SIZE + 2:
                raise MapError(f"MAP: more than {MAX_SIZE + 2} rows")
            rows.append(tuple(_whole(_row(len(rows)), cell, 0, 6) for cell in value.split(",")))
        elif key == "UNIT":
            if len(units) == 2 * MAX_UNITS:
                raise MapError(f"UNIT: more than {MAX_UNITS} units a side")
            units.append(_unit(len(units), value))
    for key in NUMBERS:
        if key not in numbers:
            raise MapError(f"{key} is missing: add {key}[number];")
    if len(rows) != numbers["SIZEY"]:
        raise MapError(f"MAP: {len(rows)} rows where SIZEY says {numbers['SIZEY']}")
    for y, row in enumerate(rows):
        if len(row) != numbers["SIZEX"]:
            raise MapError(f"{_row(y)} has {len(row)} cells where SIZEX says {numbers['SIZEX']}")
    check_terrain(rows, where=_row)
    for side, colour in enumerate(SIDES):
        key, count = f"UNITNUM{colour.upper()}", sum(unit.side == side for unit in units)
        if count != numbers[key]:
            raise MapError(f"{key}: says {numbers[key]}, but there are {count} {colour} UNIT statements")
    check_units(rows, units, rules, where=_statement)
    return Scenario(
        name=name,
        terrain=tuple(rows),
        units=tuple(units),
        rules=rules,
        turn_limit=numbers["TURNLIMIT"],
        hp_threshold=numbers["HPTHRESHOLD"],
        author=texts["AUTHOR"],
        comment=texts["MAPCOM"],
    )


def format(scenario: Scenario) -> str:
    """The scenario as a map file's text. MapError if the format cannot hold it."""
    limit, threshold = scenario.turn_limit, scenario.hp_threshold
    if limit is None or threshold is None or threshold != int(threshold):
        raise MapError("a .tbsmap needs a turn limit and a whole HP threshold; save it as .json")
    if scenario.turn or scenario.quiet or scenario.hp_lost:
        raise MapError("a .tbsmap holds only games that have not begun; save it as .json")
    if any(unit.hp != int(unit.hp) or unit.hp == 0 for unit in scenario.units):
        raise MapError("a .tbsmap holds only living units with whole HP; save it as .json")
    count = [sum(unit.side == side for unit in scenario.units) for side in (0, 1)]
    lines = [
        f"SIZEX[{scenario.width}];SIZEY[{scenario.height}];",
        f"TURNLIMIT[{limit}];HPTHRESHOLD[{int(threshold)}];",
        f"UNITNUMRED[{count[0]}];UNITNUMBLUE[{count[1]}];",
    ]
    for key, value in zip(TEXTS, (scenario.author, scenario.comment), strict=True):
        if _CLOSE.search(value) or value.endswith("]"):
            raise MapError(f"{key}: a .tbsmap cannot hold the text {value!r:.60}; remove the closing bracket")
        if value:
            lines.append(f"{key}[{value}];")
    lines += [f"MAP[{','.join(map(str, row))}];" for row in scenario.terrain]
    lines += [f"UNIT[{u.x},{u.y},{u.kind},{u.side},{int(u.hp)},{int(u.acted)}];" for u in scenario.units]
    return "\n".join(lines) + "\n"


def statements(text: str) -> Iterator[tuple[str, str]]:
    """The keys and values of the KEY[value]; statements in a text."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    at = _end(_BETWEEN.match(text, 0))
    while at < len(text):
        opening = _OPEN.match(text, at)
        if not opening:
            raise MapError(f"line {_line(text, at)}: {text[at : at + 20]!r} is not a KEY[value]; statement")
        key, at = opening[1], opening.end()
        plain = key in NUMBERS or key in REPEATED
        closing = (re.compile(r"\]") if plain else _CLOSE).search(text, at)
        value = text[at : closing.start()] if closing else text[at:]
        if not closing or (plain and ("[" in value or ";" in value)):
            raise MapError(f"{key} (line {_line(text, at)}): the closing ] is missing")
        yield key, value
        at = _end(_BETWEEN.match(text, closing.end()))


def _end(match: re.Match[str] | None) -> int:
    assert match is not None  # the pattern matches the empty string
    return match.end()


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _row(y: int) -> str:
    return f"MAP row {y}"


def _statement(index: int) -> str:
    return f"UNIT statement {index + 1}"


def _whole(where: str, text: str, low: int, high: int) -> int:
    text = text.strip()
    if not _WHOLE.fullmatch(text):
        raise MapError(f"{where}: {text!r:.40} is not a whole number")
    if not low <= int(text) <= high:
        raise MapError(f"{where}: {int(text)} is not within {low}..{high}")
    return int(text)


def _unit(index: int, value: str) -> Unit:
    where = _statement(index)
    parts = [part.strip() for part in value.split(",")]
    if len(parts) != 6:
        raise MapError(f"{where}: {len(parts)} values where UNIT[x,y,kind,team,HP,acted] has 6")
    x, y, kind, team, hp, acted = parts
    if kind not in KINDS:
        raise MapError(f"{where}: unknown kind {kind!r:.40}; the kinds are {', '.join(KINDS)}")
    return Unit(
        id=index,
        kind=kind,
        side=_whole(f"{where}, team", team, 0, 1),
        x=_whole(f"{where}, x", x, -999, 999),
        y=_whole(f"{where}, y", y, -999, 999),
        hp=_whole(f"{where}, HP", hp, 1, MAX_HP),
        acted=bool(_whole(f"{where}, acted", acted, 0, 1)),
    )
