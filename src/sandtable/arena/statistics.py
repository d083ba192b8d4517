"""Figures with their uncertainty."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.errors import SandtableError

Z95 = 1.959963984540054
STUDENT_STEPS = 4000  # of the numerical integral over Student's distribution


class Interval(NamedTuple):
    """A figure and its 95% interval."""

    value: float
    low: float
    high: float

    @property
    def contains_zero(self) -> bool:
        return self.low <= 0 <= self.high

    @property
    def p_value(self) -> float:
        """The two-sided p-value of a true figure of 0, by the normal approximation with the interval's half on the side
        of 0."""
        half = self.value - self.low if self.value > 0 else self.high - self.value
        if self.value == 0 or half <= 0:
            return float(self.value == 0)
        return math.erfc(Z95 * abs(self.value) / half / math.sqrt(2))


def root_mean_square(values: Iterable[float]) -> float:
    return math.sqrt(statistics.fmean(value**2 for value in values))


def wilson(score: float, n: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval for a share: `score` successes of n, a tie counting half."""
    if n == 0:
        return 0.0, 1.0
    share = score / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # Exactly 0 and 1 at the ends, where rounding would leave a small error.
    return 0.0 if score == 0 else max(0.0, middle - half), 1.0 if score == n else min(1.0, middle + half)


def clustered(
    successes: Sequence[float], sizes: Sequence[float], z: float = Z95, most: float = 1.0
) -> tuple[float, float]:
    """An interval for a share whose trials are correlated within groups, as the states of one game are. `most` is the
    largest possible value."""
    low, high = ratio_interval(successes, sizes, z)
    return max(0.0, low), min(most, high)


def ratio_interval(totals: Sequence[float], sizes: Sequence[float], z: float = Z95) -> tuple[float, float]:
    """An interval for sum(totals) / sum(sizes), where the groups are the sampling units (the usual linearised ratio
    estimator)."""
    groups, size = len(sizes), sum(sizes)
    if groups < 2 or size == 0:
        return -math.inf, math.inf
    ratio = sum(totals) / size
    residuals = sum((total - ratio * own) ** 2 for total, own in zip(totals, sizes, strict=True))
    half = z * math.sqrt(groups / (groups - 1) * residuals) / size
    return ratio - half, ratio + half


def mean_interval(values: Sequence[float], z: float = Z95) -> tuple[float, float]:
    """An interval for the mean of some measurements."""
    n = len(values)
    if n < 2:
        return -math.inf, math.inf
    half = z * statistics.stdev(values) / math.sqrt(n)
    return statistics.fmean(values) - half, statistics.fmean(values) + half


def difference(first: Interval, second: Interval) -> Interval:
    """First minus second, which were measured independently, with an interval made from theirs (Newcombe, 1998, method
    10, if both are Wilson's)."""
    value = first.value - second.value
    below = math.hypot(first.value - first.low, second.high - second.value)
    above = math.hypot(first.high - first.value, second.value - second.low)
    return Interval(value, value - below, value + above)


def welch(first: Estimate, second: Estimate) -> tuple[Interval, float]:
    """The difference of two means, each of a few independent measurements, and the two-sided p-value of no difference
    (Welch, 1947)."""
    errors = [one.variance / one.n for one in (first, second)]
    spread = sum(errors)
    value = first.mean - second.mean
    if spread <= 0:
        return Interval(value, value, value), float(value == 0)
    degrees = spread**2 / sum(error**2 / (one.n - 1) for error, one in zip(errors, (first, second), strict=True))
    half = student_quantile(degrees) * math.sqrt(spread)
    return Interval(value, value - half, value + half), student_p(value / math.sqrt(spread), degrees)


class Estimate(NamedTuple):
    """The mean of n independent measurements, two or more, and the variance of a single measurement."""

    mean: float
    variance: float
    n: int

    @property
    def interval(self) -> Interval:
        half = student_quantile(self.n - 1) * math.sqrt(self.variance / self.n)
        return Interval(self.mean, self.mean - half, self.mean + half)


def student_p(t: float, degrees: float) -> float:
    """The two-sided p-value of t in Student's distribution, whose density with t = sqrt(degrees) tan(angle) is a power
    of the cosine."""

    def area(begin: float) -> float:
        width = (math.pi / 2 - begin) / STUDENT_STEPS
        angles = begin + width * (np.arange(STUDENT_STEPS) + 0.5)
        return float((np.cos(angles) ** (degrees - 1)).sum() * width)

    return min(1.0, area(math.atan(abs(t) / math.sqrt(degrees))) / area(0.0))


def student_quantile(degrees: float, p: float = 0.05) -> float:
    """The t whose two-sided p-value is `p`."""
    low, high = 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_p(middle, degrees) > p else (low, middle)
    return high


Tallies = Mapping[Any, Mapping[Any, tuple[float, float]]]  # by seed and game: a sum, and the number of its terms


