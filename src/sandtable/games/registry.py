"""The registry of games, by name and by the types of their maps and states."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sandtable.errors import SandtableError, nearest
from sandtable.games.game import Command, Game, imported

_GAMES: dict[str, Game] = {}
_BY_TYPE: dict[type, Game] = {}
_INCLUDED: dict[str, tuple[str, Mapping[str, Command]]] = {}


def include_game(name: str, reference: str, commands: Mapping[str, Command]) -> None:
    """Make a game of this package known by its reference, "module:attribute", and its commands. The game is imported on
    first use."""
    _INCLUDED[name] = reference, commands


def included_commands(name: str) -> Mapping[str, Command]:
    """The commands of a game of this package."""
    return _INCLUDED[name][1]


def commands_of_games() -> list[tuple[str, Command, bool]]:
    """The games' own commands with their names, and whether their game is one of this package. Games of this package
    are not imported for this."""
    _load_installed()
    found = [(name, command, True) for _, commands in _INCLUDED.values() for name, command in commands.items()]
    others = (one.commands for name, one in _GAMES.items() if name not in _INCLUDED)
    return found + [(name, command, False) for commands in others for name, command in commands.items()]


def register_game(game: Game) -> Game:
    """Make a game known; its name, its map types and its state types must be its own."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", game.name):
        raise SandtableError(
            f"a game's name must consist of lower-case letters, digits and underscores, not {game.name!r:.40}"
        )
    if game.name in _INCLUDED and type(game).__module__ != _INCLUDED[game.name][0].partition(":")[0]:
        _load_included(game.name)  # the name is taken, even if its game has not been imported yet
    known = _GAMES.get(game.name)
    if known is not None and known.origin != game.origin:
        raise SandtableError(f"a game called {game.name} already exists, in {known.origin}")
    _GAMES[game.name] = game
    for kind in (*game.map_types, *game.state_types):
        _BY_TYPE[kind] = game
        if not hasattr(kind, "_repr_svg_"):
            kind._repr_svg_ = _picture
    return game


def _picture(position: Any) -> str:
    """The picture of a map or state in a notebook."""
    return game_of(position).svg(position)


def games() -> list[Game]:
    """All games: those that come with the package, then the others in the order in which they were registered."""
    _load_all()
    return [_GAMES[name] for name in (*_INCLUDED, *(name for name in _GAMES if name not in _INCLUDED))]


def game(name: str) -> Game:
    """A game by its name."""
    _load_included(name)
    if name not in _GAMES:
        _load_all()
    if name not in _GAMES:
        raise SandtableError(f"no game is called {name!r:.40}{nearest(name, _GAMES)}; there are {', '.join(_GAMES)}")
    return _GAMES[name]


def game_of(position: Any) -> Game:
    """The game that a map or state belongs to."""
    if isinstance(own := getattr(position, "game", None), Game):
        return own
    for kind in type(position).__mro__:
        if kind in _BY_TYPE:
            return _BY_TYPE[kind]
    raise SandtableError(f"not a map or state of any game: {position!r:.60}")


def check_position(name: str, position: Any, *, or_map: bool = False) -> None:
    """SandtableError unless `position` is a state of that game or, with `or_map`, a map of it."""
    own = game(name)
    if isinstance(position, (*own.state_types, *(own.map_types if or_map else ()))):
        return
    wanted = f"a {'map or a state' if or_map else 'state'} of {name} is needed, not"
    if isinstance(position, own.map_types):
        raise SandtableError(f"{wanted} {position!r:.100}: its start() returns one")
    try:
        other = game_of(position)
    except SandtableError:
        raise SandtableError(f"{wanted} {position!r:.100}") from None
    raise SandtableError(f"{wanted} {position!r:.100} of {other.name}")


def _load_included(name: str) -> None:
    if name in _INCLUDED and name not in _GAMES:
        imported(_INCLUDED[name][0])


def _load_all() -> None:
    for name in _INCLUDED:
        _load_included(name)
    _load_installed()


_installed_loaded = False


def _load_installed() -> None:
    """Load the games of installed packages, which declare an entry point "module:game" in the group sandtable.games."""
    global _installed_loaded
    if _installed_loaded:
        return
    _installed_loaded = True
    from sandtable.games.installed import installed, taken  # slow to import

    for point in installed("sandtable.games").values():
        taken("game", point.value, lambda point=point: _register_installed(point.load()))  # type: ignore[misc]


def _register_installed(game: Any) -> None:
    """Register a game of another package, after reading the attributes that commands read of every game."""
    if not isinstance(game, Game):
        raise SandtableError(f"it is not a Game but {game!r:.60}")
    for part in (game.shipped(), game.generators, game.players, game.commands, game.parts):
        dict(part)
    register_game(game)
