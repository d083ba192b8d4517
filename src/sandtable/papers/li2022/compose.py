"""The report of li2022, written from its tables alone: summary, findings, sentences, sections."""

from __future__ import annotations

import math

from sandtable.papers.findings import Finding, by_difference, by_score, summarised
from sandtable.papers.li2022 import published
from sandtable.papers.li2022.learning_curves_compose import compose_curves, curve_sections
from sandtable.papers.li2022.mcts_readings import mcts_readings_sections, nearest_reading
from sandtable.papers.li2022.readings_compose import compose_readings, nearest, readings_sections
from sandtable.papers.li2022.settings import KINDS, PAPER_TEST, SCALES, Settings
from sandtable.papers.li2022.unexplained import unexplained_sections
from sandtable.papers.measured import Measured
from sandtable.papers.plots import Bars, Kept
from sandtable.papers.report import Report, Section, findings_section
from sandtable.papers.tables import Cell, Table, TableError, agreement, compared, differing, said

NAMES = {"cnn_i": "CNN_i", "cnn_g": "CNN_g", "gcn_4": "GCN_4", "gcn_32": "GCN_32"}
KEYS = {name: key for key, name in NAMES.items()}
TITLE = "li2022: graph input and graph convolutions for value networks on TUBSTAP"
TEST_GAMES = {"overall": sum(PAPER_TEST)} | dict(zip(KINDS, PAPER_TEST, strict=True))  # section 4.2
GROUNDS = {"table_5": "symmetric", "table_6": "local-search"}
NOT_PAIRED = (
    "The stored results do not allow a verdict on the order of the networks: that takes the results of each network on "
    "each test game, and this run stored neither these nor the squared errors on the test maps. Overlapping intervals "
    "are no verdict."
)

_KEPT = (
    "The data of these curves were not stored. The picture is the one that the run drew; its legend may cover parts of "
    "curves."
)


def compose(measured: Measured) -> Report:
    if "table_4" not in measured and "readings_accuracy" in measured:
        return compose_readings(measured)
    if "table_4" not in measured and "curve_accuracy" in measured:
        return compose_curves(measured)
    settings = measured.settings(SCALES)
    table_4, table_4_paper = (
        measured[name].with_published_games(lambda _, column: TEST_GAMES.get(column, 0))
        for name in ("table_4", "table_4_paper")
    )
    findings = _findings(measured, settings)
    return Report(
        TITLE,
        _summary(measured, findings, table_4),
        (
            findings_section(findings, "li2022", "score in % or difference in points", _FINDINGS),
            Section("Table 2: states for each label", "", _table_2(measured)),
            Section("Table 3: weights", "", measured["table_3"].saying(f"{_right_weights(measured)}.")),
            Section(
                "Table 4: accuracy on all test maps",
                _TABLE_4,
                table_4.saying(agreement(table_4)),
                Bars("accuracy", table_4, "accuracy, %"),
                "accuracy by network",
            ),
            Section("Table 4, without the further maps", "", table_4_paper.saying(agreement(table_4_paper))),
            *_by_game_sections(measured),
            *_seed_sections(measured),
            Section("The best possible accuracy", _CEILING, _ceiling(measured, settings)),
            Section("What more games do to accuracy", _GROWTH, _growth(measured)),
            Section("What longer training does to accuracy", _LONGER, _longer(measured)),
            *_curve_sections(measured),
            *(
                Section(
                    f"Table {name[-1]}: matches on {ground} maps",
                    f"Scores in %, a draw counting half. {_FIRST_SEED}",
                    _matches(measured[name], settings),
                    Bars(ground.replace("-", "_"), measured[name], "score, %", ("thinking, ms",)),
                    f"scores on {ground} maps",
                )
                for name, ground in GROUNDS.items()
            ),
            Section("Section 4.3.1: 10x10 maps, the same weights", "", _larger(measured, settings)),
            *mcts_readings_sections(measured, settings),
            *curve_sections(measured, settings),
            *readings_sections(measured, settings),
            *unexplained_sections(measured, _accuracy_gap(measured, table_4), _mcts_gap(measured, settings)),
        ),
        _made(settings),
    )


