"""Where the games of a tournament are played: maps, generators, and the positions of a suite."""

from __future__ import annotations

import collections
import dataclasses
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sandtable.arena.suites import suite
from sandtable.errors import TournamentError, nearest
from sandtable.games import Game, RuleChoice, game_of, games
from sandtable.games.sources import MapSource, find
from sandtable.ruleset import RuleSet

SUITE = "suite:"
OWN_RULES = RuleChoice()


@dataclass(frozen=True)
class Ground:
    """A map, a position, or a generator that makes a new map for every pair of games."""

    name: str
    position: Any  # a MapSource is a generator
    suite: str | None = None  # the suite that it belongs to
    rules: RuleSet | None = None  # for a generator's maps; None: the generator's own

    @property
    def game(self) -> Game:
        return self.position.game if isinstance(self.position, MapSource) else game_of(self.position)

    @cached_property
    def digest(self) -> str:
        """Sixteen hex digits that identify the ground: the content of a map with its rules or of a position, or the
        name of a generator, with its rules if they were chosen."""
        if isinstance(self.position, MapSource):
            rules = "" if self.rules is None else f" rules {self.rules.digest}"
            return hashlib.sha256(f"generator {self.position}{rules}".encode()).hexdigest()[:16]
        if isinstance(self.position, self.game.state_types):
            return self.game.digest(self.position)
        start = self.game.digest(self.game.start(self.position))
        return hashlib.sha256(f"map {start}".encode()).hexdigest()[:16]

    def start(self, number: int) -> Any:
        """The map or state that a pair of games begins with; a generator makes its map from the seed `number`."""
        if not isinstance(self.position, MapSource):
            return self.position
        return self.position.generate(number, **({} if self.rules is None else {"rules": self.rules}))


def grounds(source: Any, rules: RuleChoice = OWN_RULES) -> list[Ground]:
    """The grounds that a source stands for: a map or generator by its name (GAME:NAME if the name alone is ambiguous),
    a file, all positions of a suite (suite:dev:GAME), or a map or state as an object."""
    if not isinstance(source, str | Path):
        if rules:
            raise TournamentError(f"{source!r:.60}: a map or state that is given as an object has its own rules")
        game = game_of(source)
        return [Ground(game.map_of(source).name if isinstance(source, game.state_types) else source.name, source)]
    source = str(source)
    if source.startswith(SUITE):
        if rules:
            raise TournamentError(f"{source:.60}: the positions of a suite were measured with their own rules")
        return _suite_grounds(source)
    found = find(source)
    if isinstance(found, MapSource) and found.is_generator:
        return [Ground(found.name, found, rules=rules.of_generator(found))]
    position = rules.load(source)
    return [Ground(position.name, position)]


def distinct(places: Iterable[Ground]) -> tuple[Ground, ...]:
    """The same grounds with different names: those that share a name get the beginning of their digest added to it."""
    all_places = tuple(places)
    names = collections.Counter(place.name for place in all_places)
    return tuple(
        dataclasses.replace(place, name=f"{place.name} {place.digest[:4]}") if names[place.name] > 1 else place
        for place in all_places
    )


def _suite_grounds(source: str) -> list[Ground]:
    name, _, game = source.removeprefix(SUITE).partition(":")
    known = [one.name for one in games()]
    if game not in known:
        raise TournamentError(
            f"{source:.60}: a suite must be named with its game, suite:NAME:GAME{nearest(game, known)}; "
            f"the games are {', '.join(known)}"
        )
    return [Ground(entry.name, entry.source.start(), name) for entry in suite(name, game).entries]
