"""Stage `report`: the tables and figures of chapter 5 of soares2025, and of our further experiments. compose.py writes
the text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandtable.papers.plots import Curves
from sandtable.papers.report import report_stage
from sandtable.papers.run import Run
from sandtable.papers.soares2025 import from_nothing, further_games, networks, result_tables, text_inputs
from sandtable.papers.soares2025.beyond import (
    HABIT_ITERATION,
    OPERATOR,
    TOURNAMENTS,
    iterations,
    train_variants,
    variants,
)
from sandtable.papers.soares2025.compose import BY_ITERATION, OF_OTHERS, compose, losses
from sandtable.papers.soares2025.data import net
from sandtable.papers.soares2025.exploitability import measure_exploitability
from sandtable.papers.soares2025.played import played
from sandtable.papers.soares2025.records import write_records
from sandtable.papers.soares2025.settings import ITERATIONS, SCALES, Settings
from sandtable.papers.soares2025.training import data_stage, training_stage
from sandtable.papers.stages import Stage
from sandtable.papers.tables import Table


def needs(settings: Settings) -> list[Stage[Any]]:
    return [
        *played(settings),
        *map(data_stage, iterations(settings)),
        *map(training_stage, iterations(settings)),
        *(train_variants, text_inputs.train_inputs, networks.train_networks),
        *(from_nothing.from_nothing_data() if from_nothing.is_on(settings) else []),
        *(measure_exploitability, write_records),
    ]


def measure(run: Run, settings: Settings, made: Mapping[str, Any]) -> tuple[list[Table], list[Curves]]:
    """All tables and figures of a run."""
    tables = [*_thesis_tables(made), *_beyond_thesis(made, settings), *_further_games(run, made)]
    tables += [result_tables.decisions(made[f"tournament_{ITERATIONS}"]), result_tables.records(made["records"])]
    trained = {net(iteration): made[f"training_{iteration}"] for iteration in iterations(settings)}
    figures = [
        _losses(what, part, found)
        for what, found in ((BY_ITERATION, trained), (OF_OTHERS, made["habit_training"]))
        for part in ("policy", "value")
        if found
    ]
    return tables, figures


write_report = report_stage("soares2025", SCALES, needs, measure, compose)


def _thesis_tables(made: Mapping[str, Any]) -> list[Table]:
    tables = []
    for iteration in range(1, ITERATIONS + 1):
        number = 2 * iteration + 1
        data = [made[f"data_{k}"] for k in range(1, iteration + 1)]
        tables.append(result_tables.samples(data, iteration, f"table_5_{number}"))
        tables.append(result_tables.evaluation(made[f"evaluation_{iteration}"], iteration, f"table_5_{number + 1}"))
    for number, iteration in zip((11, 13), TOURNAMENTS, strict=True):
        found = made[f"tournament_{iteration}"]
        tables += result_tables.tournament(found, iteration, f"table_5_{number}", f"table_5_{number + 1}")
    return tables


def _beyond_thesis(made: Mapping[str, Any], settings: Settings) -> list[Table]:
    """The tables of our further experiments, except those of stages that were left out."""
    tables = result_tables.tournament(made[f"tournament_{ITERATIONS}_long"], ITERATIONS, "longer", "longer_pairs")
    if settings.further:
        tables.append(result_tables.further(made, settings))
    if habits := made["habits"]:
        tables.append(result_tables.habits(habits, settings))
        if OPERATOR in variants(settings):
            tables.append(result_tables.operator(habits))
    tables += result_tables.tournament(made["tournament_code"], HABIT_ITERATION, "code", "code_pairs")
    if found := made["sweep"]:
        tables.append(result_tables.sweep(found))
    if found := made["rivals"]:
        tables.append(result_tables.rivals(found))
    if found := made["ours"]:
        tables += [result_tables.ours(found), result_tables.our_starts(found)]
    if found := made["text_inputs"]:
        tables.append(text_inputs.table(found, made["text_training"], settings))
    if found := made[from_nothing.LINE]:
        data = [made[one.name] for one in from_nothing.from_nothing_data()]
        tables.append(from_nothing.table(found, data))
    if found := made["exploitability"]:
        tables.append(result_tables.exploitability(found))
    return tables


def _further_games(run: Run, made: Mapping[str, Any]) -> list[Table]:
    """The tables of those stages that were not left out."""
    order = further_games.TEXT_ORDER
    tables = []
    if found := made["best"]:
        tables.append(further_games.best_table(found))
    if found := made[order]:
        tables += result_tables.tournament(found, ITERATIONS, order, f"{order}_pairs")
    if found := made["networks"]:
        tables += networks.tables(run, found, made["network_training"])
    return tables


def _losses(what: str, part: str, trained: dict[str, Any]) -> Curves:
    """Losses of some networks by epoch, on the training data and on held-out games."""
    lines = {}
    for name, found in trained.items():
        epochs = list(range(1, len(found["curve"]) + 1))
        for column, label in ((f"{part}_loss", name), (f"held_out_{part}_loss", f"{name}, held out")):
            lines[label] = (epochs, [row[column] for row in found["curve"]])
    return Curves(losses(what, part), lines, "epoch", "loss")
