"""Verdicts on findings: significance tests, corrected for the number of findings."""

import dataclasses
import math
import random
import statistics
from collections.abc import Sequence

import pytest

from sandtable.arena.statistics import (
    Estimate,
    Interval,
    difference,
    holm,
    paired_difference,
    sign_test,
    student_p,
    student_quantile,
    welch,
    wilson,
)
from sandtable.papers.findings import Finding, by_difference, by_score, corrected, summarised, table_of, verdicts
from sandtable.papers.matches import score
from sandtable.papers.tables import Cell


def plain_holm(values: Sequence[float], level: float) -> list[bool]:
    """Which hypotheses are rejected, step by step: the least p at level / m, the next at level / (m - 1), and so on
    until one is not."""
    rejected = [False] * len(values)
    left = sorted(range(len(values)), key=lambda i: values[i])
    for count, place in zip(range(len(values), 0, -1), left, strict=True):
        if values[place] > level / count:
            break
        rejected[place] = True
    return rejected


def test_holm_matches_a_plain_implementation() -> None:
    rng = random.Random(5)
    for _ in range(300):
        values = [rng.random() ** rng.choice((1, 4, 9)) for _ in range(rng.randint(1, 15))]
        for level in (0.01, 0.05, 0.2):
            assert [p <= level for p in holm(values)] == plain_holm(values, level)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], []),
        ([0.03], [0.03]),
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),  # the usual textbook example
        ([0.5, 0.6, 0.9], [1.0, 1.0, 1.0]),
        ([0.02, 0.02], [0.04, 0.04]),
    ],
)
def test_holm_on_known_examples(values: list[float], expected: list[float]) -> None:
    assert holm(values) == pytest.approx(expected)


def test_the_sign_test_matches_hand_calculations() -> None:
    assert sign_test(5, 0) == 2 / 32
    assert sign_test(1, 4) == 12 / 32
    assert sign_test(3, 3) == 1.0
    assert sign_test(0, 0) == 1.0
    assert sign_test(62, 88) == pytest.approx(0.0409, abs=1e-4)


def test_a_finding_that_is_significant_alone_is_open_among_thirteen() -> None:
    """soares2025: 41.3% of 150 games has p = 0.041, and an interval below 50%; twelve other verdicts were given."""
    alone = by_score("vanilla MCTS beats the others on Italy", score((62, 88, 0)))
    assert alone.figure.high is not None
    assert alone.figure.high < 50
    others = [by_score(f"finding {i}", score((80 + i, 70, 0))) for i in range(10)]
    clear = [by_score("clear", score((272, 78, 0))), by_score("the other way", score((84, 266, 0)))]
    assert verdicts([alone]) == ["fails"]
    assert verdicts([alone, *others, *clear])[0] == "open"
    assert verdicts([alone, *others, *clear])[-2:] == ["holds", "fails"]


def test_unmeasured_findings_do_not_count_in_the_correction() -> None:
    findings = [by_score("a", score((30, 10, 0))), by_score("b", Cell(None, published=60.0))]
    assert corrected(findings) == [pytest.approx(sign_test(30, 10)), None]
    assert verdicts(findings) == ["holds", "not measured"]
    table = table_of(findings, "t", "score, %")
    assert table.columns == ("finding", "score, %", "p", "corrected p", "verdict")
    assert table.said == "Of 2 findings 1 holds, 0 fail and 0 are open, and 1 was not measured."
    assert "- a: 75.0% (59.8 .. 85.8)" in summarised(findings)


def test_a_finding_that_published_figures_do_not_show_is_not_called_reproduced() -> None:
    """The players are equal in the paper, and one is stronger here."""
    clear = score((90, 10, 0))
    findings = [by_score(name, dataclasses.replace(clear, published=x)) for name, x in (("a", 50.0), ("b", 60.0))]
    said = summarised(findings)
    assert said[:2] == [
        "Reproduced: these findings hold:",
        "- b: 90.0% (82.6 .. 94.5); the published figure is 60.0%",
    ]
    assert said[2].startswith("These findings hold here, but the published figures do not show them")
    assert said[3].startswith("- a: ")


def test_the_verdict_on_a_difference_follows_its_interval() -> None:
    for found, on_its_side, clear in (
        (Interval(5.0, 1.0, 9.0), True, True),
        (Interval(-5.0, -9.0, -1.0), False, True),
        (Interval(5.0, -1.0, 11.0), True, False),
        (Interval(0.0, -1.0, 1.0), False, False),
    ):
        one = by_difference("a", Cell(*found))
        assert (one.on_its_side, one.p is not None and one.p < 0.05) == (on_its_side, clear)
        assert found.contains_zero is not clear
    assert by_difference("a", Cell(None, published=7.0)) == Finding("a", Cell(None, published=7.0))


