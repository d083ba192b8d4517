"""Figures with their uncertainty."""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

Z95 = 1.959963984540054


def wilson(score: float, n: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval for a share: `score` successes of n, a tie counting half."""
    if n == 0:
        return 0.0, 1.0
    share = score / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # Exact at the ends, where rounding would leave a crumb.
    return 0.0 if score == 0 else max(0.0, middle - half), 1.0 if score == n else min(1.0, middle + half)


def clustered(successes: Sequence[float], sizes: Sequence[float], z: float = Z95) -> tuple[float, float]:
    """An interval for a share whose trials come in groups that are alike, as the states of one game are: the groups are
    what was drawn at random (the usual linear estimate for a ratio)."""
    groups, trials = len(sizes), sum(sizes)
    if groups < 2 or trials == 0:
        return 0.0, 1.0
    share = sum(successes) / trials
    residuals = sum((won - share * size) ** 2 for won, size in zip(successes, sizes, strict=True))
    half = z * math.sqrt(groups / (groups - 1) * residuals) / trials
    return max(0.0, share - half), min(1.0, share + half)


def mean_interval(values: Sequence[float], z: float = Z95) -> tuple[float, float]:
    """An interval for the mean of some measurements."""
    n = len(values)
    if n < 2:
        return -math.inf, math.inf
    half = z * statistics.stdev(values) / math.sqrt(n)
    return statistics.fmean(values) - half, statistics.fmean(values) + half


def elo_of(share: float) -> float:
    """The difference in Elo that gives an expected share of the points."""
    if not 0 < share < 1:
        return math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share / (1 - share))


def expected(elo: float) -> float:
    """The expected share of the points at a difference in Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


class Sprt(NamedTuple):
    """A sequential test of elo0 against elo1 (generalised to ties by the normal approximation of the likelihood)."""

    elo0: float = 0.0
    elo1: float = 50.0
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's: below the first elo0 is accepted, above the second elo1."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, wins: int, losses: int, ties: int) -> float:
        n = wins + losses + ties
        if n == 0:
            return 0.0
        # Half a game of each kind is added: a variance of 0 would decide after one game.
        won, lost, tied = wins + 0.5, losses + 0.5, ties + 0.5
        total = won + lost + tied
        mean = (won + tied / 2) / total
        variance = (won + tied / 4) / total - mean**2
        s0, s1 = expected(self.elo0), expected(self.elo1)
        return n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)

    def verdict(self, wins: int, losses: int, ties: int) -> str | None:
        """Which of the two is accepted, "elo0" or "elo1"; None as long as it is not clear."""
        ratio, (low, high) = self.log_likelihood_ratio(wins, losses, ties), self.bounds
        return "elo0" if ratio <= low else "elo1" if ratio >= high else None
