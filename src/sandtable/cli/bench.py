"""`sandtable bench`: how fast the engine is on this machine, on one core."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import sandtable
from sandtable.games import games
from sandtable.machine import machine
from sandtable.rates import Rate


def bench(
    seconds: Annotated[float, typer.Option(min=0.01, help="Seconds for each measurement.")] = 0.5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Measure playouts, searches, move lists and copies per second, on one core.

    Example: sandtable bench --seconds 0.2
    """
    rates = measure(seconds)
    if as_json:
        print(json.dumps({"machine": _described(), "rates": [rate._asdict() for rate in rates]}, indent=2))
        return
    console = Console()
    console.print(_described(), style="dim", highlight=False)
    table = Table("what", "where", "per second", "compared", box=None, pad_edge=False)
    table.columns[2].justify = "right"
    for rate in rates:
        table.add_row(rate.what, rate.where, f"{rate.per_second:,.0f} {rate.unit}", rate.note)
    console.print(table)


def measure(seconds: float) -> list[Rate]:
    """The rates of every game that has benchmarks."""
    return [rate for game in games() if "benchmarks" in game.parts for rate in game.part("benchmarks")(seconds)]


def _described() -> str:
    return f"{machine()}, sandtable {sandtable.__version__}"
