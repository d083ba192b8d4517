"""Stage `report`: Tables 1 and 2 and Figures 6 to 9 of kimura2020. compose.py writes the text."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from sandtable.papers.kimura2020 import published
from sandtable.papers.kimura2020.alternatives import alternative_tables, play_alternatives, train_alternatives
from sandtable.papers.kimura2020.beyond import ARMIES, GRAPH, IMAGE, measure_memory, measure_thinking, train_graph
from sandtable.papers.kimura2020.claims import LONG
from sandtable.papers.kimura2020.compose import FIGURES, compose
from sandtable.papers.kimura2020.fast import (
    DEPTHS,
    KINDS,
    LONG_TURN,
    MCTS,
    RIVALS,
    TREE,
    depth_name,
    play_fast,
    play_pruned,
    recipe,
    snapshot,
    train_fast,
)
from sandtable.papers.kimura2020.matches import GROUNDS, OPPONENTS, SKIRMISHES, play_long_matches, play_matches
from sandtable.papers.kimura2020.seeds import play_seeds, seed_tables, seeds, train_seeds
from sandtable.papers.kimura2020.settings import SCALES, VARIANTS, Settings
from sandtable.papers.kimura2020.training import train_long, train_short
from sandtable.papers.kimura2020.untrained import (
    SHORT,
    make_untrained,
    named,
    play_untrained,
    untrained_table,
)
from sandtable.papers.matches import score, win_share
from sandtable.papers.plots import Curves
from sandtable.papers.report import report_stage
from sandtable.papers.run import Run
from sandtable.papers.tables import Cell, Table


def measure(_: Run, settings: Settings, made: Mapping[str, Any]) -> tuple[list[Table], list[Curves]]:
    """All tables and figures of a run."""
    trained, graph = made["training"] | made["long_training"], made["graph"]
    tables = [
        _table_1(made["matches"] | made["long_matches"], settings),
        _table_2(made["long_matches"]),
        untrained_table(
            {
                named(one): _against(made["untrained_matches"], "Map01", named(one), published.on_map01(one.name))
                for one in SHORT
            }
        ),
        *seed_tables(made["matches"], made["seed_matches"], settings),
        *alternative_tables(
            trained, made["alternative_training"], made["matches"], made["alternative_matches"], settings
        ),
        _trainings(trained | made["seed_training"] | made["alternative_training"] | ({GRAPH: graph} if graph else {})),
        *([_graph(graph["matches"])] if graph else []),
        _thinking(made["thinking"]),
        _memory(made["memory"], settings),
        _fast(made["fast_matches"], settings),
        _turns(made["fast_matches"], settings),
        _pruned(made["pruned"]),
    ]
    losses = {
        column.replace("_", " "): _curve(made["fast"], column, "minutes")
        for column in ("policy_loss", "value_loss", "fate_loss")
    }
    return tables, [*figures(trained), Curves("fast", losses, "minutes", "loss")]


write_report = report_stage(
    "kimura2020",
    SCALES,
    (
        train_short,
        play_matches,
        train_long,
        play_long_matches,
        make_untrained,
        play_untrained,
        train_seeds,
        play_seeds,
        train_alternatives,
        play_alternatives,
        train_graph,
        measure_thinking,
        measure_memory,
        train_fast,
        play_fast,
        play_pruned,
    ),
    measure,
    compose,
    seeds=seeds,
)


def wins(counts: list[int] | None, printed: published.Result | None = None) -> Cell:
    """The share of wins, from wins, losses and draws, beside the rate that the paper prints; without counts, the
    paper's rate alone."""
    rate = printed.rate if printed else None
    if counts is None:
        return Cell(None, published=rate)
    cell = win_share(counts, (printed.wins, printed.losses, printed.draws) if printed else None)
    return dataclasses.replace(cell, published=rate)


def _against(
    matches: Mapping[str, Any], ground: str, player: str, printed: Iterable[published.Result | None]
) -> list[Cell]:
    """The wins of a player against both opponents, if it played."""
    return [
        wins(matches.get(f"{ground} {player} {other}", {}).get("counts"), result)
        for other, result in zip(OPPONENTS, printed, strict=True)
    ]


def _table_1(matches: dict[str, Any], settings: Settings) -> Table:
    rows = [
        (
            variant.name,
            f"{settings.games_of(variant):,} games" if settings.games_of(variant) else "not run",
            variant.blocks,
            "separable" if variant.separable else "plain",
            "3.7" if variant.attack else "0",
            "yes" if variant.dropout else "no",
            *_against(matches, "Map01", variant.name, published.on_map01(variant.name)),
        )
        for variant in VARIANTS
    ]
    columns = ("network", "training", "n", "convolutions", "attack term", "dropout", "against PMC", "against MCTS")
    return Table.of("table_1", "Table 1: wins on Map01, % (W-L-D)", columns, rows)


