"""`sandtable suite`: the fixed lists of fair positions that players are compared on."""

import functools
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sandtable.arena import suite_search
from sandtable.arena.statistics import wilson
from sandtable.arena.suites import NAMES, Entry, FirstSeat, Source, Suite, suite
from sandtable.cli.progress import Bars
from sandtable.files import write_whole
from sandtable.games import game_of
from sandtable.machine import commit, machine
from sandtable.nets.checkpoints import read_card
from sandtable.nets.evaluators import locate
from sandtable.papers.run import Run
from sandtable.scale import MAX_WORKERS

app = typer.Typer(help="Fixed lists of fair positions that players are compared on.", no_args_is_help=True)

SEEDS = {"dev": 1, "frozen": 2}
Name = Annotated[str, typer.Argument(metavar="SUITE", help=", ".join(NAMES))]


@app.command("list")
def list_suites() -> None:
    """List the suites."""
    table = Table("suite", "game", "positions", "measured with", "first seat's share", box=None, pad_edge=False)
    for name in NAMES:
        found = suite(name)
        for game, how in found.measured["games"].items():
            shares = [entry.first_seat.share for entry in found.of(game)]
            span = f"{min(shares):.0%} .. {max(shares):.0%}"
            table.add_row(name, game, str(len(shares)), f"{how['player']}, {how['games']} games", span)
    Console().print(table)


@app.command()
def show(
    name: Name,
    game: Annotated[str | None, typer.Option(help="Only the positions of this game.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
) -> None:
    """Show the positions of a suite, with the share of the games that the first seat made on each."""
    found = suite(name)
    entries = found.entries if game is None else found.of(game)
    columns = ("position", "size", "map", "first seat W-L-D", "share", "95%")
    rows = [_row(entry) for entry in entries]
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
    replay: Annotated[int, typer.Option(min=0, help="Also play the fairness games of this many positions again.")] = 0,
) -> None:
    """Make every position of a suite anew and compare its digest. Exit code 2 if one has changed."""
    found = suite(name)
    for entry in found.entries:
        entry.verify()
    print(f"{name}: {len(found.entries)} positions are what was measured")
    step = max(1, len(found.entries) // replay) if replay else len(found.entries) + 1
    for entry in found.entries[::step][:replay]:
        again = suite_search.measured_again(entry)
        same = "the same" if again == entry.first_seat else f"measured as {'-'.join(map(str, entry.first_seat))}"
        print(f"{entry.name}: first seat {'-'.join(map(str, again))} W-L-D, {same}")


@app.command()
def make(
    name: Name,
    folder: Annotated[Path | None, typer.Option(help="The run's folder. Default: runs/suite-NAME.")] = None,
    out: Annotated[Path | None, typer.Option(help="The suite's file. Default: NAME.json in the run's folder.")] = None,
    game: Annotated[str | None, typer.Option(help="Only the positions of this game; writes no file.")] = None,
    workers: Annotated[int, typer.Option(min=1, max=MAX_WORKERS, help="Local processes.")] = 1,
) -> None:
    """Make a suite as the shipped ones were made: hours of play. Stop it anywhere and run it again: it goes on."""
    seed = SEEDS[name]
    folder = folder or Path("runs") / f"suite-{name}"
    with Bars() as bars, Run(folder, workers=workers, watch=lambda now: bars(*now)) as run:
        entries: list[Entry] = []
        measured: dict[str, Any] = {"seed": seed, "commit": commit(), "machine": machine(), "networks": {}, "games": {}}
        for kind, method in suite_search.methods().items():
            if game not in (None, kind):
                continue
            settings = {"suite": name, "seed": seed, "game": kind, "player": method.player, "games": suite_search.GAMES}
            tasks = [functools.partial(suite_search.find, name, seed, kind, i) for i in range(len(method.slots))]
            found = run.collect(f"suite_{kind}", settings, tasks)
            entries += [_entry(f"{name}-{kind}-{i + 1:02}", kind, one) for i, one in enumerate(found)]
            measured["networks"] |= {net: read_card(locate(net)).sha256[:16] for net in method.networks}
            measured["games"][kind] = {
                "player": method.player,
                "games": suite_search.GAMES,
                "candidates": sum(one["candidates"] for one in found),
                "core_minutes": round(run.costs[f"suite_{kind}"].core_seconds / 60),
            }
        if game is None:
            path = out or folder / f"{name}.json"
            write_whole(path, Suite(name, measured, tuple(entries)).to_json().encode())
            print(path)


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
