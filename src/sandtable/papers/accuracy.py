"""Shares of correctly predicted states, with confidence intervals clustered by game."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sandtable.arena.statistics import Interval, Tallies, clustered, paired_difference
from sandtable.papers.tables import Cell

Share = dict[str, float]  # value, low, high, n, games
ByGame = Mapping[str, Sequence[float]]  # keys game, states, right, error: lists with an entry for each test game


def share_of_states(scores: Iterable[float], games: Iterable[int]) -> Share:
    """The mean score of the states. The interval takes games as the sampling unit, because the states of a game are
    alike."""
    won: defaultdict[int, float] = defaultdict(float)
    sizes: Counter[int] = Counter()
    for score, game in zip(scores, games, strict=True):
        won[int(game)] += float(score)
        sizes[int(game)] += 1
    low, high = clustered([won[game] for game in sizes], list(sizes.values()))
    n = sum(sizes.values())
    return {"value": sum(won.values()) / n if n else 0.0, "low": low, "high": high, "n": n, "games": len(sizes)}


def by_game(games: Iterable[int], right: Iterable[bool], errors: Iterable[float]) -> dict[str, list[Any]]:
    """A network's results on each test game: the numbers of states and of right predictions, and the sum of the errors.
    Two networks are compared by these, game by game."""
    states, correct = Counter[int](), Counter[int]()
    error: defaultdict[int, float] = defaultdict(float)
    for game, is_right, state_error in zip(games, right, errors, strict=True):
        states[int(game)] += 1
        correct[int(game)] += bool(is_right)
        error[int(game)] += float(state_error)
    order = sorted(states)
    return {
        "game": order,
        "states": [states[game] for game in order],
        "right": [correct[game] for game in order],
        "error": [round(error[game], 6) for game in order],
    }


def mean_error(results: ByGame, chosen: Sequence[bool] | None = None) -> Cell:
    """The mean error per state over the chosen games, with an interval clustered by game."""
    kept = [True] * len(results["game"]) if chosen is None else chosen
    errors, states = (
        [one for one, keep in zip(results[key], kept, strict=True) if keep] for key in ("error", "states")
    )
    if len(states) < 2:
        return Cell(None)
    low, high = clustered(errors, states, most=float("inf"))
    return Cell(sum(errors) / sum(states), low, high, int(sum(states)), games=len(states))


def compared_by_game(first: ByGame, second: ByGame, key: str, factor: float = 1.0) -> Interval | None:
    """The difference, first minus second, in `right` or `error` per state. None unless both have the same games, at
    least two."""
    if list(first["game"]) != list(second["game"]) or len(first["game"]) < 2:
        return None
    own, other = (
        {0: dict(zip(one["game"], zip(one[key], one["states"], strict=True), strict=True))} for one in (first, second)
    )
    return Interval(*(factor * one for one in paired_difference(own, other)))


def differences_by_game(first: ByGame, second: ByGame, printed: float | None = None) -> list[Cell]:
    """Differences, first minus second: of accuracy, in points, beside the published one; and of error."""
    cells = []
    for key, factor, published in (("right", 100.0, printed), ("error", 1.0, None)):
        apart = compared_by_game(first, second, key, factor)
        cells.append(Cell(None) if apart is None else Cell(*apart, len(first["game"]), published))
    return cells


def over_trainings(first: Sequence[ByGame], second: Sequence[ByGame] | None, key: str, factor: float = 1.0) -> Interval:
    """The mean over trainings of `right` or `error` per state; with `second`, its difference from another network with
    as many trainings, tested on the same games. The interval includes the error of the games and, if there are several
    trainings, the error of the training."""
    own = _tallies(first, key)
    other = _with_zero_sums(own) if second is None else _tallies(second, key)
    return Interval(*(factor * one for one in paired_difference(own, other)))


def cells_over_trainings(
    first: Sequence[ByGame], second: Sequence[ByGame] | None = None, printed: float | None = None
) -> list[Cell]:
    """Accuracy in per cent, beside the published figure, and error; with `second`, the differences in both, accuracy in
    points."""
    return [
        Cell(*over_trainings(first, second, key, factor), len(first[0]["game"]), figure)
        for key, factor, figure in (("right", 100.0, printed), ("error", 1.0, None))
    ]


def _tallies(results: Sequence[ByGame], key: str) -> Tallies:
    return {
        number: dict(zip(one["game"], zip(one[key], one["states"], strict=True), strict=True))
        for number, one in enumerate(results)
    }


def _with_zero_sums(tallies: Tallies) -> Tallies:
    """The tallies with all sums 0: a difference from them is the mean itself."""
    return {seed: {game: (0.0, states) for game, (_, states) in own.items()} for seed, own in tallies.items()}
