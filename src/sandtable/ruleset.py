"""The common part of all games' rule sets: a name, changes of single rules, JSON, and a digest of the content."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self, TypeVar

from sandtable.errors import RulesError, nearest

R = TypeVar("R", bound="RuleSet")
T = TypeVar("T")

_OPTIONAL = "optional"


def optional(default: T) -> T:
    """A field that JSON and the digest leave out if it has its default value. Rules that are added later are declared
    this way: rule sets that do not use the new rule keep their digest, and older files are read and written
    unchanged."""
    field: T = dataclasses.field(default=default, metadata={_OPTIONAL: True})
    return field


@dataclasses.dataclass(frozen=True)
class RuleSet:
    """The rules of a game: frozen, and checked when they are created."""

    name: str

    def __post_init__(self) -> None:
        name = self.name
        if not isinstance(name, str) or not name or len(name) > 100 or not name.isprintable():
            raise RulesError("rules: name must be a line of 1 to 100 characters")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}, digest {self.digest}>"

    def replace(self, /, **changes: Any) -> Self:
        """These rules with some fields changed, under the name `<name>*` unless a name is given."""
        _check_known(changes, type(self))
        if "name" not in changes:
            changes["name"] = self.name.rstrip("*") + "*"
        return dataclasses.replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        content = dataclasses.asdict(self)
        for field in dataclasses.fields(self):
            if _OPTIONAL in field.metadata and content[field.name] == field.default:
                del content[field.name]
        return content

    @cached_property
    def digest(self) -> str:
        """Sixteen hex digits, equal for equal content."""
        content = _plain_numbers(self.to_json())
        del content["name"]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain_numbers(value: Any) -> Any:
    """1.0 and 1 are equal rules, and must be written the same way."""
    if isinstance(value, dict):
        return {key: _plain_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def find_rules(value: str | R | Mapping[str, Any], presets: Mapping[str, R]) -> R:
    """Rules from a preset's name or from the result of `to_json()`; rules are returned unchanged."""
    kind = type(next(iter(presets.values())))
    if isinstance(value, kind):
        return value
    if isinstance(value, str):
        if value not in presets:
            raise RulesError(
                f"no rules are called {value!r:.40}{nearest(value, presets)}; there are {', '.join(presets)}"
            )
        return presets[value]
    if not isinstance(value, Mapping):
        raise RulesError("rules: give a preset's name or an object of all fields")
    _check_known(value, kind)
    for field in dataclasses.fields(kind):
        if field.name not in value and _OPTIONAL not in field.metadata:
            raise RulesError(f"rules: {field.name} is missing")
    return kind(**value)


def _check_known(changes: Mapping[str, Any], kind: type[RuleSet]) -> None:
    fields = [field.name for field in dataclasses.fields(kind)]
    for key in changes:
        if key not in fields:
            there = nearest(str(key), fields) or f"; the fields are {', '.join(fields)}"
            raise RulesError(f"rules: no field {key!r:.40}{there}")


def check_number(name: str, value: Any, *, whole: bool, words: tuple[str | None, ...] = ()) -> None:
    """RulesError unless the value is a number of moderate size or one of the words."""
    if value is None or isinstance(value, str):
        good = value in words
    else:
        kinds = int if whole else (int, float)
        good = isinstance(value, kinds) and not isinstance(value, bool) and abs(value) <= 10**6
    if not good:
        choices = ["a whole number" if whole else "a number", *map(repr, words)]
        raise RulesError(f"rules: {name} must be {' or '.join(choices)}, not {value!r:.40}")
