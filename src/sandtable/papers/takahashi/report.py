"""Stage `report`: Table 1 of takahashi by both splits, regularised models, and matches. compose.py writes the text."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from sandtable.papers.accuracy import ByGame, cells_over_trainings, differences_by_game
from sandtable.papers.games import states_table
from sandtable.papers.matches import score
from sandtable.papers.plots import Curves
from sandtable.papers.report import report_stage
from sandtable.papers.run import Run
from sandtable.papers.tables import Table, percent
from sandtable.papers.takahashi import published
from sandtable.papers.takahashi.budgets import budget_tables, measure_budgets
from sandtable.papers.takahashi.compose import COLUMNS, COMBINED, NAMES, ORDER, compose
from sandtable.papers.takahashi.convolution import measure_convolution
from sandtable.papers.takahashi.data import SHORT, check_records, check_short_records
from sandtable.papers.takahashi.matches import (
    HANDICAPS,
    PAIRS,
    handicapped,
    measure_thinking,
    play_alternative,
    play_matches,
)
from sandtable.papers.takahashi.settings import KINDS, MODELS, SCALES, SPLITS, Settings
from sandtable.papers.takahashi.training import (
    SEEDED,
    seeds,
    train_models,
    train_on_short_games,
    train_with_seeds,
)


def measure(_: Run, settings: Settings, made: Mapping[str, Any]) -> tuple[list[Table], list[Curves]]:
    """All tables and figures of a run."""
    trained, thinking, matches = (made[name] for name in ("training", "thinking", "matches"))
    tables = [
        _convolution_table(made["convolution"], settings),
        _states("states", made["records"]),
        *budget_tables(made["budgets"], settings),
        *(
            _table_1(f"table_1_{split}", f"{split}s divided", trained, f"{{}}-{{}}-{split}")
            for split in SPLITS
            if split == "game" or settings.by_state
        ),
        _overfitting("overfitting", trained, "{}-{}-game"),
        *_paired_tables(trained),
        *_short_tables(made["short_training"], made["short_records"]),
        *_seed_tables(made["training_seeds"]),
        *([_regularised(trained)] if settings.regularise else []),
        _match_table(matches, thinking),
        _handicap_table(matches, thinking),
        _alternative_table(matches, made["alternative"]),
    ]
    lines = {NAMES[model]: _curve(trained[f"{model}-complex-game"]) for model in MODELS}
    return tables, [Curves("curves", lines, "epoch", "accuracy on complex test maps, %")]


write_report = report_stage(
    "takahashi",
    SCALES,
    (
        measure_convolution,
        check_records,
        measure_budgets,
        train_models,
        train_with_seeds,
        check_short_records,
        train_on_short_games,
        measure_thinking,
        play_matches,
        play_alternative,
    ),
    measure,
    compose,
    seeds=seeds,
)


def _convolution_table(found: dict[str, Any], settings: Settings) -> Table:
    names = {"ours": "ours", "torch_geometric": "torch_geometric's NNConv"}
    rows = [(names[way], one["megabytes"], 1000 * one["seconds"]) for way, one in found.items()]
    title = f"The edge convolution on batches of {settings.convolution_batch:,}"
    columns = ("computed by", "megabytes", "milliseconds")
    return Table.of("convolution", title, columns, rows, facts={"processes": settings.measurements})


def _states(name: str, records: dict[str, Any]) -> Table:
    groups = {kind: [f"data {kind}"] for kind in KINDS}
    return states_table(name, "States for each label", "maps", groups, records, published.STATES, published.GAMES)


def _table_1(name: str, what: str, trained: dict[str, Any], training: str) -> Table:
    """`training`: the name of a training, with {} for the model and the kind of maps."""
    rows = []
    for model in MODELS:
        cells = []
        for column in COLUMNS:
            kind, part = column.split()
            cells.append(percent(trained[training.format(model, kind)][part], published.ACCURACY[model][column]))
        rows.append((NAMES[model], *cells))
    return Table.of(name, f"Table 1: accuracy, %, {what}", ("model", *COLUMNS), rows)


def _short_tables(trained: dict[str, Any], records: dict[str, Any]) -> list[Table]:
    """The tables of the models trained on games as long as the paper's; none if that was left out."""
    if not trained:
        return []
    names = f"{SHORT}-{{}}-{{}}-game"
    pairs = {f"{NAMES[a]} - {NAMES[b]}": tuple(names.format(one, "{}") for one in (a, b)) for a, b in ORDER}
    return [
        _states("states_short", records),
        _table_1("table_1_short", "games of the paper's length", trained, names),
        _overfitting("overfitting_short", trained, names),
        _compared("paired_short", "Differences of two models on the test, games of the paper's length", trained, pairs),
    ]


def _paired_tables(trained: dict[str, Any]) -> list[Table]:
    """Models compared game by game; none for older runs, which did not store results by game."""
    if any("by_game" not in one for one in trained.values()):
        return []
    plain = {f"{NAMES[a]} - {NAMES[b]}": (f"{a}-{{}}-game", f"{b}-{{}}-game") for a, b in ORDER}
    tables = [_compared("paired", "Differences of two models on the test, games divided", trained, plain)]
    if any(name.endswith("regularised") for name in trained):
        title = "Differences of a regularised model and the GCN on the test, games divided"
        pairs = {f"{NAMES[model]} - GCN": (f"{model}-{{}}-regularised", "gcn-{}-game") for model in COMBINED}
        tables.append(_compared("paired_regularised", title, trained, pairs))
    return tables


