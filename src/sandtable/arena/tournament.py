"""A tournament: any number of workers play every pair of players on every ground, and a store keeps the games.

It may be killed at any point: when it is run again, it continues with the games that are missing.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sandtable import scale
from sandtable.arena.early_end import EarlyEnd
from sandtable.arena.grounds import OWN_RULES, Ground, distinct, grounds
from sandtable.arena.statistics import Sprt
from sandtable.arena.store import Store
from sandtable.arena.suites import FROZEN, log_frozen_use
from sandtable.arena.tasks import GameTask, Row, Schedule, check_players
from sandtable.errors import SandtableError, TournamentError, nearest
from sandtable.files import read_toml
from sandtable.games import RuleChoice
from sandtable.players.spec import PlayerSpec, files_of, player
from sandtable.players.trust import MayRun, check_code, nothing
from sandtable.rng import checked_seed
from sandtable.texts import check_text

MAX_GAMES = 10_000_000  # of a pair of players on a map
MAX_PAIRS = 250_000  # pairs of players on a map; each takes half a kilobyte
MAX_GAMES_IN_ALL = 50_000_000  # each takes some bytes
MAX_FILE_BYTES = 1 << 20
KEYS = {
    "name": str,
    "players": list,
    "maps": list,
    "games": int,
    "seed": int,
    "workers": int,
    "early_end": bool,
    "why": str,
    "rules": str,
    "set_rules": dict,
}
KINDS = {
    str: "a string",
    list: "a list",
    int: "a whole number",
    bool: "true or false",
    dict: "a table such as [set_rules] with turn_limit = 16 below it",
}


@dataclass(frozen=True)
class Tournament:
    """`games` of each pair on each ground; an even number, so that both players have each seat equally often.

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
        check_text("the tournament's name", self.name, one_line=True)
        checked_seed(self.seed)
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
        _check_size(len(self.players), len(self.grounds), self.games)
        found = set[str]()
        for place in self.grounds:
            if place.digest in found:
                raise TournamentError(f"the map {place.name} is given twice")
            found.add(place.digest)
        check_players(self.specs or self.players, self.grounds)

    @property
    def key(self) -> str:
        """Its key in the store: its name, and a digest of all that determines its games but their number."""
        maps = [(place.name, place.digest) for place in self.grounds]
        rules = [] if self.early_end is None else [dataclasses.astuple(self.early_end)]
        content = json.dumps([self.players, self.digests, maps, self.seed, *rules])
        return f"{self.name} {hashlib.sha256(content.encode()).hexdigest()[:8]}"

    @functools.cached_property
    def digests(self) -> tuple[str, ...]:
        """Digests of players and their networks, so that two networks under one name are never mixed."""
        return tuple(PlayerSpec.parse(spec).digest for spec in self.specs or self.players)

    @property
    def frozen(self) -> bool:
        """Whether it is played on positions of the frozen suite."""
        return any(place.suite == FROZEN for place in self.grounds)

    def tasks(self) -> Schedule:
        """The tasks of all games; each is made when it is asked for."""
        return Schedule(self.players, self.digests, self.grounds, self.games, self.seed, self.specs, self.early_end)


def make(
    name: str,
    players: Sequence[str],
    maps: Sequence[Any],
    games: int,
    seed: int = 0,
    *,
    early_end: bool = False,
    why: str | None = None,
    rules: RuleChoice = OWN_RULES,
) -> Tournament:
    """A tournament from spec strings and the names of maps, generators or suites. `early_end`: end games early by
    soares2025's rule and numbers. `rules` replace the maps' own rules."""
    _check_size(len(players), len(maps), games)  # before thousands of maps are read
    chosen = [_spec_as_named(spec) for spec in players]
    names, specs = (tuple(map(str, found)) for found in (chosen, [spec.importable for spec in chosen]))
    places = distinct(place for source in maps for place in grounds(source, rules))
    return Tournament(
        name,
        names,
        places,
        games,
        seed,
        specs=None if specs == names else specs,
        early_end=EarlyEnd() if early_end else None,
        why=why,
    )


def _spec_as_named(text: str) -> PlayerSpec:
    """The spec of the player that a text describes, under the name that the text uses for it."""
    return dataclasses.replace(PlayerSpec.of_player(player(text)), name=PlayerSpec.parse(text).name)


