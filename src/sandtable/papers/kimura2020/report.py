"""Stage `report`: Tables 1 and 2 and Figures 6 to 9 of kimura2020. compose.py writes about them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from sandtable.papers import report as writing
from sandtable.papers.kimura2020 import published
from sandtable.papers.kimura2020.beyond import ARMIES, GRAPH, IMAGE, measure_memory, measure_thinking, train_graph
from sandtable.papers.kimura2020.compose import FIGURES, compose
from sandtable.papers.kimura2020.fast import ARMIES as FAST_ARMIES
from sandtable.papers.kimura2020.fast import RIVALS, play_fast, recipe, snapshot, train_fast
from sandtable.papers.kimura2020.matches import OPPONENTS, SKIRMISHES, play_matches
from sandtable.papers.kimura2020.pruned import DEPTHS, MCTS, TREE, called, play_pruned
from sandtable.papers.kimura2020.settings import SCALES, VARIANTS, Settings, Variant
from sandtable.papers.kimura2020.training import train_variants
from sandtable.papers.matches import score, win_share
from sandtable.papers.measured import Measured, provenance
from sandtable.papers.measuring import REPETITIONS
from sandtable.papers.plots import Curves
from sandtable.papers.run import Run
from sandtable.papers.tables import Cell, Table


def write_report(run: Run, settings: Settings) -> Path:
    """The report's folder: the run's own, or `run.results` if nothing of a larger scale lies there."""
    return writing.publish(run, compose, measure(run, settings))


def measure(run: Run, settings: Settings) -> Measured:
    """All tables and figures of a run."""
    trained = train_variants(run, settings)
    matches = play_matches(run, settings)
    ours = train_graph(run, settings)
    thinking = measure_thinking(run, settings)
    memory = measure_memory(run, settings)
    fast, fast_matches = train_fast(run, settings), play_fast(run, settings)
    pruned = play_pruned(run, settings)
    tables = [
        _table_1(matches, trained, settings),
        _table_2(matches),
        _trainings(trained | ({GRAPH: ours} if ours else {})),
        *([_graph(ours)] if ours else []),
        _thinking(thinking),
        _memory(memory),
        _fast(fast_matches, settings),
        _turns(fast_matches),
        _pruned(pruned),
    ]
    drawn = [*figures(trained), _fast_losses(fast["curve"])]
    return Measured.of(tables, drawn, provenance(run, "kimura2020", settings, SCALES[run.scale]))


def wins(counts: list[int], printed: published.Result | None = None) -> Cell:
    """A share of wins, from wins, losses and draws, beside the paper's rate as it prints it."""
    if printed is None:
        return win_share(counts)
    cell = win_share(counts, (printed.wins, printed.losses, printed.draws))
    return dataclasses.replace(cell, published=printed.rate)


def _fast_losses(curve: list[dict[str, float]]) -> Curves:
    lines = {}
    for column in ("policy_loss", "value_loss", "fate_loss"):
        rows = [row for row in curve if column in row]
        lines[column.replace("_", " ")] = [row["minutes"] for row in rows], [row[column] for row in rows]
    return Curves("fast", lines, "minutes", "loss")


def _row(variant: Variant, games: int | None) -> tuple[Cell, ...]:
    return (
        Cell(variant.name),
        Cell(f"{games:,} games" if games else "not run"),
        Cell(variant.blocks),
        Cell("separable" if variant.separable else "plain"),
        Cell("3.7" if variant.attack else "0"),
        Cell("yes" if variant.dropout else "no"),
    )


def _table_1(matches: dict[str, Any], trained: dict[str, Any], settings: Settings) -> Table:
    rows = []
    for variant in VARIANTS:
        run = variant.name in trained
        cells = []
        for at, opponent in enumerate(OPPONENTS):
            printed = published.MAP01.get(variant.name)
            if run:
                counts = matches[f"Map01 {variant.name} {opponent}"]["counts"]
                cells.append(wins(counts, printed[at] if printed else None))
            else:
                cells.append(Cell(None, published=printed[at].rate if printed else None))
        rows.append((*_row(variant, settings.games_of(variant) if run else None), *cells))
    columns = ("network", "training", "n", "convolutions", "attack term", "dropout", "against PMC", "against MCTS")
    return Table("table_1", "Table 1: wins on Map01, % (W-L-D)", columns, tuple(rows))


def _table_2(matches: dict[str, Any]) -> Table:
    name = "long-sep-8"
    cells = []
    for at, opponent in enumerate(OPPONENTS):
        found = matches.get(f"Map02 {name} {opponent}")
        printed = published.MAP02[at]
        cells.append(wins(found["counts"], printed) if found else Cell(None, published=printed.rate))
    columns = ("network", *(f"against {one}" for one in OPPONENTS))
    return Table("table_2", "Table 2: wins on Map02, % (W-L-D)", columns, ((Cell(name), *cells),))


