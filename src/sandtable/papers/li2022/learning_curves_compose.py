"""The report's sections on learning curves, written from their tables alone."""

from __future__ import annotations

import math

from sandtable.papers.li2022.learning_curves import RULES
from sandtable.papers.li2022.learning_curves_report import CONTRASTS, FIGURE, PERFECT
from sandtable.papers.li2022.settings import SCALES, Settings
from sandtable.papers.measured import Measured
from sandtable.papers.report import Report, Section
from sandtable.papers.tables import Cell, Table, differing, said

TITLE = "li2022: learning curves"
HEADLINES = ("curve_accuracy", "curve_accuracy_differences", "curve_rules_accuracy_differences")
_DATA = (
    "Networks of six kinds are compared by the number of games from which they learn: the paper's CNN_i and CNN_g, "
    "both readings of its graph convolution, the GCN of takahashi, whose edges carry damages, and our network over "
    "units (`src/sandtable/nets/tokens.py`, without its policy). The kinds of maps have about the paper's proportions. "
    "On local-search maps the games are the last ones of the search, on the others they are fresh. All players have "
    "{rollouts:,} rollouts a decision."
)
_CURVES = (
    "For each number of games, every network was trained up to {repeats} times, each time with another seed and other "
    "games, as far as the games suffice; all networks are tested on the same {test:,} games. All learn the result with "
    "the squared error, takahashi's network too. Intervals are from a bootstrap over trainings and test games; where "
    "the games suffice for one training only, they include the error of the test games alone."
)
_CEILING = (
    "From some test states, the same players played many games. *{perfect}* is the mean result of these games, read "
    "with the paper's thresholds. The first column leaves the predicted game out and is slightly too low; the second "
    "includes it and is slightly too high."
)
_RULES = (
    "Does a lead come from the graph input or from the graph convolution, and does it depend on the rule for ties? The "
    "same networks and numbers of games, with games by the first reading of the rule, a tie after {first} turns "
    "without damage, and by the second, after {second}."
)
_PAIRED = "Differences are paired by training and test game."


def compose_curves(measured: Measured) -> Report:
    """The report of a run that made learning curves and nothing else."""
    sections = curve_sections(measured, measured.settings(SCALES))
    found = [one.table.said for one in sections if one.table and one.table.name in HEADLINES]
    most = "up to " * (len(measured.about["seeds"]) > 1)
    trainings = f"For each number of games, every network was trained with {most}{measured.training_seeds}."
    return Report(TITLE, (*found, trainings), tuple(sections))


def curve_sections(measured: Measured, settings: Settings) -> list[Section]:
    """The sections on learning curves; none if the run has no curves."""
    if "curve_accuracy" not in measured:
        return []
    accuracy, ceiling = measured["curve_accuracy"], measured["curve_ceiling"]
    curves = _CURVES.format(repeats=settings.curve_repeats, test=settings.curve_test_games)
    rules = measured["curve_rules_accuracy_differences"]
    return [
        Section(
            "Learning curves: the games", _DATA.format(rollouts=settings.curve_rollouts), _data(measured["curve_data"])
        ),
        Section(
            "Learning curves",
            curves,
            accuracy.saying(_levels(accuracy, ceiling)),
            measured.picture(FIGURE),
            "accuracy by games to learn from",
        ),
        Section(
            "Learning curves: the best possible accuracy",
            _CEILING.format(perfect=PERFECT.capitalize()),
            ceiling.saying(_best_possible(ceiling)),
        ),
        Section("Learning curves: squared error", "", _errors(measured["curve_error"], ceiling)),
        *(
            Section(
                f"Learning curves: the networks compared by {words}",
                _PAIRED,
                _differences(measured[f"curve_{measure}_differences"]),
            )
            for measure, words in (("accuracy", "accuracy"), ("error", "squared error"))
        ),
        Section(
            "Learning curves: graph or image, by tie rule",
            _RULES.format(first=RULES[1], second=RULES[0]),
            measured["curve_rules_accuracy"].saying("Accuracies in %; the differences follow."),
        ),
        Section("Graph or image, by tie rule: the networks compared", _PAIRED, rules.saying(_by_rule(rules))),
        Section("Graph or image, by tie rule: squared error", "", _errors(measured["curve_rules_error"], None)),
        Section(
            "Graph or image, by tie rule: the networks compared by squared error",
            _PAIRED,
            _differences(measured["curve_rules_error_differences"]),
        ),
    ]


