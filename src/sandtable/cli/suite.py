"""`sandtable suite`: the fixed lists of fair positions that players are compared on."""

import functools
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sandtable.arena import suite_search
from sandtable.arena.statistics import wilson
from sandtable.arena.suites import (
    NAMES,
    Entry,
    FirstSeat,
    Source,
    Suite,
    check_name,
    file_of,
    suite,
    suites_there,
)
from sandtable.cli import completion
from sandtable.cli.app import App
from sandtable.cli.output import resumable
from sandtable.files import write_whole
from sandtable.games import game_of
from sandtable.machine import machine
from sandtable.nets.checkpoints import read_card
from sandtable.nets.evaluators import locate
from sandtable.papers.run import Run
from sandtable.progress import Bars
from sandtable.scale import MAX_WORKERS

app = App(
    help="List, show, verify or make suites: fixed lists of fair positions to compare players on.\n\n"
    "Example: sandtable suite list",
    no_args_is_help=True,
)

SEEDS = {"dev": 1, "frozen": 2}
Name = Annotated[
    str,
    typer.Argument(
        metavar="SUITE", autocompletion=completion.names(lambda: NAMES), help=f"One of: {', '.join(NAMES)}."
    ),
]
GameName = Annotated[
    str | None, typer.Option("--game", autocompletion=completion.game_names, help="Only the positions of this game.")
]


@app.command("list")
def list_suites() -> None:
    """List the suites.

    Example: sandtable suite list
    """
    table = Table("suite", "game", "positions", "measured with", "first seat's share", box=None, pad_edge=False)
    for found in (part for name in NAMES for part in suites_there(name)):
        shares = [entry.first_seat.share for entry in found.entries]
        span = f"{min(shares):.0%} .. {max(shares):.0%}"
        how = f"{found.measured['player']}, {found.measured['games']} games"
        table.add_row(found.name, found.game, str(len(shares)), how, span)
    Console().print(table)


@app.command()
def show(
    name: Name,
    game: GameName = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
) -> None:
    """Show the positions of a suite, with the score of the first seat on each.

    Example: sandtable suite show dev
    """
    columns = ("position", "size", "map", "first seat W-L-D", "share", "95%")
    rows = [_row(entry) for entry in _entries(name, game)]
    if markdown:
        print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
        print("\n".join("| " + " | ".join(row) + " |" for row in rows))
        return
    table = Table(*columns, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    Console(highlight=False).print(table)


@app.command()
def verify(
    name: Name,
    game: GameName = None,
    replay: Annotated[
        int, typer.Option(min=0, help="Also repeat the games that measured fairness, for this many positions.")
    ] = 0,
) -> None:
    """Generate every position of a suite again and compare its digest. The exit code is 2 if one has changed.

    Example: sandtable suite verify dev
    """
    entries = _entries(name, game)
    for entry in entries:
        entry.verify()
    print(f"{name}: {len(entries)} positions match their digests")
    step = max(1, len(entries) // replay) if replay else len(entries) + 1
    for entry in entries[::step][:replay]:
        again = suite_search.measured_again(entry)
        same = "as measured" if again == entry.first_seat else f"measured {'-'.join(map(str, entry.first_seat))}"
        print(f"{entry.name}: first seat {'-'.join(map(str, again))} W-L-D, {same}")


@app.command()
def make(
    name: Name,
    folder: Annotated[
        Path | None,
        typer.Option(help="Folder for the run and the files that it writes. Default: runs/suite-NAME."),
    ] = None,
    game: GameName = None,
    workers: Annotated[int, typer.Option(min=1, max=MAX_WORKERS, help="Number of local processes.")] = 1,
) -> None:
    """Make a suite as the shipped ones were made, which takes hours. It can be stopped at any time; the same command
    continues it.

    Example: sandtable suite make dev --workers 2
    """
    check_name(name)
    seed = SEEDS[name]
    folder = folder or Path("runs") / f"suite-{name}"
    again = f"progress is saved in {folder}: run the same command again to continue"
    with resumable(again), Bars() as bars, Run(folder, workers=workers, watch=lambda now: bars(*now)) as run:
        for kind, method in suite_search.methods().items():
            if game not in (None, kind):
                continue
            settings = {"suite": name, "seed": seed, "game": kind, "player": method.player, "games": suite_search.GAMES}
            tasks = [functools.partial(suite_search.find, name, seed, kind, i) for i in range(len(method.slots))]
            found = run.collect(f"suite_{kind}", settings, tasks)
            cost = run.costs[f"suite_{kind}"]
            measured = {
                "seed": seed,
                "player": method.player,
                "games": suite_search.GAMES,
                "networks": {net: read_card(locate(net)).sha256[:16] for net in method.networks},
                "candidates": sum(one["candidates"] for one in found),
                "core_minutes": round(cost.core_seconds / 60),
                "commits": list(cost.commits),
                "machine": machine(),
            }
            entries = tuple(_entry(f"{name}-{kind}-{i + 1:02}", kind, one) for i, one in enumerate(found))
            path = folder / file_of(name, kind)
            write_whole(path, Suite(name, kind, measured, entries).to_json().encode())
            print(path)


def _entries(name: str, game: str | None) -> tuple[Entry, ...]:
    """The positions of a suite, of one game or of all games."""
    parts = suites_there(name) if game is None else [suite(name, game)]
    return tuple(entry for part in parts for entry in part.entries)


def _entry(name: str, game: str, found: dict[str, Any]) -> Entry:
    source = Source(game, found["map"], found["options"], found["start_seed"])
    return Entry(name, source, source.digest, FirstSeat(*found["first_seat"]), found["games_seed"])


def _row(entry: Entry) -> tuple[str, ...]:
    source, made_map = entry.source, entry.source.map_made()
    made = source.map if source.options is None else f"{source.map} {source.options['seed']}"
    start = "" if source.start_seed is None else f", start {source.start_seed}"
    won = entry.first_seat
    low, high = wilson(won.wins + won.draws / 2, won.games)
    size = game_of(made_map).summary(made_map).size
    counts = f"{won.wins}-{won.losses}-{won.draws}"
    return entry.name, size, made + start, counts, f"{won.share:.0%}", f"{low:.0%} .. {high:.0%}"
