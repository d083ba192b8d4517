"""The tables and the figure of li2022's learning curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sandtable.papers.accuracy import ByGame, cells_over_trainings
from sandtable.papers.li2022 import learning_curves, published
from sandtable.papers.li2022.learning_curves import NETWORKS, RULES, Results
from sandtable.papers.li2022.readings_report import STATES_PER_GAME
from sandtable.papers.li2022.settings import Settings
from sandtable.papers.plots import Curves
from sandtable.papers.tables import Cell, Table, percent

SHOWN = {
    "cnn_i": "CNN_i",
    "cnn_g": "CNN_g",
    "gcn_4": "GCN_4 adjacency",
    "gcn_4_kernel": "GCN_4 kernel",
    "takahashi_gcn": "takahashi's GCN",
    "tokens": "tokens",
}
LABELS = ("win", "loss", "tie")
PERFECT = "perfect value network"
FIGURE = "learning_curves"


class Contrast(NamedTuple):
    """Two networks, and the question that their difference answers."""

    better: str
    worse: str
    question: str

    @property
    def name(self) -> str:
        return f"{SHOWN[self.better]} - {SHOWN[self.worse]}"


CONTRASTS = (
    Contrast("cnn_g", "cnn_i", "graph or image"),
    Contrast("gcn_4", "cnn_g", "graph convolution with the adjacency or convolution"),
    Contrast("gcn_4_kernel", "cnn_g", "graph convolution with a kernel or convolution"),
    Contrast("gcn_4_kernel", "gcn_4", "kernel or adjacency"),
    Contrast("takahashi_gcn", "gcn_4_kernel", "damages on the edges or the paper's graph"),
    Contrast("tokens", "takahashi_gcn", "our network or takahashi's"),
)
MEASURES = {"accuracy": ("accuracy, %", 1), "error": ("squared error", 3)}


def games_column(size: int) -> str:
    return f"{size:,} games"


def rule_column(size: int, rule: int) -> str:
    return f"{size:,} games, tie after {rule}"


def curve_tables(
    results: Results, ceiling: Mapping[str, Any], data: Mapping[str, Mapping[str, Any]], settings: Settings
) -> list[Table]:
    """The tables of the learning curves; none if the run has no curves."""
    if not results:
        return []
    trainings = {(rule, network, size): found for rule in RULES for (network, size), found in _grouped(results, rule)}
    main = [(games_column(size), RULES[0], size) for size in learning_curves.sizes(settings, RULES[0])]
    shared = [size for size in learning_curves.sizes(settings, RULES[1]) if (RULES[0], NETWORKS[0], size) in trainings]
    by_rule = [(rule_column(size, rule), rule, size) for size in shared for rule in RULES[::-1]]
    return [
        _data_table(data),
        *_tables("curve", trainings, main, NETWORKS),
        *_tables("curve_rules", trainings, by_rule, learning_curves.FIRST_RULE_NETWORKS),
        _ceiling_table(ceiling),
    ]


def curve_figure(tables: Iterable[Table]) -> list[Curves]:
    """Accuracy by number of training games, with a lower and an upper bound for a perfect value network."""
    found = {one.name: one for one in tables}
    if "curve_accuracy" not in found:
        return []
    table, ceiling = found["curve_accuracy"], found["curve_ceiling"]
    along = [int(column.removesuffix(" games").replace(",", "")) for column in table.columns[1:]]
    lines: dict[str, tuple[list[int], list[float]]] = {
        name: (along, [table.number(name, column) for column in table.columns[1:]]) for name, _ in table.named_rows()
    }
    for column, words in zip(ceiling.columns[1:], ("at least", "at most"), strict=True):
        value = ceiling.cell(PERFECT, column).value
        if isinstance(value, int | float):
            lines[f"{PERFECT}, {words}"] = along, [value] * len(along)
    return [Curves(FIGURE, lines, "games to learn from", "accuracy, %", log_x=True)]


def _grouped(results: Results, rule: int) -> Iterable[tuple[tuple[str, int], list[ByGame]]]:
    found: dict[tuple[str, int], list[ByGame]] = {}
    for one, tested in results[rule].items():
        found.setdefault((one.network, one.size), []).append(tested)
    return found.items()


def _tables(
    name: str,
    trainings: Mapping[tuple[int, str, int], list[ByGame]],
    columns: list[tuple[str, int, int]],
    networks: tuple[str, ...],
) -> Iterable[Table]:
    """Levels, and differences between networks, in accuracy and in squared error."""
    contrasts = [one for one in CONTRASTS if {one.better, one.worse} <= set(networks)]
    levels = {
        network: [cells_over_trainings(trainings[rule, network, size]) for _, rule, size in columns]
        for network in networks
    }
    differences = {
        one: [
            cells_over_trainings(trainings[rule, one.better, size], trainings[rule, one.worse, size])
            for _, rule, size in columns
        ]
        for one in contrasts
    }
    titles = [column for column, *_ in columns]
    for place, (measure, (words, digits)) in enumerate(MEASURES.items()):
        rows = [(SHOWN[network], *(cells[place] for cells in found)) for network, found in levels.items()]
        title = f"Learning curves: {words}" if name == "curve" else f"By tie rule: {words}"
        yield Table.of(f"{name}_{measure}", title, ("network", *titles), rows, digits=digits)
        pairs = [(one.name, one.question, *(cells[place] for cells in found)) for one, found in differences.items()]
        yield Table.of(
            f"{name}_{measure}_differences",
            f"{title.replace(', %', ', points')}, differences of two networks",
            ("networks", "question", *titles),
            pairs,
            digits=digits,
        )


def _ceiling_table(ceiling: Mapping[str, Any]) -> Table:
    rows = [
        (label, percent(ceiling[f"{key}, others"]), percent(ceiling[f"{key}, all"]))
        for label, key in (("most frequent result", "most frequent"), (PERFECT, "mean"))
    ]
    facts = {key: ceiling[key] for key in ("variance", "states", "games")}
    columns = ("predictor", "from the other games", "from all games")
    return Table.of("curve_ceiling", "Best possible accuracy on these games, %", columns, rows, facts=facts)


def _data_table(data: Mapping[str, Mapping[str, Any]]) -> Table:
    printed = published.STATES["train"]
    rows = []
    for rule, found in data.items():
        total = sum(found["states"].values())
        shares = [
            Cell(100 * found["states"].get(label, 0) / total, published=100 * printed[label] / printed["total"])
            for label in LABELS
        ]
        each = Cell(total / found["games"], published=STATES_PER_GAME)
        ratio = Cell(
            found["states"].get("win", 0) / max(1, found["states"].get("loss", 0)),
            published=printed["win"] / printed["loss"],
        )
        rows.append((f"tie after {rule}", found["games"], each, *shares, ratio))
    columns = ("rule", "games", "states a game", *(f"{label}, %" for label in LABELS), "win : loss")
    return Table.of("curve_data", "The games of the learning curves", columns, rows, digits=(1, 1, 1, 1, 1, 1, 2))
