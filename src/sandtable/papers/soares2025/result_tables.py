"""The tables of soares2025's report: those of the thesis's chapter 5 with its figures beside ours, and those of our
further experiments. compose.py adds the verdicts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sandtable.papers.matches import score
from sandtable.papers.soares2025 import published
from sandtable.papers.soares2025.beyond import (
    HABIT_ITERATION,
    OPERATOR,
    SEARCH_HABITS,
    SWEEP,
    iterations,
    variant_name,
    variants,
)
from sandtable.papers.soares2025.compose import HABIT_COLUMNS, NAMES, OPERATOR_COLUMNS, STARTS, SWEEP_COLUMNS
from sandtable.papers.soares2025.data import Data, net
from sandtable.papers.soares2025.matches import FLOW, GA_POLICY, GUIDED, MCTS, SANDTABLE, THESIS, Results, pair_name
from sandtable.papers.soares2025.matches import pooled as _pooled
from sandtable.papers.soares2025.settings import GENERATED, ITERATIONS, MAPS, SMALL, Settings
from sandtable.papers.tables import Cell, Table


def _cell(counts: Sequence[int], printed: float | None = None) -> Cell:
    return dataclasses.replace(score(counts) if sum(counts) else Cell(None), published=printed)


def _sum(counts: Iterable[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*counts, strict=True)]


def samples(data: Sequence[Data], iteration: int, name: str) -> Table:
    rows = []
    for map, printed in published.SAMPLES[iteration].items():
        turns, games, ties = (sum(part.get(map, 0) for part in parts) for parts in list(zip(*data, strict=True))[:3])
        rows.append((NAMES[map], Cell(turns, published=printed), games, ties, turns / 2 / games))
    columns = ("map", "turns", "games", "ties", "turns a game")
    return Table.of(name, f"Data up to iteration {iteration}", columns, rows)


def evaluation(found: Results, iteration: int, name: str) -> Table:
    rows = []
    for map in (*found, "all"):
        maps = None if map == "all" else (map,)
        opponents = ((net(iteration - 1), published.AGAINST_PREVIOUS), (MCTS.name, published.AGAINST_BASELINE))
        cells = [
            _cell(_pooled(found, net(iteration), other, maps), printed.get(iteration, {}).get(map))
            for other, printed in opponents
        ]
        rows.append((NAMES[map], *cells))
    previous = "the untrained net" if iteration == 1 else f"the net of iteration {iteration - 1}"
    columns = ("map", f"against {previous}", "against vanilla MCTS")
    return Table.of(name, f"Scores of iteration {iteration}'s network", columns, rows)


def tournament(found: Results, iteration: int, by_map_name: str, by_pair_name: str) -> list[Table]:
    """A tournament's tables beside the thesis's figures for an iteration; none if it was not played."""
    if not found:
        return []
    pairs = by_pair(found, by_pair_name, published.PAIRS[iteration])
    return [by_map(found, by_map_name, published.TOURNAMENT[iteration]), pairs]


def by_map(found: Results, name: str, printed: dict[str, dict[str, float]]) -> Table:
    rows = []
    for one in THESIS:
        cells = []
        for map in (*found, "all"):
            maps = None if map == "all" else (map,)
            total = _sum(_pooled(found, one.name, other.name, maps) for other in THESIS if other != one)
            cells.append(_cell(total, printed.get(one.name, {}).get(map)))
        rows.append((one.name, *cells))
    columns = ("player", *(NAMES[map] for map in (*found, "all")))
    return Table.of(name, "Scores against all others", columns, rows)


def by_pair(found: Results, name: str, printed: dict[tuple[str, str], float]) -> Table:
    """Scores by pair; no figure for a player against itself."""
    both_ways = printed | {(second, first): 100 - share for (first, second), share in printed.items()}
    names = [one.name for one in THESIS]
    rows = []
    for one in names:
        cells = [_cell(_pooled(found, one, other), both_ways.get((one, other))) for other in names]
        rows.append((one, *cells))
    return Table.of(name, "Scores by pair", ("player", *(f"against {one}" for one in names)), rows)


def further(made: Mapping[str, Any], settings: Settings) -> Table:
    rows = []
    for iteration in iterations(settings)[ITERATIONS - 1 :]:
        found, own = made[f"evaluation_{iteration}"], net(iteration)
        turns = sum(made[f"data_{k}"].samples.get("italy", 0) for k in range(1, iteration + 1))
        games = ((net(iteration - 1), ("italy",)), (MCTS.name, ("italy",)), (MCTS.name, SMALL))
        rows.append((iteration, turns, *(_cell(_pooled(found, own, other, maps)) for other, maps in games)))
    columns = ("iteration", "turns on Italy", "against the net before, Italy", "against vanilla, Italy", "small maps")
    return Table.of("further", "More iterations", columns, rows)


def habits(found: Results, settings: Settings) -> Table:
    rows = [
        (one.what, f"{one.player.name}: {one.change}", _cell(_pooled(found, one.changed.name, one.player.name)))
        for one in SEARCH_HABITS
    ]
    for variant in variants(settings):
        if variant is not OPERATOR:
            cell = _cell(_pooled(found, variant_name(GUIDED, variant), GUIDED.name))
            rows.append((variant.what, f"{net(HABIT_ITERATION)}: {variant.setting}={variant.word}", cell))
    return Table.of("habits", "Habits of the authors' code", HABIT_COLUMNS, rows)


def operator(found: Results) -> Table:
    rows = [(one.name, _cell(_pooled(found, variant_name(one, OPERATOR), one.name))) for one in (GUIDED, GA_POLICY)]
    return Table.of("operator", OPERATOR.what, OPERATOR_COLUMNS, rows)


def sweep(found: Results) -> Table:
    rows = [
        (one.what, one.player.name, one.change, _cell(_pooled(found, one.changed.name, one.player.name)))
        for one in SWEEP
    ]
    return Table.of("sweep", "One setting at a time", SWEEP_COLUMNS, rows)


def rivals(played: dict[str, Results]) -> Table:
    rows = []
    for name, found in played.items():
        counts = [_pooled(found, name, other.name) for other in THESIS]
        rows.append((name, *map(_cell, counts), _cell(_sum(counts))))
    columns = ("player", *(f"against {one.name}" for one in THESIS), "all")
    return Table.of("rivals", "Scores of other players", columns, rows)


def ours(found: Results) -> Table:
    rows = []
    for other in (*THESIS, FLOW):
        counts = {name: _pooled(found, SANDTABLE.name, other.name, [name]) for name in found}
        four, generated = ([counts[name] for name in maps if name in counts] for maps in (MAPS, GENERATED))
        rows.append((other.name, *map(_cell, four), _cell(_sum(four)), _cell(_sum(generated))))
    columns = ("against", *(NAMES[name] for name in MAPS), "the four", "generated maps")
    return Table.of("ours", "Scores of `sandtable`, %", columns, rows)


def our_starts(found: Results) -> Table:
    """The starts that `sandtable` won from both seats, lost from both, and split."""
    groups = {NAMES[name]: (name,) for name in MAPS} | {"the four": MAPS, "generated maps": GENERATED}
    rows = []
    for other in (*THESIS, FLOW):
        pair = pair_name(SANDTABLE.name, other.name)
        counts = [_sum(found[name][pair]["starts"] for name in maps if name in found) for maps in groups.values()]
        rows.append((other.name, *(f"{STARTS} " + "-".join(map(str, one)) for one in counts)))
    return Table.of("our_starts", "Starts that it won from both seats, lost, split", ("against", *groups), rows)


def exploitability(found: dict[str, dict[str, Any]]) -> Table:
    rows = [
        (name, *(100 * one[key] for key in ("exploitability", "at_least", "worst_exploitability")), one["worst"])
        for name, one in sorted(found.items(), key=lambda item: float(item[1]["exploitability"]))
    ]
    columns = ("player", "on average", "at least", "at worst", "where")
    return Table.of("exploitability", "Exploitability, % of the stake", columns, rows)


def decisions(found: Results) -> Table:
    rows: list[list[Any]] = []
    for one in THESIS:
        rows.append([one.name])
        for map in MAPS:
            own = [(result, pair.split(" | ")) for pair, result in found[map].items()]
            seconds, decisions = (
                sum(result[what][names.index(one.name)] for result, names in own if one.name in names)
                for what in ("seconds", "decisions")
            )
            rows[-1].append(1000 * seconds / decisions)
    lengths = [
        sum(result["decisions"][0] for result in found[map].values())
        / sum(sum(result["counts"]) for result in found[map].values())
        for map in MAPS
    ]
    rows.append(["decisions of a player in a game", *lengths])
    return Table.of("decisions", "Milliseconds a decision", ("player", *(NAMES[map] for map in MAPS)), rows)


def records(found: dict[str, Any]) -> Table:
    ends = ", ".join(f"{count:,} by {reason}" for reason, count in found["ends"].items())
    facts = {"ends": ends, "sha256": found["sha256"][:16]}
    title = "Games by what they were played for"
    return Table.of("records", title, ("kind", "games"), found["games"].items(), facts=facts)
