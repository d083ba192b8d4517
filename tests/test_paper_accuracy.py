"""Results by game, on which comparisons of two networks are based."""

import random

import numpy as np
import pytest

from sandtable.papers.accuracy import by_game, compared_by_game, mean_error, share_of_states

RNG = random.Random(3)
GAMES = [game for game in (7, 2, 9, 4, 5, 11) for _ in range(RNG.randint(1, 30))]
RIGHT = [RNG.random() < 0.6 for _ in GAMES]
ERRORS = [4 * RNG.random() for _ in GAMES]


def test_results_by_game_add_up_to_the_accuracy() -> None:
    found = by_game(GAMES, RIGHT, ERRORS)
    assert found["game"] == [2, 4, 5, 7, 9, 11]
    for i, game in enumerate(found["game"]):
        places = [at for at, one in enumerate(GAMES) if one == game]
        assert found["states"][i] == len(places)
        assert found["right"][i] == sum(RIGHT[at] for at in places)
        assert found["error"][i] == pytest.approx(sum(ERRORS[at] for at in places), abs=1e-6)
    whole = share_of_states(RIGHT, GAMES)
    assert sum(found["right"]) / sum(found["states"]) == pytest.approx(whole["value"])


def test_a_mean_error_may_be_greater_than_one() -> None:
    found = by_game(GAMES, RIGHT, [3.0 + one / 8 for one in ERRORS])
    cell = mean_error(found)
    assert cell.value == pytest.approx(3 + np.mean(ERRORS) / 8, abs=1e-6)
    assert cell.interval is not None
    assert cell.interval.low < cell.interval.value < cell.interval.high
    assert (cell.n, cell.games) == (len(GAMES), 6)
    part = mean_error(found, [game in (2, 5) for game in found["game"]])
    assert (part.n, part.games) == (sum(game in (2, 5) for game in GAMES), 2)
    assert mean_error(found, [game == 2 for game in found["game"]]).value is None, "one game has no interval"


def test_networks_are_compared_on_the_same_games_only() -> None:
    first = by_game(GAMES, RIGHT, ERRORS)
    second = by_game(GAMES, [not one for one in RIGHT], [one / 2 for one in ERRORS])
    apart = compared_by_game(first, second, "right", 100.0)
    assert apart is not None
    assert apart.value == pytest.approx(100 * (2 * np.mean(RIGHT) - 1))
    assert compared_by_game(first, first, "error") == (0, 0, 0)
    other = by_game([game + 1 for game in GAMES], RIGHT, ERRORS)
    assert compared_by_game(first, other, "right") is None
