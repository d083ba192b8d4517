"""Pictures of reports, as PNG. The data of a picture are a table, or are stored beside it."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandtable.papers.tables import FORMAT, Table

Lines = Mapping[str, tuple[Sequence[float], Sequence[float]]]  # the x and y values of each line, by its name


@dataclass(frozen=True)
class Curves:
    """A line chart, with one line for each name."""

    name: str  # of the picture's file and of the file with its data
    lines: Lines
    x: str
    y: str
    log_x: bool = False  # the x axis is logarithmic

    def draw(self) -> bytes:
        figure, axes = _axes()
        for name, (along, values) in self.lines.items():
            axes.plot(along, values, label=name, marker="o", markersize=2.5)
        if self.log_x:
            ticks = sorted({x for along, _ in self.lines.values() for x in along})
            axes.set_xscale("log")
            axes.set_xticks(ticks, [f"{x:,.0f}" for x in ticks])
            axes.set_xticks([], minor=True)
        axes.set_xlabel(self.x)
        axes.set_ylabel(self.y)
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)  # beside the lines
        return _png(figure)

    def to_json(self, provenance: Mapping[str, Any]) -> str:
        lines = [{"name": name, "x": list(along), "y": list(values)} for name, (along, values) in self.lines.items()]
        content = {"format": FORMAT, "x": self.x, "y": self.y, "lines": lines, "provenance": provenance}
        content |= {"log_x": True} if self.log_x else {}
        return json.dumps(content, allow_nan=False) + "\n"


@dataclass(frozen=True)
class Bars:
    """A bar chart of a table's figures with their intervals; crosses mark the published figures."""

    name: str
    table: Table
    y: str
    skip: tuple[str, ...] = ()  # columns

    def draw(self) -> bytes:
        figure, axes = _axes(width=9)
        columns = [i for i, name in enumerate(self.table.columns) if i and name not in self.skip]
        width = 0.8 / len(self.table.rows)
        for number, row in enumerate(self.table.rows):
            shift = width * (number - (len(self.table.rows) - 1) / 2)
            bars, crosses = [], []
            for at, i in enumerate(columns):
                cell = row[i]
                if isinstance(cell.value, int | float):
                    low = cell.value if cell.low is None else cell.low
                    high = cell.value if cell.high is None else cell.high
                    bars.append((at + shift, cell.value, max(0.0, cell.value - low), max(0.0, high - cell.value)))
                if cell.published is not None:
                    crosses.append((at + shift, cell.published))
            if bars:
                places, values, below, above = zip(*bars, strict=True)
                axes.bar(places, values, width * 0.92, yerr=[below, above], label=str(row[0].value), error_kw={"lw": 1})
            axes.plot([at for at, _ in crosses], [value for _, value in crosses], "kx", markersize=6)
        axes.plot([], [], "kx", label="paper")
        axes.set_xticks(range(len(columns)), [self.table.columns[i] for i in columns])
        axes.set_ylabel(self.y)
        axes.legend(
            fontsize=8, ncol=len(self.table.rows) + 1, loc="upper center", bbox_to_anchor=(0.5, 1.12), frameon=False
        )
        return _png(figure)


@dataclass(frozen=True)
class Kept:
    """A picture beside the report that is kept as it is, because its data are not stored."""

    name: str


Picture = Curves | Bars | Kept


def _axes(width: float = 7.0) -> tuple[Any, Any]:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(width, 4.2), dpi=130)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25)
    return figure, axes


def _png(figure: Any) -> bytes:
    from matplotlib import pyplot

    data = io.BytesIO()
    figure.savefig(data, format="png", bbox_inches="tight")
    pyplot.close(figure)
    return data.getvalue()
