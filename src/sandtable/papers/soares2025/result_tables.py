"""The tables of soares2025's report: those of the thesis's chapter 5 with its figures beside ours, and ours beyond."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from sandtable.arena.statistics import wilson
from sandtable.papers.matches import score, turned
from sandtable.papers.soares2025 import published
from sandtable.papers.soares2025.beyond import (
    HABIT_ITERATION,
    OPERATOR,
    SEARCH_HABITS,
    SWEEP,
    TOURNAMENTS,
    Matches,
    variant_name,
    variants,
)
from sandtable.papers.soares2025.data import Data, net
from sandtable.papers.soares2025.matches import FLOW, GA, GA_POLICY, GUIDED, MCTS, SANDTABLE, THESIS, Results, pair_name
from sandtable.papers.soares2025.settings import GENERATED, ITERATIONS, MAPS, SMALL, Settings
from sandtable.papers.tables import Cell, Table, agreement

NAMES = {"simple": "custom (simple)", "banana": "banana", "owl_island": "owl island", "italy": "italy", "all": "all"}


def _pooled(found: Results, first: str, second: str, maps: Iterable[str] | None = None) -> list[int]:
    """Wins, losses and ties of the first over some maps; all if none are named. No games give zeros."""
    total = [0, 0, 0]
    for name, pairs in found.items():
        if maps is not None and name not in maps:
            continue
        for pair, sign in ((pair_name(first, second), 1), (pair_name(second, first), -1)):
            if pair in pairs:
                counts = pairs[pair]["counts"] if sign == 1 else turned(pairs[pair]["counts"])
                total = [a + b for a, b in zip(total, counts, strict=True)]
    return total


def _cell(counts: Sequence[int], printed: float | None = None) -> Cell:
    if not sum(counts):
        return Cell(None, published=printed)
    return dataclasses.replace(score(counts), published=printed)


def _with_agreement(table: Table) -> Table:
    return dataclasses.replace(table, said=agreement(table))


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
    return _with_agreement(Table(name, f"Scores of iteration {iteration}'s network", columns, tuple(rows)))


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
    return _with_agreement(Table(name, "Scores against all others", columns, tuple(rows)))


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
    return _with_agreement(Table(name, "Scores by pair", columns, tuple(rows)))


def findings(matches: Matches) -> Table:
    evaluations, tournaments = matches.evaluations, matches.tournaments

    def both(first: str, second: str) -> list[int]:
        parts = [_pooled(found, first, second) for found in tournaments.values()]
        return [sum(column) for column in zip(*parts, strict=True)]

    def mean(first: str, second: str) -> float:
        """Over both tournaments' games: one had three maps, the other four."""
        maps = {k: len(published.SAMPLES[k]) for k in TOURNAMENTS}
        return sum(published.PAIRS[k][first, second] * maps[k] for k in TOURNAMENTS) / sum(maps.values())

    guided, policy, ga, vanilla = (one.name for one in (GUIDED, GA_POLICY, GA, MCTS))
    last = tournaments[ITERATIONS]
    italy = [_pooled(last, vanilla, other.name, ("italy",)) for other in THESIS if other is not MCTS]
    rows = [
        _finding(
            "a trained network beats an untrained one (iteration 1)",
            _cell(_pooled(evaluations[1], net(1), net(0)), published.AGAINST_PREVIOUS[1]["all"]),
        ),
        *(
            _finding(
                f"guided MCTS beats vanilla MCTS after iteration {k}, on the maps it has seen",
                _cell(_pooled(evaluations[k], net(k), vanilla), published.AGAINST_BASELINE[k]["all"]),
            )
            for k in range(1, ITERATIONS + 1)
        ),
        _finding(
            "guided MCTS beats vanilla MCTS in the tournaments", _cell(both(guided, vanilla), mean(guided, vanilla))
        ),
        _finding("coevolution gains by policy initialisation", _cell(both(policy, ga), published.POLICY_OVER_GA)),
        _finding(
            "guided MCTS beats coevolution with the policy", _cell(both(guided, policy), published.GUIDED_OVER_POLICY)
        ),
        _finding("guided MCTS beats coevolution without", _cell(both(guided, ga), mean(guided, ga))),
        _finding("coevolution with the policy beats vanilla MCTS", _cell(both(policy, vanilla), mean(policy, vanilla))),
        _finding("coevolution without beats vanilla MCTS", _cell(both(ga, vanilla), mean(ga, vanilla))),
        _finding(
            "one iteration helps on Italy: net 3 against net 2 there",
            _cell(_pooled(evaluations[3], net(3), net(2), ("italy",)), published.AGAINST_PREVIOUS[3]["italy"]),
        ),
        _finding(
            "and is not enough: vanilla MCTS beats guided MCTS there",
            _cell(
                turned(_pooled(evaluations[3], net(3), vanilla, ("italy",))),
                100 - published.AGAINST_BASELINE[3]["italy"],
            ),
        ),
        _finding(
            "vanilla MCTS beats the others, taken together, on Italy in the tournament",
            _cell([sum(column) for column in zip(*italy, strict=True)], published.TOURNAMENT[3][vanilla]["italy"]),
        ),
    ]
    verdicts = [row[-1].value for row in rows]
    said = f"{verdicts.count('holds')} hold, {verdicts.count('fails')} fail, {verdicts.count('open')} are open."
    return Table("findings", "Findings", ("finding", "score", "verdict"), tuple(rows), said)