def paired_difference(first: Tallies, second: Tallies, *, resamples: int = 2000, seed: int = 0) -> Interval:
    """The mean of `first` minus the mean of `second`, measured with the same seeds and games; a bootstrap interval.

    A mean is the sum of all sums divided by the total number of terms, so that long games weigh more than short ones.
    Each resample draws seeds with replacement, then games: separately for every drawn seed if each seed has its own
    games, once for all seeds if they share their games. Both sides get the same draw, so that the effects of a seed or
    a game that are common to both cancel out.

    The interval runs from the 2.5% to the 97.5% quantile, extended if necessary to contain the value; it is infinite if
    there are fewer than two games. With one seed only games are drawn. With several seeds the interval tends to be too
    wide rather than too narrow, because the differences between seeds also contain the noise of the games: by two
    fifths at most if each seed has its own games.
    """
    seeds, games = list(first), list(dict.fromkeys(game for own in first.values() for game in own))
    if {one: set(own) for one, own in first.items()} != {one: set(own) for one, own in second.items()}:
        raise ValueError("a paired difference needs the same seeds and games on both sides")
    parts = np.zeros((4, len(seeds), len(games)))  # sums and numbers of the first, then of the second
    for side, tallies in enumerate((first, second)):
        for row, one in enumerate(seeds):
            for column, game in enumerate(games):
                parts[2 * side : 2 * side + 2, row, column] = tallies[one].get(game, (0.0, 0.0))
    totals = parts.sum((1, 2))
    if not totals[1] > 0 < totals[3]:
        raise ValueError("a paired difference needs at least one term on both sides")
    value = float(totals[0] / totals[1] - totals[2] / totals[3])
    if len(games) < 2:
        return Interval(value, -math.inf, math.inf)
    present = np.array([[game in first[one] for game in games] for one in seeds])
    drawn = _resampled(parts, present, resamples, np.random.default_rng(seed))
    drawn = drawn[:, (drawn[1] > 0) & (drawn[3] > 0)]  # a draw may consist of games without terms
    low, high = np.quantile(drawn[0] / drawn[1] - drawn[2] / drawn[3], (0.025, 0.975))
    return Interval(value, min(value, float(low)), max(value, float(high)))


def _resampled(
    parts: NDArray[np.float64], present: NDArray[np.bool_], resamples: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """[P, seeds, games] to [P, resamples]: the parts' sums over drawn seeds and games. Games are drawn among
    those that occur with exactly the same seeds."""
    seeds = len(present)
    times = generator.multinomial(seeds, np.full(seeds, 1 / seeds), resamples)  # [resamples, seeds]
    drawn = np.zeros((len(parts), resamples))
    for pattern in np.unique(present, axis=1).T:
        rows, columns = np.flatnonzero(pattern), np.flatnonzero((pattern == present.T).all(1))
        own = parts[:, rows][:, :, columns]
        chances = np.full(len(columns), 1 / len(columns))
        if len(rows) == 1:
            games = generator.multinomial(times[:, rows[0]] * len(columns), chances)  # [resamples, games]
            drawn += own[:, 0] @ games.T
        else:
            games = generator.multinomial(len(columns), chances, resamples)
            drawn += ((times[:, rows] @ own) * games).sum(2)
    return drawn


def sign_test(wins: int, losses: int) -> float:
    """The exact two-sided p-value of wins being as likely as losses; draws are ignored."""
    n, fewer = wins + losses, min(wins, losses)
    if wins == losses:
        return 1.0
    tail: int = sum(math.comb(n, k) for k in range(fewer + 1))
    return min(1.0, float(2 * tail / 2**n))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for multiple tests (Holm, 1979): with a limit of 0.05, at most one family of tests in twenty
    has a false positive."""
    corrected = [0.0] * len(p_values)
    least = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = least
    return corrected


def elo_of(share: float) -> float:
    """The difference in Elo that gives an expected share of the points."""
    if not 0 < share < 1:
        return math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share / (1 - share))


def expected(elo: float) -> float:
    """The expected share of the points at a difference in Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


class Sprt(NamedTuple):
    """The sequential probability ratio test of elo0 against elo1 (generalised to ties by the normal approximation of
    the likelihood)."""

    elo0: float = 0.0
    elo1: float = 50.0
    alpha: float = 0.05
    beta: float = 0.05

    @classmethod
    def between(cls, elo0: float, elo1: float) -> Sprt:
        """The test with the default error rates."""
        if not -2000 <= elo0 < elo1 <= 2000:
            raise SandtableError("sprt: ELO0 must be less than ELO1, both within -2000..2000")
        return cls(elo0, elo1)

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds of the log-likelihood ratio: elo0 is accepted up to the first, elo1 from the second."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, wins: int, losses: int, ties: int) -> float:
        n = wins + losses + ties
        if n == 0:
            return 0.0
        # Half a game of each kind is added, because a variance of 0 would decide after one game.
        won, lost, tied = wins + 0.5, losses + 0.5, ties + 0.5
        total = won + lost + tied
        mean = (won + tied / 2) / total
        variance = (won + tied / 4) / total - mean**2
        s0, s1 = expected(self.elo0), expected(self.elo1)
        return n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)

    def verdict(self, wins: int, losses: int, ties: int) -> str | None:
        """The accepted hypothesis, "elo0" or "elo1"; None if neither is accepted yet."""
        ratio, (low, high) = self.log_likelihood_ratio(wins, losses, ties), self.bounds
        return "elo0" if ratio <= low else "elo1" if ratio >= high else None
