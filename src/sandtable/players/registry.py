"""Players by name: `name(key=value, ...)` becomes a player with typed settings."""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import re
import sys
import types
import typing
from pathlib import Path
from typing import Any

from sandtable.errors import PlayerError, SandtableError, nearest, one_line
from sandtable.games import games
from sandtable.games.game import imported
from sandtable.players.protocol import Player

_PLAYERS: dict[str, type[Any]] = {}
_SPEC = re.compile(r"\s*([A-Za-z_][\w.]*(?::[A-Za-z_]\w*)?)\s*(?:\((.*)\)\s*)?", re.DOTALL)


def register(name: str, kind: type[Any]) -> None:
    """Make a class of players known by a name. It has a tuple `games`, and is a dataclass if it has settings."""
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        raise PlayerError(f"a player's name is small letters, digits and dashes, not {name!r:.40}")
    if not callable(getattr(kind, "act", None)) or not isinstance(getattr(kind, "games", None), tuple):
        raise PlayerError(f"{name}: a player has act(state, side) and a tuple `games` of the names of games")
    _PLAYERS[name] = kind


def players(game: str | None = None) -> list[str]:
    """The names of the players, of one game or of all."""
    return sorted(name for name, kind in _known().items() if game is None or game in kind.games)


def player_class(name: str) -> type[Any]:
    """The class behind a name, or behind `module:Class` for a player of your own."""
    if ":" in name:
        return _imported(name)
    if name not in _PLAYERS and name not in _known():
        raise PlayerError(
            f"no player is called {name!r:.40}{nearest(name, _PLAYERS)}; there are {', '.join(players())}"
        )
    return _PLAYERS[name]


def _known() -> dict[str, type[Any]]:
    """All players, those that games have of their own among them."""
    for game in games():
        for name, reference in game.players.items():
            if name not in _PLAYERS:
                register(name, imported(reference))
    return _PLAYERS


def player(spec: str | Player) -> Player:
    """A player from its spec string: `uct`, `uct(simulations=200, c=1.4)`, `my_module:MyPlayer(depth=3)`."""
    if not isinstance(spec, str):
        if not isinstance(spec, Player):
            raise PlayerError(f"a player is a spec string or has a method act(state, side), unlike {spec!r:.60}")
        return spec
    match = _SPEC.fullmatch(spec)
    if not match:
        raise PlayerError(f"{spec!r:.80} is not a player: write name or name(key=value, ...)")
    name, arguments = match[1], match[2]
    kind = player_class(name)
    settings = {key: _checked(name, kind, key, value) for key, value in _arguments(name, arguments or "").items()}
    try:
        made = kind(**settings)
    except SandtableError as error:
        raise PlayerError(f"{name}: {error}") from None
    except (Exception, SystemExit) as error:  # a class of the user's own may raise anything
        raise PlayerError(f"{name}: {one_line(error)}") from None
    if not isinstance(made, Player):
        raise PlayerError(f"{name}: a player has a method act(state, side)")
    return made


def settings_of(kind: type[Any]) -> dict[str, Any]:
    """The settings of a class of players with their defaults."""
    if not dataclasses.is_dataclass(kind):
        return {}
    return {field.name: field.default for field in dataclasses.fields(kind) if field.init}


def spec_of(player: Player) -> str:
    """The spec string of a player, as short as it can be: only what differs from the defaults."""
    kind = type(player)
    name = next((name for name, known in _PLAYERS.items() if known is kind), f"{kind.__module__}:{kind.__name__}")
    defaults = settings_of(kind)
    given = [f"{key}={_word(getattr(player, key))}" for key in defaults if getattr(player, key) != defaults[key]]
    return f"{name}({', '.join(given)})" if given else name


def _word(value: Any) -> str:
    return value if isinstance(value, str) and value.isidentifier() else repr(value)


def _imported(name: str) -> type[Any]:
    module, _, attribute = name.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # a player in the folder where one stands
    try:
        kind = getattr(importlib.import_module(module), attribute)
    except AttributeError:
        raise PlayerError(f"{name}: the module {module!r} has no {attribute!r}") from None
    except (Exception, SystemExit) as error:  # importing runs the module, which may raise anything
        raise PlayerError(f"{name}: {one_line(error)}") from None
    if not isinstance(kind, type):
        raise PlayerError(f"{name} is not a class")
    return kind


def _arguments(name: str, text: str) -> dict[str, Any]:
    """The keys and values between the parentheses: numbers, words, quoted texts, true, false, none."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise PlayerError(f"{name}: cannot read the settings {text!r:.60}: write key=value, ...") from None
    if not isinstance(call, ast.Call) or call.args or any(keyword.arg is None for keyword in call.keywords):
        raise PlayerError(f"{name}: cannot read the settings {text!r:.60}: write key=value, ...")
    found: dict[str, Any] = {}
    for keyword in call.keywords:
        key = str(keyword.arg)
        if key in found:
            raise PlayerError(f"{name}: {key} is given twice")
        if isinstance(keyword.value, ast.Name):
            word = keyword.value.id
            found[key] = {"true": True, "false": False, "none": None}.get(word.lower(), word)
            continue
        try:
            found[key] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, RecursionError, MemoryError):
            given = ast.get_source_segment(f"f({text})", keyword.value)
            quoted = f"{key}={given!r:.60}"
            raise PlayerError(f"{name}: {key} must be a number, a word or a quoted text: {quoted}?") from None
    return found


def _checked(name: str, kind: type[Any], key: str, value: Any) -> Any:
    """The value as the setting's type wants it."""
    if not dataclasses.is_dataclass(kind):
        return value
    known = settings_of(kind)
    if key not in known:
        choices = f"it has {', '.join(known)}" if known else "it has no settings"
        raise PlayerError(f"{name} has no setting {key!r:.40}{nearest(key, known)}; {choices}")
    return _of_type(f"{name}: {key}", value, _hints(kind).get(key, Any))


@functools.cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(kind)
    except Exception:  # an annotation that cannot be resolved here says nothing
        return {}


def _of_type(where: str, value: Any, wanted: Any) -> Any:
    """The value, an int where a float is wanted made one; PlayerError if it is of another type."""
    if typing.get_origin(wanted) is typing.Literal:
        if value not in typing.get_args(wanted):
            raise PlayerError(f"{where} must be {' or '.join(map(repr, typing.get_args(wanted)))}, not {value!r:.40}")
        return value
    union = typing.get_origin(wanted) in (types.UnionType, typing.Union)
    allowed = typing.get_args(wanted) if union else (wanted,)
    if not all(choice in _TYPES for choice in allowed):
        return value
    if float in allowed and type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise PlayerError(f"{where} is too large: {value!r:.40}") from None
    if type(value) not in allowed:
        choices = " or ".join(_TYPES[choice] for choice in allowed)
        raise PlayerError(f"{where} must be {choices}, not {value!r:.40}")
    return value


_TYPES: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "a word",
    bool: "true or false",
    type(None): "none",
}
