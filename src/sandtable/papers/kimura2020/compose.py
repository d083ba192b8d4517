"""The report of kimura2020, written from its tables alone: summary, findings, sentences, sections."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from sandtable.arena.statistics import difference
from sandtable.papers.findings import Finding, by_difference, by_score, summarised
from sandtable.papers.kimura2020 import published
from sandtable.papers.kimura2020.claims import EFFECTS, LONG
from sandtable.papers.kimura2020.fast import TERRAIN, WIDTH
from sandtable.papers.kimura2020.matches import OPPONENTS
from sandtable.papers.kimura2020.trainings_compose import (
    alternative_sections,
    over_seeds,
    seed_sections,
    trainings_said,
)
from sandtable.papers.kimura2020.untrained import untrained_said, untrained_sections
from sandtable.papers.measured import Measured
from sandtable.papers.report import Report, Section, findings_section, sections_of
from sandtable.papers.tables import Cell, Table, agreement, compared, said

TITLE = "kimura2020: PV-MCTS with the unit's choice in the tree"


class Figure(NamedTuple):
    """A figure of the paper: the losses of some networks."""

    title: str
    networks: tuple[str, ...]
    column: str  # of the networks' curves
    label: str


_DEPTHS = ("short-sep-4", "short-sep-6", "short-sep-8")
FIGURES = {
    "figure_6_total": Figure("Figure 6: total loss with 4, 6 and 8 blocks", _DEPTHS, "total_loss", "loss"),
    "figure_7_policy": Figure("Figure 7: policy loss with 4, 6 and 8 blocks", _DEPTHS, "policy_loss", "policy loss"),
    "figure_8_value": Figure("Figure 8: value loss with 4, 6 and 8 blocks", _DEPTHS, "value_loss", "value loss"),
    "figure_9_convolutions": Figure(
        "Figure 9: total loss with separable and with plain convolutions",
        ("short-sep-8", "short-conv-6"),
        "total_loss",
        "loss",
    ),
}


def compose(measured: Measured) -> Report:
    measured = _as_printed(measured)
    table_1, table_2, fast = (measured[name] for name in ("table_1", "table_2", "fast"))
    findings = _findings(measured)
    return Report(
        TITLE,
        _summary(measured, findings),
        (
            findings_section(
                findings,
                "kimura2020",
                "wins in % or difference in points",
                _FINDINGS + _WELCH * ("seed_effects" in measured),
            ),
            Section(
                "Table 1: Map01",
                _TABLE_1 + _MISSING * bool(_networks(measured, trained=False)),
                table_1.saying(f"{agreement(table_1)} {_long(measured)}".strip()),
            ),
            Section("Table 2: Map02", _TABLE_2, table_2.saying(agreement(table_2))),
            Section("What the attack term and dropout do", _EFFECTS, _effects(measured)),
            *untrained_sections(measured),
            *seed_sections(measured),
            *alternative_sections(measured),
            Section("Trainings", _TRAININGS, measured["trainings"].saying("")),
            *sections_of(
                measured,
                "graph",
                "A graph instead of an image",
                _GRAPH,
                lambda _: "The graph network comes from one training seed.",
            ),
            Section("Time of a decision by the number of units", _THINKING, measured["thinking"].saying("")),
            _memory_section(measured),
            Section(
                "The recipe tubstap-fast on the paper's maps",
                _FAST,
                fast.saying(agreement(fast)),
                measured.picture("fast"),
                "losses by minutes",
            ),
            Section("At equal seconds a turn", _TURNS, _turns(measured)),
            Section("Minimax over the operations that a policy prefers", _PRUNED, measured["pruned"].saying("")),
            *(_figure_section(measured, name) for name in FIGURES),
        ),
    )


_FINDINGS = (
    "The figures are shares of wins in %, or, where two networks are compared, the difference of their shares in "
    "points, against PMC and against MCTS on the map that the claim names, or else on Map01. A claim without a "
    "published figure is ours."
)
_WELCH = (
    " For networks that were trained several times, the p of a difference comes from Welch's test over the trainings, "
    "not from the normal approximation."
)
_TABLE_1 = (
    "PV-MCTS against pure Monte Carlo (PMC) with 100 playouts a move and MCTS with 2,000 simulations, with the seats "
    "swapped. As in the paper, a win rate counts only wins. The paper prints wins, draws and losses; here they are "
    "W-L-D."
)
_MISSING = " A network without a figure was not run."
_TABLE_2 = "The long training on a map with four units a side, which is not among the training maps."
_EFFECTS = (
    "Each row compares two trainings that differ in one setting, by the difference of their win rates in points. The "
    "intervals include the error of the games, but not the variation between trainings: each network comes from one "
    "training seed."
)
_TRAININGS = (
    "Each training ran in one process on one core. *Forward* is the share of self-play's time inside the network, "
    "*batch* the mean number of positions in one evaluation."
)
_GRAPH = (
    "Future work of the paper and of li2022: the same self-play and search, for the same training time, with a network "
    "over units and what they can do to each other instead of planes (`src/sandtable/nets/tokens.py`)."
)
_THINKING = "Mean time of a first decision on 6x6 maps with the given number of infantry per side, in milliseconds."
_FAST = (
    "Our recipe, `sandtable train recipes/tubstap-fast.toml`: a graph network that plays every map, a Gumbel root with "
    "few simulations, and training maps of all kinds. The rows have the win rates of the network after the given "
    "minutes of training on two cores, beside those of the paper's long training. Neither map is among the training "
    "maps. Games on Map01 were looked at while the recipe was chosen; docs/fast-training.md records none on Map02."
)
_TURNS = (
    "The last network as the player `sandtable` against Monte-Carlo players, each with the same seconds for a whole "
    f"turn. *terrain* are the hand-made maps {', '.join(TERRAIN)}: the recipe's mixture of training maps was chosen by "
    "games on them, so that row is no test on unseen maps. *battle-N* are generated maps with N units per side and "
    "all kinds of units and terrain; the recipe trains on other maps of this generator."
)
_PRUNED = (
    f"Future work of li2022: below the root, only the {WIDTH} operations with the highest priors are searched, so that "
    "depths of three and four are affordable. The network is the recipe's last one. The matches against MCTS are on "
    "Map01; those against the tree search with the same network are on generated maps of 2 v 2 infantry, because both "
    "of these players are deterministic."
)
_MEMORY = (
    "A forward and backward pass of a batch of 128 on one core: the growth of the process's peak memory during the "
    "pass, and the time; medians of {processes} fresh processes."
)


def _as_printed(measured: Measured) -> Measured:
    """Put the printed win rates of the paper's Table 1 into ours; earlier results stored rates computed from the
    paper's counts."""
    table = measured["table_1"]
    places = [table.column(f"against {opponent}") for opponent in OPPONENTS]
    rows = []
    for name, row in table.named_rows():
        cells = list(row)
        for place, printed in zip(places, published.MAP01.get(name, ()), strict=False):
            cells[place] = dataclasses.replace(cells[place], published=printed.rate)
        rows.append(tuple(cells))
    changed = dataclasses.replace(table, rows=tuple(rows))
    return dataclasses.replace(measured, tables={**measured.tables, table.name: changed})


