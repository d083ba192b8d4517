"""Results on the terminal, as JSON, CSV and pictures, for the commands of the arena."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sandtable.arena import tables
from sandtable.arena.matches import play_out
from sandtable.arena.ratings import Rating
from sandtable.arena.statistics import Sprt
from sandtable.arena.tournament import Tournament
from sandtable.cli.installed import check_ray
from sandtable.cli.output import console as terminal
from sandtable.cli.output import resumable, table, write
from sandtable.files import check_writable
from sandtable.progress import Bars
from sandtable.scale import MAX_WORKERS, check_workers
from sandtable.texts import shown_line

WIDTH = 80  # of a table where there is no terminal
UNLIMITED = 10_000
FAILURES = 5  # the most errors that are shown

Workers = Annotated[int | None, typer.Option(min=1, max=MAX_WORKERS, help="Number of local processes.")]
Device = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="auto|cpu|cuda|mps",
        help="Where networks are trained; auto uses a GPU if PyTorch finds one. Games are always played on the CPU.",
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Address of a Ray cluster; `local` starts a cluster on this machine, which listens on the network.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
CsvFile = Annotated[Path | None, typer.Option("--csv", help="Write the results of all pairs to this CSV file.")]
SvgFile = Annotated[Path | None, typer.Option("--svg", help="Write the cross table to this file, as a picture.")]


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
    rated: bool = False,
) -> None:
    """Play a tournament into its store (None: the games are not kept) and print its results, with ratings if `rated`.
    Exit code 1 if a game failed."""
    check_workers(workers)
    check_ray(ray)
    check_writable(csv_file, svg_file)
    file = "" if path is None else shown_line(str(path))  # the path may contain control characters
    kept = "its games are lost (--store FILE keeps them)" if path is None else f"the finished games are in {file}"
    with resumable(kept if path is None else f"{kept}: run the same command again to continue"):
        played = play_out(tournament, path, workers=workers, ray=ray, sprt=sprt, bars=Bars(), keep_records=False)
    results = played.results
    results.sort_by_rating()
    in_turns = not any(place.game.simultaneous for place in tournament.grounds)
    print_results(results, as_json=as_json, in_turns=in_turns, rated=played.ratings if rated else ())
    write_results(results, csv_file, svg_file)
    if path is not None and not as_json:
        print(_where_games_are(results, file), file=sys.stderr)
    if played.games_with_stderr:
        where = "--store FILE keeps it" if path is None else f"sandtable show {file} --game N --stderr"
        share = f"{played.games_with_stderr} of {results.games} games"
        print(f"bots wrote to their standard error in {share}: {where}", file=sys.stderr)
    if sprt and not as_json:
        score = played.score
        ratio, (low, high) = sprt.log_likelihood_ratio(*score), sprt.bounds
        said = {"elo0": f"no more than {sprt.elo0:g} Elo", "elo1": f"at least {sprt.elo1:g} Elo", None: "undecided"}
        verdict = said[sprt.verdict(*score)]
        print(f"SPRT [{sprt.elo0:g}, {sprt.elo1:g}]: {ratio:.2f} in ({low:.2f}, {high:.2f}): {verdict}")
    if results.failed:
        raise typer.Exit(1)


def _where_games_are(results: tables.Results, file: str) -> str:
    """The store, and the commands to look into it. Games that failed have no record to show."""
    if results.failed == results.games:
        return f"no game was finished; the errors are in {file}:\n  sandtable games {file}"
    return f"the finished games are in {file}:\n  sandtable games {file}\n  sandtable show {file} --game 1"


def print_results(
    results: tables.Results, *, as_json: bool = False, in_turns: bool = True, rated: Sequence[Rating] = ()
) -> None:
    """Print the tables of some games. `in_turns`: one side moves at a time, so that one player moves first. `rated`:
    the players' ratings, if they are to be printed too."""
    if as_json:
        found = tables.as_json(results) | ({"ratings": [one._asdict() for one in rated]} if rated else {})
        print(json.dumps(found, indent=2))
    else:
        _print_tables(results, in_turns)
        if rated:
            print_ratings(rated)


