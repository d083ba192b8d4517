"""Map suites: fixed lists of fair positions that players are compared on.

`dev` is for every decision (which setting, which network); `frozen` is for final figures only, and each use of it is
logged with its reason. Both come from one generator with different seeds and are kept as seeds with digests, so that a
change of a generator cannot change a suite unnoticed. `suite_search.py` made them.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sandtable.errors import SandtableError, nearest
from sandtable.games import game, games
from sandtable.machine import commit

FOLDER = Path(__file__).parents[1] / "suites"
NAMES = ("dev", "frozen")
FROZEN = "frozen"
USES = Path("results") / "frozen.jsonl"  # where each use of the frozen suite is logged, below the working folder


class SuiteError(SandtableError):
    """A suite that cannot be read, verified or used as asked."""


class FirstSeat(NamedTuple):
    """The results of one player against itself, from the perspective of the first seat."""

    wins: int
    losses: int
    draws: int

    @property
    def games(self) -> int:
        return sum(self)

    @property
    def share(self) -> float:
        return (self.wins + self.draws / 2) / self.games


@dataclass(frozen=True)
class Source:
    """The source of a position: a shipped map, or a generator with its options; for a game whose start is drawn, also
    the seed of the start."""

    game: str
    map: str
    options: Mapping[str, Any] | None = None  # of the generator; None: `map` is a shipped map
    start_seed: int | None = None

    def map_made(self) -> Any:
        of = game(self.game)
        return of.load(self.map) if self.options is None else of.generators[self.map](**self.options)

    def start(self) -> Any:
        """The state that games from this source begin with."""
        return game(self.game).start(self.map_made(), self.start_seed or 0)

    @property
    def digest(self) -> str:
        """Sixteen hex digits of the position's content."""
        return game(self.game).digest(self.start())


@dataclass(frozen=True)
class Entry:
    """A position of a suite. `first_seat` has the results of its game's reference player against itself from there."""

    name: str
    source: Source
    digest: str
    first_seat: FirstSeat
    games_seed: int  # of the games that measured it

    def verify(self) -> None:
        """SuiteError unless the generator still makes the position that was measured."""
        found = self.source.digest
        if found != self.digest:
            raise SuiteError(
                f"{self.name}: {self.source.map} now gives a position with digest {found}, not {self.digest}: "
                "the generator or the map has changed"
            )


@dataclass(frozen=True)
class Suite:
    """The positions of one game. `measured` says how their fairness was measured: player, games, commits, machine."""

    name: str
    game: str
    measured: Mapping[str, Any]
    entries: tuple[Entry, ...]

    def to_json(self) -> str:
        entries = [
            {
                "name": entry.name,
                "map": entry.source.map,
                "options": entry.source.options,
                "start_seed": entry.source.start_seed,
                "digest": entry.digest,
                "first_seat": list(entry.first_seat),
                "games_seed": entry.games_seed,
            }
            for entry in self.entries
        ]
        rows = ",\n".join(f"  {json.dumps(entry)}" for entry in entries)
        head = f'"suite": {json.dumps(self.name)}, "game": {json.dumps(self.game)}'
        return f'{{{head},\n"measured": {json.dumps(self.measured, indent=1)},\n"entries": [\n{rows}\n]}}\n'


def file_of(name: str, game: str) -> str:
    return f"{name}-{game}.json"


@cache
def suite(name: str, game: str) -> Suite:
    """A suite that comes with the package."""
    check_name(name)
    path = FOLDER / file_of(name, game)
    if not path.is_file():
        raise SuiteError(
            f"the suite {name} has no positions of {game} in this installation; "
            f"`sandtable suite make {name} --game {game}` makes them"
        )
    found = json.loads(path.read_text(encoding="utf-8"))
    entries = tuple(
        Entry(
            one["name"],
            Source(game, one["map"], one["options"], one["start_seed"]),
            one["digest"],
            FirstSeat(*one["first_seat"]),
            one["games_seed"],
        )
        for one in found["entries"]
    )
    return Suite(found["suite"], game, found["measured"], entries)


def check_name(name: str) -> None:
    if name not in NAMES:
        raise SuiteError(f"no suite is called {name!r:.40}{nearest(name, NAMES)}; there are {', '.join(NAMES)}")


def suites_there(name: str) -> list[Suite]:
    """The suites of this name in this installation, one for each game that has one."""
    check_name(name)
    return [suite(name, one.name) for one in games() if (FOLDER / file_of(name, one.name)).is_file()]


def log_frozen_use(why: str, *, players: list[str], games: int, seed: int) -> None:
    """Add a line to the log of the frozen suite, before the games are played."""
    line = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "why": why,
        "players": players,
        "games": games,
        "seed": seed,
        "commit": commit(),
    }
    USES.parent.mkdir(exist_ok=True)
    with USES.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
