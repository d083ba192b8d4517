"""The report of takahashi, written from its tables alone: summary, findings, sentences, sections."""

from __future__ import annotations

import dataclasses
import math
from statistics import fmean
from typing import NamedTuple

from sandtable.arena.statistics import difference
from sandtable.papers.findings import Finding, by_difference, summarised
from sandtable.papers.measured import Measured
from sandtable.papers.plots import Bars
from sandtable.papers.report import Report, Section, findings_section, sections_of
from sandtable.papers.tables import Cell, Table, agreement, compared, differing, said
from sandtable.papers.takahashi import published
from sandtable.papers.takahashi.budgets import budget_sections
from sandtable.papers.takahashi.settings import KINDS, SCALES, SPLITS, Settings

NAMES = {"gcn": "GCN", "cnn": "CNN", "a": "A", "b": "B", "c": "C"}
TITLE = "takahashi: terrain in the graph, image and graph together"
COLUMNS = ("simple train", "complex train", "simple test", "complex test")
COMBINED = ("a", "b", "c")
# The paper's order is GCN > B > A > C > CNN on both kinds of maps; its main claim is the GCN's lead over the CNN.
ORDER = (("gcn", "cnn"), ("gcn", "b"), ("b", "a"), ("a", "c"), ("c", "cnn"))
WANTED = 60.0  # per cent; the report says with which shares of the time for M-UCT the GCN scores more
NOT_PAIRED = (
    "The stored results do not allow a verdict on the order of the models: that takes the results of each model on "
    "each test game, which this run did not store. Overlapping intervals are no verdict."
)


def compose(measured: Measured) -> Report:
    settings = measured.settings(SCALES)
    tables = {split: _table_1(measured, split) for split in SPLITS if f"table_1_{split}" in measured or split == "game"}
    findings = _findings(measured)
    curves = measured.picture("curves")
    return Report(
        TITLE,
        _summary(measured, settings, findings, tables),
        (
            findings_section(findings, "takahashi", "difference in points", _FINDINGS + _several_trainings(measured)),
            _convolution(measured),
            Section("Section 5.2: states", "", _states(measured["states"])),
            *budget_sections(measured, settings),
            *(
                Section(
                    f"Table 1, {what}s divided",
                    _DIVIDED[what],
                    table,
                    Bars(f"accuracy_{what}", table, "accuracy, %"),
                    "accuracy",
                )
                for what, table in tables.items()
            ),
            *([Section("Accuracy by epoch, games divided", "", None, curves, "accuracy by epoch")] if curves else []),
            *sections_of(measured, "overfitting", "Overfitting", _OVERFITTING, _overfits),
            _paired(measured),
            *_short(measured, settings),
            *_seeds(measured),
            *_regularised(measured),
            Section("Matches on maps with terrain", _MATCHES, _matches(measured)),
            Section("M-UCT with less time", _HANDICAPS, _handicaps(measured)),
            Section("The player sandtable in the GCN's place", _ALTERNATIVE, _alternative(measured)),
        ),
    )


