"""Stage `report`: the tables and figures of chapter 5 of soares2025, its findings one by one, and what is beyond it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sandtable.arena.statistics import wilson
from sandtable.papers import plots
from sandtable.papers import report as writing
from sandtable.papers.matches import score, turned
from sandtable.papers.report import Section
from sandtable.papers.run import Run
from sandtable.papers.soares2025 import published
from sandtable.papers.soares2025.beyond import (
    HABIT_ITERATION,
    OPERATOR,
    SEARCH_HABITS,
    SWEEP,
    TOURNAMENTS,
    Matches,
    play_everything,
    train_variants,
    variant_name,
    variants,
)
from sandtable.papers.soares2025.data import Data, net
from sandtable.papers.soares2025.matches import GA, GA_POLICY, GUIDED, MCTS, THESIS, Results, pair_name
from sandtable.papers.soares2025.records import FILE, write_records
from sandtable.papers.soares2025.settings import ITERATIONS, MAPS, SCALES, SMALL, Settings
from sandtable.papers.soares2025.training import make_data, train_network
from sandtable.papers.tables import Cell, Table, agreement

TITLE = "soares2025: a policy/value graph network and coevolution for simultaneous turns"
NAMES = {"simple": "custom (simple)", "banana": "banana", "owl_island": "owl island", "italy": "italy", "all": "all"}


def write_report(run: Run, settings: Settings) -> Path:
    """The report's folder: the run's own, or `run.results` if nothing of a larger scale lies there."""
    matches = play_everything(run, settings)
    iterations = sorted(matches.evaluations)
    data = {iteration: make_data(run, settings, iteration) for iteration in iterations}
    trained = {net(iteration): train_network(run, settings, iteration) for iteration in iterations}
    others = train_variants(run, settings) if matches.habits else {}
    records = write_records(run, settings)
    about = writing.provenance(run, run.scale, settings, SCALES[run.scale])
    figures = [_Figure("by iteration", part, trained) for part in ("policy", "value")]
    figures += [_Figure("of other ways to learn", part, others) for part in ("policy", "value") if others]
    sections = [
        Section("How these figures were made", f"{writing.made('soares2025', about)}\n\n{_MADE}"),
        Section("What the thesis found, one by one", _FINDINGS, _findings(matches)),
    ]
    for iteration in range(1, ITERATIONS + 1):
        number = 2 * iteration + 1
        samples = _samples(data, iteration, f"table_5_{number}")
        sections.append(Section(f"Table 5.{number}: data of iteration {iteration}", _SAMPLES, samples))
        evaluation = _evaluation(matches.evaluations, iteration, f"table_5_{number + 1}")
        title = f"Table 5.{number + 1}: evaluation of iteration {iteration}"
        sections.append(Section(title, _evaluated(settings), evaluation))
    for number, iteration in zip((11, 13), TOURNAMENTS, strict=True):
        found = matches.tournaments[iteration]
        text = _played(settings.seconds, settings.tournament_games)
        by_map = _by_map(found, f"table_5_{number}", published.TOURNAMENT[iteration])
        sections.append(Section(f"Table 5.{number}: tournament of iteration {iteration}", text, by_map))
        by_pair = _by_pair(found, f"table_5_{number + 1}", published.PAIRS[iteration])
        sections.append(Section(f"Table 5.{number + 1}: its pairs, all maps", _PAIRS, by_pair))
    if matches.longer:
        text = _played(settings.long_seconds, settings.long_games)
        by_map = _by_map(matches.longer, "longer", published.TOURNAMENT[ITERATIONS])
        sections.append(Section("The same with more time", text, by_map))
        sections.append(Section("Its pairs", _PAIRS, _by_pair(matches.longer, "longer_pairs", {})))
    if len(iterations) > ITERATIONS:
        sections.append(Section("More iterations", _FURTHER, _further(matches, data)))
    if matches.habits:
        sections.append(Section("What the authors' code did beside their text", _HABITS, _habits(matches, settings)))
        if OPERATOR in variants(settings):
            sections.append(Section("Coevolution as the operator that makes the data", _OPERATOR, _operator(matches)))
    if matches.code:
        by_map = _by_map(matches.code, "code", published.TOURNAMENT[HABIT_ITERATION])
        sections.append(Section("The tournament as the authors' code played", _CODE, by_map))
        by_pair = _by_pair(matches.code, "code_pairs", published.PAIRS[HABIT_ITERATION])
        sections.append(Section("Its pairs", _PAIRS, by_pair))
    sections.append(Section("What the published pairs can tell", _PUBLISHED, _published_pairs()))
    if matches.sweep:
        sections.append(Section("Other settings", _SWEEP, _sweep(matches)))
    if matches.rivals:
        sections.append(Section("Other players", _RIVALS, _rivals(matches)))
    sections.append(Section("Decisions", _DECISIONS, _decisions(matches)))
    sections.append(Section("Games", _RECORDS, _records(records)))
    sections += [Section(f"Figures 5.2 to 5.5: {one.title}", "", None, one.file, one.title) for one in figures]
    return writing.publish(run, TITLE, sections, {one.file: one.drawn() for one in figures}, about)


_MADE = (
    "Scores are in per cent, a tie counting half, with 95% intervals (Wilson). Matches are by the thesis's rules: a "
    "random start, a tie after turn 100 or when both are 49..51% sure after turn 50, surrender at 99% against 1%; each "
    "start is played from both seats, which the authors' games were not. Their script also built the second player of "
    "a pair with the first one's kind, so that it is not certain what their tournaments measured. Where tables are "
    "numbered the order is the thesis's, as we read it."
)
_FINDINGS = (
    "A finding holds if the whole interval is on its side of 50%, fails if it is on the other side, and is open if "
    "50% lies within."
)
_SAMPLES = "Turns to learn from, one player's view each, up to and with this iteration; ours are of whole games."
_PAIRS = "The row's player against the column's."
_FURTHER = "Italy came with the third iteration. What more of the same does to guided MCTS against vanilla MCTS."
_HABITS = (
    "Each player with a habit of the authors' code against itself without, on the small maps; above 50% the habit "
    "helps. Habits of learning are networks of the second iteration's data, trained anew with that one difference."
)
_CODE = (
    "All of these habits at once, in the search, in the learning and in the second iteration's data; small maps, and "
    "the second iteration's figures beside ours."
)
_PUBLISHED = (
    "The intervals that so many games allow. Where the second player of a pair was built as the first one's kind, its "
    "true score is 50%: a figure whose interval has 50% in it does not tell the two players apart."
)
_OPERATOR = (
    "Future work of the thesis: the second iteration's games from coevolution with the network instead of guided MCTS. "
    "It counts no visits, so that the policy learns what it played. Small maps, against the same player with the usual "
    "network."
)
_SWEEP = "The same player with one setting changed, against itself as it is in the tournament, on all four maps."
_RIVALS = "Players that are not the thesis's, with the same network and time, against its four on all four maps."
_DECISIONS = "Mean milliseconds of a decision in the last tournament, and how long its games were."
_RECORDS = f"All of them replay; `{FILE}` in the run's folder has a record a line, data first and then matches."


def _evaluated(settings: Settings) -> str:
    budget = f"{settings.guided_iterations} iterations of guided MCTS, {settings.vanilla_iterations} of vanilla MCTS"
    return f"{settings.evaluation_games} games on each map; {budget}, as in the data."


def _played(seconds: float, games: int) -> str:
    return f"{games} games of each pair on each map at {seconds:g} s a move, seats swapped; scores over all opponents."


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


def _samples(data: dict[int, Data], iteration: int, name: str) -> Table:
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


def _evaluation(evaluations: dict[int, Results], iteration: int, name: str) -> Table:
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


def _by_map(found: Results, name: str, printed: dict[str, dict[str, float]]) -> Table:
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


def _by_pair(found: Results, name: str, printed: dict[tuple[str, str], float]) -> Table:
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


def _findings(matches: Matches) -> Table:
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
            "vanilla MCTS is the best player on Italy in the tournament",
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


def _further(matches: Matches, data: dict[int, Data]) -> Table:
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


def _habits(matches: Matches, settings: Settings) -> Table:
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


def _operator(matches: Matches) -> Table:
    rows = []
    for player in (GUIDED, GA_POLICY):
        cell = _cell(_pooled(matches.habits, variant_name(player, OPERATOR), player.name))
        rows.append((Cell(player.name), cell, Cell(_effect(cell))))
    columns = ("player", "score with the network of coevolution's data", "effect")
    return Table("operator", OPERATOR.what, columns, tuple(rows))


def _published_pairs() -> Table:
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


def _sweep(matches: Matches) -> Table:
    rows = []
    for one in SWEEP:
        first, second = one.player.changed(one.change).name, one.player.name
        cell = _cell(_pooled(matches.sweep, first, second))
        rows.append((Cell(one.what), Cell(second), Cell(one.change), cell, Cell(_effect(cell))))
    columns = ("what", "player", "changed to", "score against the usual", "effect")
    return Table("sweep", "One setting at a time", columns, tuple(rows))


def _rivals(matches: Matches) -> Table:
    rows = []
    for name, found in matches.rivals.items():
        counts = [_pooled(found, name, other.name) for other in THESIS]
        total = [sum(column) for column in zip(*counts, strict=True)]
        rows.append((Cell(name), *map(_cell, counts), _cell(total)))
    columns = ("player", *(f"against {one.name}" for one in THESIS), "all")
    return Table("rivals", "Scores of other players", columns, tuple(rows))


def _decisions(matches: Matches) -> Table:
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


def _records(found: dict[str, Any]) -> Table:
    rows = [(Cell(kind), Cell(count)) for kind, count in found["games"].items()]
    ends = ", ".join(f"{count:,} by {reason}" for reason, count in found["ends"].items())
    said = f"How they ended: {ends}. The file's sha256 begins with {found['sha256'][:16]}."
    return Table("records", "Games by what they were played for", ("kind", "games"), tuple(rows), said)


class _Figure(NamedTuple):
    """Losses of some networks by epoch, on what they learn from and on what is held out."""

    what: str
    part: str  # policy or value
    trained: dict[str, Any]

    @property
    def title(self) -> str:
        return f"the {self.part}'s losses {self.what}"

    @property
    def file(self) -> str:
        return f"{self.part}_losses_{self.what.replace(' ', '_')}.png"

    def drawn(self) -> bytes:
        lines = {}
        for name, found in self.trained.items():
            epochs = [float(i) for i in range(1, len(found["curve"]) + 1)]
            for column, label in ((f"{self.part}_loss", name), (f"held_out_{self.part}_loss", f"{name}, held out")):
                lines[label] = (epochs, [row[column] for row in found["curve"]])
        return plots.curves(lines, "epoch", "loss")
