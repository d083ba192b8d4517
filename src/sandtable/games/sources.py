"""Maps and generators of all games, found by name.

A source is a name, a path, or GAME:NAME if the name alone is ambiguous.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sandtable.errors import MapError, nearest
from sandtable.files import read_at_most
from sandtable.games.game import Game
from sandtable.games.registry import games
from sandtable.map_files import MAX_FILE_BYTES


class MapSource(NamedTuple):
    """A map or a generator of a game, found by name."""

    game: Game
    name: str
    is_generator: bool

    def __str__(self) -> str:
        return f"{self.game.name}:{self.name}"

    def generate(self, seed: int, **options: Any) -> Any:
        """A map of the generator."""
        return self.game.generators[self.name](seed, **options)


def load(source: str | Path, rules: Any = None) -> Any:
    """A map of any game, from a file or a shipped map by its name."""
    found = find(str(source), generators=False)
    return load_file(found, rules) if isinstance(found, Path) else found.game.load(found.name, rules)


def load_file(path: Path, rules: Any = None) -> Any:
    """A map from a file, read by the game that claims it."""
    data = read_at_most(path, MAX_FILE_BYTES)
    for game in games():
        if game.claims(path, data):
            return game.load(path, rules)
    raise MapError(f"{path}: not a map of {' or '.join(game.name for game in games())}")


def find_file(source: str | Path, of: str, shipped: Mapping[str, Path]) -> Path:
    """The file that `source` means: a path, or else the name of a map that comes with the game `of`."""
    path, name = Path(source), str(source)
    bare = name.rpartition(":")[2]
    with contextlib.suppress(OSError, ValueError):  # names that no file can have
        if path.is_file():
            return path
    if name in shipped:
        return shipped[name]
    for other in games():
        if name in (bare, f"{other.name}:{bare}") and bare in other.shipped():
            raise MapError(f"{name} is a map of {other.name}, but a map of {of} is needed")
    raise MapError(_no_map(name, bare, shipped))


def _no_map(source: str, name: str, known: Iterable[str]) -> str:
    hint = nearest(name, known) or "; `sandtable maps list` shows them"
    return f"{source:.200}: no such file, and no shipped map of that name{hint}"


def find(source: str, *, generators: bool = True) -> MapSource | Path:
    """The file that `source` means, or else the shipped map of that name or, with `generators`, the generator."""
    with contextlib.suppress(OSError, ValueError):  # names that no file can have
        if Path(source).is_file():
            return Path(source)
    game_name, colon, name = source.rpartition(":")
    named = [one for one in games() if not colon or one.name == game_name]
    if not named:
        known = [one.name for one in games()]
        raise MapError(f"{source!s:.100}: no game is called {game_name!r:.40}{nearest(game_name, known)}")
    maps = [MapSource(one, name, is_generator=False) for one in named if name in one.shipped()]
    if generators:
        maps += [MapSource(one, name, is_generator=True) for one in named if name in one.generators]
    if not maps:
        known = [
            *(n for one in named for n in one.shipped()),
            *(n for one in named for n in one.generators if generators),
        ]
        raise MapError(_no_map(source, name, known))
    if len(maps) > 1:
        choices = " or ".join(f"{one} (a {'generator' if one.is_generator else 'map'})" for one in maps)
        raise MapError(f"{source} is ambiguous: {choices}")
    return maps[0]