_FINDINGS = (
    "Differences of accuracies in points, where games (not states) were divided into a training and a test set. Two "
    "models are compared on the same test games. A model overfits if, at the epoch that is best on the test set, its "
    "accuracy is higher on the training games than on the test games."
)
_CONVOLUTION = (
    "A forward and backward pass of one batch, with 64 channels in and out and eight units. The sum over a unit's "
    "neighbours is taken before the product with the edge's matrix, so that this matrix is never built. A test checks "
    "that the results equal torch_geometric's."
)
_BY_GAME = (
    "A fifth of the games is kept for the test set, so that no game is in both sets. As in the paper, the figures are "
    "those of the epoch that is best on the test set. Intervals treat the games, not the states, as the random sample. "
    "How much the paper's accuracies vary between games is unknown: their error is taken to be ours, scaled to its "
    "number of games."
)
_BY_STATE = (
    "A fifth of the states is kept for the test set: almost every test state has neighbours of the same game, with the "
    "same result, in the training set. The paper does not say which division it used."
)
_DIVIDED = {"game": _BY_GAME, "state": _BY_STATE}
_OVERFITTING = (
    "Accuracies on a sample of the training states and on the test set, at the epoch that is best on the test set and "
    "at the last one. A model that overfits is best early, and worse on the test set at the end."
)
_SEEDS = (
    "The paper's two best models, each trained several times on the same games, with different initial weights and "
    "batches. Intervals are from a bootstrap over trainings and test games."
)
_SHORT = (
    "The paper does not give M-UCT's number of simulations. Here M-UCT with {simulations} simulations plays against "
    "itself on the same maps, and the same models are trained on these games in the same way. Besides the length of "
    "the games, the strength of the players and the number of training steps differ from those of Table 1."
)
_PAIRED = (
    "Models on the same test games, with games divided; intervals are from a bootstrap over games. A lower Brier score "
    "is better."
)
_REGULARISED = (
    "The models with dropout, weight decay and, if they have an image, the board's eight symmetries. Training is "
    "stopped by games held out from the training set, so that the test set is used once."
)
_MATCHES = (
    "A minimax of depth 2 with a network that was trained on the same kind of maps, against Monte-Carlo players that "
    "get its mean time for each decision; two games on each map, with the seats swapped. W-L-D are the network's."
)
_HANDICAPS = "The GCN's minimax on complex maps against M-UCT with a share of its time."
_ALTERNATIVE = (
    "`sandtable` is PUCT with a small policy network from self-play (docs/networks.md), on the same maps with the same "
    "time for each decision. Its network was trained on maps of these two kinds among others, but on none of these "
    "maps."
)


def _several_trainings(measured: Measured) -> str:
    """A sentence for the text above the findings; empty if every model was trained once."""
    if "seeds_paired" not in measured:
        return ""
    return (
        f" The GCN and B are compared over {measured.training_seeds} each; the other comparisons are of one training "
        "each and do not include the variation between trainings."
    )


def _findings(measured: Measured) -> list[Finding]:
    found = []
    table = measured["table_1_game"]
    for kind in KINDS:
        train, test = (table.cell("CNN", f"{kind} {part}") for part in ("train", "test"))
        shown = published.ACCURACY["cnn"]
        gap = Cell(None, published=round(shown[f"{kind} train"] - shown[f"{kind} test"], 1))
        if train.interval and test.interval:
            gap = Cell(*difference(train.interval, test.interval), test.n, gap.published)
        found.append(by_difference(f"the CNN overfits on {kind} maps", gap))
    for kind in KINDS:
        for better, worse in ORDER:
            claim = f"{NAMES[better]} predicts better than {NAMES[worse]} on {kind} maps"
            first, second = (published.ACCURACY[model][f"{kind} test"] for model in (better, worse))
            apart = Cell(None)
            pair = f"{NAMES[better]} - {NAMES[worse]}"
            if "seeds_paired" in measured and pair in (name for name, _ in measured["seeds_paired"].named_rows()):
                apart = measured["seeds_paired"].cell(pair, f"{kind}, accuracy, points")
            elif "paired" in measured:
                apart = measured["paired"].cell(f"{NAMES[better]} - {NAMES[worse]}", f"{kind}, accuracy, points")
            found.append(by_difference(claim, dataclasses.replace(apart, published=round(first - second, 1))))
    return found


def _table_1(measured: Measured, split: str) -> Table:
    table = measured[f"table_1_{split}"]
    if split == "state":  # nearly every game has states in both parts
        return _with_order(table.with_published_games(lambda *_: published.GAMES))
    return _with_order(table.with_published_games(_games_by_part))


def _table_1_short(measured: Measured) -> Table:
    return _with_order(measured["table_1_short"].with_published_games(_games_by_part))


def _games_by_part(_: str, column: str) -> int:
    return round(published.GAMES * (published.TEST_SHARE if column.endswith("test") else 1 - published.TEST_SHARE))


