"""The games that a paper learns from: generated maps, and on each a game of one player against itself."""

from __future__ import annotations

import functools
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sandtable.arena import Record, play
from sandtable.files import write_whole
from sandtable.games import game, game_of
from sandtable.learn.samples import positions
from sandtable.papers.run import Run, Settings
from sandtable.papers.tables import Cell, Table
from sandtable.rng import Rng

LABELS = {1.0: "win", -1.0: "loss", 0.0: "tie"}  # for the side to move


class Place(NamedTuple):
    """A map of a run: its use, its kind and its number."""

    use: str
    kind: str  # a generator
    number: int


@dataclass(frozen=True)
class Games:
    """The maps of a paper's games, and the player that plays them. A map's seed is derived from its place, so that
    adding places leaves the other games as they are."""

    paper: str
    game: str
    seed: int
    places: tuple[Place, ...]
    player: str
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of the generators, by kind
    # Makes a map together with a game on it: (kind, seed, options) -> {"map": as JSON, "game": a record's line, or
    # None}. If the game is None, a fresh one is played.
    make_played: Callable[[str, int, dict[str, Any]], dict[str, Any]] | None = None

    def seed_of(self, place: Place) -> int:
        return Rng(self.seed, f"{self.paper} map {' '.join(map(str, place))}").below(2**32 - 1)

    def generate(self, run: Run, depends: Settings) -> list[dict[str, Any]]:
        """The maps as JSON in the order of the places, and the games that came with them."""
        make = self.make_played or functools.partial(generated_map, self.game)
        tasks = [
            functools.partial(make, place.kind, self.seed_of(place), dict(self.options.get(place.kind, {})))
            for place in self.places
        ]
        found = run.collect("maps", depends, tasks)
        return found if self.make_played else [{"map": map, "game": None} for map in found]

    def play(self, run: Run, stage: str, depends: Settings, made: Sequence[dict[str, Any]]) -> list[str]:
        """The records, as lines, of the games on the generated maps: those that came with their maps, and fresh
        ones."""
        tasks = [  # workers parse the maps
            functools.partial(fresh_game, self.game, found["map"], self.player, self.seed_of(place))
            for place, found in zip(self.places, made, strict=True)
            if found["game"] is None
        ]
        fresh = iter(run.collect(stage, depends, tasks))
        return [next(fresh) if found["game"] is None else found["game"] for found in made]

    def check(self, run: Run, stage: str, depends: Settings, lines: Sequence[str]) -> dict[str, Any]:
        """Replays every game; writes the records into one file, named after the stage; counts games by use and kind,
        and states by label too. `digest` is that of the records: results made from them depend on it."""

        def work() -> dict[str, Any]:
            states: Counter[str] = Counter()
            games: Counter[str] = Counter()
            for place, line in zip(self.places, lines, strict=True):
                record = Record.from_line(line)
                record.verify()
                games[f"{place.use} {place.kind}"] += 1
                states.update(f"{place.use} {place.kind} {LABELS[value]}" for value in positions(record)[1])
            digest = keep_records(run.folder / f"{stage}.jsonl", lines)
            return {"games": dict(games), "states": dict(states), "digest": digest}

        found: dict[str, Any] = run.make(stage, depends, work)
        return found


def keep_records(path: Path, lines: Iterable[str]) -> str:
    """Writes the records, one per line; returns their digest."""
    content = "".join(f"{line}\n" for line in lines).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)
    return hashlib.sha256(content).hexdigest()[:16]


def states_table(
    name: str, title: str, what: str, rows: Mapping[str, Iterable[str]], records: Any, printed: Any, games: int | None
) -> Table:
    """The number of states with each label. `rows` gives for each row the uses and kinds whose games it counts, such as
    "data simple"; `printed` has the paper's figures by row, and `games` is its number of games."""

    def row(called: str, groups: Sequence[str]) -> Iterator[Any]:
        counts = [sum(records["states"].get(f"{one} {label}", 0) for one in groups) for label in LABELS.values()]
        theirs = printed.get(called, {})
        yield from (called, Cell(sum(records["games"].get(one, 0) for one in groups), published=games))
        for label, count in zip((*LABELS.values(), "total"), (*counts, sum(counts)), strict=True):
            yield Cell(count, published=theirs.get(label))

    columns = (what, "games", *LABELS.values(), "total")
    return Table.of(name, title, columns, (row(called, list(groups)) for called, groups in rows.items()))


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
