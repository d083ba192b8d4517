"""The messages between a referee and a bot, declared once: docs/protocol.md is generated from here.

A message is one line of JSON, an object whose "type" is its name. In a bot's messages unknown fields are errors; a
bot must ignore fields that it does not know, because later versions of the referee may send more.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from sandtable import json_fields
from sandtable.errors import SandtableError, nearest
from sandtable.texts import shown

PROTOCOL = "sandtable-bot"
VERSION = 1
DEFAULT_CHOICES = 20
MAX_CHOICES = 1000

Kind = TypeVar("Kind")


class MessageError(SandtableError):
    """The line is not a valid message of the protocol."""


@dataclass(frozen=True)
class Hello:
    """The first message: the referee and its version of the protocol."""

    protocol: Annotated[str, f"`{PROTOCOL}`"] = PROTOCOL
    version: Annotated[int, f"the version of the protocol, {VERSION}"] = VERSION
    referee: Annotated[str, "the name of the referee's program, for the bot's log"] = "sandtable"


@dataclass(frozen=True)
class Start:
    """A game begins, or continues from another position. The bot answers `ready`."""

    game: Annotated[str, "the game's name"]
    game_version: Annotated[int, "the version of its rules engine"]
    side: Annotated[int, "the bot's side, 0 or 1"]
    seed: Annotated[int, "for the bot's random numbers: the same seed should give the same game"]
    map: Annotated[Any, "the map, in the form of a record"]
    start: Annotated[Any, "the first position, in the form of a record"]
    rules: Annotated[Any, "the rules, in the form of a record"]
    position: Annotated[dict[str, Any], "the first position again, in the form of `move`"]


@dataclass(frozen=True)
class Move:
    """The bot has to decide. It answers `move`; before that it may ask for `moves`."""

    id: Annotated[int, "the number of this request, which the answer repeats"]
    seconds: Annotated[float, "time limit for the answer"]
    bank: Annotated[float | None, "seconds left for all remaining moves of the game, or null"]
    position: Annotated[dict[str, Any], "the position, in the form of its game"]


@dataclass(frozen=True)
class Moves:
    """The answer to the bot's `moves`."""

    moves: Annotated[list[Any], "legal moves, each in the form of the bot's answer"]
    complete: Annotated[bool, "whether these are all legal moves; otherwise they are a sample"]


@dataclass(frozen=True)
class Played:
    """What was played, including the bot's own moves. The bot does not answer it."""

    record: Annotated[Any, "the move, or the moves of both sides, in the form of a record"]
    position: Annotated[dict[str, Any], "the position after the move"]


@dataclass(frozen=True)
class End:
    """The game is over. The bot's input is closed, and the bot should end."""

    winner: Annotated[int | None, "0, 1, or null for a draw"]
    reason: Annotated[str | None, "why the game ended, or null"]


@dataclass(frozen=True)
class Error:
    """The bot broke the protocol or the rules, and has lost the game."""

    message: Annotated[str, "what was wrong"]


@dataclass(frozen=True)
class BotHello:
    """The answer to `hello`."""

    version: Annotated[int, "the version of the protocol that the bot speaks"]
    name: Annotated[str, "the bot's name"]
    games: Annotated[list[str], "the games that it plays"]


@dataclass(frozen=True)
class BotReady:
    """The answer to `start`."""


@dataclass(frozen=True)
class BotMoves:
    """A request for legal moves, between the referee's `move` and the answer. The clock keeps running."""

    count: Annotated[int, f"size of the sample if not all can be listed, at most {MAX_CHOICES}"] = DEFAULT_CHOICES


@dataclass(frozen=True)
class BotMove:
    """The answer to `move`."""

    id: Annotated[int, "the number of the request"]
    move: Annotated[Any, "the move, in the form of its game"]


FROM_REFEREE: Mapping[str, type[Any]] = {
    "hello": Hello,
    "start": Start,
    "move": Move,
    "moves": Moves,
    "played": Played,
    "end": End,
    "error": Error,
}
FROM_BOT: Mapping[str, type[Any]] = {"hello": BotHello, "ready": BotReady, "moves": BotMoves, "move": BotMove}
_NAMES = {kind: name for kinds in (FROM_REFEREE, FROM_BOT) for name, kind in kinds.items()}


