"""Specs: a player and its settings as a value, written as `name(key=value, ...)`."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path
from typing import Any

from sandtable.errors import PlayerError, SandtableError, SettingError, one_line
from sandtable.players.protocol import Player
from sandtable.players.registry import name_of, player_class
from sandtable.settings import Setting, checked_all, declared

_NAME = re.compile(r"\s*([A-Za-z_][\w.]*(?::[A-Za-z_]\w*)?)\s*")
_SPEC = re.compile(_NAME.pattern + r"(?:\((.*)\)\s*)?", re.DOTALL)
# Matches quoted texts, which stay as they are, and unquoted values with dashes (names of networks), to be quoted.
_DASHED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<==)\s*([A-Za-z_]\w*(?:-\w+)+)\s*(?=,|$)""")


@dataclass(frozen=True)
class PlayerSpec:
    """A player's name and the settings that differ from its defaults, in the order of their declaration. Equal specs
    make equal players."""

    name: str
    settings: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, name: str, **settings: Any) -> PlayerSpec:
        """The spec of a player with these settings; PlayerError if it has no such settings."""
        kind = player_class(name)
        if not dataclasses.is_dataclass(kind):
            return cls(name, tuple(settings.items()))
        try:
            return cls(name, _not_default(kind, checked_all(name, declared(kind), settings)))
        except SettingError as error:
            raise PlayerError(str(error)) from None

    @classmethod
    def parse(cls, text: str) -> PlayerSpec:
        """A spec from its text: `uct`, `uct(simulations=200, c=1.4)`, `my_module:MyPlayer(depth=3)`."""
        match = _SPEC.fullmatch(text)
        if not match:
            raise PlayerError(f"{text!r:.80} is not a player: write name or name(key=value, ...)")
        player_class(match[1])  # report an unknown name before unreadable settings
        return cls.of(match[1], **_arguments(match[1], match[2] or ""))

    @classmethod
    def of_player(cls, made: Player) -> PlayerSpec:
        kind = type(made)
        settings = {one.name: getattr(made, one.name) for one in declared(kind)}
        return cls(name_of(kind), _not_default(kind, settings))

    @staticmethod
    def name_in(text: str) -> str | None:
        """The player's name at the beginning of a text, even if the settings after it cannot be read."""
        match = _NAME.match(text)
        return match[1] if match else None

    def replace(self, **changes: Any) -> PlayerSpec:
        """The same player with some settings changed."""
        return PlayerSpec.of(self.name, **dict(self.settings) | changes)

    @property
    def importable(self) -> PlayerSpec:
        """The same player under a name that other processes can resolve: `module:Class` if the user's own code
        registered it, because other processes have not run that code."""
        kind = player_class(self.name)
        own = kind.__module__.partition(".")[0] == __name__.partition(".")[0]
        return self if own or ":" in self.name else PlayerSpec(f"{kind.__module__}:{kind.__name__}", self.settings)

    def player(self) -> Player:
        kind = player_class(self.name)
        try:
            made = kind(**dict(self.settings))
        except SandtableError as error:
            raise PlayerError(f"{self.name}: {error}") from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a class of the user's own may raise anything
            raise PlayerError(f"{self.name}: {one_line(error)}") from None
        if not isinstance(made, Player):
            raise PlayerError(f"{self.name}: a player needs a method act(state, side)")
        return made

    def __str__(self) -> str:
        """The spec as a text, as short as possible."""
        given = ", ".join(f"{key}={_written(value)}" for key, value in self.settings)
        return f"{self.name}({given})" if given else self.name

    @property
    def digest(self) -> str:
        """16 hexadecimal digits. Networks count by their content, not by their names or paths."""
        given = dict(self.settings)
        kind = player_class(self.name)
        for one in declared(kind):
            content = _content_digest(kind, one, given.get(one.name, one.given))
            if content is not None:
                given[one.name] = content
        if hasattr(kind, "players_behind"):
            given["players_behind"] = [PlayerSpec.parse(spec).digest for spec in kind.players_behind()]
        return hashlib.sha256(repr((self.name, sorted(given.items()))).encode()).hexdigest()[:16]

    @property
    def networks(self) -> tuple[str, ...]:
        """The networks that its settings name, and those of a player that they name."""
        kind, given = player_class(self.name), dict(self.settings)
        return tuple(
            network for one in declared(kind) for network in _networks(kind, one, given.get(one.name, one.given))
        )


