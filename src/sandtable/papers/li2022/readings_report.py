"""The report's sections on the readings of li2022: the data, the networks, and what each reading changes."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

from sandtable.nets.architectures import li2022_name
from sandtable.papers.li2022 import published
from sandtable.papers.li2022.readings import ALL, CONTRASTS, DATA_CONTRASTS, compare_readings
from sandtable.papers.li2022.readings_data import DATA_SETS, DataSet
from sandtable.papers.li2022.readings_training import ARCHITECTURE_NAMES, FACTORS, check_readings_records
from sandtable.papers.li2022.settings import PAPER_TRAIN, Settings
from sandtable.papers.report import Section
from sandtable.papers.run import Run
from sandtable.papers.tables import Cell, Table, percent

NETWORKS = ("cnn_i", "cnn_g", "gcn_4")  # those that were trained by every reading that concerns them
STATES_PER_GAME = published.STATES["train"]["total"] / sum(PAPER_TRAIN)
DATA_NAMES = {data: f"{data.data_games} games, tie after {data.quiet_limit}" for data in DATA_SETS}


class Reading(NamedTuple):
    """One reading of everything."""

    data: DataSet
    layer: str
    inputs: str
    planes: str

    def __str__(self) -> str:
        return f"{DATA_NAMES[self.data]}, layer {self.layer}, inputs {self.inputs}, planes {self.planes}"

    def architecture(self, network: str) -> str:
        return li2022_name(network, layer=self.layer, inputs=self.inputs, planes=self.planes)


READINGS = tuple(itertools.starmap(Reading, itertools.product(DATA_SETS, *FACTORS.values())))
FIRST_READING = READINGS[0]


def readings_sections(run: Run, settings: Settings) -> list[Section]:
    records = check_readings_records(run, settings)
    found = compare_readings(run, settings)
    accuracy, error = found["accuracy"], found["error"]
    return [
        Section("Readings: the data", _DATA.format(settings=settings), _data_table(records)),
        Section("Readings: accuracy of each network", _LEVELS.format(settings=settings), _accuracy_table(accuracy)),
        Section("Readings: squared error of each network", "", _error_table(error)),
        Section("Readings: which network predicts better", _DIFFERENCES, _networks_table(accuracy, "accuracy")),
        Section("Readings: which network has the smaller error", "", _networks_table(error, "error")),
        Section("Readings: which data are predicted better", _BETWEEN_DATA, _between_data_table(accuracy, "accuracy")),
        Section("Readings: which data are predicted with the smaller error", "", _between_data_table(error, "error")),
    ]


_DATA = (
    "The paper leaves several points open. Our first readings are the defaults; here they are compared with second "
    "ones. Two of them concern the data. A game is tied after 20 turns without damage: after 20 player turns, or after "
    "20 rounds, which are 40 player turns. The data's games are fresh games on the kept maps, or the last games of the "
    "local search that made the maps. These games have {settings.data_rollouts:,} rollouts a decision."
)
_LEVELS = (
    "Every network is trained {settings.readings_folds} times on each data set, in a cross-validation by game: each "
    "time with another seed, and tested on the games that it did not learn from. *Kernel* is the second reading of the "
    "graph convolution: an N x N kernel instead of the normalised adjacency and the bias. *Raw* inputs are not scaled. "
    "*Text* planes are the five that the paper's text names (position, HP, attack, color, type), where attack is read "
    "as the greatest power of the unit's kind. Training stops after {settings.readings_patience} epochs without "
    "improvement, at the latest after {settings.readings_max_epochs}. Intervals are 95%, with the games as drawn."
)
_DIFFERENCES = (
    "Differences are paired by game and seed. Their 95% intervals are from a bootstrap that draws seeds, and games "
    "within seeds; about one interval in twenty misses the truth by chance. The last column takes the four data sets "
    "together."
)
_BETWEEN_DATA = (
    "The same networks on different data. Games are paired by the place and seed of their map; the bootstrap is the "
    "same."
)


def _data_table(records: dict[str, Any]) -> Table:
    printed = published.STATES["train"]
    rows = []
    for data in DATA_SETS:
        found = records[data.name]
        states = found["states"]
        cells = [percent(found["labels"][label], 100 * printed[label] / printed["total"]) for label in _LABELS]
        size = Cell(states["value"], states["low"], states["high"], states["games"], STATES_PER_GAME)
        rows.append((Cell(DATA_NAMES[data]), Cell(states["games"]), size, *cells))
    nearest_size = min(rows, key=lambda row: _distance(row[2]))
    nearest_labels = min(rows, key=lambda row: math.hypot(*map(_distance, row[3:])))
    said = (
        f"In the length of games, the data set nearest to the paper is '{nearest_size[0].value}' "
        f"({nearest_size[2].value:.1f} states a game, paper {STATES_PER_GAME:.1f}). In the shares of wins, losses and "
        f"ties, it is '{nearest_labels[0].value}' ({_slashed([cell.value for cell in nearest_labels[3:]])}%, paper "
        f"{_slashed([cell.published for cell in nearest_labels[3:]])}%)."
    )
    columns = ("data", "games", "states a game", *(f"{label}, %" for label in _LABELS))
    return Table("readings_data", "Data by reading: length of games and shares of labels", columns, tuple(rows), said)


_LABELS = ("win", "loss", "tie")


def _distance(cell: Cell) -> float:
    assert isinstance(cell.value, float)
    assert cell.published is not None
    return abs(cell.value - cell.published)


def _slashed(values: list[Any]) -> str:
    return " / ".join(f"{value:.0f}" for value in values)


def _accuracy_table(accuracy: dict[str, Any]) -> Table:
    levels = accuracy["levels"]
    rows = tuple(
        (Cell(_shown(name)), *(_level(levels[data.name][name], 100, _published(name)) for data in DATA_SETS))
        for name in ARCHITECTURE_NAMES
    )
    return Table("readings_accuracy", "Accuracy by reading, %", _DATA_COLUMNS, rows, _nearest_said(levels))


def _nearest_said(levels: dict[str, Any]) -> str:
    """Which reading comes nearest to the paper's accuracies."""

    def found(reading: Reading) -> list[float]:
        return [100 * levels[reading.data.name][reading.architecture(network)]["value"] for network in NETWORKS]

    wanted = [published.ACCURACY[network]["overall"] for network in NETWORKS]

    def distance(reading: Reading) -> float:
        return math.sqrt(sum((a - b) ** 2 for a, b in zip(found(reading), wanted, strict=True)) / len(wanted))

    def ordered(reading: Reading) -> bool:
        image, convolution, graph = found(reading)
        return image < convolution < graph

    nearest = min(READINGS, key=distance)
    names = " / ".join(_shown(network) for network in NETWORKS)
    holds = sum(map(ordered, READINGS))
    by_layer = {
        layer: sum(ordered(reading) for reading in READINGS if reading.layer == layer) for layer in FACTORS["layer"]
    }
    return (
        f"Of the {len(READINGS)} combinations of readings, the nearest to the paper's accuracies of {names} "
        f"({_slashed(wanted)}) is '{nearest}' with {_slashed(found(nearest))}: {distance(nearest):.1f} points away "
        f"(root mean square). The first readings, '{FIRST_READING}', give {_slashed(found(FIRST_READING))}, "
        f"{distance(FIRST_READING):.1f} points away. The paper's order, each network better than the one before, holds "
        f"in {holds} combinations: {by_layer['adjacency']} with the adjacency layer, {by_layer['kernel']} with the "
        "kernel layer."
    )


