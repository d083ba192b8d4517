"""A player's analysis of a position: its value and its candidate moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

SHOWN = 10  # candidates in a notebook's table


class Candidate(NamedTuple):
    """A move that a player considered. `value` is for the player, in [-1, 1]; `pv` is the principal variation, this
    move first."""

    move: Any
    visits: int
    value: float
    prior: float | None = None
    pv: Sequence[Any] = ()


@dataclass(frozen=True)
class SearchResult:
    """The result of a search of the core."""

    best: int  # index of the move to play among the candidates
    candidates: list[Candidate]  # the moves that were considered
    value: float  # of the position for the searching player, in [-1, 1]
    nodes: int  # positions or nodes of the tree
    simulations: int  # simulations, iterations or generations that were made

    def __post_init__(self) -> None:
        if not 0 <= self.best < len(self.candidates):
            raise ValueError("best must be the index of a candidate")


@dataclass(frozen=True)
class Analysis:
    """A player's analysis: the position's value for the player in [-1, 1], the candidates, best first, and the search's
    cost."""

    value: float
    candidates: list[Candidate]
    nodes: int
    seconds: float
    simulations: int = 0

    def __repr__(self) -> str:
        best = f", best {self.candidates[0].move}" if self.candidates else ""
        searched = f"{self.simulations} simulations, {self.nodes} nodes, {self.seconds:.3f} s"
        return f"<Analysis value {self.value:+.3f}, {len(self.candidates)} candidates{best}; {searched}>"

    def _repr_html_(self) -> str:
        """The best candidates as a table, for notebooks."""
        from sandtable.texts import html_table  # not needed to import the package

        rows = [
            (str(one.move), str(one.visits), f"{one.value:+.3f}", "" if one.prior is None else f"{one.prior:.3f}")
            for one in self.candidates[:SHOWN]
        ]
        count = len(self.candidates)
        shown = f"the best {SHOWN} of {count} candidates; " if count > SHOWN else ""
        searched = f"{self.simulations} simulations, {self.nodes} nodes, {self.seconds:.3f} s"
        table = html_table(("move", "visits", "value", "prior"), rows)
        return f"{table}<p>{shown}value of the position {self.value:+.3f}; {searched}</p>"
