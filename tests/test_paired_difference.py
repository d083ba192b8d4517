"""The bootstrap of paired differences, against a plain implementation and where the answer is known."""

import math
import random
from statistics import NormalDist, fmean, stdev

import numpy as np
import pytest

from sandtable.arena.statistics import Interval, paired_difference, ratio_interval

Tallies = dict[int, dict[int, tuple[float, float]]]


def tallies(rng: random.Random, seeds: int, games: int, *, shared: bool, shift: float = 0.0) -> Tallies:
    """Sums over 1 to 9 terms; each training seed has its own games, or all share the same ones."""
    sizes = {game: rng.randint(1, 9) for game in range(seeds * games)}
    found: Tallies = {}
    for one in range(seeds):
        luck = rng.gauss(shift, 0.3)
        own = range(games) if shared else range(one * games, (one + 1) * games)
        found[one] = {game: (sizes[game] * (luck + rng.gauss(0, 1)), sizes[game]) for game in own}
    return found


def ratio(drawn: list[tuple[float, float]]) -> float:
    return sum(total for total, _ in drawn) / sum(number for _, number in drawn)


def plain(first: Tallies, second: Tallies, *, shared: bool, resamples: int) -> Interval:
    """The bootstrap, draw by draw."""
    rng = random.Random(1)
    seeds = list(first)

    def difference(drawn: list[tuple[int, int]]) -> float:
        return ratio([first[one][game] for one, game in drawn]) - ratio([second[one][game] for one, game in drawn])

    differences = []
    for _ in range(resamples):
        drawn_seeds = rng.choices(seeds, k=len(seeds))
        games = rng.choices(list(first[0]), k=len(first[0]))
        drawn = []
        for one in drawn_seeds:
            own = games if shared else rng.choices(list(first[one]), k=len(first[one]))
            drawn += [(one, game) for game in own]
        differences.append(difference(drawn))
    low, high = np.quantile(differences, (0.025, 0.975))
    return Interval(difference([(one, game) for one in seeds for game in first[one]]), low, high)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("seeds", "games"), [(1, 12), (4, 10)])
def test_the_bootstrap_matches_a_plain_implementation(seeds: int, games: int, shared: bool) -> None:
    rng = random.Random(8)
    first, second = (tallies(rng, seeds, games, shared=shared, shift=shift) for shift in (0.5, 0.0))
    found = paired_difference(first, second, resamples=20_000)
    expected = plain(first, second, shared=shared, resamples=5_000)
    assert found.value == pytest.approx(expected.value)
    width = expected.high - expected.low
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.05 * width)
    assert found == paired_difference(first, second, resamples=20_000)
    assert found != paired_difference(first, second, resamples=20_000, seed=1)


def test_noise_common_to_both_sides_cancels_out() -> None:
    """However much seeds and games vary, the interval of a constant lead of 0.25 has no width."""
    base = tallies(random.Random(3), 5, 20, shared=False)
    better = {one: {game: (s + 0.25 * n, n) for game, (s, n) in own.items()} for one, own in base.items()}
    assert paired_difference(better, base) == pytest.approx((0.25, 0.25, 0.25))
    assert paired_difference(base, better) == pytest.approx((-0.25, -0.25, -0.25))
    assert paired_difference(base, base) == (0, 0, 0)


def test_with_one_seed_the_interval_is_that_of_a_mean() -> None:
    rng = random.Random(5)
    noise = [rng.gauss(1, 2) for _ in range(400)]
    first = {0: {game: (value, 1.0) for game, value in enumerate(noise)}}
    second = {0: dict.fromkeys(range(400), (0.0, 1.0))}
    found = paired_difference(first, second, resamples=20_000)
    half = NormalDist().inv_cdf(0.975) * stdev(noise) / math.sqrt(400)
    assert found == pytest.approx((fmean(noise), fmean(noise) - half, fmean(noise) + half), abs=0.05 * half)


@pytest.mark.parametrize(("seed_noise", "game_noise"), [(1.0, 0.0), (0.0, 1.0), (0.3, 1.0)])
def test_intervals_cover_the_truth_whether_seeds_or_games_vary(seed_noise: float, game_noise: float) -> None:
    """At least 95 times in 100 if only games vary; a little less often if ten seeds vary, as usual for bootstraps."""
    rng = random.Random(6)
    covered = 0
    for _ in range(200):
        first: Tallies = {}
        for one in range(10):
            luck = rng.gauss(0, seed_noise)
            own = range(20 * one, 20 * one + 20)
            first[one] = {game: (luck + rng.gauss(0, game_noise), 1.0) for game in own}
        second = {one: dict.fromkeys(own, (0.0, 1.0)) for one, own in first.items()}
        found = paired_difference(first, second, resamples=400)
        covered += found.low <= 0 <= found.high
    assert covered >= (172 if seed_noise else 190)


def test_unpaired_results_are_refused_and_one_game_has_no_bounds() -> None:
    one = {0: {1: (1.0, 2.0), 2: (1.0, 1.0)}}
    with pytest.raises(ValueError, match="same seeds and games"):
        paired_difference(one, {0: {1: (1.0, 2.0)}})
    with pytest.raises(ValueError, match="at least one term"):
        paired_difference(one, {0: {1: (0.0, 0.0), 2: (0.0, 0.0)}})
    assert paired_difference({0: {1: (1.0, 2.0)}}, {0: {1: (0.0, 2.0)}}) == (0.5, -math.inf, math.inf)


def test_the_interval_of_a_ratio_may_exceed_one() -> None:
    low, high = ratio_interval([6.0, 2.0, 4.0], [2, 2, 2])
    half = NormalDist().inv_cdf(0.975) * stdev([3, 1, 2]) / math.sqrt(3)
    assert (low, high) == pytest.approx((2 - half, 2 + half))
    assert ratio_interval([1.0], [1]) == (-math.inf, math.inf)