def test_differences_of_shares_have_newcombe_intervals() -> None:
    """Newcombe (1998), Table II, method 10: 56/70 - 48/80 is 0.2 (0.0524 .. 0.3339)."""
    first, second = (Interval(won / n, *wilson(won, n)) for won, n in ((56, 70), (48, 80)))
    assert difference(first, second) == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)


def games(seed: int, lead: float, count: int = 400) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Results of two networks on the same games, which vary much more than the networks differ."""
    rng = random.Random(seed)
    first: list[tuple[float, float]] = []
    second: list[tuple[float, float]] = []
    for _ in range(count):
        size = rng.randint(5, 40)
        share = rng.random() * (1 - lead)
        second.append((share * size, size))
        first.append(((share + lead) * size, size))
    return first, second


def one_seed(results: list[tuple[float, float]]) -> dict[int, dict[int, tuple[float, float]]]:
    """Results of games, as those of a single training seed."""
    return {0: dict(enumerate(results))}


def test_a_paired_difference_detects_what_overlapping_intervals_hide() -> None:
    first, second = games(1, 0.01)
    found = paired_difference(one_seed(first), one_seed(second))
    assert found.value == pytest.approx(0.01)
    assert found.low > 0
    assert not found.contains_zero
    spread = [won / size for won, size in first]
    mean = sum(spread) / len(spread)
    error = math.sqrt(sum((one - mean) ** 2 for one in spread) / len(spread) / len(spread))
    assert 1.96 * error > 0.02, "each accuracy alone is known to two points at best"


def test_a_paired_difference_covers_the_truth_as_often_as_promised() -> None:
    rng = random.Random(7)
    inside = 0
    for trial in range(200):
        pairs = [(rng.gauss(0.55, 0.3), rng.gauss(0.5, 0.3)) for _ in range(60)]
        first, second = ([(10 * pair[i], 10.0) for pair in pairs] for i in range(2))
        found = paired_difference(one_seed(first), one_seed(second), seed=trial, resamples=400)
        inside += found.low <= 0.05 <= found.high
    assert 180 <= inside <= 198


def test_training_seeds_widen_a_paired_difference() -> None:
    """Two seeds disagree, which the games alone do not show."""
    (first, second), (third, fourth) = games(1, 0.1, 100), games(2, 0.0, 100)
    own, other = one_seed(first + third), one_seed(second + fourth)
    alone = paired_difference(own, other)
    with_seeds = paired_difference(
        *({0: one_seed(a)[0], 1: one_seed(b)[0]} for a, b in ((first, third), (second, fourth)))
    )
    assert with_seeds.value == alone.value
    assert with_seeds.high - with_seeds.low > 2 * (alone.high - alone.low)
    assert paired_difference(own, other) == alone, "the same seed gives the same interval"


@pytest.mark.parametrize(("degrees", "quantile"), [(1, 12.706), (2, 4.303), (4, 2.776), (4.5, 2.659), (30, 2.042)])
def test_student_s_quantiles_are_those_of_the_tables(degrees: float, quantile: float) -> None:
    assert student_quantile(degrees) == pytest.approx(quantile, abs=0.001)
    assert student_p(-quantile, degrees) == pytest.approx(0.05, abs=0.0001)
    assert student_p(0.0, degrees) == 1.0


def test_student_s_distribution_approaches_the_normal_one() -> None:
    for t in (0.5, 1.96, 4.0):
        assert student_p(t, 1e4) == pytest.approx(math.erfc(t / math.sqrt(2)), rel=0.01)


def test_welch_keeps_its_level_with_three_measurements_a_side() -> None:
    rng = random.Random(5)
    missed = 0
    for _ in range(400):
        first, second = ([rng.gauss(60, spread) for _ in range(3)] for spread in (5, 15))
        found, p = welch(*(estimate(values) for values in (first, second)))
        assert (p < 0.05) == (not found.contains_zero)
        missed += p < 0.05
    assert missed <= 32


def estimate(values: Sequence[float]) -> Estimate:
    return Estimate(statistics.fmean(values), statistics.variance(values), len(values))


def test_welch_matches_hand_calculations() -> None:
    """Means 80 and 60, both with a variance of 100 over three: t = 20 / sqrt(200 / 3) with four degrees of freedom."""
    found, p = welch(Estimate(80, 100, 3), Estimate(60, 100, 3))
    half = 2.776 * math.sqrt(200 / 3)
    assert found == pytest.approx((20, 20 - half, 20 + half), abs=0.01)
    assert p == pytest.approx(0.0705, abs=0.0005)
    assert Estimate(80, 100, 3).interval == pytest.approx((80, 80 - 24.84, 80 + 24.84), abs=0.01)
    assert welch(Estimate(5, 0, 2), Estimate(5, 0, 2)) == (Interval(0, 0, 0), 1.0)