def _table_2(matches: dict[str, Any]) -> Table:
    columns = ("network", *(f"against {one}" for one in OPPONENTS))
    row = (LONG, *_against(matches, "Map02", LONG, published.MAP02))
    return Table.of("table_2", "Table 2: wins on Map02, % (W-L-D)", columns, [row])


def _trainings(trained: dict[str, Any]) -> Table:
    rows = [
        (
            name,
            *(int(last[key]) for key in ("games", "positions", "updates")),
            last["minutes"],
            100 * last["forward_share"],
            last["batch"],
            100 * last["cache_hits"],
        )
        for name, last in ((name, found["last"]) for name, found in trained.items())
    ]
    columns = ("network", "games", "positions", "updates", "minutes", "forward, %", "batch", "cache hits, %")
    return Table.of("trainings", "Trainings", columns, rows)


def figures(trained: dict[str, Any]) -> list[Curves]:
    """Figures 6 to 9, except those that lack one of their curves."""
    found = []
    for name, figure in FIGURES.items():
        lines = {one: _curve(trained[one], figure.column) for one in figure.networks if one in trained}
        if all(one in lines and lines[one][0] for one in figure.networks):
            found.append(Curves(name, lines, "updates", figure.label))
    return found


def _curve(found: dict[str, Any], column: str, along: str = "updates") -> tuple[list[float], list[float]]:
    rows = [row for row in found["curve"] if column in row]
    return [row[along] for row in rows], [row[column] for row in rows]


def _graph(matches: dict[str, Any]) -> Table:
    names = {f"Map01 {GRAPH} {name}": f"{name}, Map01" for name in OPPONENTS}
    names[f"{SKIRMISHES} {GRAPH} {IMAGE.name}"] = f"the image network {IMAGE.name}, generated maps"
    rows = [(text, wins(matches[name]["counts"])) for name, text in names.items()]
    return Table.of("graph", "Wins of the graph network, % (W-L-D)", ("against", "wins"), rows)


def _thinking(found: dict[str, dict[str, float]]) -> Table:
    rows = [(name, *(1000 * seconds for seconds in taken.values())) for name, taken in found.items()]
    return Table.of("thinking", "Milliseconds a decision", ("player", *(f"{n} v {n}" for n in ARMIES)), rows)


def _memory(found: dict[str, dict[str, float]], settings: Settings) -> Table:
    rows = [(name, int(one["weights"]), one["megabytes"], 1000 * one["seconds"]) for name, one in found.items()]
    columns = ("network", "weights", "megabytes", "milliseconds")
    return Table.of("memory", "Separable and plain", columns, rows, facts={"processes": settings.measurements})


def _fast(matches: dict[str, Any], settings: Settings) -> Table:
    printed = {"Map01": published.MAP01[LONG], "Map02": published.MAP02}
    rows = [
        (f"{minutes:g}", *(cell for map in GROUNDS for cell in _against(matches, map, snapshot(minutes), printed[map])))
        for minutes in recipe(settings).snapshots
    ]
    columns = ("minutes", *(f"{ground}, {other}" for ground in GROUNDS for other in OPPONENTS))
    title = "Wins after so many minutes, % (W-L-D), beside the paper's long training"
    return Table.of("fast", title, columns, rows)


def _turns(matches: dict[str, Any], settings: Settings) -> Table:
    times = (settings.turn_seconds, LONG_TURN)
    ways = {f"{rival}, {seconds:g} s": f"{rival} {seconds:g}" for seconds in times for rival in RIVALS}
    rows = []
    for ground in KINDS:
        found = [matches.get(f"{ground} sandtable {other}") for other in ways.values()]
        rows.append((ground, *(score(one["counts"]) if one else None for one in found)))
    return Table.of("turns", "Score of `sandtable` at equal seconds a turn, %", ("maps", *ways), rows)


def _pruned(matches: dict[str, Any]) -> Table:
    rows = []
    for depth in DEPTHS:
        found = [matches[f"Map01 {depth_name(depth)} {MCTS}"], matches[f"{SKIRMISHES} {depth_name(depth)} {TREE}"]]
        thought, decisions = (sum(one[what][0] for one in found) for what in ("seconds", "decisions"))
        rows.append((depth, *(score(one["counts"]) for one in found), 1000 * thought / decisions))
    columns = ("depth", "against MCTS", "against the tree search", "ms a decision")
    return Table.of("pruned", "Score of minimax, %", columns, rows)
