"""The budget of a move in games that the thesis did not play: seconds, or a count of each player's own.

Seconds compare players as the thesis does, but need an idle machine. Counts give the same games whatever else the
machine does: the guided and vanilla iterations and the generations of the searches that make the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandtable._core.conquest import CoevolutionSettings, GuidedSettings
from sandtable.papers.run import Run
from sandtable.papers.soares2025.matches import Entry, Results, play_pairs
from sandtable.papers.soares2025.searches import SECONDS, Search
from sandtable.papers.soares2025.settings import Settings

POPULATION = CoevolutionSettings().population  # moves of each player; a generation evaluates all pairs
CANDIDATES = GuidedSettings().candidates  # moves that an iteration of guided MCTS evaluates
ROUNDS = 20  # the count of the player `sandtable`


def allowed(settings: Settings) -> str:
    """The budget of a move, in words."""
    if settings.beyond_budget == "seconds":
        return f"{settings.beyond_seconds:g} s a move"
    return (
        f"{settings.guided_iterations} guided iterations, {settings.vanilla_iterations} vanilla ones, "
        f"{settings.generations} generations of {POPULATION} x {POPULATION}, {_simulations(settings)} simulations or "
        f"{ROUNDS} rounds a move, depending on the player"
    )


def play_beyond(
    run: Run,
    settings: Settings,
    stage: str,
    maps: Sequence[str],
    pairs: Sequence[tuple[Entry, Entry]],
    games: int,
) -> Results:
    """play_pairs() with the budget of the settings."""
    if settings.beyond_budget == "seconds":
        return play_pairs(run, settings, stage, maps, pairs, games, settings.beyond_seconds)
    by_count = [(counted(one, settings), counted(other, settings)) for one, other in pairs]
    return play_pairs(run, settings, stage, maps, by_count, games, 0.0, "counts")


def counted(player: Entry, settings: Settings) -> Entry:
    """The player with a count instead of seconds; a search inside it gets its own count."""
    name, count = _count(player.search, settings)
    found: dict[str, Any] = {}
    for key, value in player.search.settings.items():
        if isinstance(value, Search):
            found[key] = value.changed(**dict([_count(value, settings)]))
        elif value == SECONDS:
            found[name] = count
        else:
            found[key] = value
    return player._replace(search=Search(player.search.player, found))


def _count(search: Search, settings: Settings) -> tuple[str, int]:
    """The name of the count that limits a search, and its value."""
    if search.player in ("coevolution", "cmaes"):
        share = (search.settings.get("population", POPULATION) / POPULATION) ** 2
        return "generations", max(1, round(settings.generations / share))  # for the same number of evaluations
    if search.player in ("duct", "regret"):
        return "simulations", _simulations(settings)
    if search.player == "sandtable":
        return "rounds", ROUNDS
    return "iterations", settings.vanilla_iterations if search.player == "mcts" else settings.guided_iterations


def _simulations(settings: Settings) -> int:
    """The number of simulations with as many evaluations as the guided iterations."""
    return CANDIDATES * settings.guided_iterations
