"""Where the games of a tournament are played: maps, generators, and the positions of a suite."""

from __future__ import annotations

from typing import NamedTuple

from sandtable import conquest, tubstap
from sandtable.any_map import GENERATORS, load, shipped
from sandtable.arena.suites import suite
from sandtable.errors import TournamentError, nearest
from sandtable.players.protocol import GAMES, Start, State, game_of

MAP = "map:"
SUITE = "suite:"


class Ground(NamedTuple):
    """One map, or a generator that makes a new one for every pair of games."""

    name: str
    position: Start | None  # None: the generator of that name
    start_seed: int | None = None  # of the start position of a land; None: every pair of games draws its own
    suite: str | None = None  # that it belongs to

    @property
    def game(self) -> str:
        if self.position is not None:
            return game_of(self.position)
        return "tubstap" if self.name in tubstap.maps.GENERATORS else "conquest"

    def start(self, number: int) -> Start | State:
        """What pair `number` of games begins with."""
        if self.position is None:
            return GENERATORS[self.name](number)
        if isinstance(self.position, conquest.Land) and self.start_seed is not None:
            return self.position.start(self.start_seed)
        return self.position


def grounds(source: str) -> list[Ground]:
    """A generator by its name; a map by name or file, `map:simple` where a generator has the name too; or all
    positions of a suite, `suite:dev:tubstap`."""
    if source.startswith(SUITE):
        return _suite_grounds(source)
    if source in GENERATORS:
        return [Ground(source, None)]
    position = load(source.removeprefix(MAP))
    return [Ground(position.name, position)]


def named(place: Ground) -> str:
    """Its name, and which map a generator hides."""
    hidden = place.position is None and place.name in shipped()
    return f"the generator {place.name}; the map is {MAP}{place.name}" if hidden else place.name


def _suite_grounds(source: str) -> list[Ground]:
    name, _, game = source.removeprefix(SUITE).partition(":")
    if game not in GAMES:
        raise TournamentError(
            f"{source:.60}: a suite is named with its game, suite:NAME:GAME{nearest(game, GAMES)}; "
            f"the games are {', '.join(GAMES)}"
        )
    return [
        Ground(entry.name, entry.source.position(), entry.source.start_seed, name) for entry in suite(name).of(game)
    ]
