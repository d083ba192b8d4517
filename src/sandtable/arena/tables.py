"""Results as tables: who scored how much against whom, with intervals, and what it took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from sandtable.arena.statistics import wilson
from sandtable.arena.tasks import Row


class Cell(NamedTuple):
    """One player's results against another (or all): wins, losses, ties, the share of the points and its interval."""

    wins: int
    losses: int
    ties: int

    @property
    def games(self) -> int:
        return self.wins + self.losses + self.ties

    @property
    def share(self) -> float:
        return (self.wins + self.ties / 2) / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.wins + self.ties / 2, self.games)


class Starts(NamedTuple):
    """Starts that were played from both seats: those that a player won twice, lost twice, and the others. Where the
    start decides, no player can do better than one game of two."""

    won: int
    lost: int
    split: int


class Effort(NamedTuple):
    """What a player's decisions took."""

    seconds: float
    decisions: int
    overruns: int


def cross_table(rows: Iterable[Row]) -> dict[str, dict[str, Cell]]:
    """Every player against every other; the players in the order in which they appear."""
    table: dict[str, dict[str, Cell]] = {}
    for row in rows:
        if row.error is not None:
            continue
        for own, other, side in ((row.first, row.second, 0), (row.second, row.first, 1)):
            cell = table.setdefault(own, {}).get(other, Cell(0, 0, 0))
            won, lost = row.winner == side, row.winner == 1 - side
            table[own][other] = Cell(cell.wins + won, cell.losses + lost, cell.ties + (not won and not lost))
    return table


def starts(rows: Iterable[Row]) -> dict[str, dict[str, Starts]]:
    """Every player's starts against every other; a start with a game that failed or is missing does not count."""
    points: defaultdict[tuple[str, str, str, int], list[int]] = defaultdict(list)
    for row in rows:
        if row.error is None:
            worth = 0 if row.winner is None else 1 - 2 * row.winner
            points[row.first, row.second, row.ground, row.number // 2].append(worth)
    found: dict[str, dict[str, Starts]] = {}
    for (first, second, *_), worths in points.items():
        if len(worths) != 2:
            continue
        for own, other, sign in ((first, second, 1), (second, first, -1)):
            old = found.setdefault(own, {}).get(other, Starts(0, 0, 0))
            won, lost = sum(worths) * sign == 2, sum(worths) * sign == -2
            found[own][other] = Starts(old.won + won, old.lost + lost, old.split + (not won and not lost))
    return found


def total(cells: Iterable[Cell]) -> Cell:
    return Cell(*(sum(parts) for parts in zip(*cells, strict=True)))


def efforts(rows: Iterable[Row]) -> dict[str, Effort]:
    found: dict[str, Effort] = {}
    for row in rows:
        for name, side in ((row.first, 0), (row.second, 1)):
            old = found.get(name, Effort(0.0, 0, 0))
            found[name] = Effort(
                old.seconds + row.seconds[side],
                old.decisions + row.decisions[side],
                old.overruns + row.overruns[side],
            )
    return found


def first_seat(rows: Iterable[Row]) -> Cell:
    """The results of whoever moved first (side 0)."""
    good = [row for row in rows if row.error is None]
    wins, losses = sum(row.first_seat_won == 1 for row in good), sum(row.first_seat_won == 0 for row in good)
    return Cell(wins, losses, len(good) - wins - losses)


def failures(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.error is not None]


def cross_table_svg(table: dict[str, dict[str, Cell]]) -> str:
    """The cross table as a picture: a square for each pair, redder the more points the row's player made."""
    names = list(table)
    label, size = 16 + 7.5 * max(map(len, names), default=0), 64
    width, height = label + size * len(names) + 20, 40 + size * len(names) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui,sans-serif" font-size="12" role="img"><title>cross table</title>'
    ]
    for i, own in enumerate(names):
        y = 30 + size * i
        parts.append(f'<text x="8" y="{y + size / 2 + 4}" fill="#777">{i + 1} {escape(own)}</text>')
        parts.append(f'<text x="{label + size * i + size / 2}" y="22" fill="#777" text-anchor="middle">{i + 1}</text>')
        for j, other in enumerate(names):
            cell = table[own].get(other)
            x = label + size * j
            colour = "#8884" if cell is None else f"hsl({120 * cell.share:.0f} 45% 55%)"
            parts.append(
                f'<rect x="{x + 1}" y="{y + 1}" width="{size - 2}" height="{size - 2}" rx="6" fill="{colour}"/>'
            )
            if cell:
                low, high = cell.interval
                middle = x + size / 2
                parts.append(
                    f'<text x="{middle}" y="{y + 30}" fill="#fff" font-weight="700" font-size="15" '
                    f'text-anchor="middle">{cell.share:.0%}</text>'
                    f'<text x="{middle}" y="{y + 46}" fill="#fff" font-size="9.5" text-anchor="middle">'
                    f"{low:.0%} .. {high:.0%}</text>"
                )
    return "\n".join(parts) + "\n</svg>\n"


def as_json(rows: Sequence[Row]) -> dict[str, object]:
    """Everything that the tables show, for machines."""
    table, both = cross_table(rows), starts(rows)
    return {
        "games": len(rows),
        "failed": [{"task": row.label, "error": row.error} for row in failures(rows)],
        "pairs": [
            {"player": own, "opponent": other, **_cell_json(cell), "starts": _starts_json(both, own, other)}
            for own, cells in table.items()
            for other, cell in cells.items()
        ],
        "players": [
            {"player": name, **_cell_json(total(table[name].values())), **effort._asdict()}
            for name, effort in efforts(rows).items()
            if name in table
        ],
        "first_seat": _cell_json(first_seat(rows)),
    }


def _starts_json(both: dict[str, dict[str, Starts]], own: str, other: str) -> dict[str, int]:
    return both.get(own, {}).get(other, Starts(0, 0, 0))._asdict()


def _cell_json(cell: Cell) -> dict[str, object]:
    low, high = cell.interval
    return {**cell._asdict(), "games": cell.games, "share": cell.share, "low": low, "high": high}