_FINDINGS = (
    "A score is that of the player that the claim names first. A difference of accuracies is in points, and both "
    "networks are tested on the same games."
)
_TABLE_4 = (
    "The share of test states whose result is predicted. The states of one game share its result, so the intervals "
    "treat the games, not the states, as the random sample. The test set has the paper's number of maps of each kind "
    "and further maps, with games that were played in the same way. The paper's test set has 3,859 states of 120 "
    "games; how much its accuracies vary between games is unknown, so their error is taken to be ours, scaled to its "
    "number of games."
)
_PAIRED = (
    "Both networks of a pair are tested on the same games, so their difference is known more precisely than either "
    "accuracy. Intervals are from a bootstrap over games. The squared error is given too, because the accuracy rewards "
    "overconfidence: outputs between -0.5 and 0.5 are read as ties."
)
_SEEDS = (
    "Means over all trainings, tested on the same games. Intervals are from a bootstrap over training seeds and games."
)
_CEILING = (
    "Results are noisy: from one state, the same players win one game and lose another. From some test states, the "
    "players that made the data therefore played many games. *Most frequent* predicts for each of these games the most "
    "frequent result of the state's other games; with enough games, no predictor does better. *Mean, read as a network "
    "is* applies the paper's thresholds of 0.5 and -0.5 to the mean result, as a perfect value network would. The "
    "first column leaves the predicted game out and is slightly too low; the second includes it and is slightly too "
    "high. The networks are scored on the same games."
)
_FIRST_SEED = "The networks come from one training seed; how much scores vary between trainings is not measured."
_GROWTH = "GCN_4, trained in the same way on a part of the training games. Each row is one training with one seed."
_LONGER = (
    "The paper reads an output between -0.5 and 0.5 as a tie. When training goes on after the least error on held-out "
    "games, fewer outputs may lie between these thresholds, so that the accuracy grows while the network becomes "
    "overconfident. Errors are those on held-out games, accuracies those on the test maps. The other tables use the "
    "networks with the least error on held-out games."
)


def _made(settings: Settings) -> str:
    return (
        f"Local-search maps were made by players with {settings.local_search_rollouts:,} rollouts a decision (6,400 in "
        f"the paper), the games of the data by players with {settings.data_rollouts:,} (not given in the paper). "
        f"Training: mean squared error, Adam with learning rate {settings.learning_rate:g}, batches of "
        f"{settings.batch}, stopped after {settings.patience} epochs without a better "
        f"{settings.best_by.removeprefix('held_out_')} on the {settings.held_out:.0%} of games held out."
    )


def _findings(measured: Measured, settings: Settings) -> list[Finding]:
    mcts = f"MCTS-{settings.match_rollouts}"
    claims = (
        ("GCN", "CNN_g"),
        ("GCN", "CNN_i"),
        ("GCN", mcts),
        ("CNN_g", "CNN_i"),
        (mcts, "CNN_g"),
        (mcts, "CNN_i"),
    )
    found = [
        by_score(f"{first} beats {second} on {ground} maps", measured[name].cell(first, f"vs {second}"))
        for name, ground in GROUNDS.items()
        for first, second in claims
    ]
    found.append(by_score(f"GCN beats {mcts} on 10x10 maps", measured["larger_maps"].cell("GCN", f"vs {mcts}")))
    for better, worse in (("CNN_g", "CNN_i"), ("GCN_4", "CNN_g"), ("GCN_32", "GCN_4")):
        claim = f"{better} predicts better than {worse}"
        paired = next((name for name in ("seeds_paired", "paired") if name in measured), None)
        if paired:
            difference = measured[paired].cell(f"{better} - {worse}", "accuracy, points")
        else:
            first, second = (published.ACCURACY[KEYS[name]]["overall"] for name in (better, worse))
            difference = Cell(None, published=round(first - second, 1))
        found.append(by_difference(claim, difference))
    return found


def _summary(measured: Measured, findings: list[Finding], table_4: Table) -> tuple[str, ...]:
    accuracies = compared(table_4).values()
    scores = [cell for name in GROUNDS for cell in compared(measured[name]).values()]
    agree, same = (sum(bool(cell.agrees) for cell in cells) for cells in (accuracies, scores))
    paragraphs = (
        *summarised(findings),
        "" if "paired" in measured else NOT_PAIRED,
        f"{_right_weights(measured)}. {agree} of {len(accuracies)} published accuracies and {same} of {len(scores)} "
        "published scores of matches agree with ours.",
        _causes(measured, table_4),
        nearest(measured["readings_accuracy"]) if "readings_accuracy" in measured else "",
        _one_seed(measured),
    )
    return tuple(filter(None, paragraphs))