def _compared(name: str, title: str, trained: dict[str, Any], pairs: Mapping[str, Iterable[str]]) -> Table:
    """`pairs`: names of two trainings by label, with {} for the kind of maps."""
    rows = []
    for label, pair in pairs.items():
        own, other = ([trained[one.format(kind)]["by_game"] for kind in KINDS] for one in pair)
        rows.append((label, *itertools.chain(*map(differences_by_game, own, other))))
    columns = ("models", *(f"{kind}, {what}" for kind in KINDS for what in ("accuracy, points", "Brier score")))
    return Table.of(name, title, columns, rows, digits=(1, 1, 3, 1, 3))


def _overfitting(name: str, trained: dict[str, Any], training: str) -> Table:
    """Accuracies at the best epoch and at the last one. `training` as in _table_1()."""
    rows = []
    for kind in KINDS:
        for model in MODELS:
            found = trained[training.format(model, kind)]
            best, last = found["curve"][found["best_epoch"] - 1], found["curve"][-1]
            figures = (100 * row[key] for row in (best, last) for key in ("train_accuracy", "held_out_accuracy"))
            rows.append((f"{NAMES[model]}, {kind}", found["best_epoch"], *figures))
    columns = ("model, maps", "best epoch", "its train", "its test", "last epoch: train", "last epoch: test")
    return Table.of(name, "Accuracy at the best epoch and at the last, %, games divided", columns, rows)


def _seed_tables(found: Mapping[str, list[ByGame]]) -> list[Table]:
    """Accuracy and Brier score over all trainings, and the differences between the two models; empty if each was
    trained once."""
    if not found:
        return []
    best, other = SEEDED
    levels = []
    for model in SEEDED:
        printed = [published.ACCURACY[model][f"{kind} test"] for kind in KINDS]
        cells = [
            cell
            for kind, figure in zip(KINDS, printed, strict=True)
            for cell in cells_over_trainings(found[f"{model}-{kind}-game"], printed=figure)
        ]
        levels.append((NAMES[model], *cells))
    apart = [
        cell
        for kind in KINDS
        for cell in cells_over_trainings(found[f"{best}-{kind}-game"], found[f"{other}-{kind}-game"])
    ]
    title = f"{len(next(iter(found.values())))} trainings of each model, games divided"

    def columns(first: str, unit: str) -> tuple[str, ...]:
        return (first, *(f"{kind}, {what}" for kind in KINDS for what in (f"accuracy, {unit}", "Brier score")))

    pair = f"{NAMES[best]} - {NAMES[other]}"
    return [
        Table.of("seeds", title, columns("model", "%"), levels, digits=(1, 1, 3, 1, 3)),
        Table.of(
            "seeds_paired",
            f"{title}: differences",
            columns("models", "points"),
            [(pair, *apart)],
            digits=(1, 1, 3, 1, 3),
        ),
    ]


def _regularised(trained: dict[str, Any]) -> Table:
    ways = [(kind, how) for kind in KINDS for how in ("game", "regularised")]
    rows = [
        (NAMES[model], *(percent(trained[f"{model}-{kind}-{how}"]["test"]) for kind, how in ways)) for model in MODELS
    ]
    columns = ("model", *(f"{kind}, {how}" for kind in KINDS for how in ("as published", "regularised")))
    return Table.of("regularised", "Accuracy on the test, %, games divided", columns, rows)


def _match_table(matches: dict[str, Any], thinking: dict[str, float]) -> Table:
    rows = [
        (
            f"{NAMES[model]} - {other}",
            kind,
            score(matches[f"{kind} {model} {other}"]["counts"]),
            1000 * thinking[f"{kind} {model}"],
        )
        for kind, model, other in PAIRS
    ]
    columns = ("pair", "maps", "score", "ms a decision")
    return Table.of("matches", "Score of the network's player, %", columns, rows)


def _handicap_table(matches: dict[str, Any], thinking: dict[str, float]) -> Table:
    rows = []
    for share, other in ((1.0, "muct"), *((share, handicapped(share)) for share in HANDICAPS)):
        found = score(matches[f"complex gcn {other}"]["counts"])
        rows.append((f"1/{1 / share:.0f}", 1000 * share * thinking["complex gcn"], found))
    columns = ("M-UCT's share of the time", "ms a decision", "score of the GCN")
    return Table.of("handicaps", "Score of the GCN against M-UCT with less time, %", columns, rows)


def _alternative_table(matches: dict[str, Any], alternative: dict[str, Any]) -> Table:
    rows = [
        (kind, *(score(one["counts"]) for one in (matches[f"{kind} gcn muct"], alternative[f"{kind} sandtable muct"])))
        for kind in KINDS
    ]
    columns = ("maps", "minimax with the GCN", "sandtable")
    return Table.of("alternative", "Score against M-UCT at the same seconds, %", columns, rows)


def _curve(found: dict[str, Any]) -> tuple[list[int], list[float]]:
    values = [100 * row["held_out_accuracy"] for row in found["curve"]]
    return list(range(1, len(values) + 1)), values