def write_results(results: tables.Results, csv_file: Path | None, svg_file: Path | None) -> None:
    """Write the tables to files. Done after they have been printed, so that a full disk does not hide them."""
    if svg_file:
        write(svg_file, tables.cross_table_svg(results.table).encode())
    if csv_file:
        write(csv_file, pairs_csv(results.table).encode())


def _print_tables(results: tables.Results, in_turns: bool) -> None:
    console = terminal()
    if not results.table:  # every game failed
        _print_failures(results, console)
        return
    _print_pairs(tables.pair_rows(results), console)
    console.print("both seats: starts from which the player won both games, lost both, or neither", style="dim")
    effort = table("player", "ms per decision", "decisions", "overruns")
    for name, spent in results.efforts.items():
        each = 1000 * spent.seconds / spent.decisions if spent.decisions else 0
        effort.add_row(name, f"{each:.2f}", str(spent.decisions), str(spent.overruns))
    console.print(effort)
    if in_turns and results.first_seat.games:
        low, high = results.first_seat.interval
        console.print(f"the first player to move scores {results.first_seat.share:.1%} ({low:.1%} .. {high:.1%})")
    _print_failures(results, console)


def _print_pairs(pairs: Sequence[Sequence[str]], console: Console) -> None:
    """Print a row for each pair or, if that is too wide, a row for its names and a row for its figures."""
    figures = ("games", "W-L-D", "score", "95%", "Elo", "both seats")
    wide = table("player", "opponent", *figures)
    for pair in pairs:
        wide.add_row(*pair)
    limit = console.width if console.is_terminal else WIDTH
    # Measured without a limit: the width that the table needs, not the width that this terminal would give it.
    if console.measure(wide, options=console.options.update(width=UNLIMITED)).maximum <= limit:
        console.print(wide)
        return
    rows = [figures, *(pair[2:] for pair in pairs)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    console.print(lines[0], style="bold", soft_wrap=True)
    for (own, other, *_), line in zip(pairs, lines[1:], strict=True):
        console.print(f"{own} against {other}\n{line}", soft_wrap=True)


def _print_failures(results: tables.Results, console: Console) -> None:
    """Print each error once, with the first game that it ended and the number of others."""
    games: dict[str, list[str]] = {}
    for failure in results.failures:
        games.setdefault(failure.error, []).append(failure.game)
    for error, labels in list(games.items())[:FAILURES]:
        more = len(labels) - 1
        others = f" (and {more} more game{'s' * (more > 1)})" if more else ""
        console.print(f"failed: {labels[0]}{others}: {error}", style="red", soft_wrap=True)
    if len(games) > FAILURES:
        console.print(f"... and {len(games) - FAILURES} other errors; {results.failed} games failed", style="red")


def print_ratings(found: Sequence[Rating], *, as_json: bool = False) -> None:
    """Print ratings on the Elo scale with intervals."""
    if as_json:
        print(json.dumps([rating._asdict() for rating in found], indent=2))
        return
    made = table("player", "Elo", "95%", "games", "score")
    for rating in found:
        interval = f"{rating.low:.0f} .. {rating.high:.0f}"
        made.add_row(rating.player, f"{rating.elo:.0f}", interval, str(rating.games), f"{rating.score:.1%}")
    terminal().print(made)


def pairs_csv(table: dict[str, dict[str, tables.Cell]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["player", "opponent", "games", "wins", "losses", "ties", "share", "low", "high"])
    for own, cells in table.items():
        for other, cell in cells.items():
            low, high = cell.interval
            writer.writerow([own, other, cell.games, cell.wins, cell.losses, cell.ties, cell.share, low, high])
    return text.getvalue()
