"""Matches and tournaments in one call, which plays the games, counts them and returns the result.

>>> result = match("uct(simulations=200)", "greedy", map="ford", games=100, workers=2)
>>> result.score.share, result.score.interval, result.records[0]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sandtable.arena import tables
from sandtable.arena.ratings import Rating
from sandtable.arena.record import Record
from sandtable.arena.statistics import Sprt
from sandtable.arena.store import Store
from sandtable.arena.tasks import Row, forfeit_of
from sandtable.arena.tournament import MAX_GAMES, Tournament, make, played, run
from sandtable.errors import TournamentError
from sandtable.players.protocol import Player
from sandtable.players.spec import PlayerSpec
from sandtable.progress import Bars
from sandtable.rng import checked_whole
from sandtable.scale import MAX_WORKERS

FORFEITS_SHOWN = 5  # while games are played; the records keep all
Map = Any  # a map, generator or suite by its name, the path of a file, or a map or state of a game


class TournamentResult:
    """The result of a tournament; a match is a tournament of two players. Printed, or in a notebook, it is shown as the
    table of pairs.

    `table[a][b]` is the Cell of player a against b: wins, losses, ties, share of the points and its 95% interval.
    `results` has all counts, including times and failed games; `games_with_stderr` is the number of games in which a
    bot wrote to its standard error.
    """

    def __init__(
        self,
        tournament: Tournament,
        results: tables.Results,
        path: Path | None,
        lines: Sequence[str] = (),
        games_with_stderr: int = 0,
    ) -> None:
        self.tournament, self.results = tournament, results
        self.games_with_stderr = games_with_stderr
        self._path, self._lines = path, lines

    @property
    def players(self) -> tuple[str, ...]:
        return self.tournament.players

    @property
    def table(self) -> dict[str, dict[str, tables.Cell]]:
        return self.results.table

    @property
    def score(self) -> tables.Cell:
        """The result of the first of two players against the second."""
        if len(self.players) != 2:
            raise TournamentError(f"a score compares two players, but there are {len(self.players)}: see table[a][b]")
        first, second = self.players
        return self.table.get(first, {}).get(second, tables.Cell(0, 0, 0))

    @property
    def ratings(self) -> list[Rating]:
        """The ratings on the Elo scale, with 95% intervals, the best first."""
        return self.results.ratings()

    @property
    def records(self) -> list[Record]:
        """The games, in the order of their tasks; those that failed are left out."""
        if self._path is None:
            return [Record.from_line(line) for line in self._lines]
        with Store(self._path, write=False) as store:
            return [Record.from_line(line) for line in _lines(self.tournament, store)]

    def __repr__(self) -> str:
        name, best = next(iter(self.results.standing()), ("nobody", tables.Cell(0, 0, 0)))
        low, high = best.interval
        share = f"{name} scores {best.share:.1%} ({low:.1%} .. {high:.1%})"
        return f"<TournamentResult {len(self.players)} players, {self.results.games} games: {share}>"

    def __str__(self) -> str:
        return tables.as_text(tables.PAIR_COLUMNS, tables.pair_rows(self.results))

    def _repr_html_(self) -> str:
        return self.results._repr_html_()


def match(
    first: str | PlayerSpec | Player,
    second: str | PlayerSpec | Player,
    map: Map | Sequence[Map],
    games: int = 100,
    *,
    seed: int = 0,
    workers: int = 1,
    store: str | Path | None = None,
    sprt: tuple[float, float] | None = None,
    early_end: bool = False,
    why: str | None = None,
    ray: str | None = None,
) -> TournamentResult:
    """Play two players against each other, seats swapped: the command `match`, as a function.

    `map`: a map, generator or suite by its name, a file, a map or a state; or a list of them, `games` on each.
    `store`: keep the games in this file, and continue it if it exists. `sprt`: stop when it is clear whether the
    first is `sprt[0]` or `sprt[1]` points of Elo stronger. `why`: the reason for using the frozen suite. `ray`: the
    address of a cluster; "local" starts one. A terminal or notebook shows a progress bar.
    """
    made = _made("match", [first, second], map, games, seed, early_end, why)
    test = None if sprt is None else Sprt.between(*sprt)
    return play_out(made, store, workers=workers, ray=ray, sprt=test, bars=Bars(lines=False))


def tournament(
    players: Sequence[str | PlayerSpec | Player],
    maps: Map | Sequence[Map],
    games: int = 100,
    *,
    name: str = "tournament",
    seed: int = 0,
    workers: int = 1,
    store: str | Path | None = None,
    early_end: bool = False,
    why: str | None = None,
    ray: str | None = None,
) -> TournamentResult:
    """Play every pair of the players on every map, seats swapped; see match(). With a `store`, an interrupted
    tournament continues when it is called again."""
    made = _made(name, players, maps, games, seed, early_end, why)
    return play_out(made, store, workers=workers, ray=ray, bars=Bars(lines=False))


def _made(
    name: str,
    players: Sequence[str | PlayerSpec | Player],
    maps: Map | Sequence[Map],
    games: int,
    seed: int,
    early_end: bool,
    why: str | None,
) -> Tournament:
    specs = [one if isinstance(one, str) else str(_spec(one)) for one in players]
    sources = list(maps) if isinstance(maps, list | tuple) else [maps]
    games = checked_whole("games", games, 1, MAX_GAMES)
    return make(name, specs, sources, games, seed, early_end=early_end, why=why)


def play_out(
    tournament: Tournament,
    store: str | Path | None,
    *,
    workers: int = 1,
    ray: str | None = None,
    sprt: Sprt | None = None,
    bars: Bars,
    keep_records: bool = True,
) -> TournamentResult:
    """Play the games that the store lacks, and count all games. Without a store (None) the result holds the records, if
    `keep_records`."""
    workers = checked_whole("workers", workers, 1, MAX_WORKERS)
    path = None if store is None else Path(store)
    with Store(path) as opened:
        _check_namesake(tournament, opened)
        with bars:
            progress = _progress(tournament, opened, bars)
            run(tournament, opened, workers=workers, ray=ray, sprt=sprt, progress=progress)
        results = tables.Results(played(tournament, opened, records=False))
        lines = list(_lines(tournament, opened)) if path is None and keep_records else []
        said = opened.games_with_stderr(tournament.key)
    return TournamentResult(tournament, results, path, lines, said)


def _spec(one: PlayerSpec | Player) -> PlayerSpec:
    return one if isinstance(one, PlayerSpec) else PlayerSpec.of_player(one)


def _lines(tournament: Tournament, store: Store) -> Iterator[str]:
    return (row.record for row in played(tournament, store) if row.error is None)


def _check_namesake(tournament: Tournament, store: Store) -> None:
    """Say so if the store has games of the same name with other players, networks, maps, rules or seeds: they are not
    continued, and would seem lost."""
    known = store.tournaments()
    if tournament.key not in known and any(key.rpartition(" ")[0] == tournament.name for key in known):
        print(
            f"{store.path}: the store already has other games of {tournament.name!r}; the new ones are added",
            file=sys.stderr,
        )


def _progress(tournament: Tournament, store: Store, bars: Bars) -> Callable[[Sequence[Row], int], None]:
    """A function that counts finished games and shows the score so far, and the first forfeits."""
    total = len(tournament.tasks())
    results = tables.Results()
    for score in store.scores(tournament.key, tournament.games):
        results.count(*score)

    forfeits = 0

    def update(rows: Sequence[Row], left: int) -> None:
        nonlocal forfeits
        results.add(rows)
        for row in rows:
            if (reason := forfeit_of(row)) is not None:
                forfeits += 1
                if forfeits <= FORFEITS_SHOWN:
                    print(f"{row.label}: {reason}", file=sys.stderr, flush=True)
        score = ", ".join(f"{name} {cell.share:.1%}" for name, cell in results.standing()[:3])
        bars(tournament.name, total - left, total, score, "games")

    return update