def _effect(measured: Measured, own: str, without: str, opponent: str) -> Cell:
    """The difference of two rows of Table 1, ours and the published one; no figure if one of them was not run."""
    first, second = (measured["table_1"].cell(name, f"against {opponent}") for name in (own, without))
    printed = None if first.published is None or second.published is None else first.published - second.published
    if first.interval is None or second.interval is None:
        return Cell(None, published=printed)
    return Cell(*difference(first.interval, second.interval), first.n, printed)


def _findings(measured: Measured) -> list[Finding]:
    found = []
    for claim, own, without in EFFECTS:
        for opponent in OPPONENTS:
            words, figure = f"{claim}, against {opponent}", _effect(measured, own, without, opponent)
            found.append(over_seeds(measured, words, own, without, opponent, figure) or by_difference(words, figure))
    for ground, table in (("Map01", "table_1"), ("Map02", "table_2")):
        for opponent in OPPONENTS:
            cell = measured[table].cell(LONG, f"against {opponent}")
            found.append(by_score(f"the long training beats {opponent} on {ground}", cell))
    return found


def _long(measured: Measured) -> str:
    """A sentence on the length of the long training, in games and in hours."""
    table = measured["trainings"]
    rows = dict(table.named_rows())
    if LONG not in rows or "short-sep-8" not in rows:
        return ""
    games, short = table.number(LONG, "games"), table.number("short-sep-8", "games")
    return (
        f"The long training has {games:,.0f} games, {games / max(short, 1):.1f} times as many as the short one, and "
        f"took {table.number(LONG, 'minutes') / 60:.1f} hours on one core; the paper's took about three weeks."
    )


