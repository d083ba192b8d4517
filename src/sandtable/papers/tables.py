"""Tables of our figures, with their intervals, beside the published ones; as Markdown, HTML and JSON."""

from __future__ import annotations

import dataclasses
import html
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sandtable.arena.statistics import Interval, difference, wilson
from sandtable.errors import SandtableError

FORMAT = 2  # of the stored tables; papers/stored.py also reads format 1
NAMED = 6  # the most figures that a sentence lists
PROBABILITY_DIGITS = 3
PREFIXES = ("vs ", "against ")  # of a column that is named after an opponent

Counts = tuple[int, int, int]  # wins, losses, draws: in this order everywhere


class TableError(SandtableError):
    """A stored table that is damaged, or lacks something that the report needs."""


@dataclass(frozen=True)
class Cell:
    """A figure, or a text. `low` and `high` are its 95% interval, `n` the size of its sample.

    A score in per cent has its `counts`; a share of states in per cent has the `games` that its n states come from.
    `published_games` is the number of games behind the published figure: those of its match, or of its test set.
    """

    value: float | str | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    published: float | None = None
    counts: Counts | None = None
    published_counts: Counts | None = None
    games: int | None = None
    published_games: int | None = None

    @property
    def interval(self) -> Interval | None:
        if not isinstance(self.value, int | float) or self.low is None or self.high is None:
            return None
        return Interval(self.value, self.low, self.high)

    @property
    def difference(self) -> Interval | None:
        """Ours minus the published figure, with the errors of both; None if there is nothing to compare.

        The error of a published score is Wilson's. That of a published share of states cannot be computed, since
        states of one game are alike: it is taken to be ours, scaled to the number of games in the published test set.
        """
        ours = self.interval
        if ours is None or self.published is None or not 0 <= self.published <= 100 or not self.published_games:
            return None
        if self.games:
            factor = math.sqrt(self.games / self.published_games)
            below, above = factor * (ours.value - ours.low), factor * (ours.high - ours.value)
            return difference(ours, Interval(self.published, self.published - below, self.published + above))
        low, high = wilson(self.published / 100 * self.published_games, self.published_games)
        return difference(ours, Interval(self.published, 100 * low, 100 * high))

    @property
    def agrees(self) -> bool | None:
        """Whether the interval of the difference from the published figure contains 0."""
        apart = self.difference
        return None if apart is None else apart.contains_zero


