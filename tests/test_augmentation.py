"""Augmentation by the symmetries of the board: inputs and answers are transformed together."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as s

from sandtable import _core
from sandtable.learn.augmentation import turned
from sandtable.tubstap import Scenario
from sandtable.tubstap.training.losses import turned_answers
from support.boards import turned_move, turned_scenario
from support.strategies import small_boards

encode_policy = _core.tubstap.encode_policy


@given(small_boards(), s.integers(0, 7))
@settings(max_examples=60, deadline=None)
def test_inputs_and_moves_are_transformed_together(scenario: Scenario, number: int) -> None:
    before, after = scenario.start(), turned_scenario(scenario, number).start()
    if before.over:
        return
    (planes,), places, _ = encode_policy("unit-question", [before])
    (turned_planes,), turned_places, _ = encode_policy("unit-question", [after])
    assert np.array_equal(turned(torch.from_numpy(planes), number).numpy(), turned_planes)
    expected = dict(zip(after.moves(), turned_places.tolist(), strict=True))
    where = turned_answers(number).tolist()
    for move, place in zip(before.moves(), places.tolist(), strict=True):
        assert expected[turned_move(move, scenario, number)] == place // 180 * 180 + where[place % 180]


@pytest.mark.parametrize("number", range(8))
def test_turned_answers_are_a_permutation(number: int) -> None:
    where = turned_answers(number).tolist()
    assert sorted(where) == list(range(180))
    if number == 0:
        assert where == list(range(180))
    if number >= 4:  # a reflection is its own inverse
        assert [where[place] for place in where] == list(range(180))
