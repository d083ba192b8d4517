"""Results on the terminal, as JSON, CSV and pictures, for the commands of the arena."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sandtable.arena import tables
from sandtable.arena.ratings import ratings
from sandtable.arena.statistics import Sprt, elo_of
from sandtable.arena.store import Store
from sandtable.arena.tasks import Row, forfeit_of
from sandtable.arena.tournament import Tournament, played, run
from sandtable.cli.progress import Bars
from sandtable.files import check_writable, write_whole
from sandtable.scale import MAX_WORKERS, check_workers

Workers = Annotated[int | None, typer.Option(min=1, max=MAX_WORKERS, help="Local processes.")]
Ray = Annotated[
    str | None,
    typer.Option("--ray", help="Address of a Ray cluster; `local` starts one here, which listens on the network."),
]
FORFEITS_SHOWN = 5  # while games are played; records keep all
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
CsvFile = Annotated[Path | None, typer.Option("--csv", help="Write the pairs' results to this file.")]
SvgFile = Annotated[Path | None, typer.Option("--svg", help="Write the cross table as a picture.")]


def play_and_report(
    tournament: Tournament,
    path: Path | None,
    *,
    workers: int,
    ray: str | None,
    sprt: Sprt | None,
    as_json: bool,
    csv_file: Path | None,
    svg_file: Path | None,
) -> None:
    """Play a tournament into its store (None: the games are not kept) and show what came of it. Exit code 1 if a game
    failed."""
    check_workers(workers)
    check_writable(csv_file, svg_file)
    with Store(path) as store:
        _check_namesake(tournament, store)
        with Bars() as bars:
            progress = _progress(tournament, store, bars)
            run(tournament, store, workers=workers, ray=ray, sprt=sprt, progress=progress)
        results = tables.Results(played(tournament, store, records=False))
    report(results, as_json=as_json, csv_file=csv_file, svg_file=svg_file)
    if sprt and not as_json:
        score = results.table[tournament.players[0]][tournament.players[1]]
        ratio, (low, high) = sprt.log_likelihood_ratio(*score), sprt.bounds
        said = {"elo0": f"no more than {sprt.elo0:g} Elo", "elo1": f"at least {sprt.elo1:g} Elo", None: "not clear yet"}
        verdict = said[sprt.verdict(*score)]
        print(f"SPRT [{sprt.elo0:g}, {sprt.elo1:g}]: {ratio:.2f} in ({low:.2f}, {high:.2f}): {verdict}")
    if results.failed:
        raise typer.Exit(1)


def _check_namesake(tournament: Tournament, store: Store) -> None:
    """Games of the same name that do not belong to this tournament are not continued: say so, or it looks like a
    loss."""
    known = store.tournaments()
    if tournament.key not in known and any(key.rpartition(" ")[0] == tournament.name for key in known):
        print(
            f"{store.path}: its games of {tournament.name!r} had other players, networks, maps or seeds; "
            "these are played beside them",
            file=sys.stderr,
        )


def _progress(tournament: Tournament, store: Store, bars: Bars) -> Callable[[Sequence[Row], int], None]:
    """Shows the score so far."""
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


def report(results: tables.Results, *, as_json: bool, csv_file: Path | None, svg_file: Path | None) -> None:
    """The tables of some games, on the terminal and then in files."""
    if as_json:
        print(json.dumps(tables.as_json(results), indent=2))
    else:
        _print_tables(results)
    if svg_file:
        write_whole(svg_file, tables.cross_table_svg(results.table).encode())
    if csv_file:
        write_whole(csv_file, pairs_csv(results.table).encode())


def _print_tables(results: tables.Results) -> None:
    console = _console()
    pairs = Table("player", "opponent", "games", "W-L-D", "score", "95%", "Elo", "both seats", box=None, pad_edge=False)
    for column in pairs.columns:
        column.overflow = "fold"  # a player's name is not cut
    for line in _pairs(results):
        pairs.add_row(*line)
    console.print(pairs)
    console.print("both seats: starts that the player won twice, lost twice, and split", style="dim")
    effort = Table("player", "ms a decision", "decisions", "overruns", box=None, pad_edge=False)
    for name, spent in results.efforts.items():
        each = 1000 * spent.seconds / spent.decisions if spent.decisions else 0
        effort.add_row(name, f"{each:.2f}", str(spent.decisions), str(spent.overruns))
    console.print(effort)
    if results.first_seat.games:
        low, high = results.first_seat.interval
        console.print(f"who moves first scores {results.first_seat.share:.1%} ({low:.1%} .. {high:.1%})")
    for failure in results.failures[:5]:
        console.print(f"failed: {failure.task}: {failure.error}", style="red")
    if results.failed > 5:
        console.print(f"... and {results.failed - 5} more failed", style="red")


def show_ratings(rows: Iterable[Row], as_json: bool) -> None:
    """Ratings on the Elo scale with intervals."""
    found = ratings((row.first, row.second, row.score) for row in rows if row.error is None)
    if as_json:
        print(json.dumps([rating._asdict() for rating in found], indent=2))
        return
    table = Table("player", "Elo", "95%", "games", "score", box=None, pad_edge=False)
    for rating in found:
        interval = f"{rating.low:.0f} .. {rating.high:.0f}"
        table.add_row(rating.player, f"{rating.elo:.0f}", interval, str(rating.games), f"{rating.score:.1%}")
    _console().print(table)


def _console() -> Console:
    """Where there is no terminal, lines are as long as they need be."""
    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 200)


def _pairs(results: tables.Results) -> list[tuple[str, ...]]:
    """Each pair once, from the side of whoever scored more."""
    rows: list[tuple[str, ...]] = []
    for own, cells in results.table.items():
        for other, cell in cells.items():
            if cell.share > 0.5 or (cell.share == 0.5 and own < other):
                low, high = cell.interval
                counted = f"{cell.wins}-{cell.losses}-{cell.ties}"
                elo = "-" if cell.share in (0, 1) else f"{elo_of(cell.share):+.0f}"
                both = "-".join(map(str, results.starts.get(own, {}).get(other, tables.Starts(0, 0, 0))))
                rows.append(
                    (own, other, str(cell.games), counted, f"{cell.share:.1%}", f"{low:.1%} .. {high:.1%}", elo, both)
                )
    return rows


def pairs_csv(table: dict[str, dict[str, tables.Cell]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["player", "opponent", "games", "wins", "losses", "ties", "share", "low", "high"])
    for own, cells in table.items():
        for other, cell in cells.items():
            low, high = cell.interval
            writer.writerow([own, other, cell.games, cell.wins, cell.losses, cell.ties, cell.share, low, high])
    return text.getvalue()
