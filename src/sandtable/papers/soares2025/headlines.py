"""The thesis's headlines beside ours: by how many points one player scored more than another (abstract, section 5.3.2).

"GA with policy scored 9.05% more points than the standard GA" is a difference of scores over all games of both
tournaments, in points of a hundred: both have 1,050 games, and 54.05% - 45.00% of their points is 9.05.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from sandtable.papers.matches import score
from sandtable.papers.soares2025 import published
from sandtable.papers.soares2025.matches import GA, GA_POLICY, GUIDED, THESIS
from sandtable.papers.tables import Cell, Counts, Table

HEADLINES = (
    (GA_POLICY.name, GA.name, published.POLICY_OVER_GA_POINTS, published.POLICY_OVER_GA),
    (GUIDED.name, GA_POLICY.name, published.GUIDED_OVER_POLICY_POINTS, published.GUIDED_OVER_POLICY),
)
TEXT = (
    "The first column has the first player's score over all its games in both tournaments minus the second player's, "
    "in points of a hundred, as the thesis's abstract and section 5.3.2 count it; the second column has the score of "
    "their games against each other."
)


def headlines(pairs: Sequence[Table]) -> Table:
    """The thesis's headline comparisons, from the pairs' results of both tournaments (Tables 5.12 and 5.14)."""
    rows = []
    for first, second, points, share in HEADLINES:
        direct = [sum(column) for column in zip(*(_counts(table, first, second) for table in pairs), strict=True)]
        against = dataclasses.replace(score(direct), published=share) if sum(direct) else Cell(None, published=share)
        rows.append((f"{first} over {second}", lead(pairs, first, second, points), against))
    columns = ("players", "points more, of a hundred", "score against each other, %")
    return Table.of("headlines", "The thesis's headlines", columns, rows, digits=2)


def lead(pairs: Sequence[Table], first: str, second: str, printed: float | None = None) -> Cell:
    """The difference of two players' scores over all their games, with a 95% interval.

    Games of the two against each other count for one and against the other. The variance of a pair's scores is
    estimated with two wins and two losses added (Agresti and Coull, 1998), so that a few games that are all won do not
    give an interval of width 0."""
    points = {first: 0.0, second: 0.0}
    games = {first: 0, second: 0}
    variance = 0.0
    for table in pairs:
        for one, sign in ((first, 1), (second, -1)):
            for other in (player.name for player in THESIS):
                counts = (0, 0, 0) if other == one else _counts(table, one, other)
                points[one] += counts[0] + counts[2] / 2
                games[one] += sum(counts)
                if {one, other} == {first, second}:
                    variance += 4 * _variance(counts) * (sign > 0)  # once: the other player gets the remaining points
                else:
                    variance += _variance(counts)
    if not all(games.values()):
        return Cell(None, published=printed)
    difference = 100 * (points[first] / games[first] - points[second] / games[second])
    margin = 196 * math.sqrt(variance) / games[first]
    return Cell(difference, difference - margin, difference + margin, games[first], printed)


def _counts(table: Table, first: str, second: str) -> Counts:
    return table.cell(first, f"against {second}").counts or (0, 0, 0)


def _variance(counts: Counts) -> float:
    """The estimated variance of the points in these games."""
    wins, _, draws = counts
    games = sum(counts)
    mean = (wins + draws / 2 + 2) / (games + 4)
    return games * ((wins + draws / 4 + 2) / (games + 4) - mean**2)
