"""The registry of players by name."""

from __future__ import annotations

import functools
import importlib
import re
import sys
import types
from pathlib import Path
from typing import Any

from sandtable.errors import PlayerError, SandtableError, nearest, of_player, one_line
from sandtable.games import games
from sandtable.games.game import imported
from sandtable.settings import declared

GROUP = "sandtable.players"  # the group of entry points in which installed packages name their players
_PLAYERS: dict[str, type[Any]] = {}

# Players of several games, imported on first use. `Game.players` names the players of one game.
_SHARED = {
    "bot": "sandtable.players.bots.bot:Bot",
    "duct": "sandtable.players.simultaneous:Duct",
    "minimax": "sandtable.players.sequential:Minimax",
    "pmc": "sandtable.players.sequential:Pmc",
    "random": "sandtable.players.simple:Random",
    "regret": "sandtable.players.simultaneous:Regret",
    "sandtable": "sandtable.players.champion:Sandtable",
    "tempered": "sandtable.players.tempered:Tempered",
    "uct": "sandtable.players.sequential:Uct",
}


def register(name: str, kind: type[Any]) -> None:
    """Register a class of players under a name. It must have a tuple `games`, and be a dataclass if it has settings."""
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        raise PlayerError(
            f"a player's name must consist of lower-case letters, digits, dashes and underscores, not {name!r:.40}"
        )
    _check_class(name, kind)
    _PLAYERS[name] = kind


def players(game: str | None = None) -> list[str]:
    """The names of the players of one game, or of all games."""
    return sorted(name for name, kind in _known().items() if game is None or game in kind.games)


def known_names() -> list[str]:
    """The names that player_class() knows, though some of the classes may fail to load."""
    return sorted({*_PLAYERS, *_references(), *_installed()})


def player_class(name: str) -> type[Any]:
    """The class behind a name, or behind `module:Class` for a player of your own."""
    if ":" in name:
        return _imported(name)
    if name not in _PLAYERS and name in (references := _references()):
        register(name, _loaded(references[name]))
    if name not in _PLAYERS and name in (others := _installed()):
        register(name, _loaded(others[name]))
    if name not in _PLAYERS:
        known = known_names()
        raise PlayerError(f"no player is called {name!r:.40}{nearest(name, known)}; there are {', '.join(known)}")
    return _PLAYERS[name]


def _references() -> dict[str, str]:
    """The players of the package and of the games, as "module:class". If several have one name, the package's comes
    first, then that of the first game."""
    found = dict(_SHARED)
    for game in games():
        found = {**game.players, **found}
    return found


def _loaded(reference: str) -> Any:
    try:
        return imported(reference)
    except (SandtableError, KeyboardInterrupt):
        raise
    except BaseException as error:  # another package's code may raise anything
        raise PlayerError(f"{reference}: {one_line(error)}") from None


def _installed() -> dict[str, str]:
    """The players of installed packages, as "module:class"."""
    from sandtable.games.installed import installed  # slow to import

    return {name: point.value for name, point in installed(GROUP).items()}


def _known() -> dict[str, type[Any]]:
    """The registered players, after all that can be loaded have been loaded."""
    from sandtable.games.installed import taken  # slow to import

    for name in (*_references(), *_installed()):
        taken("player", name, functools.partial(player_class, name))
    return _PLAYERS


def name_of(kind: type[Any]) -> str:
    """The name of a class in a spec: its registered name, or `module:Class`."""
    own = f"{kind.__module__}:{kind.__name__}"
    return next((name for name, known in _PLAYERS.items() if known is kind), own)


def settings_of(kind: type[Any]) -> dict[str, Any]:
    """The settings of a class of players with their defaults."""
    return {one.name: one.default for one in declared(kind)}


def import_module(name: str) -> types.ModuleType:
    """Import a module of the user's, from the working folder or from Python's search path."""
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except ModuleNotFoundError as error:
        if not f"{name}.".startswith(f"{error.name}."):
            raise SandtableError(f"{name}: it needs the module {error.name!r}, which is not installed") from None
        raise SandtableError(
            f"{name}: there is no module {error.name!r} in this folder or among the installed packages"
        ) from None
    except BaseException as error:  # importing runs the module, which may raise anything
        raise SandtableError(f"{name}: {one_line(error)}") from None


def _imported(name: str) -> type[Any]:
    module, _, attribute = name.partition(":")
    try:
        kind = getattr(import_module(module), attribute, None)
    except SandtableError as error:
        raise PlayerError(f"{name}: {str(error).removeprefix(module + ': ')}") from None
    if kind is None:
        raise PlayerError(f"{name}: the module {module!r} has no {attribute!r}")
    if not isinstance(kind, type):
        raise PlayerError(f"{name} is not a class")
    _check_class(name, kind)
    return kind


def _check_class(name: str, kind: type[Any]) -> None:
    """PlayerError unless it is a class of players; no other class is ever instantiated."""
    with of_player(name):  # a metaclass may raise anything
        is_player = callable(getattr(kind, "act", None)) and isinstance(getattr(kind, "games", None), tuple)
    if not is_player:
        raise PlayerError(f"{name}: a player needs act(state, side) and `games`, a tuple of names of games")
