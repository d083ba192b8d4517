"""`sandtable bench`: how fast the engine is on this machine, on one core."""

import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

import sandtable
from sandtable import tubstap
from sandtable.tubstap.counting import POLICIES


class Rate(NamedTuple):
    """Something done so many times a second."""

    what: str
    where: str
    per_second: float
    unit: str


def bench(
    seconds: Annotated[float, typer.Option(min=0.01, help="Time for each line.")] = 0.5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Measure playouts, move lists and copies a second, on one core."""
    rates = list(measure(seconds))
    if as_json:
        print(json.dumps({"machine": machine(), "rates": [rate._asdict() for rate in rates]}, indent=2))
        return
    console = Console()
    console.print(machine(), style="dim", highlight=False)
    table = Table("what", "where", "a second", box=None, pad_edge=False)
    table.columns[-1].justify = "right"
    for rate in rates:
        table.add_row(rate.what, rate.where, f"{rate.per_second:,.0f} {rate.unit}")
    console.print(table)


def machine() -> str:
    """The processor, system and versions, for whoever compares figures."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = names[0] if names else cpu
    return f"{cpu}, {platform.system()}, Python {platform.python_version()}, sandtable {sandtable.__version__}"


def measure(seconds: float) -> list[Rate]:
    boards = {
        "8x8 plains, 3 v 3": tubstap.maps.symmetric(1, rules="original"),
        "12x12 all terrains, 10 v 10": tubstap.maps.mixed(1),
        "32x32 all terrains, 32 v 32": tubstap.maps.mixed(1, size=32, units=32),
    }
    rates = []
    for where, scenario in boards.items():
        state = scenario.start()
        for policy in POLICIES:
            playouts, operations = _playouts(state, policy, seconds)
            rates.append(Rate(f"playouts, {policy}", where, operations, "operations"))
            rates.append(Rate(f"playouts, {policy}", where, playouts, "playouts"))
        rates.append(Rate("moves()", where, _calls(state.moves, seconds), "lists"))
        rates.append(Rate("moves_array()", where, _calls(state.moves_array, seconds), "arrays"))
        rates.append(Rate("copy()", where, _calls(state.copy, seconds), "states"))
    return rates


def _playouts(state: tubstap.State, policy: str, seconds: float) -> tuple[float, float]:
    playouts = operations = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        operations += tubstap.playouts(state, 50, seed=playouts, policy=policy).operations
        playouts += 50
    return playouts / passed, operations / passed


def _calls(function: Callable[[], object], seconds: float) -> float:
    calls = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        for _ in range(100):
            function()
        calls += 100
    return calls / passed
