"""The report's sections on further games: the best rows played again, and other layers."""

from __future__ import annotations

from collections.abc import Callable

from sandtable.papers.measured import Measured
from sandtable.papers.report import Section, sections_of
from sandtable.papers.soares2025 import further_games, networks
from sandtable.papers.soares2025.budgets import allowed
from sandtable.papers.soares2025.settings import Settings
from sandtable.papers.tables import Table, said

_SAME_COUNTS = " In a search all networks get the same counts, so that a faster network has no advantage."


def further_sections(measured: Measured, settings: Settings, each: Callable[[str, int], str]) -> list[Section]:
    """The sections on what was played. `each` words the budget of a move and the games of a pair."""
    return [
        *sections_of(
            measured,
            "best",
            "The best settings and players, played again",
            further_games.TEXT.format(count=further_games.BEST, games=settings.best_games),
            _chosen_and_new,
        ),
        *_networks(measured, settings, each),
    ]


def _chosen_and_new(table: Table) -> str:
    """Each score by which a row was chosen, and its score in new games."""
    parts = [
        f"{name}, {said(table.cell(name, 'chosen by'))} and {said(table.cell(name, 'new games'))}"
        for name, _ in table.named_rows()
    ]
    return f"The score by which a row was chosen, and its score in new games: {'; '.join(parts)}."


def _networks(measured: Measured, settings: Settings, each: Callable[[str, int], str]) -> list[Section]:
    if "networks" not in measured:
        return []
    trainings, games = measured["network_trainings"], measured["networks"]
    trainings.last_row()  # raises TableError if there is none
    least = min(trainings.named_rows(), key=lambda row: trainings.number(row[0], "held out: loss"))[0]
    text = networks.TEXT.format(seconds=settings.network_seconds)
    clear = [
        f"{name} in {column} ({said(cell)})"
        for name, _ in games.named_rows()
        for column in games.columns[1:]
        if (cell := games.cell(name, column)).interval and not (cell.low or 0) <= 50 <= (cell.high or 0)
    ]
    return [
        Section(
            "The thesis's network and others, trained for equal time",
            text,
            trainings.saying(f"{least} has the lowest loss on held-out games."),
        ),
        Section(
            "The same networks in matches against each other",
            f"{each(allowed(settings), settings.network_games)}.{_SAME_COUNTS * (settings.beyond_budget == 'counts')}",
            games.saying(
                f"Scores that differ from 50% at 95% each: {', '.join(clear)}."
                if clear
                else "No score differs from 50% at 95%."
            ),
        ),
    ]
