"""Ratings from results: the Bradley-Terry model on the Elo scale, with a tie as half a win."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from sandtable.arena.statistics import Z95
from sandtable.errors import SandtableError

ELO = 400 / np.log(10)  # points of Elo per unit of the model's scale
MAX_PLAYERS = 1000  # in one system of equations, whose memory grows with the square of their number
PRIOR = 0.5  # wins and losses against an average player: a prior that keeps the ratings of unbeaten players finite


class Rating(NamedTuple):
    player: str
    elo: float
    low: float
    high: float
    games: int
    score: float  # share of the points


def ratings(results: Iterable[tuple[str, str, float]]) -> list[Rating]:
    """Ratings around a mean of 0 from (first, second, score of the first), the best first, with 95% intervals."""
    pairs: dict[tuple[str, str], tuple[float, int]] = {}
    for first, second, score in results:
        points, games = pairs.get((first, second), (0.0, 0))
        pairs[first, second] = points + score, games + 1
    return ratings_of_pairs(pairs)


def ratings_of_pairs(pairs: Mapping[tuple[str, str], tuple[float, int]]) -> list[Rating]:
    """The same as ratings(), from the points of the first against the second and the number of their games."""
    names = sorted({name for pair in pairs for name in pair})
    if not names:
        return []
    n = len(names)
    if n > MAX_PLAYERS:
        raise SandtableError(f"there are {n:,} players, but at most {MAX_PLAYERS:,} can be rated: choose a tournament")
    place = {name: i for i, name in enumerate(names)}
    wins, played = np.zeros((n, n)), np.zeros((n, n))
    for (first, second), (points, games) in pairs.items():
        i, j = place[first], place[second]
        wins[i, j] += points
        wins[j, i] += games - points
        played[i, j] += games
        played[j, i] += games
    strength = np.zeros(n)
    for _ in range(100):
        gradient, information = _gradient_and_information(strength, wins, played)
        step = np.linalg.solve(information, gradient)
        strength += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    strength -= strength.mean()
    # The variance of each strength relative to the mean of all, because ratings are defined only up to a constant.
    covariance = np.linalg.inv(_gradient_and_information(strength, wins, played)[1])
    centre = np.eye(n) - 1 / n
    deviation = np.sqrt(np.diag(centre @ covariance @ centre.T))
    found = [
        Rating(
            name,
            float(ELO * strength[i]),
            float(ELO * (strength[i] - Z95 * deviation[i])),
            float(ELO * (strength[i] + Z95 * deviation[i])),
            int(played[i].sum()),
            float(wins[i].sum() / played[i].sum()),
        )
        for i, name in enumerate(names)
    ]
    return sorted(found, key=lambda rating: (-rating.elo, rating.player))


Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def _gradient_and_information(strength: Array, wins: Array, played: Array) -> tuple[Array, Array]:
    """The gradient and the information matrix of the log-likelihood, both including the prior's."""
    expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    own = 1 / (1 + np.exp(-strength))
    gradient = (wins - played * expected).sum(1) + PRIOR - 2 * PRIOR * own
    weight = played * expected * (1 - expected)
    return gradient, np.diag(weight.sum(1) + 2 * PRIOR * own * (1 - own)) - weight
