"""What li2022's own tables leave unexplained: the shares of test states by kind of map that its overall accuracies
imply, and the numbers of states per map that follow from them.

An overall accuracy is the mean over all test states, and so the mean of the accuracies by kind of map, each weighted by
its share of the states. All four networks have the same test states, and so the same shares.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sandtable.papers.li2022 import published
from sandtable.papers.li2022.settings import KINDS, PAPER_TEST
from sandtable.papers.measured import Measured
from sandtable.papers.report import Section
from sandtable.papers.tables import Cell, Table, said

ROUNDING = 0.05  # error of a printed accuracy; a weighted mean of three has at most the same error
STEPS = 2000  # of the grid over a share, from 0 to 1
TABLE = "mix"
COLUMNS = ("maps", "test maps", "least share, %", "most, %", "least states a map", "most", "states a map here")
_MIX = (
    "In the paper's Table 4, the overall accuracy is the mean over the test states. It must therefore be a weighted "
    "mean of the accuracies on the three kinds of maps, where the weights are the kinds' shares of the states, the "
    "same for all networks. The table has the shares that fit all four rows, with every printed figure off by up to "
    "{rounding}, and the states a map that follow for {states:,} test states."
)


class Range(NamedTuple):
    low: float
    high: float


def possible_shares() -> dict[str, Range]:
    """The least and the greatest share of the test states that each kind of maps can have."""
    share = np.linspace(0, 1, STEPS + 1)
    symmetric, local_search = (one.ravel() for one in np.meshgrid(share, share))
    shares = np.stack([1 - symmetric - local_search, symmetric, local_search], 1)  # in the order of KINDS
    shares = shares[shares[:, 0] >= 0]
    rows = published.ACCURACY.values()
    by_kind = np.array([[row[kind] for kind in KINDS] for row in rows])
    overall = np.array([row["overall"] for row in rows])
    fits = (np.abs(shares @ by_kind.T - overall) <= 2 * ROUNDING + 1e-9).all(1)
    return {kind: Range(*(float(f(shares[fits, place])) for f in (np.min, np.max))) for place, kind in enumerate(KINDS)}


def mix_table(states: Mapping[str, float]) -> Table:
    """`states`: the mean number of states on a test map here, by kind."""
    total = published.STATES["test"]["total"]
    rows = []
    for (kind, found), maps in zip(possible_shares().items(), PAPER_TEST, strict=True):
        shares = [100 * share for share in found]
        rows.append((kind, maps, *shares, *(share * total / maps for share in found), states.get(kind)))
    title = "Shares of the test states that the paper's overall accuracies need"
    return Table.of(TABLE, title, COLUMNS, rows)


def unexplained_sections(measured: Measured, tried: str, mcts: str) -> list[Section]:
    """The sections on unexplained differences; none if the run has no such table. `tried`: the text on the level of the
    accuracies; `mcts`: the text on the matches of the tree search."""
    if TABLE not in measured:
        return []
    mix, labels = measured[TABLE], measured["table_2"]
    least = mix.number("local_search", "least share, %")
    most = mix.number("symmetric", "most, %")
    text = (
        f"The paper's overall accuracies need at least {least:.1f}% of the states on local-search maps, "
        f"{mix.number('local_search', 'least states a map'):.1f} a map, and at most {most:.1f}% on symmetric ones, "
        f"{mix.number('symmetric', 'most'):.1f} a map. Here a local-search map has "
        f"{_number(mix.cell('local_search', 'states a map here'))} states and a symmetric one "
        f"{_number(mix.cell('symmetric', 'states a map here'))}. No cause is known."
    )
    ours = labels.ratio("training", "win", "loss")
    printed = published.STATES["train"]
    ratio = (
        f"In the paper's training data, the side to move wins {printed['win'] / printed['loss']:.2f} states for each "
        f"that it loses; here it wins {ours:.2f}. No cause is known."
    )
    points = "\n".join(
        f"- *{what}.* {words}"
        for what, words in (("Level", tried), ("MCTS", mcts), ("Win : loss", ratio), ("Overall column", text))
        if words
    )
    rules = _MIX.format(rounding=ROUNDING, states=published.STATES["test"]["total"])
    return [
        Section("What remains unexplained", points),
        Section("The overall column of the paper's Table 4", rules, mix.saying(text)),
    ]


def _number(cell: Cell) -> str:
    return said(cell, "")
