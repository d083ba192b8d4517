"""Results as tables: the scores of all pairs with their intervals, and the time of the players' decisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from sandtable.arena.ratings import Rating, ratings_of_pairs
from sandtable.arena.statistics import elo_of, wilson
from sandtable.arena.tasks import Row
from sandtable.pictures import score_colour, text_width
from sandtable.texts import html_table


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
    """The numbers of starts from which a player, playing both seats, won both games, lost both, and did neither. If the
    start decides the game, no player can win more than one of the two."""

    won: int
    lost: int
    split: int


class Effort(NamedTuple):
    """The time of a player's decisions."""

    seconds: float
    decisions: int
    overruns: int


class Failure(NamedTuple):
    """A game that could not be played to its end."""

    task: str
    game: str
    error: str


MOST_FAILURES = 1000  # failures that are kept; all are counted


class Results:
    """All that the tables show, counted game by game, without keeping the games.

    `table` has the results of every player against every other, in the order of their first games until they are
    sorted. `starts` likewise has their Starts; a start does not count if one of its games failed or is missing.
    `first_seat` has the results of side 0.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.games = 0
        self.failed = 0
        self.failures: list[Failure] = []
        self.table: dict[str, dict[str, Cell]] = {}
        self.starts: dict[str, dict[str, Starts]] = {}
        self.efforts: dict[str, Effort] = {}
        self.first_seat = Cell(0, 0, 0)
        self._half_played: dict[tuple[str, str, str, int], int] = {}
        self.add(rows)

    def add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self.games += 1
            self._add_efforts(row)
            if row.error is None:
                self._add_result(row)
                self._add_start(row)
            else:
                self.failed += 1
                if len(self.failures) < MOST_FAILURES:
                    self.failures.append(Failure(row.task, row.label, row.error))

    def count(self, first: str, second: str, winner: int | None, games: int = 1) -> None:
        """Add games of a pair that had this winner to `table`."""
        for own, other, side in ((first, second, 0), (second, first, 1)):
            cells = self.table.setdefault(own, {})
            cells[other] = _counted(cells.get(other, Cell(0, 0, 0)), winner, side, games)

    def standing(self) -> list[tuple[str, Cell]]:
        """The players by their share of the points, the best first."""
        totals = [(name, total(cells.values())) for name, cells in self.table.items()]
        return sorted(totals, key=lambda one: -one[1].share)

    def ratings(self) -> list[Rating]:
        """The ratings on the Elo scale, the strongest player first."""
        return ratings_of_pairs(
            {
                (own, other): (cell.wins + cell.ties / 2, cell.games)
                for own, cells in self.table.items()
                for other, cell in cells.items()
                if own < other
            }
        )

    def sort_by_rating(self) -> None:
        """Put the strongest players first in all tables."""
        order = {rating.player: place for place, rating in enumerate(self.ratings())}

        def place(item: tuple[str, object]) -> int:
            return order.get(item[0], len(order))  # a player whose games all failed comes last

        self.table = {
            own: dict(sorted(cells.items(), key=place)) for own, cells in sorted(self.table.items(), key=place)
        }
        self.efforts = dict(sorted(self.efforts.items(), key=place))

    def _repr_html_(self) -> str:
        """The pairs as a table, for notebooks."""
        failed = f"<p>{self.failed} of {self.games} games failed</p>" if self.failed else ""
        return html_table(PAIR_COLUMNS, pair_rows(self)) + failed

    def _add_result(self, row: Row) -> None:
        self.count(row.first, row.second, row.winner)
        seat = None if row.first_seat_won is None else 1 - row.first_seat_won
        self.first_seat = _counted(self.first_seat, seat, 0)

    def _add_start(self, row: Row) -> None:
        start = (row.first, row.second, row.ground, row.number // 2)
        worth = 0 if row.winner is None else 1 - 2 * row.winner
        if start not in self._half_played:
            self._half_played[start] = worth
            return
        points = self._half_played.pop(start) + worth
        for own, other, sign in ((row.first, row.second, 1), (row.second, row.first, -1)):
            old = self.starts.setdefault(own, {}).get(other, Starts(0, 0, 0))
            won, lost = points * sign == 2, points * sign == -2
            self.starts[own][other] = Starts(old.won + won, old.lost + lost, old.split + (not won and not lost))

    def _add_efforts(self, row: Row) -> None:
        for name, side in ((row.first, 0), (row.second, 1)):
            old = self.efforts.get(name, Effort(0.0, 0, 0))
            self.efforts[name] = Effort(
                old.seconds + row.seconds[side],
                old.decisions + row.decisions[side],
                old.overruns + row.overruns[side],
            )


def _counted(cell: Cell, winner: int | None, side: int, games: int = 1) -> Cell:
    """The cell of player `side` after `games` more games with this winner."""
    won, lost = winner == side, winner == 1 - side
    return Cell(cell.wins + games * won, cell.losses + games * lost, cell.ties + games * (winner is None))


def total(cells: Iterable[Cell]) -> Cell:
    return Cell(*(sum(parts) for parts in zip(*cells, strict=True)))


PAIR_COLUMNS = ("player", "opponent", "games", "W-L-D", "score", "95%", "Elo", "both seats")


def pair_rows(results: Results) -> list[tuple[str, ...]]:
    """A row for each pair, from the perspective of the player that scored more; the columns are PAIR_COLUMNS."""
    rows: list[tuple[str, ...]] = []
    for own, cells in results.table.items():
        for other, cell in cells.items():
            if cell.share > 0.5 or (cell.share == 0.5 and own < other):
                low, high = cell.interval
                counted = f"{cell.wins}-{cell.losses}-{cell.ties}"
                elo = "-" if cell.share in (0, 1) else f"{elo_of(cell.share):+.0f}"
                both = "-".join(map(str, results.starts.get(own, {}).get(other, Starts(0, 0, 0))))
                rows.append(
                    (own, other, str(cell.games), counted, f"{cell.share:.1%}", f"{low:.1%} .. {high:.1%}", elo, both)
                )
    return rows


def as_text(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as text, each column as wide as its longest cell."""
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in (columns, *rows)]
    return "\n".join(line.rstrip() for line in lines)


