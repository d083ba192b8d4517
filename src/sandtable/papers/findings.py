"""Findings of a paper, one by one: what we measure, and whether it holds.

A finding is a claim that one quantity is greater than another. Its p is two-sided, for the null hypothesis that they
are equal. A report judges many findings, so some would be significant by chance: Holm's method corrects p for their
number.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from sandtable.arena.statistics import holm, sign_test
from sandtable.papers.tables import PROBABILITY_DIGITS, Cell, Table, said

LEVEL = 0.05
HOLDS, FAILS, OPEN, MISSING = "holds", "fails", "open", "not measured"
EXPLAINED = (
    f"A finding holds if it is found here with a corrected p below {LEVEL:g}, fails if the opposite is found with such "
    "a p, and is open otherwise. p is two-sided: it comes from the exact sign test for a score against 50%, and from "
    "the normal approximation for a difference; games are assumed to be independent. Holm's method corrects p for the "
    "number of findings in the table that were measured."
)


class Finding(NamedTuple):
    """A claim, our figure beside the published one, its p, and whether our figure is on the claim's side."""

    claim: str
    figure: Cell
    p: float | None = None  # None: not measured
    on_its_side: bool = False


def by_score(claim: str, figure: Cell) -> Finding:
    """The finding that a player scores more than 50%."""
    if figure.counts is None:
        return Finding(claim, figure)
    won, lost, _ = figure.counts
    return Finding(claim, figure, sign_test(won, lost), won > lost)


def by_difference(claim: str, figure: Cell) -> Finding:
    """The finding that a difference is greater than 0."""
    if figure.interval is None:
        return Finding(claim, figure)
    return Finding(claim, figure, figure.interval.p_value, figure.interval.value > 0)


def corrected(findings: Sequence[Finding]) -> list[float | None]:
    """The p of each finding, corrected for the number of those that were measured; None if it was not measured."""
    values = iter(holm([one.p for one in findings if one.p is not None]))
    return [None if one.p is None else next(values) for one in findings]


def verdicts(findings: Sequence[Finding]) -> list[str]:
    return [verdict(one, p) for one, p in zip(findings, corrected(findings), strict=True)]


def verdict(finding: Finding, corrected_p: float | None) -> str:
    if corrected_p is None:
        return MISSING
    if corrected_p >= LEVEL:
        return OPEN
    return HOLDS if finding.on_its_side else FAILS


def table_of(findings: Sequence[Finding], title: str, figure: str, name: str = "findings") -> Table:
    """`figure` is the heading of the column with our figures."""
    rows = tuple(
        (Cell(one.claim), one.figure, Cell(one.p), Cell(p), Cell(verdict(one, p)))
        for one, p in zip(findings, corrected(findings), strict=True)
    )
    digits = (1, 1, PROBABILITY_DIGITS, PROBABILITY_DIGITS, 1)
    columns = ("finding", figure, "p", "corrected p", "verdict")
    return Table(name, title, columns, rows, f"{counted(findings)}.", digits)


def counted(findings: Sequence[Finding]) -> str:
    """A sentence, without its full stop, on how many findings hold, fail and are open."""
    found = verdicts(findings)
    parts = [
        f"{found.count(word)} {one if found.count(word) == 1 else more}"
        for word, one, more in ((HOLDS, "holds", "hold"), (FAILS, "fails", "fail"), (OPEN, "is open", "are open"))
    ]
    missing = f", and {found.count(MISSING)} {'was' if found.count(MISSING) == 1 else 'were'} not measured"
    of = f"Of {len(findings)} findings {parts[0]}, {parts[1]} and {parts[2]}"
    return of + (missing if MISSING in found else "")


def summarised(findings: Sequence[Finding]) -> list[str]:
    """Paragraphs with the findings that hold, fail and are open, and their figures."""
    judged = list(zip(findings, verdicts(findings), strict=True))
    held = [one for one, word in judged if word == HOLDS]
    failed, undecided = ([one for one, word in judged if word == wanted] for wanted in (FAILS, OPEN))
    published, own = ([one for one in held if _published(one) is wanted] for wanted in (True, False))
    parts = (
        ("Reproduced: these findings hold:", "Reproduced: no finding holds.", published),
        ("These findings hold here, but the published figures do not show them:", "", own),
        ("Not reproduced: these findings fail:", "Not reproduced: no finding fails.", failed),
        ("Open: the measurements do not decide these findings:", "", undecided),
    )
    paragraphs = []
    for some, none, chosen in parts:
        lines = "\n".join(f"- {one.claim}: {_figure(one.figure)}" for one in chosen)
        paragraphs += [some, lines] if chosen else [none] if none else []
    return paragraphs


def _published(finding: Finding) -> bool:
    """Whether the published figure is on the claim's side; true if there is none."""
    figure = finding.figure
    if figure.published_counts is not None:
        return figure.published_counts[0] > figure.published_counts[1]
    return figure.published is None or figure.published > (50 if figure.counts else 0)


def _figure(figure: Cell) -> str:
    """The figure with its interval, and whether the published one agrees."""
    unit = "%" if figure.counts else " points"
    text = said(dataclasses.replace(figure, published=None), unit)
    if figure.published is None:
        return text
    verb = {None: "is", True: "agrees:", False: "differs:"}[figure.agrees]
    return f"{text}; the published figure {verb} {figure.published:.1f}{unit}"
