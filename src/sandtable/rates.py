"""Rates per second: shared by the benchmarks of the games."""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol


class Rate(NamedTuple):
    """The number of times per second that something is done, with a note for comparison."""

    what: str
    where: str
    per_second: float
    unit: str
    note: str = ""


class Comparison(NamedTuple):
    """The time of something that uses a network, run by the core and, if it is installed, by onnxruntime."""

    what: str
    where: str
    each: str  # the unit that is timed: a position, a game
    seconds: Mapping[str, float]  # per unit, by runtime: medians
    ratio: float | None  # onnxruntime's time divided by the core's: the median over rounds
    least: float | None = None  # the least ratio that is expected

    def rate(self) -> Rate:
        note = "" if self.ratio is None else f"{self.ratio:.1f} times as fast as onnxruntime"
        if note and self.least is not None:
            note += f", should be {self.least:g} or more"
        return Rate(self.what, self.where, 1 / self.seconds["native"], f"{self.each}s", note)


def runtimes() -> tuple[str, ...]:
    """The runtimes of the networks that the core can run: the core, and onnxruntime where it is installed."""
    return ("native", "onnx") if find_spec("onnxruntime") else ("native",)


class Judge(Protocol):
    """An evaluator that measures the time inside its network."""

    @property
    def forward_seconds(self) -> float: ...


def forward_seconds(judge: Judge, evaluate: Callable[[Sequence[Any]], object], parts: Sequence[Sequence[Any]]) -> float:
    """The time per position inside the network: the median over the parts, each evaluated by one call."""
    times = []
    for part in parts:
        before = judge.forward_seconds
        evaluate(part)
        times.append((judge.forward_seconds - before) / len(part))
    return statistics.median(times)


def processor_seconds(work: Callable[..., object], *arguments: object) -> float:
    begin = time.process_time()
    work(*arguments)
    return time.process_time() - begin


def compared(
    what: str, where: str, each: str, rounds: Sequence[Mapping[str, float]], least: float | None = None
) -> Comparison:
    """The comparison of runtimes that alternate; each round has the seconds of every runtime."""
    seconds = {runtime: statistics.median(one[runtime] for one in rounds) for runtime in rounds[0]}
    both = [one["onnx"] / one["native"] for one in rounds if "onnx" in one]
    return Comparison(what, where, each, seconds, statistics.median(both) if both else None, least)


def compared_networks(
    what: str,
    where: str,
    judges: Mapping[str, Any],
    evaluate: Callable[[Any, Sequence[Any]], object],
    positions: Sequence[Any],
    batches: Mapping[int, float | None],
    rounds: int,
) -> Iterator[Comparison]:
    """Compare networks alone, outside a search. `batches` maps batch sizes to the ratios that are expected at least;
    evaluate(judge, positions) evaluates one batch."""
    for batch, least in batches.items():
        starts = range(0, len(positions) - batch + 1, batch)
        parts = [positions[i : i + batch] for i in starts][:8]
        times = [
            {name: forward_seconds(one, functools.partial(evaluate, one), parts) for name, one in judges.items()}
            for _ in range(rounds)
        ]
        yield compared(what, f"{where}, batch {batch}", "position", times, least)


def paired(
    one: Callable[[int], int], other: Callable[[int], int], seconds: float, rounds: int = 5
) -> list[tuple[float, float]]:
    """What one(seed) and other(seed) count per second of processor time. They alternate, so that both meet the same
    load."""

    def rate(run: Callable[[int], int]) -> float:
        count, start = 0, time.process_time()
        while (passed := time.process_time() - start) < seconds:
            count += run(count)
        return count / passed

    return [(rate(one), rate(other)) for _ in range(rounds)]


def counted(run: Callable[[], int], seconds: float) -> float:
    """What run() counts per second of wall-clock time."""
    count = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        count += run()
    return count / passed


def playouts_and_steps(run: Callable[[int], int], seconds: float) -> tuple[float, float]:
    """Playouts per second and steps per second; run(seed) plays fifty playouts and returns their steps."""
    playouts = steps = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        steps += run(playouts)
        playouts += 50
    return playouts / passed, steps / passed


def calls(function: Callable[[], object], seconds: float) -> float:
    calls = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        for _ in range(100):
            function()
        calls += 100
    return calls / passed