def _error_table(error: dict[str, Any]) -> Table:
    levels = error["levels"]
    rows = tuple(
        (Cell(_shown(name)), *(_level(levels[data.name][name]) for data in DATA_SETS)) for name in ARCHITECTURE_NAMES
    )
    best = {data: min(ARCHITECTURE_NAMES, key=lambda name: levels[data.name][name]["value"]) for data in DATA_SETS}
    said = "The smallest errors: " + "; ".join(f"{DATA_NAMES[data]}, {_shown(best[data])}" for data in DATA_SETS)
    return Table("readings_error", "Squared error by reading", _DATA_COLUMNS, rows, said + ".", 3)


_DATA_COLUMNS = ("network", *DATA_NAMES.values())


def _networks_table(measured: dict[str, Any], measure: str) -> Table:
    rows = []
    for contrast, found in zip(CONTRASTS, measured["networks"], strict=True):
        cells = [_difference(found[column], measure) for column in (*(data.name for data in DATA_SETS), ALL)]
        rows.append((Cell(contrast.question), Cell(f"{_shown(contrast.first)} - {_shown(contrast.second)}"), *cells))
    said = "Over all data sets, " + _said({str(row[1].value): row[-1] for row in rows}, measure)
    columns = ("question", "networks", *DATA_NAMES.values(), "all data sets")
    return Table(f"readings_{measure}_differences", _TITLES[measure], columns, tuple(rows), said, _DIGITS[measure])


def _between_data_table(measured: dict[str, Any], measure: str) -> Table:
    rows = []
    for name in (*ARCHITECTURE_NAMES, ALL):
        cells = [_difference(measured["data"][contrast][name], measure) for contrast in DATA_CONTRASTS]
        rows.append((Cell(_shown(name) if name != ALL else "all networks"), *cells))
    said = "Over all networks, " + _said(dict(zip(DATA_CONTRASTS, rows[-1][1:], strict=True)), measure)
    title = f"{_TITLES[measure]} between data sets"
    columns = ("network", *DATA_CONTRASTS)
    return Table(f"readings_{measure}_by_data", title, columns, tuple(rows), said, _DIGITS[measure])


_TITLES = {"accuracy": "Differences of accuracy, points", "error": "Differences of squared error"}
_DIGITS = {"accuracy": 1, "error": 3}


def _said(differences: dict[str, Cell], measure: str) -> str:
    """Those whose interval does not contain 0, in words."""
    digits = _DIGITS[measure]
    clear = []
    for name, cell in differences.items():
        value, low, high = (float(one or 0) for one in (cell.value, cell.low, cell.high))
        if low > 0 or high < 0:
            clear.append(f"{name}: {value:+.{digits}f} ({low:+.{digits}f} to {high:+.{digits}f})")
    if not clear:
        return f"all {len(differences)} intervals contain 0: no difference is clear."
    rest = len(differences) - len(clear)
    return f"these differences are clear: {'; '.join(clear)}. The other {rest} intervals contain 0."


def _difference(found: Any, measure: str) -> Cell:
    factor = 100 if measure == "accuracy" else 1
    value, low, high = (factor * float(one) for one in found)
    return Cell(value, low, high)


def _level(found: dict[str, Any], factor: int = 1, printed: float | None = None) -> Cell:
    value, low, high = (factor * found[key] for key in ("value", "low", "high"))
    return Cell(value, low, high, found["games"], printed)


def _published(name: str) -> float:
    network = next(one for one in sorted(published.ACCURACY, key=len, reverse=True) if name.startswith(one))
    return published.ACCURACY[network]["overall"]


def _shown(name: str) -> str:
    """An architecture as people read it: GCN_4 kernel raw."""
    network, *options = name[:3].upper(), *name[4:].split("_")
    return " ".join((f"{network}_{options[0]}", *options[1:]))