def cross_table_svg(table: dict[str, dict[str, Cell]]) -> str:
    """The cross table as a picture: a square for each pair, greener the more points the row's player made."""
    names = list(table)
    size = 64
    label = 24 + max((text_width(f"{i + 1} {name}", 12) for i, name in enumerate(names)), default=0.0)
    width, height = label + size * len(names) + 20, 40 + size * len(names) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" font-family="system-ui,sans-serif" font-size="12" role="img"><title>cross table</title>'
    ]
    for i, own in enumerate(names):
        y = 30 + size * i
        parts.append(f'<text x="8" y="{y + size / 2 + 4}" fill="#777">{i + 1} {escape(own, quote=False)}</text>')
        parts.append(
            f'<text x="{label + size * i + size / 2:.1f}" y="22" fill="#777" text-anchor="middle">{i + 1}</text>'
        )
        for j, other in enumerate(names):
            cell = table[own].get(other)
            x = label + size * j
            fill = 'fill="#888" fill-opacity=".27"' if cell is None else f'fill="{score_colour(cell.share)}"'
            parts.append(f'<rect x="{x + 1:.1f}" y="{y + 1}" width="{size - 2}" height="{size - 2}" rx="6" {fill}/>')
            if cell:
                low, high = cell.interval
                middle = x + size / 2
                parts.append(
                    f'<text x="{middle:.1f}" y="{y + 30}" fill="#1b1b1b" font-weight="700" font-size="15" '
                    f'text-anchor="middle">{cell.share:.0%}</text>'
                    f'<text x="{middle:.1f}" y="{y + 46}" fill="#1b1b1b" font-size="9" text-anchor="middle">'
                    f"{low:.0%} .. {high:.0%}</text>"
                )
    return "\n".join(parts) + "\n</svg>\n"


def as_json(results: Results) -> dict[str, object]:
    """Everything that the tables show, for machines."""
    return {
        "games": results.games,
        "failed_games": results.failed,
        "failed": [{"task": one.game, "error": one.error} for one in results.failures],
        "pairs": [
            {
                "player": own,
                "opponent": other,
                **_cell_json(cell),
                "starts": results.starts.get(own, {}).get(other, Starts(0, 0, 0))._asdict(),
            }
            for own, cells in results.table.items()
            for other, cell in cells.items()
        ],
        "players": [
            {"player": name, **_cell_json(total(results.table[name].values())), **effort._asdict()}
            for name, effort in results.efforts.items()
            if name in results.table
        ],
        "first_seat": _cell_json(results.first_seat),
    }


def _cell_json(cell: Cell) -> dict[str, object]:
    low, high = cell.interval
    return {**cell._asdict(), "games": cell.games, "share": cell.share, "low": low, "high": high}
