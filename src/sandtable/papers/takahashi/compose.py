"""The report of takahashi, written from its tables alone: summary, findings, sentences, sections."""

from __future__ import annotations

import math

from sandtable.arena.statistics import difference
from sandtable.papers.findings import EXPLAINED, Finding, by_difference, summarised, table_of
from sandtable.papers.measured import Measured
from sandtable.papers.plots import Bars
from sandtable.papers.report import Report, Section
from sandtable.papers.settings import restored
from sandtable.papers.tables import Cell, Table, agreement, compared, said
from sandtable.papers.takahashi import published
from sandtable.papers.takahashi.settings import KINDS, SCALES, Settings

NAMES = {"gcn": "GCN", "cnn": "CNN", "a": "A", "b": "B", "c": "C"}
TITLE = "takahashi: terrain in the graph, image and graph together"
COLUMNS = ("simple train", "complex train", "simple test", "complex test")
COMBINED = ("a", "b", "c")
# The paper's order is GCN > B > A > C > CNN on both kinds of maps; its main claim is the GCN's lead over the CNN.
ORDER = (("gcn", "cnn"), ("gcn", "b"), ("b", "a"), ("a", "c"), ("c", "cnn"))
WANTED = 60.0  # per cent against M-UCT at equal seconds
NOT_PAIRED = (
    "The order of the models cannot be judged from what is stored: it takes each model's results on each test game, "
    "which this run did not store. Overlapping intervals are no verdict."
)


def compose(measured: Measured) -> Report:
    settings = restored(SCALES[measured.about["scale"]], measured.about["settings"])
    by_game, by_state = (_table_1(measured, split) for split in ("game", "state"))
    findings = _findings(measured)
    curves = measured.picture("curves")
    return Report(
        TITLE,
        _summary(measured, settings, findings, by_game, by_state),
        (
            _findings_section(measured, findings),
            Section("Section 4.2.2: the convolution", _CONVOLUTION, _convolution(measured)),
            Section("Section 5.2: states", "", _states(measured)),
            Section(
                "Table 1, games divided", _BY_GAME, by_game, Bars("accuracy_game", by_game, "accuracy, %"), "accuracy"
            ),
            Section(
                "Table 1, states divided",
                _BY_STATE,
                by_state,
                Bars("accuracy_state", by_state, "accuracy, %"),
                "accuracy",
            ),
            *([Section("Accuracy by epoch, games divided", "", None, curves, "accuracy by epoch")] if curves else []),
            _paired(measured),
            *_regularised(measured),
            Section("Matches on maps with terrain", _MATCHES, _matches(measured)),
            Section("M-UCT with less time", _HANDICAPS, _handicaps(measured)),
            Section("The player sandtable in the GCN's place", _ALTERNATIVE, _alternative(measured)),
        ),
    )


_FINDINGS = "Differences of accuracies on the test, games divided, in points; both models are tested on the same games."
_CONVOLUTION = (
    "64 channels to 64, eight units, one batch forward and backward. The sum over a unit's neighbours is taken before "
    "the product with the edge's matrix, so that this matrix is never built. A test checks that the results equal "
    "torch_geometric's."
)
_BY_GAME = (
    "A fifth of the games is kept for the test, so that no game is in both parts. As in the paper, the figures are "
    "those of the epoch that is best on the test. Intervals take the games, not the states, as drawn at random. How "
    "much the paper's accuracies vary between games is unknown: their error is taken to be ours, scaled to its number "
    "of games."
)
_BY_STATE = (
    "A fifth of the states is kept for the test: almost every test state has neighbours of the same game, with the "
    "same result, in the training part. The paper does not say which division it used."
)
_PAIRED = (
    "The models of Table 1, games divided, on the same test games; intervals are from a bootstrap over games. A lower "
    "Brier score is better."
)
_REGULARISED = (
    "With dropout, weight decay and, for models with an image, the board's eight symmetries; stopped on games held out "
    "from the training part, so that the test is used once."
)
_MATCHES = (
    "A minimax of depth 2 with a network that was trained on the same kind of maps, against Monte-Carlo players that "
    "get its mean seconds for each decision; two games on each map, seats swapped. W-L-D are the network's."
)
_HANDICAPS = "The GCN's minimax on complex maps against M-UCT with a share of its time."
_ALTERNATIVE = (
    "`sandtable` is PUCT with a small policy network from self-play (docs/networks.md), on the same maps at the same "
    "seconds. Its network learnt on maps of these two kinds among others, but on none of these maps."
)