def files_of(specs: Iterable[str]) -> list[str]:
    """The files of networks that players read, as their specs name them; shipped networks are left out."""
    from sandtable.nets.checkpoints import SUFFIXES

    networks = sorted({net for spec in specs for net in PlayerSpec.parse(spec).networks})
    return [str(Path(net).with_suffix(suffix)) for net in networks if net.endswith(SUFFIXES[0]) for suffix in SUFFIXES]


def player(spec: str | PlayerSpec | Player) -> Player:
    """A player from its spec; an existing player is returned unchanged."""
    if isinstance(spec, str):
        return PlayerSpec.parse(spec).player()
    if isinstance(spec, PlayerSpec):
        return spec.player()
    if not isinstance(spec, Player):
        raise PlayerError(f"a player must be a spec string or have a method act(state, side), not {spec!r:.60}")
    return spec


def spec_of(made: Player) -> str:
    """The spec string of a player, with only the settings that differ from the defaults."""
    return str(PlayerSpec.of_player(made))


def networks_of(made: Player) -> tuple[str, ...]:
    """The networks that a player's settings name, and those of a player that they name."""
    return tuple(name for one in declared(type(made)) for name in _networks(type(made), one, getattr(made, one.name)))


def _not_default(kind: type[Any], settings: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The settings that differ from the defaults, in the order of their declaration."""
    values = [(one, settings[one.name]) for one in declared(kind) if one.name in settings]
    return tuple((one.name, value) for one, value in values if value != one.given)


def _content_digest(kind: type[Any], setting: Setting, value: Any) -> str | None:
    """The digest of the networks or the player that a setting names; None if it names neither."""
    if not setting.names or value in setting.plain:
        return None
    if setting.names == "player":
        return PlayerSpec.parse(value).digest
    from sandtable.nets.checkpoints import read_card  # these modules import numpy
    from sandtable.nets.evaluators import locate

    return " ".join(read_card(locate(network)).sha256 for network in _networks(kind, setting, value))


def _networks(kind: type[Any], setting: Setting, value: Any) -> tuple[str, ...]:
    if not setting.names or value in setting.plain:
        return ()
    if setting.names == "player":
        return PlayerSpec.parse(value).networks
    found: tuple[str, ...] = kind.networks_behind(value) if hasattr(kind, "networks_behind") else (value,)
    return found


_CONSTANTS = {"true": True, "false": False, "none": None}


def _written(value: Any) -> str:
    """A value as it is written in a spec. A string has no quotes if it can be read back without them."""
    plain = isinstance(value, str) and value.isidentifier() and not iskeyword(value)
    return str(value) if plain and value.lower() not in _CONSTANTS else repr(value)


def _arguments(name: str, text: str) -> dict[str, Any]:
    """The keys and values between the parentheses: numbers, words, quoted texts, true, false, none."""
    text = _DASHED.sub(lambda found: repr(found[1]) if found[1] else found[0], text)
    try:
        call = ast.parse(f"f({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise PlayerError(f"{name}: cannot read the settings {text!r:.60}: write key=value, ...") from None
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Name)  # as in f(a=1)(c=2)
        or call.args
        or any(keyword.arg is None for keyword in call.keywords)
    ):
        raise PlayerError(f"{name}: cannot read the settings {text!r:.60}: write key=value, ...")
    found: dict[str, Any] = {}
    for keyword in call.keywords:
        key = str(keyword.arg)
        if key in found:
            raise PlayerError(f"{name}: {key} is given twice")
        if isinstance(keyword.value, ast.Name):
            word = keyword.value.id
            found[key] = _CONSTANTS.get(word.lower(), word)
            continue
        try:
            found[key] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, RecursionError, MemoryError):
            given = ast.get_source_segment(f"f({text})", keyword.value)
            quoted = f"{key}={given!r:.60}"
            raise PlayerError(f"{name}: {key} must be a number, a word or a quoted text, such as {quoted}") from None
    return found
