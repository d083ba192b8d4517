"""Stage `report`: Table 1 of takahashi by both splits, regularised models, and matches; compose.py writes about
them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sandtable.papers import report as writing
from sandtable.papers.accuracy import compared_by_game
from sandtable.papers.matches import score
from sandtable.papers.measured import Measured, provenance
from sandtable.papers.measuring import REPETITIONS
from sandtable.papers.plots import Curves
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.tables import Cell, Table, percent
from sandtable.papers.takahashi import published
from sandtable.papers.takahashi.budgets import Counted, budget_tables, measure_budgets
from sandtable.papers.takahashi.compose import COLUMNS, COMBINED, NAMES, ORDER, compose
from sandtable.papers.takahashi.convolution import measure_convolution
from sandtable.papers.takahashi.data import check_records
from sandtable.papers.takahashi.matches import (
    HANDICAPS,
    PAIRS,
    handicapped,
    measure_thinking,
    play_alternative,
    play_matches,
)
from sandtable.papers.takahashi.settings import KINDS, MODELS, SCALES, SPLITS, Settings
from sandtable.papers.takahashi.training import train_models

NEEDS = (
    measure_convolution,
    check_records,
    measure_budgets,
    train_models,
    measure_thinking,
    play_matches,
    play_alternative,
)


@stage("report", needs=NEEDS)
def write_report(run: Run, settings: Settings, *made: Any) -> Path:
    """The report's folder: the run's own, or `run.results` if nothing of a larger scale lies there."""
    return writing.publish(run, compose, measured(run, settings, *made))


def measured(
    run: Run,
    settings: Settings,
    convolution: dict[str, Any],
    records: dict[str, Any],
    budgets: Counted,
    trained: dict[str, Any],
    thinking: dict[str, float],
    matches: dict[str, Any],
    alternative: dict[str, Any],
) -> Measured:
    """All tables and figures of a run."""
    tables = [
        _convolution_table(convolution, settings),
        _states(records),
        *budget_tables(budgets, settings),
        *(_table_1(trained, split) for split in SPLITS),
        *_paired_tables(trained),
        _regularised(trained),
        _match_table(matches, thinking),
        _handicap_table(matches, thinking),
        _alternative_table(matches, alternative),
    ]
    lines = {NAMES[model]: _curve(trained[f"{model}-complex-game"]) for model in MODELS}
    figures = [Curves("curves", lines, "epoch", "accuracy on complex test maps, %")]
    return Measured.of(tables, figures, provenance(run, "takahashi", settings, SCALES[run.scale]))


def _convolution_table(found: dict[str, Any], settings: Settings) -> Table:
    names = {"ours": "ours", "torch_geometric": "torch_geometric's NNConv"}
    rows = tuple((Cell(names[way]), Cell(one["megabytes"]), Cell(1000 * one["seconds"])) for way, one in found.items())
    title = f"The edge convolution on batches of {settings.convolution_batch:,}"
    return Table(
        "convolution", title, ("computed by", "megabytes", "milliseconds"), rows, facts={"processes": REPETITIONS}
    )


def _states(records: dict[str, Any]) -> Table:
    labels = ("win", "loss", "tie")
    rows = []
    for kind in KINDS:
        counts = [records["states"].get(f"data {kind} {label}", 0) for label in labels]
        printed = published.STATES[kind]
        cells = [Cell(count, published=printed[label]) for label, count in zip(labels, counts, strict=True)]
        games = Cell(records["games"][f"data {kind}"], published=published.GAMES)
        rows.append((Cell(kind), games, *cells, Cell(sum(counts), published=printed["total"])))
    return Table("states", "States for each label", ("maps", "games", *labels, "total"), tuple(rows))


def _table_1(trained: dict[str, Any], split: str) -> Table:
    rows = []
    for model in MODELS:
        cells = []
        for column in COLUMNS:
            kind, part = column.split()
            cells.append(percent(trained[f"{model}-{kind}-{split}"][part], published.ACCURACY[model][column]))
        rows.append((Cell(NAMES[model]), *cells))
    title = f"Table 1: accuracy, %, {split}s divided"
    return Table(f"table_1_{split}", title, ("model", *COLUMNS), tuple(rows))


def _paired_tables(trained: dict[str, Any]) -> list[Table]:
    """Models compared game by game; none if the run has no results by game, as it is older than they are."""
    if any("by_game" not in one for one in trained.values()):
        return []
    order = [
        (Cell(f"{NAMES[a]} - {NAMES[b]}"), *_compared(trained, f"{a}-{{}}-game", f"{b}-{{}}-game")) for a, b in ORDER
    ]
    better = [
        (Cell(f"{NAMES[model]} - GCN"), *_compared(trained, f"{model}-{{}}-regularised", "gcn-{}-game"))
        for model in COMBINED
    ]
    columns = ("models", *(f"{kind}, {what}" for kind in KINDS for what in ("accuracy, points", "Brier score")))
    digits = (1, 1, 3, 1, 3)
    return [
        Table("paired", "Differences of two models on the test, games divided", columns, tuple(order), digits=digits),
        Table(
            "paired_regularised",
            "Differences of a regularised model and the GCN on the test, games divided",
            columns,
            tuple(better),
            digits=digits,
        ),
    ]


def _compared(trained: dict[str, Any], first: str, second: str) -> list[Cell]:
    """Differences of the trainings of these names, in which {} is the kind of maps."""
    cells = []
    for kind in KINDS:
        own, other = (trained[name.format(kind)]["by_game"] for name in (first, second))
        for key, factor in (("right", 100.0), ("error", 1.0)):
            apart = compared_by_game(own, other, key, factor)
            cells.append(Cell(None) if apart is None else Cell(*apart, len(own["game"])))
    return cells


def _regularised(trained: dict[str, Any]) -> Table:
    rows = []
    for model in MODELS:
        cells = [percent(trained[f"{model}-{kind}-{how}"]["test"]) for kind in KINDS for how in ("game", "regularised")]
        rows.append((Cell(NAMES[model]), *cells))
    columns = ("model", *(f"{kind}, {how}" for kind in KINDS for how in ("as published", "regularised")))
    return Table("regularised", "Accuracy on the test, %, games divided", columns, tuple(rows))


def _match_table(matches: dict[str, Any], thinking: dict[str, float]) -> Table:
    rows = [
        (
            Cell(f"{NAMES[model]} - {other}"),
            Cell(kind),
            score(matches[f"{kind} {model} {other}"]["counts"]),
            Cell(1000 * thinking[f"{kind} {model}"]),
        )
        for kind, model, other in PAIRS
    ]
    columns = ("pair", "maps", "score", "ms a decision")
    return Table("matches", "Score of the network's player, %", columns, tuple(rows))


def _handicap_table(matches: dict[str, Any], thinking: dict[str, float]) -> Table:
    rows = []
    for share, other in ((1.0, "muct"), *((share, handicapped(share)) for share in HANDICAPS)):
        found = score(matches[f"complex gcn {other}"]["counts"])
        rows.append((Cell(f"1/{1 / share:.0f}"), Cell(1000 * share * thinking["complex gcn"]), found))
    columns = ("M-UCT's share of the time", "ms a decision", "score of the GCN")
    return Table("handicaps", "Score of the GCN against M-UCT with less time, %", columns, tuple(rows))


def _alternative_table(matches: dict[str, Any], alternative: dict[str, Any]) -> Table:
    rows = [
        (
            Cell(kind),
            score(matches[f"{kind} gcn muct"]["counts"]),
            score(alternative[f"{kind} sandtable muct"]["counts"]),
        )
        for kind in KINDS
    ]
    columns = ("maps", "minimax with the GCN", "sandtable")
    return Table("alternative", "Score against M-UCT at the same seconds, %", columns, tuple(rows))


def _curve(found: dict[str, Any]) -> tuple[list[int], list[float]]:
    values = [100 * row["held_out_accuracy"] for row in found["curve"]]
    return list(range(1, len(values) + 1)), values