def _effects(measured: Measured) -> Table:
    rows = [
        (f"{own} - {without}", *(_effect(measured, own, without, opponent) for opponent in OPPONENTS))
        for _, own, without in EFFECTS
    ]
    played = [row for row in rows if any(cell.interval for cell in row[1:] if isinstance(cell, Cell))]
    columns = ("networks", *(f"points against {one}" for one in OPPONENTS))
    return Table.of("effects", "Differences of win rates on Map01", columns, played)


def _summary(measured: Measured, findings: list[Finding]) -> tuple[str, ...]:
    run, missing = (_networks(measured, trained=trained) for trained in (True, False))
    coverage = f"All {len(run)} networks of Table 1 were run."
    if missing:
        coverage = (
            f"Of the {len(run + missing)} networks in Table 1, {len(run)} were run: {', '.join(run)}. Not run: "
            f"{', '.join(missing)}, and everything that depends on them."
        )
    return (
        coverage,
        *summarised(findings),
        _win_rates(measured),
        *filter(None, (untrained_said(measured),)),
        *_beyond(measured),
        trainings_said(measured),
    )


def _networks(measured: Measured, *, trained: bool) -> list[str]:
    """The networks of Table 1 that the run trained, or those that it did not."""
    table = measured["table_1"]
    return [name for name, _ in table.named_rows() if (table.cell(name, "training").value != "not run") is trained]


def _win_rates(measured: Measured) -> str:
    """Sentences on how many win rates of Table 1 agree with the paper's, and in which direction the others differ."""
    figures = compared(measured["table_1"])
    gaps = [cell.difference for cell in figures.values() if cell.difference]
    above, below = sum(gap.low > 0 for gap in gaps), sum(gap.high < 0 for gap in gaps)
    text = (
        f"Of {len(gaps)} win rates with a published figure, {len(gaps) - above - below} agree, {above} are higher here "
        f"and {below} are lower"
    )
    if above + below == 0:
        return f"{text}."
    name, cell = max(figures.items(), key=lambda one: abs(one[1].difference.value if one[1].difference else 0))
    tested = (
        "The length of the training games and the policy head were tested as causes: see the section on other readings."
        if "alternatives" in measured
        else "No cause was tested, and none is known."
    )
    return f"{text}; the largest difference is that of {name}: {said(cell)}. {tested}"


def _beyond(measured: Measured) -> list[str]:
    """The recipe's last network beside the paper's long training."""
    table = measured["fast"]
    minutes = table.last_row()
    parts = []
    for column in table.columns[1:]:
        cell = table.cell(minutes, column)
        parts.append(f"- {column}: {said(cell)}; the two {'agree' if cell.agrees else 'differ'}")
    title = f"Beyond the paper, win rates of our recipe after {minutes} minutes beside the paper's long training:"
    return [title, "\n".join(parts)]


def _turns(measured: Measured) -> Table:
    games = {cell.n for _, row in measured["turns"].named_rows() for cell in row[1:] if cell.n}
    few = min(games, default=0)
    return measured["turns"].saying(
        f"The smallest number of games in a cell is {few}. All figures come from one network with one training seed."
    )


def _figure_section(measured: Measured, name: str) -> Section:
    figure, picture = FIGURES[name], measured.picture(name)
    trained = [row for row, _ in measured["trainings"].named_rows()]
    missing = [one for one in figure.networks if one not in trained]
    if missing:
        were = "was" if len(missing) == 1 else "were"
        return Section(figure.title, f"Not drawn: {' and '.join(missing)} {were} not trained in this run.")
    if picture is None:
        return Section(figure.title, "Not drawn: not all of its curves are stored.")
    return Section(figure.title, "", None, picture, figure.title)


def _memory_section(measured: Measured) -> Section:
    """The section on memory. Earlier runs stored the growth of a process's peak memory with imports included; those
    figures are left out."""
    title, table = "What separable convolutions save", measured["memory"]
    if "processes" not in table.facts:
        return Section(title, "Not measured in this run.")
    return Section(title, _MEMORY.format(processes=table.facts["processes"]), table.saying(""))
