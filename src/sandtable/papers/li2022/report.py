"""Stage `report`: the tables and figures of li2022, ours beside the published ones."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from statistics import fmean
from typing import Any

from sandtable.arena.statistics import mean_interval
from sandtable.nets.checkpoints import read_card
from sandtable.papers import plots
from sandtable.papers import report as writing
from sandtable.papers.li2022 import published
from sandtable.papers.li2022.accuracy import measure_accuracy, measure_ceiling
from sandtable.papers.li2022.data import check_records
from sandtable.papers.li2022.growth import measure_growth
from sandtable.papers.li2022.matches import PLAYERS, measure_thinking, play_matches
from sandtable.papers.li2022.readings_report import readings_sections
from sandtable.papers.li2022.settings import KINDS, NETWORKS, SCALES, Settings
from sandtable.papers.li2022.training import train_networks
from sandtable.papers.matches import score, turned
from sandtable.papers.report import Section
from sandtable.papers.run import Run
from sandtable.papers.tables import Cell, Table, agreement, percent
from sandtable.papers.training import weights

NAMES = {"cnn_i": "CNN_i", "cnn_g": "CNN_g", "gcn_4": "GCN_4", "gcn_32": "GCN_32"}
TITLE = "li2022: graph input and graph convolutions for value networks on TUBSTAP"


def write_report(run: Run, settings: Settings) -> Path:
    """The report's folder: the run's own, or `run.results` if nothing of a larger scale lies there."""
    records = check_records(run, settings)
    curves = train_networks(run, settings)
    accuracy = measure_accuracy(run, settings)
    ceiling = measure_ceiling(run, settings)
    growth = measure_growth(run, settings)
    thinking = measure_thinking(run, settings)
    matches = play_matches(run, settings)
    readings = readings_sections(run, settings)

    table_3, table_4, table_4_paper = _table_3(run), _table_4(accuracy, "all"), _table_4(accuracy, "paper")
    table_5, table_6 = (_match_table(ground, matches, thinking, settings) for ground in ("symmetric", "local_search"))
    about = writing.provenance(run, run.scale, settings, SCALES[run.scale])
    pictures = {
        "figure_10.png": plots.curves(
            _curve(curves, "test_accuracy", 100), "training step", "accuracy on all test states, %"
        ),
        "losses.png": plots.curves(
            _curve(curves, "loss", 1) | _curve(curves, "held_out_loss", 1, ", held out"),
            "training step",
            "squared error",
        ),
        "accuracy.png": plots.beside_published(table_4, "accuracy, %"),
        "symmetric.png": plots.beside_published(table_5, "score, %", skip=["thinking, ms"]),
        "local_search.png": plots.beside_published(table_6, "score, %", skip=["thinking, ms"]),
    }
    sections = [
        Section("How these figures were made", _made(about, settings)),
        Section("Table 2: states for each label", table=_table_2(records)),
        Section("Table 3: weights", table=table_3),
        Section("Table 4: accuracy on all test maps", _TABLE_4, table_4, "accuracy.png", "accuracy by network"),
        Section("Table 4, without the further maps", table=table_4_paper),
        Section("How well anything could predict", _CEILING, _ceiling_table(ceiling)),
        Section("What more games do to accuracy", _GROWTH, _growth_table(growth)),
        Section("What longer training does to accuracy", _LONGER, _longer_table(curves)),
        Section("Figure 10: accuracy by training step", picture="figure_10.png", picture_says="accuracy by step"),
        Section("Losses", "", None, "losses.png", "losses by step"),
        Section("Table 5: matches on symmetric maps", "", table_5, "symmetric.png", "scores on symmetric maps"),
        Section(
            "Table 6: matches on local-search maps", "", table_6, "local_search.png", "scores on local-search maps"
        ),
        Section("Section 4.3.1: 10x10 maps, the same weights", table=_larger_table(matches, thinking, settings)),
        *readings,
    ]
    return writing.publish(run, TITLE, sections, pictures, about)


_TABLE_4 = (
    "Intervals are 95%, with the games as what was drawn: the states of one game share its result, and counting them "
    "as independent would make the intervals far too narrow. To the test maps of the paper's kinds and numbers further "
    "ones are added, played in the same way."
)
_CEILING = (
    "Results are noisy: from the same state the same players win one game and lose another. Some test states were "
    "played on many times by the players that made the data. *Most frequent* predicts each game by the most frequent "
    "result of its state's other games, which no predictor can beat in the long run; *mean, read as a network is* "
    "takes their mean result with the paper's thresholds of 0.5 and -0.5, which is what a perfect value network would "
    "do. The first column leaves the game itself out, and is a little too low, as there are few games; the second has "
    "it among those that predict, and is a little too high. The networks are scored on the same games."
)

_GROWTH = (
    "GCN_4 trained in the same way on some of the training games. Where twice the games still lower the error by much, "
    "it is the number of games that limits the network."
)
_LONGER = (
    "The paper counts an output between -0.5 and 0.5 as a tie. A network that is trained on becomes surer of itself "
    "than it should be: its error on games that it has not seen grows, and so does its accuracy, for fewer of its "
    "outputs lie between the thresholds. The networks of the other tables are those with the least error."
)
_CEILING_COLUMNS = ("predictor", "from the other games", "from all games")


def _made(about: dict[str, Any], settings: Settings) -> str:
    return writing.made("li2022", about) + (
        f"\n\nLocal-search maps are made by players of {settings.local_search_rollouts:,} rollouts a decision (the "
        f"paper's 6,400); the data's games by players of {settings.data_rollouts:,} (not given in the paper). "
        f"Training: mean squared error, Adam {settings.learning_rate:g}, batches of {settings.batch}, stopped after "
        f"{settings.patience} epochs without a better {settings.best_by.removeprefix('held_out_')} on the "
        f"{settings.held_out:.0%} of games held out."
    )


def _table_2(records: dict[str, Any]) -> Table:
    labels = ("win", "loss", "tie")
    rows = []
    for name, part, uses in (
        ("training", "train", ("train",)),
        ("test", "test", ("test",)),
        ("test, with further maps", None, ("test", "match", "more")),
    ):
        counts = [
            sum(records["states"].get(f"{use} {kind} {word}", 0) for use in uses for kind in KINDS) for word in labels
        ]
        printed = published.STATES[part] if part else {}
        games = sum(records["games"].get(f"{use} {kind}", 0) for use in uses for kind in KINDS)
        cells = [Cell(count, published=printed.get(word)) for word, count in zip(labels, counts, strict=True)]
        rows.append((Cell(name), Cell(games), *cells, Cell(sum(counts), published=printed.get("total"))))
    printed = published.STATES["train"]
    won, lost, tied = (rows[0][i].value / rows[0][5].value for i in (2, 3, 4))  # type: ignore[operator]
    said = (
        f"Of the training states {won:.0%} are won, {lost:.0%} lost and {tied:.0%} tied for the side to move; in the "
        "paper " + ", ".join(f"{printed[word] / printed['total']:.0%}" for word in labels) + "."
    )
    return Table("table_2", "Table 2: states for each label", ("data", "games", *labels, "total"), tuple(rows), said, 0)


def _table_3(run: Run) -> Table:
    rows = []
    for network in NETWORKS:
        count = read_card(weights(run, network)).weights
        rows.append((Cell(NAMES[network]), Cell(count, published=published.WEIGHTS[network])))
    right = sum(row[1].value == row[1].published for row in rows)
    said = f"{right} of {len(rows)} weight counts are the paper's."
    return Table("table_3", "Table 3: weights", ("network", "weights"), tuple(rows), said, 0)


def _table_4(accuracy: dict[str, Any], which: str) -> Table:
    columns = ("overall", *KINDS)
    rows = tuple(
        (
            Cell(NAMES[network]),
            *(percent(accuracy[network][which][column], published.ACCURACY[network][column]) for column in columns),
        )
        for network in NETWORKS
    )
    name, title = (
        ("table_4", "Table 4: accuracy, %")
        if which == "all"
        else ("table_4_paper", "Table 4, without the further maps: accuracy, %")
    )
    table = Table(name, title, ("network", *columns), rows)
    overall = [(row[1], str(row[0].value)) for row in rows]
    if any(one.value is None for one, _ in overall):
        return dataclasses.replace(table, said="There are too few games to say anything.")
    ordered = all(a.value <= b.value for (a, _), (b, _) in itertools.pairwise(overall))  # type: ignore[operator]
    image, graph = overall[0][0], overall[1:]
    apart = all(image.high < one.low for one, _ in graph)  # type: ignore[operator]
    found = ", ".join(f"{name} {one.value:.1f}" for one, name in overall)
    order = " <= ".join(name for _, name in overall)
    said = (
        f"The paper's order, {order}, {'holds' if ordered else 'does not hold'} overall ({found}); the interval of "
        f"image input {'lies below all' if apart else 'overlaps some'} of graph input. {agreement(table)}"
    )
    return dataclasses.replace(table, said=said)


def _ceiling_table(ceiling: dict[str, Any]) -> Table:
    rows = [
        (Cell(label), percent(ceiling[f"{key}, others"]), percent(ceiling[f"{key}, all"]))
        for label, key in (("most frequent", "most frequent"), ("mean, read as a network is", "mean"))
    ]
    rows += [(Cell(NAMES[network]), percent(ceiling[network]), Cell(None)) for network in NETWORKS]
    if any(cell.value is None for cell in rows[0][1:]):
        return Table("ceiling", "Best possible accuracy, %", _CEILING_COLUMNS, tuple(rows), "There are too few games.")
    mean, best = rows[1], max(rows[2:], key=lambda row: row[1].value)  # type: ignore[arg-type,return-value]
    said = (
        f"With {ceiling['games']} games a state, a perfect value network would score about {mean[1].value:.0f} to "
        f"{mean[2].value:.0f}% by the paper's reading; the best network here scores {best[1].value:.1f}%. The results' "
        f"own variance, below which no squared error falls, is {ceiling['variance']:.2f}."
    )
    return Table("ceiling", "Best possible accuracy, %", _CEILING_COLUMNS, tuple(rows), said)


def _growth_table(growth: list[dict[str, Any]]) -> Table:
    rows = tuple((Cell(one["games"]), Cell(one["error"]), percent(one["accuracy"])) for one in growth)
    said = (
        f"From {growth[-2]['games']:,} games to {growth[-1]['games']:,} the error changes from "
        f"{growth[-2]['error']:.3f} to {growth[-1]['error']:.3f}."
    )
    title = "GCN_4 by training games: squared error and accuracy on all test maps, %"
    return Table("growth", title, ("training games", "error", "accuracy"), rows, said, 2)


def _longer_table(curves: dict[str, Any]) -> Table:
    rows = []
    for network, found in curves.items():
        least = min(found["curve"], key=lambda row: row["held_out_loss"])
        best = max(found["curve"], key=lambda row: row["held_out_accuracy"])
        cells = [Cell(one[key]) for one in (least, best) for key in ("step", "held_out_loss")]
        cells += [Cell(100 * one["test_accuracy"]) for one in (least, best)]
        rows.append((Cell(NAMES[network]), cells[0], cells[1], cells[4], cells[2], cells[3], cells[5]))
    said = "From the least error to the best accuracy on held-out games, " + ", ".join(
        f"{row[0].value} gains {row[6].value - row[3].value:+.1f} points on the test maps"  # type: ignore[operator]
        for row in rows
    )
    columns = ("network", "least error: step", "error", "accuracy", "best accuracy: step", "error", "accuracy")
    return Table(
        "longer", "Accuracy on all test maps, %, at two steps of training", columns, tuple(rows), said + ".", 2
    )


def _match_table(ground: str, matches: dict[str, Any], thinking: dict[str, Any], settings: Settings) -> Table:
    names = {name: name if name != "MCTS" else f"MCTS-{settings.match_rollouts}" for name in PLAYERS}
    rows = []
    for own in PLAYERS:
        cells = [Cell(None) if own == other else _score(matches, ground, own, other) for other in PLAYERS]
        rows.append((Cell(names[own]), *cells, _seconds(thinking, ground, own)))
    number = "5" if ground == "symmetric" else "6"
    title = f"Table {number}: score, % (a tie is half a win), on {ground.replace('_', '-')} maps"
    columns = ("player", *(f"vs {name}" for name in names.values()), "thinking, ms")
    table = Table(f"table_{number}", title, columns, tuple(rows))
    once = Table(
        "",
        "",
        columns[:-1],
        tuple(row[: i + 1] + tuple(Cell(None) for _ in row[i + 1 : -1]) for i, row in enumerate(rows)),
    )
    faster = {name: published.THINKING[ground][name] / fmean(thinking[f"{ground} {name}"]) for name in ("GCN", "MCTS")}
    said = (
        f"GCN scores {_versus(rows, 0, 4)} against {names['MCTS']} and {_versus(rows, 0, 3)} against CNN_i. Each pair "
        f"counted once, {agreement(once)} A decision of GCN takes 1/{faster['GCN']:,.0f} of the "
        f"paper's time, one of MCTS 1/{faster['MCTS']:,.0f}."
    )
    return dataclasses.replace(table, said=said)


def _versus(rows: list[tuple[Cell, ...]], row: int, column: int) -> str:
    one = rows[row][column]
    return f"{one.value:.1f}% (paper {one.published:.1f}%)"


def _score(matches: dict[str, Any], ground: str, own: str, other: str) -> Cell:
    key, back = f"{ground} {own} {other}", f"{ground} {other} {own}"
    if key in matches:
        return score(matches[key]["counts"], published.MATCHES[key])
    return score(turned(matches[back]["counts"]), turned(published.MATCHES[back]))


def _seconds(thinking: dict[str, Any], ground: str, name: str) -> Cell:
    taken = thinking[f"{ground} {name}"]
    printed = 1000 * published.THINKING[ground][name]
    if len(taken) < 2:
        return Cell(1000 * fmean(taken), n=len(taken), published=printed)
    low, high = mean_interval(taken)
    return Cell(1000 * fmean(taken), 1000 * low, 1000 * high, len(taken), printed)


def _larger_table(matches: dict[str, Any], thinking: dict[str, Any], settings: Settings) -> Table:
    scored = _score(matches, "larger", "GCN", "MCTS")
    mcts = f"MCTS-{settings.match_rollouts}"
    row = (Cell("GCN"), scored, _seconds(thinking, "larger", "GCN"), _seconds(thinking, "larger", "MCTS"))
    said = (
        f"Weights trained on 8x8 maps score {scored.value:.1f}% on 10x10 maps; the paper's {scored.published:.1f}% "
        f"{'lies' if scored.agrees else 'does not lie'} within our interval."
    )
    columns = ("player", f"vs {mcts}", "thinking, ms", f"{mcts} thinking, ms")
    return Table("larger_maps", "GCN on 10x10 symmetric maps: score, %", columns, (row,), said)


def _curve(curves: dict[str, Any], key: str, factor: float, suffix: str = "") -> dict[str, Any]:
    return {
        NAMES[network] + suffix: (
            [row["step"] for row in found["curve"]],
            [factor * row[key] for row in found["curve"]],
        )
        for network, found in curves.items()
    }
