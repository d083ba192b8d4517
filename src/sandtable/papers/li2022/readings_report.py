"""The tables of the readings of li2022: the data, the networks, and what each reading changes."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from sandtable.papers import stored
from sandtable.papers.li2022 import published
from sandtable.papers.li2022.readings import ALL, CONTRASTS, DATA_CONTRASTS
from sandtable.papers.li2022.readings_data import DATA_SETS
from sandtable.papers.li2022.readings_training import ARCHITECTURE_NAMES
from sandtable.papers.li2022.settings import PAPER_TRAIN
from sandtable.papers.tables import Cell, Table, percent

FOLDER = "readings"  # of a report on the readings alone, inside the folder of the paper's report
QUOTED = "commit"  # key of a quoted table's fact: the commit of its run
QUOTED_SETTINGS = ("data_rollouts", "readings_folds", "readings_patience", "readings_max_epochs")
STATES_PER_GAME = published.STATES["train"]["total"] / sum(PAPER_TRAIN)
DATA_NAMES = {data: f"{data.data_games} games, tie after {data.quiet_limit}" for data in DATA_SETS}
LABELS = ("win", "loss", "tie")
MEASURES = {"accuracy": "accuracy, points", "error": "squared error"}
DIGITS = {"accuracy": 1, "error": 3}
FACTORS = {"accuracy": 100, "error": 1}  # accuracies are in per cent


def readings_tables(records: dict[str, Any], found: dict[str, Any]) -> list[Table]:
    return [
        _data_table(records),
        _level_table("readings_accuracy", "Accuracy by reading, %", found["accuracy"]["levels"], "accuracy"),
        _level_table("readings_error", "Squared error by reading", found["error"]["levels"], "error"),
        *(_networks_table(found[measure], measure) for measure in MEASURES),
        *(_between_data_table(found[measure], measure) for measure in MEASURES),
    ]


def quoted_readings(results: Path | None) -> list[Table]:
    """The tables of a report on the readings in the results' folder, with the commit and the settings of its run added
    to their facts; no tables if there is no such report."""
    folder = results / FOLDER if results is not None else None
    if folder is None or not folder.is_dir():
        return []
    found = stored.read(folder, "li2022")
    facts = {QUOTED: str(found.about["commit"])} | {
        name: value for name, value in found.about["settings"].items() if name in QUOTED_SETTINGS
    }
    return [
        dataclasses.replace(table, facts={**table.facts, **facts})
        for name, table in found.tables.items()
        if name.startswith("readings_")
    ]


def shown(name: str) -> str:
    """The name of an architecture in the report, such as `GCN_4 kernel raw`."""
    network, *options = name[:3].upper(), *name[4:].split("_")
    return " ".join((f"{network}_{options[0]}", *options[1:]))


def _data_table(records: dict[str, Any]) -> Table:
    printed = published.STATES["train"]
    rows = []
    for data in DATA_SETS:
        found = records[data.name]
        states = found["states"]
        cells = [percent(found["labels"][label], 100 * printed[label] / printed["total"]) for label in LABELS]
        size = Cell(states["value"], states["low"], states["high"], states["games"], STATES_PER_GAME)
        rows.append((DATA_NAMES[data], states["games"], size, *cells))
    columns = ("data", "games", "states a game", *(f"{label}, %" for label in LABELS))
    return Table.of("readings_data", "Data by reading: length of games and shares of labels", columns, rows)


def _level_table(table: str, title: str, levels: dict[str, Any], measure: str) -> Table:
    factor, digits = FACTORS[measure], DIGITS[measure]
    rows = [
        (shown(name), *(_level(levels[data.name][name], factor, _published(name, measure)) for data in DATA_SETS))
        for name in ARCHITECTURE_NAMES
    ]
    return Table.of(table, title, ("network", *DATA_NAMES.values()), rows, digits=digits)


def _networks_table(measured: dict[str, Any], measure: str) -> Table:
    rows = []
    for contrast, found in zip(CONTRASTS, measured["networks"], strict=True):
        cells = [_difference(found[column], measure) for column in (*(data.name for data in DATA_SETS), ALL)]
        networks = f"{shown(contrast.first)} - {shown(contrast.second)}"
        rows.append((networks, contrast.question, *cells))
    columns = ("networks", "question", *DATA_NAMES.values(), "all data sets")
    title = f"Differences between networks: {MEASURES[measure]}"
    return Table.of(f"readings_{measure}_differences", title, columns, rows, digits=DIGITS[measure])


def _between_data_table(measured: dict[str, Any], measure: str) -> Table:
    rows = []
    for name in (*ARCHITECTURE_NAMES, ALL):
        cells = [_difference(measured["data"][contrast][name], measure) for contrast in DATA_CONTRASTS]
        rows.append((shown(name) if name != ALL else "all networks", *cells))
    title = f"Differences between data sets: {MEASURES[measure]}"
    columns = ("network", *DATA_CONTRASTS)
    return Table.of(f"readings_{measure}_by_data", title, columns, rows, digits=DIGITS[measure])


def _difference(found: Any, measure: str) -> Cell:
    value, low, high = (FACTORS[measure] * float(one) for one in found)
    return Cell(value, low, high)


def _level(found: dict[str, Any], factor: int, printed: float | None) -> Cell:
    value, low, high = (factor * found[key] for key in ("value", "low", "high"))
    return Cell(value, low, high, found["games"], printed)


def _published(name: str, measure: str) -> float | None:
    if measure != "accuracy":
        return None
    network = next(one for one in sorted(published.ACCURACY, key=len, reverse=True) if name.startswith(one))
    return published.ACCURACY[network]["overall"]