@dataclass(frozen=True)
class Table:
    """`said` is the sentence below the table. `facts` are single figures that belong to the table but to none of its
    cells. `digits` is the number of decimals, for all columns or for each."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    said: str = ""
    digits: int | tuple[int, ...] = 1
    facts: Mapping[str, float | str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        columns: Iterable[str],
        rows: Iterable[Iterable[Any]],
        digits: int | tuple[int, ...] = 1,
        facts: Mapping[str, float | str] | None = None,
    ) -> Table:
        """A table of rows of cells; plain values become cells."""
        cells = tuple(tuple(one if isinstance(one, Cell) else Cell(one) for one in row) for row in rows)
        return cls(name, title, tuple(columns), cells, digits=digits, facts=facts or {})

    def row(self, name: str) -> tuple[Cell, ...]:
        """The row whose first cell is `name`."""
        for row in self.rows:
            if str(row[0].value) == name:
                return row
        raise TableError(f"{self.name}.json: no row is called {name!r:.60}")

    def last_row(self) -> str:
        """The name of the last row."""
        if not self.rows:
            raise TableError(f"{self.name}.json: no rows")
        return str(self.rows[-1][0].value)

    def cell(self, row: str, column: str | int) -> Cell:
        return self.row(row)[self.column(column)]

    def column(self, name: str | int) -> int:
        """The index of the first column of that name; an index is returned as it is."""
        if isinstance(name, int) and 0 <= name < len(self.columns):
            return name
        if name not in self.columns:
            raise TableError(f"{self.name}.json: no column is called {name!r:.60}")
        return self.columns.index(str(name))

    def number(self, row: str, column: str | int) -> float:
        """The figure of a cell, which must have one."""
        value = self.cell(row, column).value
        if not isinstance(value, int | float):
            raise TableError(f"{self.name}.json: {row}, {self.columns[self.column(column)]}: no figure")
        return value

    def ratio(self, row: str, above: str | int, below: str | int) -> float:
        """The ratio of two figures of a row."""
        if not self.number(row, below):
            raise TableError(f"{self.name}.json: {row}, {self.columns[self.column(below)]}: must not be 0")
        return self.number(row, above) / self.number(row, below)

    def named_rows(self) -> Iterator[tuple[str, tuple[Cell, ...]]]:
        for row in self.rows:
            yield str(row[0].value), row

    def only(self, *columns: str) -> Table:
        """The table with these columns alone."""
        places = [self.column(name) for name in columns]
        return dataclasses.replace(
            self, columns=columns, rows=tuple(tuple(row[i] for i in places) for row in self.rows)
        )

    def with_column(self, name: str, cells: list[Cell], digits: int | None = None) -> Table:
        """The table with one more column."""
        if len(cells) != len(self.rows):
            raise ValueError(f"{len(cells)} cells for {len(self.rows)} rows")
        decimals = (*(self._digits(i) for i in range(len(self.columns))), self._digits(0) if digits is None else digits)
        rows = tuple((*row, cell) for row, cell in zip(self.rows, cells, strict=True))
        return dataclasses.replace(self, columns=(*self.columns, name), rows=rows, digits=decimals)

    def with_published_games(self, games: Callable[[str, str], int]) -> Table:
        """The table with the number of games behind each published figure, games(row, column)."""
        rows = tuple(
            tuple(
                cell
                if cell.published is None or cell.value is None
                else dataclasses.replace(cell, published_games=games(name, column))
                for column, cell in zip(self.columns, row, strict=True)
            )
            for name, row in self.named_rows()
        )
        return dataclasses.replace(self, rows=rows)

    def saying(self, said: str) -> Table:
        return dataclasses.replace(self, said=said)

    def to_json(self, provenance: Mapping[str, Any]) -> str:
        content: dict[str, Any] = {
            "format": FORMAT,
            "title": self.title,
            "columns": self.columns,
            "digits": self.digits,
            "rows": [[_plain(cell) for cell in row] for row in self.rows],
        }
        if self.facts:
            content["facts"] = dict(self.facts)
        content |= {"said": self.said, "provenance": provenance}
        return json.dumps(content, indent=1, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        def safe(text: str) -> str:
            return text.replace("|", "/")

        lines = ["| " + " | ".join(map(safe, self.columns)) + " |", "|" + "---|" * len(self.columns)]
        for row in self.rows:
            cells = (self._cell_text(i, cell, "**{}**", "paper {}", safe, "; ") for i, cell in enumerate(row))
            lines.append("| " + " | ".join(cells) + " |")
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        head = "".join(f"<th>{html.escape(column)}</th>" for column in self.columns)
        body = ""
        for row in self.rows:
            cells = (
                self._cell_text(i, cell, "<b>{}</b>", "<i>paper {}</i>", html.escape, " ") for i, cell in enumerate(row)
            )
            body += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n"
        body = re.sub(r"W-L-D [\d-]+", r"<span>\g<0></span>", body)  # keeps the counts on one line
        return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>\n"

    def _cell_text(
        self, column: int, cell: Cell, strong: str, quoted: str, safe: Callable[[str], str], between: str
    ) -> str:
        digits = self._digits(column)
        parts = []
        if cell.value is None:
            parts.append("-")
        elif isinstance(cell.value, str):
            parts.append(safe(cell.value))
        else:
            parts.append(strong.format(safe(number(cell.value, digits))))
        if cell.low is not None and cell.high is not None:
            parts.append(f"({number(cell.low, digits)} .. {number(cell.high, digits)})")
        if cell.counts is not None:
            parts.append(labelled(cell.counts))
        elif cell.games is not None:
            parts.append(f"{cell.n:,} states, {cell.games:,} games")
        ours = " ".join(parts)
        if cell.published is None:
            return ours
        theirs = number(cell.published, digits)
        if cell.published_counts is not None:
            theirs += f" {labelled(cell.published_counts)}"
        return ours + between + quoted.format(theirs)

    def _digits(self, column: int) -> int:
        return self.digits if isinstance(self.digits, int) else self.digits[column]


def labelled(counts: Counts) -> str:
    """Counts with the letters that tell their order."""
    return "W-L-D " + "-".join(map(str, counts))


def number(value: float, digits: int = 1) -> str:
    """A number as a table shows it. A number with three decimals is taken to be a probability, and a small one is not
    shown as 0."""
    if digits >= PROBABILITY_DIGITS and 0 <= value < 10**-digits:
        return f"<{10**-digits:.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}"


def said(cell: Cell, unit: str = "%", digits: int = 1) -> str:
    """A figure in a sentence, with its interval and the paper's figure."""
    if not isinstance(cell.value, int | float):
        return "no figure"
    more = []
    if cell.low is not None and cell.high is not None:
        more.append(f"{number(cell.low, digits)} .. {number(cell.high, digits)}")
    if cell.published is not None:
        more.append(f"paper {number(cell.published, digits)}{unit}")
    return f"{number(cell.value, digits)}{unit}" + (f" ({'; '.join(more)})" if more else "")


