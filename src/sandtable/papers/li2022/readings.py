"""Stage `readings`: the accuracy and error of the networks of each reading, and differences paired by game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from sandtable.arena.statistics import Interval, Tallies, paired_difference, ratio_interval
from sandtable.nets.architectures import li2022_name
from sandtable.papers.li2022.readings_data import DATA_SETS, TIE_RULES, DataSet
from sandtable.papers.li2022.readings_training import (
    ARCHITECTURE_NAMES,
    Results,
    Tested,
    check_readings_records,
    train_readings,
)
from sandtable.papers.li2022.settings import DATA_GAMES, Settings
from sandtable.papers.run import Run
from sandtable.papers.stages import stage

RESAMPLES = 2000
ALL = "all"  # data sets, or networks, taken together

# Measures of a tested game, as sums over its states.
MEASURES: dict[str, Callable[[Tested], float]] = {
    "accuracy": lambda tested: tested.right,
    "error": lambda tested: tested.squared_error,
}


class Contrast(NamedTuple):
    """Two networks that differ in one respect."""

    question: str
    first: str
    second: str


def _contrasts() -> Iterable[Contrast]:
    for inputs in ("scaled", "raw"):
        kernel = li2022_name("gcn_4", layer="kernel", inputs=inputs)
        adjacency, graph, image = (li2022_name(network, inputs=inputs) for network in ("gcn_4", "cnn_g", "cnn_i"))
        yield Contrast("layer: kernel - adjacency", kernel, adjacency)
        yield Contrast("planes: text - first", li2022_name("cnn_i", planes="text", inputs=inputs), image)
        yield Contrast("graph convolution - convolution", kernel, graph)
        yield Contrast("graph convolution - convolution", adjacency, graph)
        yield Contrast("graph - image", graph, image)
    for name in ARCHITECTURE_NAMES:
        if f"{name}_raw" in ARCHITECTURE_NAMES:
            yield Contrast("inputs: raw - scaled", f"{name}_raw", name)
    small, large = (li2022_name(network, layer="kernel") for network in ("gcn_4", "gcn_32"))
    yield Contrast("32 outputs - 4 outputs", large, small)


CONTRASTS = tuple(sorted(_contrasts(), key=lambda one: one.question))

# Data sets that differ in one factor. Their games are paired by the place and seed of their map.
DATA_CONTRASTS = {
    f"tie after {late} - {early} turns, {kind} games": (DataSet(late, kind), DataSet(early, kind))
    for early, late in [TIE_RULES]
    for kind in DATA_GAMES
} | {f"last - fresh games, tie after {limit}": (DataSet(limit, "last"), DataSet(limit, "fresh")) for limit in TIE_RULES}


@stage("readings", needs=(check_readings_records, train_readings), when=lambda settings: settings.readings)
def compare_readings(run: Run, settings: Settings, records: dict[str, Any], results: Results) -> dict[str, Any]:
    """For each measure: its values by data set and network, the differences by contrast and data set, and the
    differences between data sets by contrast and network."""

    def work() -> dict[str, Any]:
        return {
            measure: {
                "levels": _levels(results, measure_of),
                "networks": [_by_data_set(contrast, results, measure_of) for contrast in CONTRASTS],
                "data": {name: _by_network(pair, results, measure_of) for name, pair in DATA_CONTRASTS.items()},
            }
            for measure, measure_of in MEASURES.items()
        }

    digests = {name: found["digest"] for name, found in records.items()}
    return compare_readings.make(run, settings, work, records=digests, resamples=RESAMPLES)


def _levels(results: Results, measure_of: Callable[[Tested], float]) -> dict[str, dict[str, Any]]:
    """The mean over all states by data set and network, with an interval clustered by game."""
    levels: dict[str, dict[str, Any]] = {}
    for data, networks in results.items():
        levels[data.name] = {}
        for name, folds in networks.items():
            games = [tested for fold in folds.values() for tested in fold.values()]
            totals, sizes = [measure_of(tested) for tested in games], [tested.states for tested in games]
            low, high = ratio_interval(totals, sizes)
            value = sum(totals) / sum(sizes)
            levels[data.name][name] = {"value": value, "low": low, "high": high, "games": len(games)}
    return levels


def _by_data_set(contrast: Contrast, results: Results, measure_of: Callable[[Tested], float]) -> dict[str, Interval]:
    columns = {data.name: [data] for data in DATA_SETS} | {ALL: list(DATA_SETS)}
    found = {}
    for column, data_sets in columns.items():
        first, second = (
            tallies(((data, name) for data in data_sets), results, measure_of)
            for name in (contrast.first, contrast.second)
        )
        found[column] = paired_difference(first, second, resamples=RESAMPLES)
    return found


def _by_network(
    pair: tuple[DataSet, DataSet], results: Results, measure_of: Callable[[Tested], float]
) -> dict[str, Interval]:
    rows = {name: [name] for name in ARCHITECTURE_NAMES} | {ALL: list(ARCHITECTURE_NAMES)}
    found = {}
    for row, names in rows.items():
        first, second = (tallies(((data, name) for name in names), results, measure_of) for data in pair)
        found[row] = paired_difference(first, second, resamples=RESAMPLES)
    return found


def tallies(chosen: Iterable[tuple[DataSet, str]], results: Results, measure_of: Callable[[Tested], float]) -> Tallies:
    """The sum of a measure and the number of states by fold and game, over some data sets and networks."""
    found: dict[int, dict[int, tuple[float, float]]] = {}
    for data, name in chosen:
        for fold, games in results[data][name].items():
            own = found.setdefault(fold, {})
            for game, tested in games.items():
                total, states = own.get(game, (0.0, 0.0))
                own[game] = total + measure_of(tested), states + tested.states
    return found