def _finding(text: str, cell: Cell) -> tuple[Cell, ...]:
    return Cell(text), cell, Cell(verdict(cell))


def verdict(cell: Cell) -> str:
    """Whether a score is above 50% for certain."""
    if cell.low is None or cell.high is None:
        return "not played"
    return "holds" if cell.low > 50 else "fails" if cell.high < 50 else "open"


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
        first, second = one.player.changed(one.change).name, one.player.name
        counts = _pooled(matches.habits, first, second)
        rows.append((Cell(one.what), Cell(f"{second}: {one.change}"), _cell(counts), Cell(_effect(_cell(counts)))))
    for variant in variants(settings):
        if variant is not OPERATOR:
            cell = _cell(_pooled(matches.habits, variant_name(GUIDED, variant), GUIDED.name))
            change = f"{net(HABIT_ITERATION)}: {variant.setting}={variant.word}"
            rows.append((Cell(variant.what), Cell(change), cell, Cell(_effect(cell))))
    columns = ("habit", "what is changed", "score against itself without", "effect")
    return Table("habits", "Habits of the authors' code", columns, tuple(rows))


def operator(matches: Matches) -> Table:
    rows = []
    for player in (GUIDED, GA_POLICY):
        cell = _cell(_pooled(matches.habits, variant_name(player, OPERATOR), player.name))
        rows.append((Cell(player.name), cell, Cell(_effect(cell))))
    columns = ("player", "score with the network of coevolution's data", "effect")
    return Table("operator", OPERATOR.what, columns, tuple(rows))


def published_pairs() -> Table:
    rows = []
    for iteration, pairs in published.PAIRS.items():
        games = published.TOURNAMENT_GAMES * len(published.SAMPLES[iteration])
        for (first, second), share in pairs.items():
            low, high = wilson(share / 100 * games, games)
            cell = Cell(share, 100 * low, 100 * high, games)
            apart = {"holds": "yes", "fails": "yes, the other way"}.get(verdict(cell), "no")
            rows.append((Cell(iteration), Cell(f"{first} against {second}"), cell, Cell(games), Cell(apart)))
    told = sum(row[-1].value != "no" for row in rows)
    said = f"{told} of {len(rows)} published pairs tell the two players apart."
    columns = ("iteration", "pair", "published score", "games", "are they apart")
    return Table("published_pairs", "The published pairs with intervals", columns, tuple(rows), said)


def _effect(cell: Cell) -> str:
    return {"holds": "helps", "fails": "harms", "open": "none that is seen"}.get(verdict(cell), "not played")


def sweep(matches: Matches) -> Table:
    rows = []
    for one in SWEEP:
        first, second = one.player.changed(one.change).name, one.player.name
        cell = _cell(_pooled(matches.sweep, first, second))
        rows.append((Cell(one.what), Cell(second), Cell(one.change), cell, Cell(_effect(cell))))
    columns = ("what", "player", "changed to", "score against the usual", "effect")
    return Table("sweep", "One setting at a time", columns, tuple(rows))


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
            cells.append(Cell("-".join(str(sum(column)) for column in zip(*counted, strict=True))))
        rows.append((Cell(other.name), *cells))
    return Table(
        "our_starts", "Starts: won from both seats - lost from both - neither", ("against", *groups), tuple(rows)
    )


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
    said = f"How they ended: {ends}. The file's sha256 begins with {found['sha256'][:16]}."
    return Table("records", "Games by what they were played for", ("kind", "games"), tuple(rows), said)