def _causes(measured: Measured, table_4: Table) -> str:
    """The tested causes of accuracies below the paper's; empty if none is below."""
    differences = {name: table_4.cell(name, "overall").difference for name in NAMES.values()}
    lower = {name: -gap.value for name, gap in differences.items() if gap is not None and gap.high < 0}
    if not lower:
        return ""
    gains = {name: _gain(measured["longer"], name) for name in lower}
    growth = measured["growth"]
    parts = [f"{said(growth.cell(games, 'accuracy'))} with {int(games):,} games" for games in _last_two(growth)]
    text = (
        f"Our accuracy is lower than the paper's by {_each(lower, '.1f')}. Three possible causes were tested. "
        f"{_noise(measured)}Amount of data: GCN_4 scores {' and '.join(parts)}. Longer training: it changes the "
        f"accuracy by {_each(gains, '+.1f')}."
    )
    left = [name for name, gap in lower.items() if gap > gains[name]]
    return text + (f" None of them explains the whole difference for {', '.join(left)}." if left else "")


def _accuracy_gap(measured: Measured, table_4: Table) -> str:
    """Our accuracies minus the paper's, and the nearest of the readings that were tried."""
    gaps = {name: gap.value for name in NAMES.values() if (gap := table_4.cell(name, "overall").difference)}
    if not gaps:
        return ""
    tried = nearest(measured["readings_accuracy"]) if "readings_accuracy" in measured else ""
    return f"The accuracy here minus the paper's is {_each(gaps, '+.1f')}. {tried}".strip()


def _mcts_gap(measured: Measured, settings: Settings) -> str:
    """The matches in which MCTS scores less against a network than in the paper; empty if there are none."""
    mcts = f"MCTS-{settings.match_rollouts}"
    gaps = [
        gap
        for name in GROUNDS
        for network in ("GCN", "CNN_g", "CNN_i")
        if (gap := measured[name].cell(mcts, f"vs {network}").difference)
    ]
    lower = [-gap.value for gap in gaps if gap.high < 0]
    if not lower:
        return ""
    return (
        f"In {len(lower)} of {len(gaps)} matches with a network {mcts} scores less than in the paper, by "
        f"{min(lower):.1f} to {max(lower):.1f} points. {nearest_reading(measured)}"
    )


def _each(points: dict[str, float], form: str) -> str:
    return ", ".join(f"{value:{form}} points for {name}" for name, value in points.items())


def _last_two(growth: Table) -> list[str]:
    """The two largest numbers of training games."""
    rows = [name for name, _ in growth.named_rows()][-2:]
    if len(rows) < 2 or not all(name.isdecimal() for name in rows):
        raise TableError("growth.json: needs two rows, each for a number of games")
    return rows


def _noise(measured: Measured) -> str:
    """Whether noise in the results can explain the accuracy of the networks."""
    ceiling = measured["ceiling"]
    perfect = ceiling.cell("mean, read as a network is", 1)
    best = max((ceiling.cell(name, 1) for name in NAMES.values()), key=lambda cell: cell.interval or (0.0,))
    if perfect.interval is None or best.interval is None:
        return ""
    explains = "may explain a part of it" if best.interval.high > perfect.interval.low else "does not explain it"
    return (
        f"Noise in the results {explains}: a perfect value network would score about {said(perfect)} on our states, "
        f"the best network here {said(best)}. "
    )


def _gain(longer: Table, name: str) -> float:
    return longer.number(name, 6) - longer.number(name, 3)


def _one_seed(measured: Measured) -> str:
    if "seeds" in measured:
        return (
            f"Each network was trained with {measured.training_seeds}, by which the order of the networks is judged. "
            "All other figures of these networks come from the first seed; how much scores vary between trainings is "
            "not measured."
        )
    return (
        f"Each network was trained with {measured.training_seeds}; how much accuracies and scores vary between "
        "trainings is not measured."
    )


def _right_weights(measured: Measured) -> str:
    table = measured["table_3"]
    cells = [table.cell(name, "weights") for name in NAMES.values()]
    return f"{sum(cell.value == cell.published for cell in cells)} of {len(cells)} weight counts are the paper's"


def _table_2(measured: Measured) -> Table:
    table = measured["table_2"]
    labels = ("win", "loss", "tie")
    ours = [f"{table.ratio('training', label, 'total'):.0%}" for label in labels]
    printed = published.STATES["train"]
    theirs = [f"{printed[label] / printed['total']:.0%}" for label in labels]
    return table.saying(
        f"Of the training states, {ours[0]} are won, {ours[1]} lost and {ours[2]} tied for the side to move; in the "
        f"paper {theirs[0]}, {theirs[1]} and {theirs[2]}."
    )