def _with_order(table: Table) -> Table:
    orders = " and ".join(f"{_order(table, f'{kind} test')} on {kind} maps" for kind in KINDS)
    return table.saying(
        f"By the figures alone, the order on the test set is {orders}; in the paper it is GCN > B > A > C > CNN on "
        "both. "
        f"{agreement(table)}"
    )


def _order(table: Table, column: str) -> str:
    if any(table.cell(name, column).interval is None for name in NAMES.values()):
        return "unknown"
    return " > ".join(sorted(NAMES.values(), key=lambda name: -table.number(name, column)))


def _summary(
    measured: Measured, settings: Settings, findings: list[Finding], tables: dict[str, Table]
) -> tuple[str, ...]:
    paragraphs = (
        *summarised(findings),
        "" if "paired" in measured else NOT_PAIRED,
        _accuracies(tables),
        _data(measured, settings),
        _causes(measured, settings, tables),
        _strength(measured),
        _trainings(measured),
    )
    return tuple(filter(None, paragraphs))


def _trainings(measured: Measured) -> str:
    if "seeds" in measured:
        return (
            f"The GCN and B were trained with {measured.training_seeds} each on the games of Table 1, to judge which "
            "of them is better; every other training has one seed."
        )
    return (
        f"Each model was trained with {measured.training_seeds}; how much accuracies vary between trainings is not "
        "measured."
    )


def _overfits(table: Table) -> str:
    falls = {name: table.number(name, 3) - table.number(name, 5) for name, _ in table.named_rows()}
    figures = ", ".join(f"{name} {fall:.1f} (best epoch {table.number(name, 1):.0f})" for name, fall in falls.items())
    return (
        f"Points lost on the test set from the best epoch to the last: {figures}. The best epoch is chosen on the test "
        "set, so no model can gain."
    )


def _seeds(measured: Measured) -> list[Section]:
    if "seeds" not in measured:
        return []
    levels, paired = measured["seeds"], measured["seeds_paired"]
    each = f"Each model has {measured.training_seeds}."
    return [
        Section("The GCN and B over several trainings", _SEEDS, levels.saying(each)),
        Section(
            "The GCN and B over several trainings, compared",
            "",
            paired.saying(differing(paired, *(f"{kind}, accuracy, points" for kind in KINDS))),
        ),
    ]


def _short(measured: Measured, settings: Settings) -> list[Section]:
    """The sections on the models trained on games as long as the paper's."""
    if "table_1_short" not in measured:
        return []
    table, overfitting, paired = _table_1_short(measured), measured["overfitting_short"], measured["paired_short"]
    title = "Games of the paper's length"
    text = _SHORT.format(simulations=settings.short_simulations)
    differ = differing(paired, *(f"{kind}, accuracy, points" for kind in KINDS))
    return [
        Section(f"{title}: states", text, _states(measured["states_short"])),
        Section(f"{title}: Table 1", "", table, Bars("accuracy_short", table, "accuracy, %"), "accuracy"),
        Section(f"{title}: overfitting", "", overfitting.saying(_overfits(overfitting))),
        Section(f"{title}: the models compared, game by game", "", paired.saying(differ)),
    ]


def _accuracies(tables: dict[str, Table]) -> str:
    """A sentence on how many of the published accuracies agree with ours, by both divisions; and one on how many of
    ours on the test are higher and how many are lower."""
    cells = {f"{split}s": compared(table).values() for split, table in tables.items()}
    agree = {name: sum(bool(cell.agrees) for cell in found) for name, found in cells.items()}
    counts = " and ".join(f"{agree[name]} of {len(found)} with {name} divided" for name, found in cells.items())
    tested = [tables["game"].cell(name, f"{kind} test") for name in NAMES.values() for kind in KINDS]
    gaps = [cell.difference for cell in tested if cell.difference is not None]
    above, below = sum(gap.low > 0 for gap in gaps), sum(gap.high < 0 for gap in gaps)
    return (
        f"Published accuracies that agree with ours: {counts}; the paper does not say whether it divided games or "
        f"states. On the test set with games divided, {above} of our {len(tested)} accuracies are significantly higher "
        f"than the paper's and {below} significantly lower."
    )