def _findings(measured: Measured) -> list[Finding]:
    found = []
    for kind in KINDS:
        for better, worse in ORDER:
            claim = f"{NAMES[better]} predicts better than {NAMES[worse]} on {kind} maps"
            first, second = (published.ACCURACY[model][f"{kind} test"] for model in (better, worse))
            printed = round(first - second, 1)
            if "paired" in measured:
                cell = measured["paired"].cell(f"{NAMES[better]} - {NAMES[worse]}", f"{kind}, accuracy, points")
                found.append(by_difference(claim, cell.interval, printed, cell.n))
            else:
                found.append(by_difference(claim, None, printed))
    return found


def _findings_section(measured: Measured, findings: list[Finding]) -> Section:
    title = "What the paper found, one by one"
    if "paired" not in measured:
        return Section(
            title, f"The paper's order on the test is GCN > B > A > C > CNN on both kinds of maps. {NOT_PAIRED}"
        )
    table = table_of(findings, "Findings of takahashi", "difference in points")
    return Section(title, f"{_FINDINGS} {EXPLAINED}", table)


def _table_1(measured: Measured, split: str) -> Table:
    def games(_: str, column: str) -> int:
        if split == "state":  # nearly every game has states in both parts
            return published.GAMES
        return round(published.GAMES * (published.TEST_SHARE if column.endswith("test") else 1 - published.TEST_SHARE))

    table = measured[f"table_1_{split}"].with_published_games(games)
    orders = " and ".join(f"{_order(table, f'{kind} test')} on {kind} maps" for kind in KINDS)
    return table.saying(
        f"By the figures alone, the order on the test is {orders}; in the paper it is GCN > B > A > C > CNN on both. "
        f"{agreement(table)}"
    )


def _order(table: Table, column: str) -> str:
    place = table.column(column)
    ranked = sorted(table.named_rows(), key=lambda row: -float(row[1][place].value or 0))
    return " > ".join(name for name, _ in ranked)


def _summary(
    measured: Measured, settings: Settings, findings: list[Finding], by_game: Table, by_state: Table
) -> tuple[str, ...]:
    agree = {name: compared(table) for name, table in (("games", by_game), ("states", by_state))}
    counts = " and ".join(
        f"{sum(bool(cell.agrees) for cell in cells.values())} of {len(cells)} with {name} divided"
        for name, cells in agree.items()
    )
    return (
        *(summarised(findings) if "paired" in measured else [NOT_PAIRED]),
        f"Published accuracies that agree with ours: {counts}. {_apart(by_game)}",
        _causes(measured, settings),
        _strength(measured),
        f"Each model was trained with {measured.training_seeds}; how much accuracies vary between trainings is not "
        "measured.",
    )


def _apart(table: Table) -> str:
    """On the test, whether ours are higher or lower."""
    tested = [table.cell(name, f"{kind} test") for name in NAMES.values() for kind in KINDS]
    gaps = [cell.difference for cell in tested if cell.difference is not None]
    above, below = sum(gap.low > 0 for gap in gaps), sum(gap.high < 0 for gap in gaps)
    return f"On the test with games divided, {above} of our {len(tested)} accuracies are higher and {below} are lower."


def _causes(measured: Measured, settings: Settings) -> str:
    """How our data and trainings differ, and what was tested."""
    table = measured["states"]
    parts = []
    for kind in KINDS:
        ours = table.number(kind, "total") / table.number(kind, "games")
        theirs = published.STATES[kind]["total"] / published.GAMES
        parts.append(f"{ours:.1f} states a game on {kind} maps (paper {theirs:.1f})")
    steps = " and ".join(f"{_steps(measured, settings, kind)} on {kind} maps" for kind in KINDS)
    return (
        f"Our data have {' and '.join(parts)}; a training had {steps}. One possible cause of the differences was "
        "tested, the division of games or of states; it does not explain them, and no cause was found."
    )


