"""Stage `report`: the tables and figures of chapter 5 of soares2025, and what is beyond it. compose.py writes about
them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sandtable.papers import report as writing
from sandtable.papers.measured import Measured, provenance
from sandtable.papers.plots import Curves
from sandtable.papers.run import Run
from sandtable.papers.soares2025 import from_nothing, published, result_tables, text_inputs
from sandtable.papers.soares2025.beyond import (
    HABIT_ITERATION,
    OPERATOR,
    TOURNAMENTS,
    Matches,
    play_everything,
    train_variants,
    variants,
)
from sandtable.papers.soares2025.compose import BY_ITERATION, OF_OTHERS, compose, losses
from sandtable.papers.soares2025.data import Data, net
from sandtable.papers.soares2025.exploitability import measure_exploitability
from sandtable.papers.soares2025.records import write_records
from sandtable.papers.soares2025.settings import ITERATIONS, SCALES, Settings
from sandtable.papers.soares2025.training import make_data, train_network
from sandtable.papers.tables import Table


def write_report(run: Run, settings: Settings) -> Path:
    """The report's folder: the run's own, or `run.results` if nothing of a larger scale lies there."""
    return writing.publish(run, compose, measure(run, settings))


def measure(run: Run, settings: Settings) -> Measured:
    """All tables and figures of a run."""
    matches = play_everything(run, settings)
    iterations = sorted(matches.evaluations)
    data = {iteration: make_data(run, settings, iteration) for iteration in iterations}
    trained = {net(iteration): train_network(run, settings, iteration) for iteration in iterations}
    others = train_variants(run, settings) if matches.habits else {}
    exploited = measure_exploitability(run, settings)
    records = write_records(run, settings)
    tables = [*_of_the_thesis(matches, data), *_beyond_it(matches, data, settings)]
    if matches.text_inputs:
        tables.append(text_inputs.table(matches.text_inputs, text_inputs.train_inputs(run, settings), settings))
    if matches.from_nothing:
        tables.append(from_nothing.table(matches.from_nothing, from_nothing.data_from_nothing(run, settings)))
    if exploited:
        tables.append(result_tables.exploitability(exploited))
    tables += [result_tables.decisions(matches), result_tables.records(records)]
    figures = [_losses(BY_ITERATION, part, trained) for part in ("policy", "value")]
    figures += [_losses(OF_OTHERS, part, others) for part in ("policy", "value") if others]
    return Measured.of(tables, figures, provenance(run, "soares2025", settings, SCALES[run.scale]))


def _of_the_thesis(matches: Matches, data: dict[int, Data]) -> list[Table]:
    tables = []
    for iteration in range(1, ITERATIONS + 1):
        number = 2 * iteration + 1
        tables.append(result_tables.samples(data, iteration, f"table_5_{number}"))
        tables.append(result_tables.evaluation(matches.evaluations, iteration, f"table_5_{number + 1}"))
    for number, iteration in zip((11, 13), TOURNAMENTS, strict=True):
        found = matches.tournaments[iteration]
        tables.append(result_tables.by_map(found, f"table_5_{number}", published.TOURNAMENT[iteration]))
        tables.append(result_tables.by_pair(found, f"table_5_{number + 1}", published.PAIRS[iteration]))
    return tables


def _beyond_it(matches: Matches, data: dict[int, Data], settings: Settings) -> list[Table]:
    """Of the stages that were not left out."""
    tables = []
    if matches.longer:
        tables.append(result_tables.by_map(matches.longer, "longer", published.TOURNAMENT[ITERATIONS]))
        tables.append(result_tables.by_pair(matches.longer, "longer_pairs", published.PAIRS[ITERATIONS]))
    if len(matches.evaluations) > ITERATIONS:
        tables.append(result_tables.further(matches, data))
    if matches.habits:
        tables.append(result_tables.habits(matches, settings))
        if OPERATOR in variants(settings):
            tables.append(result_tables.operator(matches))
    if matches.code:
        tables.append(result_tables.by_map(matches.code, "code", published.TOURNAMENT[HABIT_ITERATION]))
        tables.append(result_tables.by_pair(matches.code, "code_pairs", published.PAIRS[HABIT_ITERATION]))
    if matches.sweep:
        tables.append(result_tables.sweep(matches))
    if matches.rivals:
        tables.append(result_tables.rivals(matches))
    if matches.ours:
        tables += [result_tables.ours(matches), result_tables.our_starts(matches)]
    return tables


def _losses(what: str, part: str, trained: dict[str, Any]) -> Curves:
    """Losses of some networks by epoch, on the training data and on what is held out."""
    lines = {}
    for name, found in trained.items():
        epochs = list(range(1, len(found["curve"]) + 1))
        for column, label in ((f"{part}_loss", name), (f"held_out_{part}_loss", f"{name}, held out")):
            lines[label] = (epochs, [row[column] for row in found["curve"]])
    return Curves(losses(what, part), lines, "epoch", "loss")
