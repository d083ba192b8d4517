"""Read untrusted JSON: each function returns the value, or raises a MapError that says where it is wrong."""

import json
from collections.abc import Mapping
from typing import Any

from sandtable.errors import MapError


def read_object(text: str, what: str = "the JSON") -> dict[str, Any]:
    """The object of a JSON text. The MapError for any other value uses `what` as the object's name."""
    document = read(text)
    if not isinstance(document, dict):
        raise MapError(f"{what} must be an object")
    return document


def read(text: str) -> Any:
    """The value of a JSON text."""
    if not isinstance(text, str):
        raise MapError(f"JSON text is needed, not {text!r:.40}")
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise MapError("the JSON is nested too deep") from None
    except ValueError as error:
        raise MapError(f"not JSON: {error}") from None


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number")


def fields(where: str, value: Any, known: dict[str, Any]) -> dict[str, Any]:
    """The values of all known keys of an object. `known` has a default for each key, or `...` if it is required."""
    if not isinstance(value, dict):
        raise MapError(f"{where} must be an object")
    for key in value:
        if key not in known:
            raise MapError(f"{where}: unknown key {key!r:.40}; the keys are {', '.join(known)}")
    for key, default in known.items():
        if default is ... and key not in value:
            raise MapError(f"{where}: {key} is missing")
    return {key: value.get(key, default) for key, default in known.items()}


def items(where: str, value: Any, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise MapError(f"{where}: must be a list of at most {most}")
    return value


def text(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise MapError(f"{where}: must be a string, not {value!r:.40}")
    return value


def flag(where: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise MapError(f"{where}: must be true or false, not {value!r:.40}")
    return value


def whole(where: str, value: Any, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise MapError(f"{where}: must be a whole number, not {value!r:.40}")
    if not low <= value <= high:
        raise MapError(f"{where}: {value!r:.40} is not within {low}..{high}")
    return value


def real(where: str, value: Any, low: float, high: float) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise MapError(f"{where}: must be a number, not {value!r:.40}")
    if not low <= value <= high:
        raise MapError(f"{where}: {value!r:.40} is not within {low}..{high}")
    return value


def header(found: dict[str, Any], format: str, version: int) -> None:
    """MapError unless the file is of this format and version."""
    if found["format"] != format:
        raise MapError(f"format: must be {format!r}, not {found['format']!r:.40}")
    if found["version"] != version or type(found["version"]) is not int:
        raise MapError(f"version: {found['version']!r:.40}; this program reads version {version}")


def block(key: str, values: list[Any], end: str = "") -> str:
    """A key with a list of values, one per line, so that files are easy to read and to compare."""
    lines = ",\n".join(f"    {dump(value)}" for value in values)
    return f"  {dump(key)}: [\n{lines}\n  ]{end}" if values else f"  {dump(key)}: []{end}"


def dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


class RawJson(str):
    """A text that is JSON already: to_json() writes it as it is."""


def one_line(text: str) -> RawJson:
    """A JSON text, rewritten in one line."""
    return RawJson(to_json(json.loads(text)))


def object_to_json(found: Mapping[str, object]) -> str:
    """An object as JSON without spaces; values that are JSON already are written as they are."""
    return "{" + ",".join(f"{to_json(key)}:{to_json(value)}" for key, value in found.items()) + "}"


def to_json(value: object) -> str:
    """A value as JSON without spaces."""
    return value if isinstance(value, RawJson) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