def _data(measured: Measured, settings: Settings) -> str:
    """A sentence on how our data and trainings differ from the paper's."""
    parts = []
    for kind in KINDS:
        ours = measured["states"].ratio(kind, "total", "games")
        theirs = published.STATES[kind]["total"] / published.GAMES
        parts.append(f"{ours:.1f} states a game on {kind} maps (paper {theirs:.1f})")
    steps = " and ".join(f"{_steps(measured, settings, kind)} on {kind} maps" for kind in KINDS)
    return f"Our data have {' and '.join(parts)}; a training had {steps}."


def _causes(measured: Measured, settings: Settings, tables: dict[str, Table]) -> str:
    """Sentences on the tested causes of the differences from the paper, and on whether the differences are smaller with
    each of them."""
    usual = _distances(tables["game"])
    tested: dict[str, Distances] = {}
    if "table_1_short" in measured:
        lengths = _lengths(measured["states_short"])
        games = f"games of M-UCT with {settings.short_simulations} simulations, which have {lengths}"
        tested[games] = _distances(_table_1_short(measured))
    if "state" in tables:
        tested["states divided instead of games"] = _distances(tables["state"])
    smaller = [what.partition(",")[0] for what, found in tested.items() if found.test < usual.test]
    verdict = f"smaller with {' and with '.join(smaller)}" if smaller else "not smaller with any tested change"
    sentences = (
        f"With games divided, the mean absolute difference from the published accuracies is {usual}.",
        *(f"With {what}, it is {found}." for what, found in tested.items()),
        f"On the test set, the mean difference is {verdict}." if tested else "",
        "" if "table_1_short" in measured else "Whether the length of the games explains it was not tested.",
    )
    return " ".join(filter(None, sentences))


class Distances(NamedTuple):
    """Mean absolute differences from the published accuracies, in points; NaN if there is nothing to compare."""

    train: float
    test: float

    def __str__(self) -> str:
        return f"{self.train:.1f} points on the training set and {self.test:.1f} on the test set"


def _distances(table: Table) -> Distances:
    apart: dict[str, list[float]] = {"train": [], "test": []}
    for name, cell in compared(table).items():
        if cell.difference is not None:
            apart[name.rpartition(" ")[2]].append(abs(cell.difference.value))
    return Distances(*(fmean(found) if found else math.nan for found in apart.values()))


def _lengths(states: Table) -> str:
    """The mean lengths of games on both kinds of maps, beside the paper's."""
    return " and ".join(
        f"{states.ratio(kind, 'total', 'games'):.1f} states on {kind} maps "
        f"(paper {published.STATES[kind]['total'] / published.GAMES:.1f})"
        for kind in KINDS
    )


def _steps(measured: Measured, settings: Settings, kind: str) -> str:
    """Steps of training, ours and the paper's."""
    learnt = measured["table_1_game"].cell("GCN", f"{kind} train").n or 0
    ours = settings.epochs * math.ceil(learnt / settings.batch)
    theirs = published.EPOCHS * (1 - published.TEST_SHARE) * published.STATES[kind]["total"] / published.BATCH
    return f"{ours:,} steps (paper about {theirs:,.0f})"


def _strength(measured: Measured) -> str:
    table = measured["alternative"]
    gcn, ours = (
        " and ".join(f"{said(table.cell(kind, column))} on {kind}" for kind in KINDS)
        for column in ("minimax with the GCN", "sandtable")
    )
    return (
        f"Beyond the paper, in matches against M-UCT with the same time, the minimax with the GCN scores {gcn} maps, "
        f"and the player `sandtable` in its place {ours} maps."
    )