def _by_game_sections(measured: Measured) -> list[Section]:
    if "paired" not in measured:
        return [Section("The networks compared, game by game", NOT_PAIRED)]
    errors, paired = measured["squared_error"], measured["paired"]
    least = min(NAMES.values(), key=lambda name: errors.cell(name, "overall").interval or (math.inf,))
    best = errors.saying(f"{least} has the smallest error, {said(errors.cell(least, 'overall'), '', 3)}.")
    return [
        Section("Squared error on all test maps", "The mean of (result - output)^2 over the test states.", best),
        Section("The networks compared, game by game", _PAIRED, paired.saying(differing(paired, "accuracy, points"))),
    ]


def _seed_sections(measured: Measured) -> list[Section]:
    if "seeds" not in measured:
        return []
    levels, paired = measured["seeds"], measured["seeds_paired"]
    best = max(NAMES.values(), key=lambda name: levels.number(name, "accuracy, %"))
    highest = f"{best} has the highest accuracy, {said(levels.cell(best, 'accuracy, %'))}."
    return [
        Section("The networks from all training seeds", _SEEDS, levels.saying(highest)),
        Section("The networks compared over all trainings", "", paired.saying(differing(paired, "accuracy, points"))),
    ]


def _ceiling(measured: Measured, settings: Settings) -> Table:
    table = measured["ceiling"]
    perfect = [table.cell("mean, read as a network is", column) for column in (1, 2)]
    networks = [(table.cell(name, 1), name) for name in NAMES.values()]
    if any(cell.interval is None for cell in (*perfect, *(cell for cell, _ in networks))):
        return table.saying("There are too few games.")
    best, name = max(networks, key=lambda one: one[0].value or 0)
    text = (
        f"With {settings.ceiling_games} games a state, a perfect value network would score between {said(perfect[0])} "
        f"and {said(perfect[1])} with the paper's thresholds. The best network here, {name}, scores {said(best)} on "
        "these states."
    )
    if "variance" in table.facts:
        variance = f"{table.facts['variance']:.2f}"
        text += f" The variance of the results, {variance}, is about the least possible squared error."
    return table.saying(text)


def _growth(measured: Measured) -> Table:
    table = measured["growth"]
    less, more = _last_two(table)
    errors = " to ".join(f"{table.number(games, 'error'):.3f}" for games in (less, more))
    return table.saying(f"From {int(less):,} games to {int(more):,}, the squared error changes from {errors}.")


def _longer(measured: Measured) -> Table:
    table = measured["longer"]
    gains = ", ".join(f"{name} by {_gain(table, name):+.1f} points" for name, _ in table.named_rows())
    return table.saying(
        "From the step with the least error on held-out games to that with the best accuracy on them, the accuracy on "
        f"the test maps changes: {gains}."
    )


def _curve_sections(measured: Measured) -> list[Section]:
    shown = (("figure_10", "Figure 10: accuracy by training step"), ("losses", "Losses by training step"))
    return [
        Section(title, _KEPT if isinstance(picture, Kept) else "", None, picture, title)
        for name, title in shown
        if (picture := measured.picture(name))
    ]


def _matches(table: Table, settings: Settings) -> Table:
    mcts = f"MCTS-{settings.match_rollouts}"
    faster = {}
    for name in ("GCN", mcts):
        taken = table.number(name, "thinking, ms")
        faster[name] = (table.cell(name, "thinking, ms").published or 0) / max(taken, 1e-9)
    scores = " and ".join(f"{said(table.cell('GCN', f'vs {one}'))} against {one}" for one in (mcts, "CNN_i"))
    return table.saying(
        f"GCN scores {scores}. {agreement(table)} On this machine a decision takes 1/{faster['GCN']:,.0f} of the "
        f"paper's time for GCN and 1/{faster[mcts]:,.0f} for {mcts}."
    )


def _larger(measured: Measured, settings: Settings) -> Table:
    table = measured["larger_maps"]
    cell = table.cell("GCN", f"vs MCTS-{settings.match_rollouts}")
    return table.saying(
        f"The weights trained on 8x8 maps score {said(cell)} on 10x10 maps; the published score "
        f"{'agrees with' if cell.agrees else 'differs from'} ours."
    )
