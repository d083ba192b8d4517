"""The games of a paper's data: maps from its generators, and on each a game of a player against itself.

Stages `maps`, `games` and `records`, for every paper that learns from games.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sandtable.arena import Record, play
from sandtable.files import write_whole
from sandtable.games import game, game_of
from sandtable.learn.samples import positions
from sandtable.papers.run import Run, Settings
from sandtable.rng import Rng

LABELS = {1.0: "win", -1.0: "loss", 0.0: "tie"}  # for the side to move


class Place(NamedTuple):
    """A map of a run: what it is for, of which kind, which one."""

    use: str
    kind: str  # a generator
    number: int


@dataclass(frozen=True)
class Games:
    """On which maps, and by whom. A map's seed comes from its place, so that places can be added without new games."""

    paper: str
    game: str
    seed: int
    places: tuple[Place, ...]
    player: str
    map_settings: Settings  # what the maps depend on
    game_settings: Settings  # and the games
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of the generators, by kind
    # Makes a map with a game on it: (kind, seed, options) -> {"map": as JSON, "game": a record's line, or None}. Where
    # there is no such game, a fresh one is played.
    make_played: Callable[[str, int, dict[str, Any]], dict[str, Any]] | None = None

    def seed_of(self, place: Place) -> int:
        return Rng(self.seed, f"{self.paper} map {' '.join(map(str, place))}").below(2**32 - 1)

    def maps(self, run: Run) -> list[Any]:
        """The maps, in the order of the places."""
        return [parsed(self.game, found["map"]) for found in self._generated(run)]

    def _generated(self, run: Run) -> list[dict[str, Any]]:
        """The maps as JSON, and the games that came with them."""
        make = self.make_played or functools.partial(generated_map, self.game)
        tasks = [
            functools.partial(make, place.kind, self.seed_of(place), dict(self.options.get(place.kind, {})))
            for place in self.places
        ]
        found = run.collect("maps", self.map_settings, tasks)
        return found if self.make_played else [{"map": map, "game": None} for map in found]

    def lines(self, run: Run) -> list[str]:
        """The games' records, as lines, in the order of the places."""
        made = self._generated(run)
        tasks = [  # workers parse the maps
            functools.partial(fresh_game, self.game, found["map"], self.player, self.seed_of(place))
            for place, found in zip(self.places, made, strict=True)
            if found["game"] is None
        ]
        fresh = iter(run.collect("games", self.game_settings, tasks))
        return [next(fresh) if found["game"] is None else found["game"] for found in made]

    def check(self, run: Run) -> dict[str, Any]:
        """Replays every game; keeps the records as one file; counts games by use and kind, and states by label
        too. `digest` is of the records: what is made from them depends on it."""
        lines = self.lines(run)

        def work() -> dict[str, Any]:
            states: Counter[str] = Counter()
            games: Counter[str] = Counter()
            for place, line in zip(self.places, lines, strict=True):
                record = Record.from_line(line)
                record.verify()
                games[f"{place.use} {place.kind}"] += 1
                states.update(f"{place.use} {place.kind} {LABELS[value]}" for value in positions(record)[1])
            content = "".join(f"{line}\n" for line in lines).encode()
            write_whole(run.folder / "records.jsonl", content)
            digest = hashlib.sha256(content).hexdigest()[:16]
            return {"games": dict(games), "states": dict(states), "digest": digest}

        found: dict[str, Any] = run.make("records", self.game_settings, work)
        return found


def generated_map(of: str, kind: str, seed: int, options: dict[str, Any]) -> Any:
    """A map as JSON."""
    return as_json(game(of).generators[kind](seed, **options))


def fresh_game(of: str, map: Any, player: str, seed: int) -> str:
    """The record of a game on a map that is given as JSON."""
    return play(parsed(of, map), player, player, seed=seed).to_line()


def parsed(of: str, map: Any) -> Any:
    return game(of).parse(json.dumps(map))


def as_json(map: Any) -> Any:
    return json.loads(game_of(map).format(map, ".json"))