def _convolution(measured: Measured) -> Section:
    """The section on the convolution. The first run stored the growth of its one process's peak memory with imports
    included; that is no measurement."""
    title, table = "Section 4.2.2: the convolution", measured["convolution"]
    if "processes" not in table.facts:
        return Section(title, "Not measured in this run.")
    if len(table.rows) < 2:
        return Section(title, _CONVOLUTION, table.saying("torch_geometric was not installed: no comparison."))
    memory, time = (
        table.number("torch_geometric's NNConv", column) / max(table.number("ours", column), 1e-9)
        for column in ("megabytes", "milliseconds")
    )
    text = (
        f"Medians of {table.facts['processes']} fresh processes: ours takes 1/{memory:.0f} of the memory and "
        f"1/{time:.0f} of the time."
    )
    return Section(title, _CONVOLUTION, table.saying(text))


def _states(table: Table) -> Table:
    return table.saying(f"A game has {_lengths(table)}.")


def _paired(measured: Measured) -> Section:
    title = "The models compared, game by game"
    if "paired" not in measured:
        return Section(title, NOT_PAIRED)
    table = measured["paired"]
    return Section(title, _PAIRED, table.saying(differing(table, *(f"{kind}, accuracy, points" for kind in KINDS))))


def _regularised(measured: Measured) -> list[Section]:
    title = "Regularised models"
    if "regularised" not in measured:
        return [Section(title, "They were left out of this run.")]
    if "paired_regularised" not in measured:
        unknown = "Whether a regularised combined model is better than the GCN cannot be judged, for the same reason."
        return [Section(title, _REGULARISED, measured["regularised"].saying(unknown))]
    table = measured["paired_regularised"]
    passing = [
        f"{name.partition(' ')[0]} on {kind} maps ({said(cell, ' points')})"
        for name, _ in table.named_rows()
        for kind in KINDS
        if (cell := table.cell(name, f"{kind}, accuracy, points")).interval and (cell.low or 0) > 0
    ]
    text = "No regularised combined model is significantly better than the GCN of Table 1."
    if passing:
        text = f"These predict significantly better than the GCN of Table 1: {', '.join(passing)}."
    return [
        Section(title, _REGULARISED, measured["regularised"].saying("Each model comes from one training seed.")),
        Section("Regularised combinations and the GCN, game by game", _PAIRED, table.saying(text)),
    ]


def _matches(measured: Measured) -> Table:
    table = measured["matches"]
    maps, score = table.column("maps"), table.column("score")
    against = [(row[maps].value, row[score]) for name, row in table.named_rows() if name == "GCN - muct"]
    scores = " and ".join(f"{said(cell)} on {kind} maps" for kind, cell in against)
    return table.saying(
        f"Against M-UCT with the same time, the GCN scores {scores}. Each network comes from one training seed."
    )


def _handicaps(measured: Measured) -> Table:
    table = measured["handicaps"]
    last, column = table.last_row(), "score of the GCN"
    least = table.cell(last, column)
    enough = [name for name, _ in table.named_rows() if (table.cell(name, column).low or 0) > WANTED]
    if enough:
        shares = " or ".join(enough)
        return table.saying(f"The GCN scores significantly more than {WANTED:.0f}% if M-UCT has {shares} of its time.")
    less = (least.high or 0) < WANTED
    return table.saying(
        f"With {last} of the time for M-UCT, the GCN scores {said(least)}: "
        + (f"less than {WANTED:.0f}%." if less else f"it is open whether it reaches {WANTED:.0f}%.")
    )


def _alternative(measured: Measured) -> Table:
    table = measured["alternative"]
    gains = []
    for kind in KINDS:
        own, other = (table.cell(kind, column).interval for column in ("sandtable", "minimax with the GCN"))
        if own and other:
            gains.append(f"{said(Cell(*difference(own, other)), ' points')} on {kind} maps")
    return table.saying(f"The score of `sandtable` minus that of the GCN's minimax is {' and '.join(gains)}.")
