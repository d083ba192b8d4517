"""A tournament: every pair of players on every ground, into a store, on however many workers.

Kill it anywhere and run it again: it goes on with the games that are missing.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandtable import scale
from sandtable.arena.early_end import EarlyEnd
from sandtable.arena.grounds import Ground, distinct, grounds
from sandtable.arena.statistics import Sprt
from sandtable.arena.store import Store
from sandtable.arena.suites import FROZEN, log_frozen_use
from sandtable.arena.tasks import GameTask, Row, check_players, schedule
from sandtable.errors import SandtableError, TournamentError, nearest
from sandtable.players.spec import player, spec_of

MAX_GAMES = 10_000_000
KEYS = {
    "name": str,
    "players": list,
    "maps": list,
    "games": int,
    "seed": int,
    "workers": int,
    "early_end": bool,
    "why": str,
}


@dataclass(frozen=True)
class Tournament:
    """`games` of each pair on each ground; an even number, so that both have both seats equally often.

    Players are spec strings, or names for those in `specs`. `early_end`: the players may agree on the result.
    `why`: the reason for playing on the frozen suite, which is logged.
    """

    name: str
    players: tuple[str, ...]
    grounds: tuple[Ground, ...]
    games: int
    seed: int = 0
    specs: tuple[str, ...] | None = None
    early_end: EarlyEnd | None = None
    why: str | None = None

    def __post_init__(self) -> None:
        if self.frozen and not (self.why or "").strip():
            raise TournamentError(
                "the frozen suite is for final figures only, and each use is logged: say why (--why, or `why` in a "
                "file), or use suite:dev"
            )
        if not 1 <= self.games <= MAX_GAMES:
            raise TournamentError(f"games must be within 1..{MAX_GAMES}, not {self.games}")
        if self.games % 2:
            raise TournamentError(
                f"games must be even, so that seats are swapped: {self.games + 1} instead of {self.games}?"
            )
        if not self.grounds:
            raise TournamentError("a tournament needs a map")
        digests = [place.digest for place in self.grounds]
        for place in self.grounds:
            if digests.count(place.digest) > 1:
                raise TournamentError(f"the map {place.name} is given twice")
        check_players(self.specs or self.players, self.grounds)

    @property
    def key(self) -> str:
        """What the store knows it by: its name and what decides its games, not how many are played."""
        maps = [(place.name, place.digest) for place in self.grounds]
        rules = [] if self.early_end is None else [dataclasses.astuple(self.early_end)]
        content = json.dumps([self.players, maps, self.seed, *rules])
        return f"{self.name} {hashlib.sha256(content.encode()).hexdigest()[:8]}"

    @property
    def frozen(self) -> bool:
        """Whether it is played on positions of the frozen suite."""
        return any(place.suite == FROZEN for place in self.grounds)

    def tasks(self) -> list[GameTask]:
        return list(schedule(self.players, self.grounds, self.games, self.seed, self.specs, self.early_end))


def make(
    name: str,
    players: Sequence[str],
    maps: Sequence[str],
    games: int,
    seed: int = 0,
    *,
    early_end: bool = False,
    why: str | None = None,
) -> Tournament:
    """A tournament from spec strings and the names of maps, generators or suites; an early end is by soares2025's
    numbers."""
    specs = tuple(spec_of(player(spec)) for spec in players)
    places = distinct(itertools.chain.from_iterable(map(grounds, maps)))
    return Tournament(name, specs, places, games, seed, early_end=EarlyEnd() if early_end else None, why=why)


def read(path: Path) -> tuple[Tournament, int]:
    """A tournament from a TOML file, and the workers it asks for."""
    try:
        content = tomllib.loads(path.read_bytes().decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TournamentError(f"{path}: not TOML: {error}") from None
    for key, value in content.items():
        if key not in KEYS:
            raise TournamentError(f"{path}: unknown key {key!r}{nearest(key, KEYS)}; the keys are {', '.join(KEYS)}")
        if type(value) is not KEYS[key]:
            raise TournamentError(f"{path}: {key} must be of type {KEYS[key].__name__}")
    for key in ("players", "maps", "games"):
        if key not in content:
            raise TournamentError(f"{path}: {key} is missing")
    for key in ("players", "maps"):
        if not all(isinstance(item, str) for item in content[key]):
            raise TournamentError(f"{path}: {key} must be a list of texts")
    try:
        made = make(
            content.get("name", path.stem),
            content["players"],
            content["maps"],
            content["games"],
            content.get("seed", 0),
            early_end=content.get("early_end", False),
            why=content.get("why"),
        )
    except SandtableError as error:
        raise TournamentError(f"{path}: {error}") from None
    return made, content.get("workers", 1)


def run(
    tournament: Tournament,
    store: Store,
    *,
    workers: int = 1,
    ray: str | None = None,
    sprt: Sprt | None = None,
    progress: Callable[[Sequence[Row], int], None] = lambda rows, left: None,
) -> None:
    """Play the games that the store lacks. `progress(new rows, games left)` is called when rows are in the store.

    `ray`: the address of a cluster ("local" starts one). `sprt`: with two players, stop when the answer is clear.
    """
    counted = [row for row in played(tournament, store) if row.error is None]
    finished = {row.task for row in counted}
    missing = [task for task in tournament.tasks() if task.id not in finished]
    left = len(missing)
    progress(counted, left)
    if sprt and _verdict(sprt, counted):
        return
    if missing and tournament.frozen:
        log_frozen_use(tournament.why or "", players=list(tournament.players), games=len(missing), seed=tournament.seed)
    backend = "local" if ray is None else "ray"
    address = None if ray in (None, "local") else ray
    results = scale.run([task.play for task in missing], backend, workers=workers, address=address)
    for group in _grouped(results, missing):
        new = [row for _, row in group]
        store.add(tournament.key, new)
        left -= len(new)
        counted += new
        progress(new, left)
        if sprt and _verdict(sprt, counted):
            results.close()  # type: ignore[attr-defined]
            return


def run_all(
    tournaments: Sequence[Tournament],
    store: Store,
    *,
    workers: int = 1,
    progress: Callable[[Tournament, int], None] = lambda tournament, left: None,
) -> None:
    """The same for several, as one set of games, so that no worker waits for the end of each. `progress(tournament,
    games left of all)`."""
    missing: list[tuple[Tournament, GameTask]] = []
    for one in tournaments:
        finished = store.finished(one.key)
        missing += [(one, task) for task in one.tasks() if task.id not in finished]
    left = len(missing)
    if missing:
        progress(missing[0][0], left)
    results = scale.run([task.play for _, task in missing], workers=workers)
    for group in _grouped(results, [task for _, task in missing]):
        for place, row in group:
            store.add(missing[place][0].key, [row])
            left -= 1
            progress(missing[place][0], left)


def _grouped(results: Iterator[scale.Done], tasks: Sequence[GameTask]) -> Iterator[list[tuple[int, Row]]]:
    """Rows, with their tasks' places, in groups that are written together: what has come within a moment."""

    rows: list[tuple[int, Row]] = []
    begin = time.monotonic()
    for done in results:
        task = tasks[done.place]
        rows.append((done.place, done.value if done.error is None else task.failed(done.error)))
        if time.monotonic() - begin > 0.05:
            yield rows
            rows, begin = [], time.monotonic()
    if rows:
        yield rows


def played(tournament: Tournament, store: Store) -> list[Row]:
    """Its games in the store; those of a time when it had more are left out."""
    planned = {task.id for task in tournament.tasks()}
    return [row for row in store.rows(tournament.key) if row.task in planned]


def _verdict(sprt: Sprt, rows: Sequence[Row]) -> str | None:
    return sprt.verdict(*counts(rows))


def counts(rows: Sequence[Row]) -> tuple[int, int, int]:
    """Wins, losses and ties of the first player; games that failed do not count."""
    good = [row for row in rows if row.error is None]
    wins, losses = sum(row.winner == 0 for row in good), sum(row.winner == 1 for row in good)
    return wins, losses, len(good) - wins - losses
