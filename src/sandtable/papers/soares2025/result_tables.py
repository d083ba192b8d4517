"""The tables of soares2025's report: those of the thesis's chapter 5 with its figures beside ours, and ours beyond.
compose.py judges them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from sandtable.papers.matches import score
from sandtable.papers.soares2025 import published
from sandtable.papers.soares2025.beyond import (
    HABIT_ITERATION,
    OPERATOR,
    SEARCH_HABITS,
    SWEEP,
    Matches,
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
    if not sum(counts):
        return Cell(None, published=printed)
    return dataclasses.replace(score(counts), published=printed)


def samples(data: dict[int, Data], iteration: int, name: str) -> Table:
    printed = published.SAMPLES[iteration]
    rows = []
    for map in printed:
        parts = [data[k] for k in range(1, iteration + 1)]
        turns = sum(part.samples.get(map, 0) for part in parts)
        games = sum(part.games.get(map, 0) for part in parts)
        ties = sum(part.ties.get(map, 0) for part in parts)
        rows.append(
            (Cell(NAMES[map]), Cell(turns, published=printed[map]), Cell(games), Cell(ties), Cell(turns / 2 / games))
        )
    columns = ("map", "turns", "games", "ties", "turns a game")
    return Table(name, f"Data up to iteration {iteration}", columns, tuple(rows))


def evaluation(evaluations: dict[int, Results], iteration: int, name: str) -> Table:
    found = evaluations[iteration]
    rows = []
    for map in (*found, "all"):
        maps = None if map == "all" else (map,)
        against = _pooled(found, net(iteration), net(iteration - 1), maps)
        baseline = _pooled(found, net(iteration), MCTS.name, maps)
        rows.append(
            (
                Cell(NAMES[map]),
                _cell(against, published.AGAINST_PREVIOUS.get(iteration, {}).get(map)),
                _cell(baseline, published.AGAINST_BASELINE.get(iteration, {}).get(map)),
            )
        )
    previous = "the untrained net" if iteration == 1 else f"the net of iteration {iteration - 1}"
    columns = ("map", f"against {previous}", "against vanilla MCTS")
    return Table(name, f"Scores of iteration {iteration}'s network", columns, tuple(rows))


def by_map(found: Results, name: str, printed: dict[str, dict[str, float]]) -> Table:
    rows = []
    for one in THESIS:
        cells = []
        for map in (*found, "all"):
            maps = None if map == "all" else (map,)
            counts = [_pooled(found, one.name, other.name, maps) for other in THESIS if other != one]
            total = [sum(column) for column in zip(*counts, strict=True)]
            cells.append(_cell(total, printed.get(one.name, {}).get(map)))
        rows.append((Cell(one.name), *cells))
    columns = ("player", *(NAMES[map] for map in (*found, "all")))
    return Table(name, "Scores against all others", columns, tuple(rows))


def by_pair(found: Results, name: str, printed: dict[tuple[str, str], float]) -> Table:
    def said(one: str, other: str) -> float | None:
        if (other, one) in printed:
            return 100 - printed[other, one]
        return printed.get((one, other))

    rows = [
        (
            Cell(one.name),
            *(
                Cell(None) if other == one else _cell(_pooled(found, one.name, other.name), said(one.name, other.name))
                for other in THESIS
            ),
        )
        for one in THESIS
    ]
    columns = ("player", *(f"against {one.name}" for one in THESIS))
    return Table(name, "Scores by pair", columns, tuple(rows))


def further(matches: Matches, data: dict[int, Data]) -> Table:
    rows = []
    for iteration, found in sorted(matches.evaluations.items()):
        if iteration < ITERATIONS:
            continue
        turns = sum(part.samples.get("italy", 0) for k, part in data.items() if k <= iteration)
        own, before = net(iteration), net(iteration - 1)
        rows.append(
            (
                Cell(iteration),
                Cell(turns),
                _cell(_pooled(found, own, before, ("italy",))),
                _cell(_pooled(found, own, MCTS.name, ("italy",))),
                _cell(_pooled(found, own, MCTS.name, SMALL)),
            )
        )
    columns = ("iteration", "turns on Italy", "against the net before, Italy", "against vanilla, Italy", "small maps")
    return Table("further", "More iterations", columns, tuple(rows))


def habits(matches: Matches, settings: Settings) -> Table:
    rows = []
    for one in SEARCH_HABITS:
        first, second = one.changed.name, one.player.name
        counts = _pooled(matches.habits, first, second)
        rows.append((Cell(one.what), Cell(f"{second}: {one.change}"), _cell(counts)))
    for variant in variants(settings):
        if variant is not OPERATOR:
            cell = _cell(_pooled(matches.habits, variant_name(GUIDED, variant), GUIDED.name))
            change = f"{net(HABIT_ITERATION)}: {variant.setting}={variant.word}"
            rows.append((Cell(variant.what), Cell(change), cell))
    return Table("habits", "Habits of the authors' code", HABIT_COLUMNS, tuple(rows))


def operator(matches: Matches) -> Table:
    rows = []
    for player in (GUIDED, GA_POLICY):
        cell = _cell(_pooled(matches.habits, variant_name(player, OPERATOR), player.name))
        rows.append((Cell(player.name), cell))
    return Table("operator", OPERATOR.what, OPERATOR_COLUMNS, tuple(rows))


def sweep(matches: Matches) -> Table:
    rows = []
    for one in SWEEP:
        first, second = one.changed.name, one.player.name
        cell = _cell(_pooled(matches.sweep, first, second))
        rows.append((Cell(one.what), Cell(second), Cell(one.change), cell))
    return Table("sweep", "One setting at a time", SWEEP_COLUMNS, tuple(rows))


def rivals(matches: Matches) -> Table:
    rows = []
    for name, found in matches.rivals.items():
        counts = [_pooled(found, name, other.name) for other in THESIS]
        total = [sum(column) for column in zip(*counts, strict=True)]
        rows.append((Cell(name), *map(_cell, counts), _cell(total)))
    columns = ("player", *(f"against {one.name}" for one in THESIS), "all")
    return Table("rivals", "Scores of other players", columns, tuple(rows))


def ours(matches: Matches) -> Table:
    rows = []
    for other in (*THESIS, FLOW):
        counts = {name: _pooled(matches.ours, SANDTABLE.name, other.name, [name]) for name in matches.ours}
        four, generated = ([counts[name] for name in maps if name in counts] for maps in (MAPS, GENERATED))
        sums = [[sum(column) for column in zip(*part, strict=True)] for part in (four, generated)]
        rows.append((Cell(other.name), *map(_cell, four), *map(_cell, sums)))
    columns = ("against", *(NAMES[name] for name in MAPS), "the four", "generated maps")
    return Table("ours", "Scores of `sandtable`, %", columns, tuple(rows))


def our_starts(matches: Matches) -> Table:
    """How many it won from both seats, lost from both, and neither."""
    groups = {NAMES[name]: (name,) for name in MAPS} | {"the four": MAPS, "generated maps": GENERATED}
    rows = []
    for other in (*THESIS, FLOW):
        pair = pair_name(SANDTABLE.name, other.name)
        cells = []
        for maps in groups.values():
            counted = [matches.ours[name][pair]["starts"] for name in maps if name in matches.ours]
            cells.append(Cell(f"{STARTS} " + "-".join(str(sum(column)) for column in zip(*counted, strict=True))))
        rows.append((Cell(other.name), *cells))
    return Table("our_starts", "Starts that it won from both seats, lost, split", ("against", *groups), tuple(rows))


def exploitability(found: dict[str, dict[str, Any]]) -> Table:
    rows = [
        (
            Cell(name),
            *(Cell(100 * one[key]) for key in ("exploitability", "at_least", "worst_exploitability")),
            Cell(one["worst"]),
        )
        for name, one in sorted(found.items(), key=lambda item: float(item[1]["exploitability"]))
    ]
    columns = ("player", "on average", "at least", "at worst", "where")
    return Table("exploitability", "Exploitability, % of the stake", columns, tuple(rows))


def decisions(matches: Matches) -> Table:
    found = matches.tournaments[ITERATIONS]
    rows = []
    for one in THESIS:
        cells = []
        for map in MAPS:
            seconds = decisions = 0.0
            for pair, result in found[map].items():
                names = pair.split(" | ")
                if one.name in names:
                    seconds += result["seconds"][names.index(one.name)]
                    decisions += result["decisions"][names.index(one.name)]
            cells.append(Cell(1000 * seconds / decisions))
        rows.append((Cell(one.name), *cells))
    lengths = []
    for map in MAPS:
        games = sum(sum(result["counts"]) for result in found[map].values())
        lengths.append(Cell(sum(result["decisions"][0] for result in found[map].values()) / games))
    rows.append((Cell("decisions of a player in a game"), *lengths))
    return Table("decisions", "Milliseconds a decision", ("player", *(NAMES[map] for map in MAPS)), tuple(rows))


def records(found: dict[str, Any]) -> Table:
    rows = [(Cell(kind), Cell(count)) for kind, count in found["games"].items()]
    ends = ", ".join(f"{count:,} by {reason}" for reason, count in found["ends"].items())
    facts = {"ends": ends, "sha256": found["sha256"][:16]}
    return Table("records", "Games by what they were played for", ("kind", "games"), tuple(rows), facts=facts)