def encode(message: Any) -> bytes:
    """A message as a line, without the newline."""
    parts = [f'"type":"{_NAMES[type(message)]}"']
    parts += [f'"{one.name}":{json_fields.to_json(getattr(message, one.name))}' for one in dataclasses.fields(message)]
    return ("{" + ",".join(parts) + "}").encode()


def decode(line: bytes, kinds: Mapping[str, type[Any]], *, strict: bool = True) -> Any:
    """The message in a line. MessageError if it is none of `kinds`, lacks a field, has a field of the wrong type or, if
    `strict`, an unknown field."""
    try:
        found = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise MessageError("the JSON is nested too deep") from None
    except ValueError:
        raise MessageError(f"not a line of JSON: {quoted(line)}") from None
    if not isinstance(found, dict):
        raise MessageError(f"not an object: {quoted(line)}")
    name = found.pop("type", None)
    if not isinstance(name, str) or name not in kinds:
        hint = nearest(name, kinds) if isinstance(name, str) else ""
        raise MessageError(f"type: {name!r:.40} is not one of {', '.join(kinds)}{hint}")
    return read_fields(kinds[name], found, where=f"{name}: ", strict=strict)


def read_fields(kind: type[Kind], found: Mapping[str, Any], *, where: str = "", strict: bool = True) -> Kind:
    """A dataclass from a JSON object, its fields checked against their types."""
    hints, needed = _fields_of(kind)  # type: ignore[arg-type]
    values = {}
    for name, hint in hints.items():
        if name in found:
            values[name] = _checked(where, name, found[name], hint)
        elif name in needed:
            raise MessageError(f"{where}{name} is missing")
    if strict:
        for key in found:
            if key not in hints:
                raise MessageError(f"{where}unknown field {key!r:.40}{nearest(key, hints)}")
    return kind(**values)


@functools.cache
def _fields_of(kind: type[Any]) -> tuple[dict[str, Any], set[str]]:
    """The types of the fields, and the names of the required fields."""
    fields = dataclasses.fields(kind)
    needed = {
        one.name for one in fields if one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
    }
    hints = typing.get_type_hints(kind)
    return {one.name: hints[one.name] for one in fields}, needed


def quoted(line: bytes) -> str:
    """The beginning of a line, for an error message about it."""
    text = shown(line[:80].decode("utf-8", errors="replace"))
    return repr(text) + ("..." if len(line) > 80 else "")


_WORDS: dict[Any, str] = {
    bool: "true or false",
    dict: "an object",
    float: "a number",
    int: "a whole number",
    list: "a list",
    str: "a string",
    types.NoneType: "null",
}


def in_words(hint: Any) -> str:
    """A field's type, for the docs and for errors."""
    if hint is Any:
        return "JSON"
    if (inner := typing.get_args(hint)) and isinstance(hint, types.UnionType):
        return " or ".join(map(in_words, inner))
    if typing.get_origin(hint) is list and inner != (Any,):
        return f"a list, each {in_words(inner[0])}"
    return _WORDS[typing.get_origin(hint) or hint]


def _checked(where: str, name: str, value: Any, hint: Any) -> Any:
    if not _fits(value, hint):
        raise MessageError(f"{where}{name}: must be {in_words(hint)}, not {shown(json_fields.to_json(value))!s:.60}")
    return float(value) if hint is float else value


def _fits(value: Any, hint: Any) -> bool:
    if hint is Any:
        return True
    inner: Sequence[Any] = typing.get_args(hint)
    if isinstance(hint, types.UnionType):
        return any(_fits(value, one) for one in inner)
    if typing.get_origin(hint) is list:
        return isinstance(value, list) and all(_fits(one, inner[0]) for one in value)
    if hint is float:
        return type(value) in (int, float) and abs(value) <= 1e15
    return type(value) is (typing.get_origin(hint) or hint)


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number")