def _data(table: Table) -> Table:
    parts = [
        f"{name}, a game has {table.number(name, 'states a game'):.1f} states, and the side to move wins "
        f"{said(table.cell(name, 'win : loss'), '', 2)} states for each that it loses"
        for name, _ in table.named_rows()
    ]
    return table.saying(f"With a {'. With a '.join(parts)}.")


def _levels(accuracy: Table, ceiling: Table) -> str:
    """The best network with the most games, the possible accuracy, and the gains from the last increase in data."""
    *sizes, most = accuracy.columns[1:]
    best = max((name for name, _ in accuracy.named_rows()), key=lambda name: _value(accuracy.cell(name, most)))
    low, high = (ceiling.cell(PERFECT, column) for column in ceiling.columns[1:])
    text = (
        f"With {most}, {best} is best: {said(accuracy.cell(best, most))}; a perfect value network would score between "
        f"{said(low)} and {said(high)}."
    )
    if not sizes:
        return text
    gains = ", ".join(
        f"{accuracy.number(name, most) - accuracy.number(name, sizes[-1]):+.1f} points for {name}"
        for name, _ in accuracy.named_rows()
    )
    return f"{text} From {sizes[-1]} to {most}, the accuracies change by {gains}."


def _value(cell: Cell) -> float:
    return cell.value if isinstance(cell.value, int | float) else -math.inf


def _best_possible(ceiling: Table) -> str:
    facts = ceiling.facts
    known = [facts.get(key) for key in ("states", "games", "variance")]
    if not all(isinstance(one, int | float) for one in known):
        return "How it was measured is not stored."
    states, games, variance = (float(one) for one in known if one is not None)
    return (
        f"{states:,.0f} states with {games:.0f} games each. The variance of the results, {variance:.3f}, is about the "
        "least possible squared error."
    )


def _errors(table: Table, ceiling: Table | None) -> Table:
    table.last_row()  # raises TableError if there is none
    least = [
        f"'{column}', {min(table.named_rows(), key=lambda row: row[1][place].interval or (math.inf,))[0]}"
        for place, column in enumerate(table.columns)
        if place
    ]
    variance = ceiling.facts.get("variance") if ceiling else None
    floor = f" The least possible error is about {variance:.3f}." if isinstance(variance, float) else ""
    return table.saying(f"The network with the smallest error in each column: {'; '.join(least)}.{floor}")


def _differences(table: Table) -> Table:
    """Add the sizes at which the first network of a pair is clearly better or worse; lower errors are better."""
    sign = -1 if "error" in table.name else 1
    parts = []
    for name, row in table.named_rows():
        clear = {
            wanted: [
                column
                for column, cell in zip(table.columns[2:], row[2:], strict=True)
                if cell.interval and not cell.interval.contains_zero and (sign * cell.interval.value > 0) is wanted
            ]
            for wanted in (True, False)
        }
        words = [f"{word} with {', '.join(clear[wanted])}" for wanted, word in ((True, "better"), (False, "worse"))]
        shown = [word for word, wanted in zip(words, (True, False), strict=True) if clear[wanted]]
        parts.append(f"{name}: the first is {' and '.join(shown)}" if shown else f"{name}: no clear difference")
    return table.saying("; ".join(parts) + ".")


def _by_rule(table: Table) -> str:
    """The difference `graph or image` by each tie rule."""
    contrast = CONTRASTS[0]
    cells = [(column, table.cell(contrast.name, column)) for column in table.columns[2:]]
    figures = "; ".join(f"{column}, {said(cell, ' points')}" for column, cell in cells)
    return f"{contrast.name}: {figures}. {differing(table, *table.columns[2:])}"