def percent(share: Mapping[str, float], printed: float | None = None) -> Cell:
    """A share of states (papers/accuracy.py) in per cent."""
    if share["games"] < 2:  # no interval, and nothing to compare
        return Cell(None)
    value, low, high = (100 * share[key] for key in ("value", "low", "high"))
    return Cell(value, low, high, int(share["n"]), printed, games=int(share["games"]))


def compared(table: Table) -> dict[str, Cell]:
    """The figures that can be compared with published ones, by row and column. In a table of players against each other
    every pair is listed once: A against B and B against A are the same games."""
    names = [name for name, _ in table.named_rows()]
    found: dict[frozenset[str] | tuple[str, str], tuple[str, Cell]] = {}
    for name, row in table.named_rows():
        for column, cell in zip(table.columns, row, strict=True):
            if cell.agrees is None:
                continue
            opponent = _opponent(column)
            key = frozenset({name, opponent}) if opponent in names else (name, column)
            found.setdefault(key, (f"{name} {column}", cell))
    return dict(found.values())


def agreement(table: Table) -> str:
    """A sentence on how many published figures agree with ours, and which differ."""
    figures = compared(table)
    if not figures:
        return "No published figure can be compared with ours."
    apart = {name: cell for name, cell in figures.items() if not cell.agrees}
    count = len(figures) - len(apart)
    found = f"{count} of {len(figures)} published figures agree{'s' * (count == 1)} with ours"
    if not apart:
        return f"{found}."
    named = [f"{name} ({cell.value:.1f}, paper {cell.published:.1f})" for name, cell in list(apart.items())[:NAMED]]
    more = f" and {len(apart) - NAMED} more" if len(apart) > NAMED else ""
    return f"{found}; {'this one differs' if len(apart) == 1 else 'these differ'}: {', '.join(named)}{more}."


def differing(table: Table, *columns: str) -> str:
    """A sentence that lists the differences in these columns, in points, whose 95% intervals exclude 0. The intervals
    are not corrected for their number."""
    cells = {f"{name}, {column}": table.cell(name, column) for name, _ in table.named_rows() for column in columns}
    apart = [
        f"{name.removesuffix(', accuracy, points')} ({said(cell, ' points')})"
        for name, cell in cells.items()
        if cell.interval and not cell.interval.contains_zero
    ]
    if not apart:
        return "No difference in accuracy is significant at 95%."
    return f"These differences in accuracy are significant at 95% each, uncorrected: {', '.join(apart)}."


def _opponent(column: str) -> str:
    for prefix in PREFIXES:
        if column.startswith(prefix):
            return column.removeprefix(prefix)
    return column


PLAIN_KEYS = {  # the keys of a stored cell, and the field of each; the first five are always stored
    "value": "value",
    "low": "low",
    "high": "high",
    "n": "n",
    "published": "published",
    "wins_losses_draws": "counts",
    "published_wins_losses_draws": "published_counts",
    "games": "games",
    "published_games": "published_games",
}


def _plain(cell: Cell) -> dict[str, Any]:
    found = {key: getattr(cell, name) for key, name in PLAIN_KEYS.items()}
    return {key: value for i, (key, value) in enumerate(found.items()) if i < 5 or value is not None}
