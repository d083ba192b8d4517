"""Which games there are, by name and by the types of their maps and states."""

from __future__ import annotations

import re
from typing import Any

from sandtable.errors import SandtableError, nearest
from sandtable.games.game import Game
from sandtable.games.installed import installed, taken

_GAMES: dict[str, Game] = {}
_BY_TYPE: dict[type, Game] = {}


def register_game(game: Game) -> Game:
    """Make a game known; its name, its map types and its state types must be its own."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", game.name):
        raise SandtableError(f"a game's name is small letters, digits and underscores, not {game.name!r:.40}")
    known = _GAMES.get(game.name)
    if known is not None and known.origin != game.origin:
        raise SandtableError(f"there is a game called {game.name} already, in {known.origin}")
    _GAMES[game.name] = game
    for kind in (*game.map_types, *game.state_types):
        _BY_TYPE[kind] = game
    return game


def games() -> list[Game]:
    """All games, in the order in which they were registered."""
    _load_installed()
    return list(_GAMES.values())


def game(name: str) -> Game:
    """A game by its name."""
    if name not in _GAMES:
        _load_installed()
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


_installed_loaded = False


def _load_installed() -> None:
    """Games of installed packages: they declare an entry point in the group sandtable.games, "module:game"."""
    global _installed_loaded
    if _installed_loaded:
        return
    _installed_loaded = True
    for point in installed("sandtable.games").values():
        taken("game", point.value, lambda point=point: _register_installed(point.load()))  # type: ignore[misc]


def _register_installed(game: Any) -> None:
    """Register a game of another package, if what every command asks of all games can be asked of it."""
    if not isinstance(game, Game):
        raise SandtableError(f"it is no Game, but {game!r:.60}")
    for part in (game.shipped(), game.generators, game.players, game.commands, game.parts):
        dict(part)
    register_game(game)
