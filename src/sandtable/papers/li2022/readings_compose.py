"""The report's sections on the readings of li2022, written from their tables alone."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

from sandtable.arena.statistics import root_mean_square
from sandtable.nets.architectures import li2022_name
from sandtable.papers.li2022 import published
from sandtable.papers.li2022.readings_data import DATA_SETS, DataSet
from sandtable.papers.li2022.readings_report import (
    DATA_NAMES,
    DIGITS,
    LABELS,
    MEASURES,
    QUOTED,
    QUOTED_SETTINGS,
    shown,
)
from sandtable.papers.li2022.readings_training import FACTORS
from sandtable.papers.li2022.settings import SCALES, Settings
from sandtable.papers.measured import Measured
from sandtable.papers.report import Report, Section
from sandtable.papers.settings import restored
from sandtable.papers.tables import Cell, Table

NETWORKS = ("cnn_i", "cnn_g", "gcn_4")  # those that were trained with every reading that applies to them


class Reading(NamedTuple):
    """A reading of each open point."""

    data: DataSet
    layer: str
    inputs: str
    planes: str

    def __str__(self) -> str:
        return f"{DATA_NAMES[self.data]}, layer {self.layer}, inputs {self.inputs}, planes {self.planes}"

    def architecture(self, network: str) -> str:
        return li2022_name(network, layer=self.layer, inputs=self.inputs, planes=self.planes)

    def accuracies(self, table: Table) -> list[float]:
        return [table.number(shown(self.architecture(network)), DATA_NAMES[self.data]) for network in NETWORKS]

    def distance(self, table: Table) -> float:
        """The root mean square difference from the paper's accuracies, in points."""
        pairs = zip(self.accuracies(table), _PUBLISHED, strict=True)
        return root_mean_square(ours - theirs for ours, theirs in pairs)

    def ordered(self, table: Table) -> bool:
        image, convolution, graph = self.accuracies(table)
        return image < convolution < graph


READINGS = tuple(itertools.starmap(Reading, itertools.product(DATA_SETS, *FACTORS.values())))
FIRST_READING = READINGS[0]
_PUBLISHED = [published.ACCURACY[network]["overall"] for network in NETWORKS]


TITLE = "li2022: readings of what the paper leaves open"


def compose_readings(measured: Measured) -> Report:
    """The report of a run that compared the readings and nothing else."""
    sections = readings_sections(measured, measured.settings(SCALES))
    found = [one.table.said for one in sections[:2] if one.table]
    return Report(TITLE, (*found, f"Each accuracy comes from {measured.training_seeds}."), tuple(sections))


def readings_sections(measured: Measured, settings: Settings) -> list[Section]:
    """The sections on the readings; none if they were not compared in this run."""
    if "readings_accuracy" not in measured:
        return []
    facts = measured["readings_accuracy"].facts
    quoted = _QUOTED.format(commit=facts[QUOTED]) if QUOTED in facts else ""
    settings = restored(settings, {name: value for name, value in facts.items() if name in QUOTED_SETTINGS})
    found = {
        f"{measure}_{kind}": _with_clear_differences(measured[f"readings_{measure}_{kind}"], measure)
        for measure in MEASURES
        for kind in ("differences", "by_data")
    }
    accuracy = measured["readings_accuracy"]
    return [
        Section("Readings: the data", _DATA.format(settings=settings) + quoted, _data(measured["readings_data"])),
        Section(
            "Readings: accuracy of each network", _LEVELS.format(settings=settings), accuracy.saying(nearest(accuracy))
        ),
        Section("Readings: squared error of each network", "", _errors(measured["readings_error"])),
        Section("Readings: which network predicts better", _DIFFERENCES, found["accuracy_differences"]),
        Section("Readings: which network has the smaller error", "", found["error_differences"]),
        Section("Readings: which data are predicted better", _BETWEEN_DATA, found["accuracy_by_data"]),
        Section("Readings: which data are predicted with the smaller error", "", found["error_by_data"]),
    ]


