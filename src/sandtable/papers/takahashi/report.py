"""Stage `report`: Table 1 of takahashi by both splits, regularised models, and matches."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from sandtable.papers import plots
from sandtable.papers import report as writing
from sandtable.papers.matches import score
from sandtable.papers.report import Section
from sandtable.papers.run import Run
from sandtable.papers.tables import Cell, Table, agreement, percent
from sandtable.papers.takahashi import published
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

NAMES = {"gcn": "GCN", "cnn": "CNN", "a": "A", "b": "B", "c": "C"}
TITLE = "takahashi: terrain in the graph, image and graph together"
WANTED = 60.0  # per cent against M-UCT at equal seconds
COLUMNS = ("simple train", "complex train", "simple test", "complex test")


def write_report(run: Run, settings: Settings) -> Path:
    """The report's folder: the run's own, or `run.results` if nothing of a larger scale lies there."""
    convolution = measure_convolution(run, settings)
    records = check_records(run, settings)
    trained = train_models(run, settings)
    thinking = measure_thinking(run, settings)
    matches = play_matches(run, settings)
    alternative = play_alternative(run, settings)
    about = writing.provenance(run, run.scale, settings, SCALES[run.scale])
    by_split = {split: _table_1(trained, split) for split in SPLITS}
    regularised = _regularised(trained)
    pictures = {
        "accuracy_game.png": plots.beside_published(by_split["game"], "accuracy, %"),
        "accuracy_state.png": plots.beside_published(by_split["state"], "accuracy, %"),
        "curves.png": plots.curves(
            {NAMES[m]: _curve(trained[f"{m}-complex-game"]) for m in MODELS},
            "epoch",
            "accuracy on complex test maps, %",
        ),
    }
    sections = [
        Section("How these figures were made", writing.made("takahashi", about)),
        Section("Section 4.2.2: the convolution", _CONVOLUTION, _convolution_table(convolution, settings)),
        Section("Section 5.2: states", table=_states(records)),
        Section("Table 1, games divided", _BY_GAME, by_split["game"], "accuracy_game.png", "accuracy, games divided"),
        Section(
            "Table 1, states divided", _BY_STATE, by_split["state"], "accuracy_state.png", "accuracy, states divided"
        ),
        Section("Accuracy by epoch, games divided", "", None, "curves.png", "accuracy by epoch"),
        Section("Regularised models", _REGULARISED, regularised),
        Section("Matches on maps with terrain", _MATCHES, _match_table(matches, thinking)),
        Section("How far it is from M-UCT", _HANDICAPS, _handicap_table(matches, thinking)),
        Section("What would beat M-UCT", _ALTERNATIVE, _alternative_table(matches, alternative)),
    ]
    return writing.publish(run, TITLE, sections, pictures, about)


_CONVOLUTION = (
    "64 channels to 64, eight units, a batch there and back. The sum over a unit's neighbours is taken before the "
    "product with the edge's matrix, which is therefore never built; a test holds that the results are "
    "torch_geometric's."
)
_BY_GAME = (
    "A fifth of the games is kept for the test, so that no game is on both sides. As in the paper, the figures are "
    "those of the epoch that is best on the test. Intervals are 95%, with the games as what was drawn."
)
_BY_STATE = (
    "A fifth of the states is kept for the test: almost every test state has neighbours of the same game, with the "
    "same result, among those that were learnt."
)
_REGULARISED = (
    "Dropout, weight decay, and for models with an image the board's eight symmetries; stopped on games held out from "
    "those that are learnt, so that the test is met once."
)
_MATCHES = (
    "A minimax of depth 2 with a network that was trained on the same kind of maps, against Monte-Carlo players that "
    "get its mean seconds for each decision; two games on each map, seats swapped."
)
_HANDICAPS = (
    "The GCN's minimax on complex maps against M-UCT with less time: what the network would gain by being so much "
    "faster."
)
_ALTERNATIVE = (
    "A minimax of depth 2 spends its time on thousands of leaves after its own two next operations, most of which "
    "nobody would play. The player `sandtable` spends it where a policy points, on the same maps at the same seconds: "
    "PUCT with a small network that tells likely operations from others, learnt from self-play (docs/networks.md)."
)


def _convolution_table(found: dict[str, Any], settings: Settings) -> Table:
    names = {"ours": "ours", "torch_geometric": "torch_geometric's NNConv"}
    rows = tuple((Cell(names[way]), Cell(one["megabytes"]), Cell(1000 * one["seconds"])) for way, one in found.items())
    said = "torch_geometric is not installed: there is nothing to compare with."
    if len(rows) == 2:
        memory = found["torch_geometric"]["megabytes"] / max(found["ours"]["megabytes"], 1e-9)
        said = f"Ours takes 1/{memory:.0f} of the memory and "
        said += f"1/{found['torch_geometric']['seconds'] / found['ours']['seconds']:.0f} of the time."
    title = f"The edge convolution on batches of {settings.convolution_batch:,}"
    return Table("convolution", title, ("computed by", "megabytes", "milliseconds"), rows, said)


def _states(records: dict[str, Any]) -> Table:
    labels = ("win", "loss", "tie")
    rows = []
    for kind in KINDS:
        counts = [records["states"].get(f"data {kind} {label}", 0) for label in labels]
        printed = published.STATES[kind]
        cells = [Cell(count, published=printed[label]) for label, count in zip(labels, counts, strict=True)]
        games = records["games"][f"data {kind}"]
        rows.append((Cell(kind), Cell(games, published=5000), *cells, Cell(sum(counts), published=printed["total"])))
    each = ", ".join(f"{row[5].value / row[1].value:.1f} on {row[0].value} maps" for row in rows)  # type: ignore[operator]
    said = f"A game has {each}; the paper's {117_456 / 5000:.1f} and {175_533 / 5000:.1f}."
    return Table("states", "States for each label", ("maps", "games", *labels, "total"), tuple(rows), said, 0)


def _table_1(trained: dict[str, Any], split: str) -> Table:
    rows = []
    for model in MODELS:
        cells = []
        for column in COLUMNS:
            kind, part = column.split()
            cells.append(percent(trained[f"{model}-{kind}-{split}"][part], published.ACCURACY[model][column]))
        rows.append((Cell(NAMES[model]), *cells))
    title = f"Table 1: accuracy, %, {split}s divided"
    table = Table(f"table_1_{split}", title, ("model", *COLUMNS), tuple(rows))
    orders = " and ".join(
        " > ".join(str(row[0].value) for row in sorted(rows, key=lambda row: -(row[i].value or 0)))  # type: ignore[operator]
        for i in (3, 4)
    )
    gaps = "; ".join(f"on {column.split()[0]} maps {_gap(rows, i)}" for i, column in enumerate(COLUMNS[2:], start=3))
    said = (
        f"The order on the test is {orders}; in the paper GCN > B > A > C > CNN on both. {gaps[0].upper()}{gaps[1:]}. "
    )
    said += agreement(table)
    return dataclasses.replace(table, said=said)


def _gap(rows: list[tuple[Cell, ...]], column: int) -> str:
    """How far the models with a graph are apart, and the image alone from them."""
    ranked = sorted(rows, key=lambda row: -float(row[column].value or 0))
    values = [float(row[column].value or 0) for row in ranked]
    best = ranked[0][column]
    half = ((best.high or 0) - (best.low or 0)) / 2
    return (
        f"the first four lie within {values[0] - values[3]:.1f} points and the last is {values[0] - values[4]:.1f} "
        f"behind, with intervals of ±{half:.1f}"
    )


def _regularised(trained: dict[str, Any]) -> Table:
    rows = []
    for model in MODELS:
        cells = [percent(trained[f"{model}-{kind}-{how}"]["test"]) for kind in KINDS for how in ("game", "regularised")]
        rows.append((Cell(NAMES[model]), *cells))
    text = "; ".join(_passes(rows, kind, column) for kind, column in (("simple", 2), ("complex", 4)))
    columns = ("model", *(f"{kind}, {how}" for kind in KINDS for how in ("as published", "regularised")))
    return Table(
        "regularised", "Accuracy on the test, %, games divided", columns, tuple(rows), text[0].upper() + text[1:] + "."
    )


def _passes(rows: list[tuple[Cell, ...]], kind: str, column: int) -> str:
    """Whether a regularised combination passes the GCN, regularised or not."""
    gcn = max((rows[0][column - 1], rows[0][column]), key=lambda cell: float(cell.value or 0))
    best = max((row for row in rows if row[0].value in ("A", "B", "C")), key=lambda row: float(row[column].value or 0))
    lead = float(best[column].value or 0) - float(gcn.value or 0)
    clearly = lead > ((gcn.high or 0) - (gcn.low or 0)) / 2
    how = "passes the GCN" if clearly else "does not pass the GCN beyond the interval"
    return f"on {kind} maps the best regularised combination, {best[0].value}, {how}: {lead:+.1f} points"


def _match_table(matches: dict[str, Any], thinking: dict[str, float]) -> Table:
    rows = []
    for kind, model, other in PAIRS:
        seconds = thinking[f"{kind} {model}"]
        rows.append(
            (
                Cell(f"{NAMES[model]} - {other}"),
                Cell(kind),
                score(matches[f"{kind} {model} {other}"]["counts"]),
                Cell(1000 * seconds),
            )
        )
    against = matches["complex gcn muct"]["counts"]
    said = f"On complex maps the GCN scores {score(against).value:.1f}% against M-UCT at the same seconds."
    return Table(
        "matches", "Score of the network's player, %", ("pair", "maps", "score", "ms a decision"), tuple(rows), said
    )


def _handicap_table(matches: dict[str, Any], thinking: dict[str, float]) -> Table:
    rows = []
    for share, other in ((1.0, "muct"), *((share, handicapped(share)) for share in HANDICAPS)):
        found = score(matches[f"complex gcn {other}"]["counts"])
        rows.append((Cell(f"1/{1 / share:.0f}"), Cell(1000 * share * thinking["complex gcn"]), found))
    enough = [str(row[0].value) for row in rows if isinstance(row[2].value, float) and row[2].value > WANTED]
    said = (
        f"The GCN passes {WANTED:.0f}% when M-UCT has {enough[0]} of its time."
        if enough
        else f"The GCN does not pass {WANTED:.0f}% even then: its judgement and depth hold it back, not its speed."
    )
    columns = ("M-UCT's share of the time", "ms a decision", "score of the GCN")
    return Table("handicaps", "Score of the GCN against M-UCT with less time, %", columns, tuple(rows), said)


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
    gains = " and ".join(f"{float(row[2].value or 0) - float(row[1].value or 0):+.1f}" for row in rows)
    said = f"In the GCN's place, `sandtable` scores {gains} points on {' and '.join(KINDS)} maps."
    return Table("alternative", "Score against M-UCT at the same seconds, %", columns, tuple(rows), said)


def _curve(found: dict[str, Any]) -> tuple[list[int], list[float]]:
    values = [100 * row["held_out_accuracy"] for row in found["curve"]]
    return list(range(1, len(values) + 1)), values
