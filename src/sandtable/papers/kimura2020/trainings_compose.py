"""The report's sections on further trainings, with other seeds and with other readings; written from their tables
alone."""

from __future__ import annotations

import dataclasses

from sandtable.arena.statistics import difference
from sandtable.papers.findings import Finding
from sandtable.papers.kimura2020 import published
from sandtable.papers.kimura2020.claims import OTHER_MAPS
from sandtable.papers.kimura2020.matches import OPPONENTS
from sandtable.papers.measured import Measured
from sandtable.papers.report import Section
from sandtable.papers.tables import Cell, Table, TableError, said

_SEEDS = (
    "The short networks that the findings compare, each trained several times with different seeds. A win rate is the "
    "mean over the trainings, with Student's interval; *each* lists the win rate of every training. Differences are "
    "judged by Welch's test over the trainings, which includes the variation between trainings and the error of the "
    "games. The variance between trainings is taken to be at least that which the number of games alone would give."
)
_ALTERNATIVES = (
    "The network with eight separable blocks, trained once with the other reading of the policy head and once on the "
    "other kind of training maps. With `training_maps=even`, games last about as long as in the paper, 8 to 16 turns; "
    "with `random` they are about half as long (docs/papers.md). Each network comes from one training seed."
)


def trainings_said(measured: Measured) -> str:
    if "seeds" in measured:
        names = ", ".join(name for name, _ in measured["seeds"].named_rows())
        return (
            f"{names} were trained with {measured.training_seeds} each, so that their differences are judged with the "
            "variation between trainings; every other network was trained with one."
        )
    return (
        f"Each network comes from {measured.training_seeds}: intervals include the error of the games, but not the "
        "variation between trainings."
    )


def over_seeds(measured: Measured, claim: str, own: str, without: str, opponent: str, figure: Cell) -> Finding | None:
    """The finding, judged with the error of the training; None unless both networks were trained several times."""
    row = f"{own} - {without}"
    if "seed_effects" not in measured or row not in (name for name, _ in measured["seed_effects"].named_rows()):
        return None
    table = measured["seed_effects"]
    apart = dataclasses.replace(table.cell(row, f"points against {opponent}"), published=figure.published)
    if apart.interval is None:
        return None
    return Finding(claim, apart, table.number(row, f"p, {opponent}"), apart.interval.value > 0)


def seed_sections(measured: Measured) -> list[Section]:
    if "seeds" not in measured:
        return []
    rates, effects = measured["seeds"], measured["seed_effects"]
    clear = [
        f"{name} against {opponent} ({said(cell, ' points')})"
        for name, _ in effects.named_rows()
        for opponent in OPPONENTS
        if (cell := effects.cell(name, f"points against {opponent}")).interval and not cell.interval.contains_zero
    ]
    text = "No difference is significant at 95%."
    if clear:
        text = f"These differences are significant at 95% each, uncorrected: {', '.join(clear)}."
    return [
        Section("Short networks over several trainings", _SEEDS, rates.saying(_spread(rates))),
        Section("Differences over several trainings", "", effects.saying(text)),
    ]


def _spread(rates: Table) -> str:
    """A sentence on how much the win rates of trainings differ that differ only in their seeds."""
    rates.last_row()  # an error if there is none
    widest, name = max(
        (max(values) - min(values), f"{name}, {opponent}")
        for name, _ in rates.named_rows()
        for opponent in OPPONENTS
        for values in [_numbers(rates.cell(name, f"each, {opponent}"))]
    )
    return f"Trainings of one network differ by up to {widest:.0f} points in win rate ({name})."


def _numbers(cell: Cell) -> list[float]:
    parts = str(cell.value).split(" / ")
    if not all(part.replace(".", "", 1).isdecimal() for part in parts):
        raise TableError("seeds.json: needs the win rate of each training, such as 80 / 72")
    return [float(part) for part in parts]


def alternative_sections(measured: Measured) -> list[Section]:
    if "alternatives" not in measured:
        return []
    return [Section("Other readings of the policy head and of the maps", _ALTERNATIVES, _alternatives(measured))]


def _alternatives(measured: Measured) -> Table:
    """The table with sentences on the effect of each reading, and on whether the length of the training games explains
    the difference from the paper."""
    table = measured["alternatives"]
    table.last_row()  # an error if there is none
    (own, _), *others = table.named_rows()
    parts = []
    for name, row in others:
        for opponent in OPPONENTS:
            first, second = (table.cell(one, f"against {opponent}").interval for one in (name, own))
            if first and second:
                apart = said(Cell(*difference(first, second)), " points")
                setting = row[table.column("reading")].value
                parts.append(f"`{setting}`, against {opponent}, {apart}")
    text = "; ".join(parts)
    gaps = _beside_the_paper(measured, own)
    return table.saying(f"Changes of the win rate: {text}. {gaps}".strip() if text else gaps)


def _beside_the_paper(measured: Measured, own: str) -> str:
    """Sentences on how far the win rates are from the paper's with each kind of training maps."""
    table = measured["alternatives"]
    maps = next((name for name, _ in table.named_rows() if name.endswith(OTHER_MAPS.replace(" ", "-"))), None)
    printed = published.MAP01.get(own)
    if maps is None or printed is None:
        return ""
    parts = []
    for opponent, result in zip(OPPONENTS, printed, strict=True):
        with_own, with_other = (table.number(name, f"against {opponent}") for name in (own, maps))
        parts.append(
            f"{with_own - result.rate:+.1f} points against {opponent} with the run's own maps and "
            f"{with_other - result.rate:+.1f} with the others"
        )
    lengths = [table.number(name, "positions a training game") for name in (own, maps)]
    return (
        f"The network's win rate minus the paper's is {', and '.join(parts)}. A training game has {lengths[0]:.1f} "
        f"positions on the run's own maps and {lengths[1]:.1f} on the others. If the length of the training games "
        "explained the difference from the paper, it would disappear with those that are as long as the paper's."
    )
