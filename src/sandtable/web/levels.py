"""The strength of the levels: Elo ratings with confidence intervals, from matches between nearby levels, in a file that
ships."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sandtable.arena.grounds import Ground, distinct, grounds
from sandtable.arena.ratings import ratings
from sandtable.arena.store import Store
from sandtable.arena.suites import suites_there
from sandtable.arena.tasks import Row
from sandtable.arena.tournament import Tournament, played, run_all
from sandtable.errors import SandtableError
from sandtable.games import Game
from sandtable.machine import commit, machine
from sandtable.players.levels import Level
from sandtable.web.pages import page_of

FOLDER = Path(__file__).parent
NEAR = 2  # levels play each other at most this many steps apart: beyond, the results are foregone and say little


def file_of(game: str) -> Path:
    return FOLDER / f"levels-{game}.json"


def measured(game: str) -> dict[str, Any]:
    """The entries of a game's file by level name; empty if the game's levels have not been measured."""
    path = file_of(game)
    if not path.is_file():
        return {}
    return {one["name"]: one for one in json.loads(path.read_text(encoding="utf-8"))["levels"]}


def pairings(game: Game, games: int, seed: int) -> list[Tournament]:
    """The matches that measure a game's levels: each level plays the nearby ones, on the maps of `level_maps`."""
    page = page_of(game)
    places = distinct(_ground(game, name) for name in page.level_maps)
    return [
        Tournament("levels", (one.name, other.name), places, games, seed, specs=(one.spec, other.spec))
        for one, other in itertools.combinations(page.levels, 2)
        if page.levels.index(other) - page.levels.index(one) <= NEAR
    ]


def _ground(game: Game, name: str) -> Ground:
    """A map by its name, or a position of the suite `dev`."""
    for suite in suites_there("dev"):
        for entry in suite.entries:
            if suite.game == game.name and entry.name == name:
                return Ground(entry.name, entry.source.start(), suite.name)
    (found,) = grounds(f"{game.name}:{name}")
    return found


def calibrate(
    game: Game, games: int, seed: int, store: Store, workers: int, progress: Callable[[int, int], None]
) -> dict[str, Any]:
    """Play the games that the store lacks, and return the content of the game's file. `progress(done, total)`."""
    code, matches = commit(), pairings(game, games, seed)
    total = sum(len(one.tasks()) for one in matches)
    run_all(matches, store, workers=workers, progress=lambda _, left: progress(total - left, total))
    rows = [row for one in matches for row in played(one, store, records=False)]
    failed = [row for row in rows if row.error is not None]
    if failed:
        raise SandtableError(f"{len(failed)} games failed, the first with {failed[0].error}")
    page = page_of(game)
    return {
        "game": game.name,
        "levels": _rated(page.levels, rows),
        "maps": list(page.level_maps),
        "games_of_a_pair_on_a_map": games,
        "seed": seed,
        "games": len(rows),
        "seconds": round(sum(sum(row.seconds) for row in rows), 1),
        "commit": code,
        "machine": machine(),
    }


def _rated(levels: Sequence[Level], rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The levels with their Elo. The first level's is set to 0; the width of an interval is that of the rating relative
    to the mean of all levels."""
    found = {one.player: one for one in ratings((row.first, row.second, row.score) for row in rows)}
    zero = found[levels[0].name].elo
    times: Mapping[str, list[float]] = {level.name: [0.0, 0.0] for level in levels}
    for row in rows:
        for name, seconds, decisions in zip((row.first, row.second), row.seconds, row.decisions, strict=True):
            times[name][0] += seconds
            times[name][1] += decisions
    return [
        {
            "name": level.name,
            "spec": level.spec,
            "elo": [round(number - zero) for number in (rating.elo, rating.low, rating.high)],
            "games": rating.games,
            "milliseconds": round(1000 * times[level.name][0] / times[level.name][1], 1),
        }
        for level in levels
        for rating in [found[level.name]]
    ]