def _steps(measured: Measured, settings: Settings, kind: str) -> str:
    """Steps of training, ours and the paper's."""
    learnt = measured["table_1_game"].cell("GCN", f"{kind} train").n or 0
    ours = settings.epochs * math.ceil(learnt / settings.batch)
    theirs = published.EPOCHS * (1 - published.TEST_SHARE) * published.STATES[kind]["total"] / published.BATCH
    return f"{ours:,} steps (paper about {theirs:,.0f})"


def _strength(measured: Measured) -> str:
    scores = " and ".join(
        f"{said(measured['alternative'].cell(kind, 'minimax with the GCN'))} on {kind}" for kind in KINDS
    )
    ours = " and ".join(f"{said(measured['alternative'].cell(kind, 'sandtable'))} on {kind}" for kind in KINDS)
    return (
        f"Beyond the paper, in matches against M-UCT at equal seconds: the minimax with the GCN scores {scores} maps; "
        f"the player `sandtable` in its place {ours} maps."
    )


def _convolution(measured: Measured) -> Table:
    table = measured["convolution"]
    if len(table.rows) < 2:
        return table.saying("torch_geometric is not installed: there is nothing to compare with.")
    ours, theirs = "ours", "torch_geometric's NNConv"
    memory, time = (
        table.number(theirs, column) / max(table.number(ours, column), 1e-9) for column in ("megabytes", "milliseconds")
    )
    return table.saying(f"Ours takes 1/{memory:.0f} of the memory and 1/{time:.0f} of the time.")


def _states(measured: Measured) -> Table:
    table = measured["states"]
    each = " and ".join(
        f"{table.number(kind, 'total') / table.number(kind, 'games'):.1f} states on {kind} maps (paper "
        f"{published.STATES[kind]['total'] / published.GAMES:.1f})"
        for kind in KINDS
    )
    return table.saying(f"A game has {each}.")


def _paired(measured: Measured) -> Section:
    title = "The models compared, game by game"
    return Section(title, _PAIRED, measured["paired"]) if "paired" in measured else Section(title, NOT_PAIRED)


def _regularised(measured: Measured) -> list[Section]:
    title = "Regularised models"
    if "paired_regularised" not in measured:
        return [Section(title, _REGULARISED, measured["regularised"].saying(NOT_PAIRED))]
    table = measured["paired_regularised"]
    passing = [
        f"{name.partition(' ')[0]} on {kind} maps ({said(cell, ' points')})"
        for name, _ in table.named_rows()
        for kind in KINDS
        if (cell := table.cell(name, f"{kind}, accuracy, points")).interval and (cell.low or 0) > 0
    ]
    text = f"These pass the GCN: {', '.join(passing)}." if passing else "No regularised combination passes the GCN."
    return [
        Section(title, _REGULARISED, measured["regularised"].saying("")),
        Section("Regularised combinations and the GCN, game by game", _PAIRED, table.saying(text)),
    ]


def _matches(measured: Measured) -> Table:
    table = measured["matches"]
    row = next(row for name, row in table.named_rows() if name == "GCN - muct" and row[1].value == "complex")
    return table.saying(
        f"On complex maps the GCN scores {said(row[2])} against M-UCT at the same seconds; one network, "
        f"{measured.training_seeds}."
    )


def _handicaps(measured: Measured) -> Table:
    table = measured["handicaps"]
    last, row = list(table.named_rows())[-1]
    enough = [name for name, row in table.named_rows() if (row[2].low or 0) > WANTED]
    if enough:
        return table.saying(f"The GCN scores more than {WANTED:.0f}% when M-UCT has {enough[0]} of its time or less.")
    less = (row[2].high or 0) < WANTED
    return table.saying(
        f"With {last} of the time for M-UCT the GCN scores {said(row[2])}: "
        + (f"less than {WANTED:.0f}%." if less else f"whether more than {WANTED:.0f}% is open.")
    )


def _alternative(measured: Measured) -> Table:
    table = measured["alternative"]
    gains = []
    for kind in KINDS:
        own, other = (table.cell(kind, column).interval for column in ("sandtable", "minimax with the GCN"))
        if own and other:
            gains.append(f"{said(Cell(*difference(own, other)), ' points')} on {kind} maps")
    return table.saying(f"`sandtable` scores more than the GCN's minimax by {' and '.join(gains)}.")
