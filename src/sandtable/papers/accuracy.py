"""Shares of states that are predicted, with confidence intervals clustered by game."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sandtable.arena.statistics import Interval, Tallies, clustered, paired_difference
from sandtable.papers.tables import Cell

Share = dict[str, float]  # value, low, high, n, games
ByGame = Mapping[str, Sequence[float]]  # game, states, right, error: a list each, with an entry for each test game


def share_of_states(scores: Iterable[float], games: Iterable[int]) -> Share:
    """The mean of the states' scores; its interval takes the games as drawn, for the states of one are alike."""
    won: defaultdict[int, float] = defaultdict(float)
    sizes: Counter[int] = Counter()
    for score, game in zip(scores, games, strict=True):
        won[int(game)] += float(score)
        sizes[int(game)] += 1
    low, high = clustered([won[game] for game in sizes], list(sizes.values()))
    n = sum(sizes.values())
    return {"value": sum(won.values()) / n if n else 0.0, "low": low, "high": high, "n": n, "games": len(sizes)}


def by_game(games: Iterable[int], right: Iterable[bool], errors: Iterable[float]) -> dict[str, list[Any]]:
    """A network's results on each test game: states, how many are right, and the sum of their errors. Two networks are
    compared by these, game by game."""
    states, correct = Counter[int](), Counter[int]()
    error: defaultdict[int, float] = defaultdict(float)
    for game, hit, one in zip(games, right, errors, strict=True):
        states[int(game)] += 1
        correct[int(game)] += bool(hit)
        error[int(game)] += float(one)
    order = sorted(states)
    return {
        "game": order,
        "states": [states[game] for game in order],
        "right": [correct[game] for game in order],
        "error": [round(error[game], 6) for game in order],
    }


def mean_error(results: ByGame, chosen: Sequence[bool] | None = None) -> Cell:
    """The mean error of a state over the chosen games, with an interval clustered by game."""
    kept = [True] * len(results["game"]) if chosen is None else chosen
    errors, states = (
        [one for one, keep in zip(results[key], kept, strict=True) if keep] for key in ("error", "states")
    )
    if len(states) < 2:
        return Cell(None)
    low, high = clustered(errors, states, most=float("inf"))
    return Cell(sum(errors) / sum(states), low, high, int(sum(states)), games=len(states))


def compared_by_game(first: ByGame, second: ByGame, key: str, factor: float = 1.0) -> Interval | None:
    """First minus second in `right` or `error` a state, over the same games."""
    if list(first["game"]) != list(second["game"]) or len(first["game"]) < 2:
        return None
    own, other = (
        {0: dict(zip(one["game"], zip(one[key], one["states"], strict=True), strict=True))} for one in (first, second)
    )
    return Interval(*(factor * one for one in paired_difference(own, other)))


def differences_by_game(first: ByGame, second: ByGame, printed: float | None = None) -> list[Cell]:
    """First minus second in accuracy, in points, with the published difference, and in error."""
    cells = []
    for key, factor, published in (("right", 100.0, printed), ("error", 1.0, None)):
        apart = compared_by_game(first, second, key, factor)
        cells.append(Cell(None) if apart is None else Cell(*apart, len(first["game"]), published))
    return cells


def over_trainings(first: Sequence[ByGame], second: Sequence[ByGame] | None, key: str, factor: float = 1.0) -> Interval:
    """The mean over trainings of `right` or `error` a state, or its difference from another network with as many
    trainings, tested on the same games. The interval has the error of the training, if there are several, and that of
    the games."""
    own = _tallies(first, key)
    other = _nothing(own) if second is None else _tallies(second, key)
    return Interval(*(factor * one for one in paired_difference(own, other)))


def cells_over_trainings(
    first: Sequence[ByGame], second: Sequence[ByGame] | None = None, printed: float | None = None
) -> list[Cell]:
    """Accuracy in per cent, with the published figure, and error; or differences of them, the accuracy's in points."""
    return [
        Cell(*over_trainings(first, second, key, factor), len(first[0]["game"]), figure)
        for key, factor, figure in (("right", 100.0, printed), ("error", 1.0, None))
    ]


def _tallies(results: Sequence[ByGame], key: str) -> Tallies:
    return {
        number: dict(zip(one["game"], zip(one[key], one["states"], strict=True), strict=True))
        for number, one in enumerate(results)
    }


def _nothing(tallies: Tallies) -> Tallies:
    """The reference of a difference."""
    return {seed: {game: (0.0, states) for game, (_, states) in own.items()} for seed, own in tallies.items()}