def _trainings(trained: dict[str, Any]) -> Table:
    rows = []
    for name, found in trained.items():
        last = found["last"]
        rows.append(
            (
                Cell(name),
                Cell(int(last["games"])),
                Cell(int(last["positions"])),
                Cell(int(last["updates"])),
                Cell(last["minutes"]),
                Cell(100 * last["forward_share"]),
                Cell(last["batch"]),
                Cell(100 * last["cache_hits"]),
            )
        )
    columns = ("network", "games", "positions", "updates", "minutes", "forward, %", "batch", "cache hits, %")
    return Table("trainings", "Trainings", columns, tuple(rows))


def figures(trained: dict[str, Any]) -> list[Curves]:
    """Those of Figures 6 to 9 that have all their curves."""
    found = []
    for name, figure in FIGURES.items():
        lines = {one: _curve(trained[one], figure.column) for one in figure.networks if one in trained}
        if all(one in lines and lines[one][0] for one in figure.networks):
            found.append(Curves(name, lines, "updates", figure.label))
    return found


def _curve(found: dict[str, Any], column: str) -> tuple[list[float], list[float]]:
    rows = [row for row in found["curve"] if column in row]
    return [row["updates"] for row in rows], [row[column] for row in rows]


def _graph(found: dict[str, Any]) -> Table:
    names = {f"Map01 {GRAPH} {name}": f"{name}, Map01" for name in OPPONENTS}
    names[f"{SKIRMISHES} {GRAPH} {IMAGE.name}"] = f"the image network {IMAGE.name}, generated maps"
    rows = [(Cell(text), wins(found["matches"][name]["counts"])) for name, text in names.items()]
    return Table("graph", "Wins of the graph network, % (W-L-D)", ("against", "wins"), tuple(rows))


def _thinking(found: dict[str, dict[str, float]]) -> Table:
    rows = [(Cell(name), *(Cell(1000 * seconds) for seconds in taken.values())) for name, taken in found.items()]
    return Table("thinking", "Milliseconds a decision", ("player", *(f"{n} v {n}" for n in ARMIES)), tuple(rows))


def _memory(found: dict[str, dict[str, float]]) -> Table:
    rows = [
        (Cell(name), Cell(int(one["weights"])), Cell(one["megabytes"]), Cell(1000 * one["seconds"]))
        for name, one in found.items()
    ]
    columns = ("network", "weights", "megabytes", "milliseconds")
    return Table("memory", "Separable and plain", columns, tuple(rows), facts={"processes": REPETITIONS})


def _fast(matches: dict[str, Any], settings: Settings) -> Table:
    rows = []
    for minutes in recipe(settings).snapshots:
        cells = [
            wins(matches[f"{ground} {snapshot(minutes)} {other}"]["counts"], printed)
            for ground, published_row in (("Map01", published.MAP01["long-sep-8"]), ("Map02", published.MAP02))
            for other, printed in zip(OPPONENTS, published_row, strict=True)
        ]
        rows.append((Cell(f"{minutes:g}"), *cells))
    columns = ("minutes", *(f"{ground}, {other}" for ground in ("Map01", "Map02") for other in OPPONENTS))
    title = "Wins after so many minutes, % (W-L-D), beside the paper's long training"
    return Table("fast", title, columns, tuple(rows))


def _turns(matches: dict[str, Any]) -> Table:
    rows = []
    for ground in ("terrain", *(f"battle-{units}" for units in FAST_ARMIES)):
        cells = []
        for seconds in (0.1, 1.0):
            for rival in RIVALS:
                found = matches.get(f"{ground} sandtable {rival} {seconds:g}")
                cells.append(score(found["counts"]) if found else Cell(None))
        rows.append((Cell(ground), *cells))
    columns = ("maps", *(f"{rival}, {seconds:g} s" for seconds in (0.1, 1.0) for rival in RIVALS))
    return Table("turns", "Score of `sandtable` at equal seconds a turn, %", columns, tuple(rows))


def _pruned(matches: dict[str, Any]) -> Table:
    rows = []
    for depth in DEPTHS:
        found = [matches[f"Map01 {called(depth)} {MCTS}"], matches[f"{SKIRMISHES} {called(depth)} {TREE}"]]
        thought, decisions = (sum(one[what][0] for one in found) for what in ("seconds", "decisions"))
        rows.append((Cell(depth), *(score(one["counts"]) for one in found), Cell(1000 * thought / decisions)))
    columns = ("depth", "against MCTS", "against the tree search", "ms a decision")
    return Table("pruned", "Score of minimax, %", columns, tuple(rows))