def read(path: Path, may_run: MayRun = nothing, rules: RuleChoice = OWN_RULES) -> tuple[Tournament, int]:
    """A tournament from a TOML file, and the number of workers in the file. A player that runs code is refused unless
    may_run() allows its name, because the file may be a stranger's. `rules` replace the rules in the file."""
    try:
        content = read_toml(path, MAX_FILE_BYTES)
    except SandtableError as error:
        raise TournamentError(str(error)) from None
    for key, value in content.items():
        if key not in KEYS:
            raise TournamentError(f"{path}: unknown key {key!r}{nearest(key, KEYS)}; the keys are {', '.join(KEYS)}")
        if type(value) is not KEYS[key]:
            raise TournamentError(f"{path}: {key} must be {KINDS[KEYS[key]]}, not {value!r:.40}")
    for key in ("players", "maps", "games"):
        if key not in content:
            raise TournamentError(f"{path}: {key} is missing")
    for key in ("players", "maps"):
        if not all(isinstance(item, str) for item in content[key]):
            raise TournamentError(f"{path}: {key} must be a list of strings")
    try:
        for spec in content["players"]:
            check_code(spec, may_run)
        scale.check_workers(content.get("workers", 1))
        made = make(
            content.get("name", path.stem),
            content["players"],
            content["maps"],
            content["games"],
            content.get("seed", 0),
            early_end=content.get("early_end", False),
            why=content.get("why"),
            rules=rules or RuleChoice(content.get("rules"), content.get("set_rules", {})),
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
    """Play the games that the store lacks. `progress(new rows, games left)` is called when rows have been stored.

    `ray`: the address of a cluster ("local" starts one). `sprt`: with two players, stop when the test has decided.
    """
    missing, (wins, losses, ties) = _missing(tournament, store)
    store.note_players(tournament.key, dict(zip(tournament.players, tournament.digests, strict=True)))
    left = len(missing)
    progress([], left)
    if sprt and sprt.verdict(wins, losses, ties):
        return
    if left and tournament.frozen:
        log_frozen_use(tournament.why or "", players=list(tournament.players), games=left, seed=tournament.seed)
    backend = "local" if ray is None else "ray"
    address = None if ray in (None, "local") else ray
    files = files_of(tournament.specs or tournament.players)
    results = scale.run(missing, backend, workers=workers, address=address, files=lambda: files)
    for group in _grouped(results, missing):
        new = [row for _, row in group]
        store.add(tournament.key, new)
        left -= len(new)
        progress(new, left)
        if sprt:
            won, lost, tied = counts(new)
            wins, losses, ties = wins + won, losses + lost, ties + tied
        if sprt and sprt.verdict(wins, losses, ties):
            results.close()  # type: ignore[attr-defined]
            return


def run_all(
    tournaments: Sequence[Tournament],
    store: Store,
    *,
    workers: int = 1,
    progress: Callable[[Tournament, int], None] = lambda tournament, left: None,
) -> None:
    """Run several tournaments as one set of games, so that no worker is idle at the end of each.
    `progress(tournament, games left in all of them)`."""
    owners: list[Tournament] = []
    missing: list[scale.Task] = []
    for one in tournaments:
        own, _ = _missing(one, store)
        store.note_players(one.key, dict(zip(one.players, one.digests, strict=True)))
        owners += [one] * len(own)
        missing += own
    left = len(missing)
    if missing:
        progress(owners[0], left)
    for group in _grouped(scale.run(missing, workers=workers), missing):
        for place, row in group:
            store.add(owners[place].key, [row])
            left -= 1
            progress(owners[place], left)


def _check_size(players: int, maps: int, games: int) -> None:
    """TournamentError if there are too many games to plan them in memory."""
    pairs = math.comb(players, 2) * maps
    for count, most, what in (
        (pairs, MAX_PAIRS, "pairs of players on a map"),
        (pairs * games, MAX_GAMES_IN_ALL, "games"),
    ):
        if count > most:
            raise TournamentError(f"there are {count:,} {what}, but a tournament has at most {most:,}")


class _Missing(Sequence[scale.Task]):
    """The tasks at some places of a schedule, as functions that play them."""

    def __init__(self, tasks: Schedule, places: np.ndarray[Any, Any]) -> None:
        self._tasks, self._places = tasks, places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        return self._tasks[int(self._places[place])].play


def _missing(tournament: Tournament, store: Store) -> tuple[_Missing, tuple[int, int, int]]:
    """The games that the store lacks, and the first player's wins, losses and ties in those that it has."""
    tasks = tournament.tasks()
    done = np.zeros(len(tasks), bool)
    counted = [0, 0, 0]
    for game, seed in store.finished(tournament.key):
        place = _place_of(game, tasks, store)
        if place is not None:
            if seed != tasks[place].game_seed:
                said = f"the game {game.label:.100} has the record of another game"
                raise TournamentError(f"{store.path}: damaged: {said}")
            done[place] = True
            counted[2 if game.winner is None else game.winner] += 1
    return _Missing(tasks, np.flatnonzero(~done)), (counted[0], counted[1], counted[2])


def _place_of(game: Row, tasks: Schedule, store: Store) -> int | None:
    try:
        return tasks.place_of(game.task, game.first, game.second, game.ground, game.number)
    except TournamentError as error:
        raise TournamentError(f"{store.path}: damaged: {error}") from None


def _grouped(results: Iterator[scale.Done], tasks: Sequence[scale.Task]) -> Iterator[list[tuple[int, Row]]]:
    """Rows, with their tasks' places, in groups to store together: those that arrive within a twentieth of a second."""

    rows: list[tuple[int, Row]] = []
    begin = time.monotonic()
    for done in results:
        task: GameTask = tasks[done.place].__self__  # type: ignore[attr-defined]
        rows.append((done.place, done.value if done.error is None else task.failed(done.error)))
        if time.monotonic() - begin > 0.05:
            yield rows
            rows, begin = [], time.monotonic()
    if rows:
        yield rows


def played(tournament: Tournament, store: Store, *, records: bool = True) -> Iterator[Row]:
    """The tournament's games in the store, without those whose number is beyond its present number of games."""
    tasks = tournament.tasks()
    for row in store.rows(tournament.key, records=records):
        if _place_of(row, tasks, store) is not None:
            yield row


def counts(rows: Sequence[Row]) -> tuple[int, int, int]:
    """Wins, losses and ties of the first player; failed games do not count."""
    good = [row for row in rows if row.error is None]
    wins, losses = sum(row.winner == 0 for row in good), sum(row.winner == 1 for row in good)
    return wins, losses, len(good) - wins - losses
