"""The summary of the tried readings of the tree search in li2022's report."""

import pytest

from sandtable.papers.li2022.mcts_readings import TABLE, nearest_reading
from sandtable.papers.matches import score
from sandtable.papers.measured import Measured
from sandtable.papers.tables import Table

PAPER = [(158, 304, 38), (269, 196, 35), (393, 95, 12)]
AS_PAPER = [(63, 122, 15), (108, 78, 14), (157, 38, 5)]
ALL_LOST = [(0, 200, 0)] * 3
HALF_TIED = [(50, 50, 100)] * 3


def measured(**rows: list[tuple[int, int, int]]) -> Measured:
    cells = [
        (name, *(score(ours, printed) for ours, printed in zip(row, PAPER, strict=True))) for name, row in rows.items()
    ]
    table = Table.of(TABLE, "", ("reading", "vs GCN", "vs CNN_g", "vs CNN_i"), cells)
    return Measured.of([table], [], {})


def test_the_nearest_reading_is_named_with_its_scores_and_ties() -> None:
    text = nearest_reading(measured(first=ALL_LOST, second=AS_PAPER, third=HALF_TIED))
    assert (
        "3 readings and budgets were played on symmetric maps; all three scores agree with the paper's for 'second'."
        in text
    )
    assert "The nearest is 'second', 0.1 points" in text
    assert "35.2% (29.0 .. 42.1; paper 35.4%) against GCN" in text
    assert "6% of its games are tied, and 6% of the paper's" in text


def test_the_summary_says_when_no_reading_agrees() -> None:
    text = nearest_reading(measured(first=ALL_LOST, third=HALF_TIED))
    assert "none has three scores that agree with the paper's: no cause was found." in text
    assert "The nearest is 'third', 19.6 points" in text
    assert "50% of its games are tied" in text


@pytest.mark.parametrize("found", [Measured.of([], [], {}), measured()])
def test_the_summary_says_when_nothing_was_tried(found: Measured) -> None:
    assert "tried" in nearest_reading(found) or "compared" in nearest_reading(found)
