"""Tables of figures: ours with their intervals, and the published ones beside them; for people and for machines."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

NAMED = 6  # figures that a sentence names


@dataclass(frozen=True)
class Cell:
    """A figure, or a text. `low` and `high` are its 95% interval, `n` what it was counted over."""

    value: float | str | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    published: float | None = None
    detail: str = ""  # more of the same measurement, such as wins-losses-ties
    published_detail: str = ""

    @property
    def agrees(self) -> bool | None:
        """Whether the published figure lies within our interval; None where there is nothing to compare."""
        if self.published is None or self.low is None or self.high is None:
            return None
        return self.low <= self.published <= self.high


@dataclass(frozen=True)
class Table:
    """`said` is what agrees with the paper and what does not, in a sentence."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    said: str = ""
    digits: int = 1

    def to_json(self, provenance: dict[str, Any]) -> str:
        rows = [[_plain(cell) for cell in row] for row in self.rows]
        content = {"title": self.title, "columns": self.columns, "rows": rows, "said": self.said}
        return json.dumps(content | {"provenance": provenance}, indent=1, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        lines = ["| " + " | ".join(self.columns) + " |", "|" + "---|" * len(self.columns)]
        for row in self.rows:
            shown = (self._shown(cell, "**{}**", "; paper {}").replace(" ;", ";").replace("|", "/") for cell in row)
            lines.append("| " + " | ".join(shown) + " |")
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        head = "".join(f"<th>{html.escape(column)}</th>" for column in self.columns)
        body = ""
        for row in self.rows:
            cells = (self._shown(cell, "<b>{}</b>", "<i>paper {}</i>", html.escape) for cell in row)
            body += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n"
        return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>\n"

    def _shown(self, cell: Cell, strong: str, quoted: str, safe: Callable[[str], str] = str) -> str:
        if cell.value is None and cell.published is None:
            return "-"
        parts = []
        if isinstance(cell.value, str):
            parts.append(safe(cell.value))
        elif cell.value is not None:
            parts.append(strong.format(self._number(cell.value)))
        if cell.low is not None and cell.high is not None:
            parts.append(f"({self._number(cell.low)} .. {self._number(cell.high)})")
        if cell.detail:
            parts.append(safe(cell.detail))
        if cell.published is not None:
            parts.append(quoted.format(" ".join(filter(None, (self._number(cell.published), cell.published_detail)))))
        return " ".join(parts)

    def _number(self, value: float) -> str:
        return f"{value:,}" if isinstance(value, int) else f"{value:,.{self.digits}f}"


def percent(share: Mapping[str, float], printed: float | None = None) -> Cell:
    """A share of states (papers/accuracy.py) in per cent."""
    if share["games"] < 2:  # no interval, and nothing to compare
        return Cell(None)
    value, low, high = (100 * share[key] for key in ("value", "low", "high"))
    return Cell(value, low, high, int(share["n"]), printed, f"{share['n']:,} states, {share['games']:,} games")


def agreement(table: Table) -> str:
    """How many of the published figures lie within our intervals, and which do not."""
    compared = [
        (f"{row[0].value} {column}", cell)
        for row in table.rows
        for column, cell in zip(table.columns, row, strict=True)
        if cell.agrees is not None
    ]
    apart = [f"{name} ({cell.value:.1f}, paper {cell.published:.1f})" for name, cell in compared if not cell.agrees]
    said = f"{len(compared) - len(apart)} of {len(compared)} published figures lie within our intervals"
    more = f" and {len(apart) - NAMED} more" if len(apart) > NAMED else ""
    return (
        f"{said}; outside {'is' if len(apart) == 1 else 'are'} {', '.join(apart[:NAMED])}{more}."
        if apart
        else f"{said}."
    )


def _plain(cell: Cell) -> dict[str, Any]:
    found: dict[str, Any] = {
        "value": cell.value,
        "low": cell.low,
        "high": cell.high,
        "n": cell.n,
        "published": cell.published,
    }
    if cell.detail:
        found["detail"] = cell.detail
    if cell.published_detail:
        found["published_detail"] = cell.published_detail
    return found