_QUOTED = (
    " The readings were compared in a separate run, of commit {commit}; the folder `readings` has its report, and its "
    "tables are repeated here."
)
_DATA = (
    "The paper leaves several points open. Our first readings are the defaults; here they are compared with second "
    "readings. Two of the points concern the data. A game is tied after 20 turns without damage: after 20 player "
    "turns, or after 20 rounds, which are 40 player turns. The games are either all fresh games on the finished maps, "
    "or, on local-search maps, the last games of the search. Their players have {settings.data_rollouts:,} rollouts a "
    "decision."
)
_LEVELS = (
    "Every network is trained {settings.readings_folds} times on each data set, in a cross-validation by game: each "
    "time with another seed, and tested on the games that were left out of its training. *Kernel* is the second "
    "reading of the graph convolution: an N x N kernel instead of the normalised adjacency and the bias. *Raw* inputs "
    "are not scaled. *Text* planes are the five that the paper's text names (position, HP, attack, color, type), where "
    "attack is read as the greatest power of the unit's kind. Training stops after {settings.readings_patience} epochs "
    "without improvement, and after {settings.readings_max_epochs} epochs at the latest. The 95% intervals treat the "
    "games as the random sample."
)
_DIFFERENCES = (
    "Differences are paired by game and seed. Their 95% intervals come from a bootstrap that draws seeds, and games "
    "within seeds; about one interval in twenty misses the true difference by chance. The last column combines the "
    "four data sets."
)
_BETWEEN_DATA = (
    "The same networks on different data. Games are paired by the place and seed of their map; the intervals come from "
    "the same bootstrap."
)


def _data(table: Table) -> Table:
    sizes = {name: table.cell(name, "states a game") for name in DATA_NAMES.values()}
    shares = {name: [table.cell(name, f"{label}, %") for label in LABELS] for name in sizes}
    by_size = min(sizes, key=lambda name: _distance(sizes[name]))
    by_labels = min(shares, key=lambda name: math.hypot(*map(_distance, shares[name])))
    return table.saying(
        f"In the length of games, the data set nearest to the paper is '{by_size}' "
        f"({table.number(by_size, 'states a game'):.1f} states a game, paper "
        f"{sizes[by_size].published or math.nan:.1f}). "
        f"In the shares of wins, losses and ties, it is '{by_labels}' "
        f"({_slashed([cell.value for cell in shares[by_labels]])}%, paper "
        f"{_slashed([cell.published for cell in shares[by_labels]])}%)."
    )


def _distance(cell: Cell) -> float:
    """The distance from the published figure; infinite where there is none."""
    return abs(cell.value - cell.published) if isinstance(cell.value, float) and cell.published else math.inf


def _slashed(values: list[float | str | None]) -> str:
    return " / ".join(f"{value:.0f}" if isinstance(value, int | float) else "-" for value in values)


def nearest(accuracy: Table) -> str:
    """A sentence on which reading comes nearest to the paper's accuracies."""
    best = min(READINGS, key=lambda reading: reading.distance(accuracy))
    names = " / ".join(shown(network) for network in NETWORKS)
    ordered = [reading for reading in READINGS if reading.ordered(accuracy)]
    by_layer = {layer: sum(reading.layer == layer for reading in ordered) for layer in FACTORS["layer"]}
    return (
        f"Of the {len(READINGS)} combinations of readings, the nearest to the paper's accuracies of {names} "
        f"({_slashed([*_PUBLISHED])}) is '{best}' with {_slashed([*best.accuracies(accuracy)])}: "
        f"{best.distance(accuracy):.1f} points away (root mean square). The first readings, '{FIRST_READING}', give "
        f"{_slashed([*FIRST_READING.accuracies(accuracy)])}, {FIRST_READING.distance(accuracy):.1f} points away. The "
        f"figures have the paper's order, each network better than the one before, in {len(ordered)} combinations: "
        f"{by_layer['adjacency']} with the adjacency layer, {by_layer['kernel']} with the kernel layer."
    )


def _errors(table: Table) -> Table:
    table.last_row()  # raises TableError if there is none
    least = {
        name: min(table.named_rows(), key=lambda row: row[1][place].interval or (math.inf,))[0]
        for place, name in enumerate(table.columns)
        if place
    }
    found = "; ".join(f"'{data}', {name}" for data, name in least.items())
    return table.saying(f"The network with the smallest error on each data set: {found}.")


def _with_clear_differences(table: Table, measure: str) -> Table:
    """Add a sentence on which differences have an interval without 0, over all data sets or over all networks."""
    if table.name.endswith("_by_data"):
        scope, last = "networks", table.row(table.last_row())
        differences = dict(zip(table.columns[1:], last[1:], strict=True))
    else:
        last_column = table.columns[-1]
        scope, differences = "data sets", {name: table.cell(name, last_column) for name, _ in table.named_rows()}
    digits = DIGITS[measure]
    clear = [
        f"{name}: {cell.value:+.{digits}f} ({cell.low:+.{digits}f} to {cell.high:+.{digits}f})"
        for name, cell in differences.items()
        if cell.interval is not None and not cell.interval.contains_zero
    ]
    if not clear:
        return table.saying(f"Over all {scope}, all {len(differences)} intervals contain 0: no difference is clear.")
    return table.saying(
        f"Over all {scope}, these differences are clear: {'; '.join(clear)}. The other {len(differences) - len(clear)} "
        "intervals contain 0."
    )
