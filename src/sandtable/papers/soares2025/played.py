"""All stages of a run that play matches, and all that make games to learn from."""

from __future__ import annotations

from typing import Any

from sandtable.papers.soares2025.beyond import (
    TOURNAMENTS,
    iterations,
    other_data,
    play_code,
    play_habits,
    play_ours,
    play_rivals,
    sweep,
)
from sandtable.papers.soares2025.data import Data
from sandtable.papers.soares2025.from_nothing import from_nothing_data, is_on, play_from_nothing
from sandtable.papers.soares2025.further_games import play_best, play_text_order
from sandtable.papers.soares2025.matches import evaluation_stage, tournament_stage
from sandtable.papers.soares2025.networks import play_networks
from sandtable.papers.soares2025.settings import ITERATIONS, Settings
from sandtable.papers.soares2025.text_inputs import play_text_inputs
from sandtable.papers.soares2025.training import data_stage
from sandtable.papers.stages import Stage


def played(settings: Settings) -> list[Stage[Any]]:
    """All stages that play matches."""
    return [
        *map(evaluation_stage, iterations(settings)),
        *map(tournament_stage, TOURNAMENTS),
        tournament_stage(ITERATIONS, longer=True),
        *(play_habits, play_code, sweep, play_rivals, play_best, play_networks, play_text_inputs),
        *(play_text_order, play_from_nothing, play_ours),
    ]


def all_data(settings: Settings) -> list[Stage[Data]]:
    """The games that all networks learnt from."""
    return [
        *map(data_stage, iterations(settings)),
        *(other_data(settings) if settings.habit_games else []),
        *(from_nothing_data() if is_on(settings) else []),
    ]
