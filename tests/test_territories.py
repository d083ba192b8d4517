"""Our network for Conquest: its invariances, and its evaluator."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import sandtable as st
from sandtable import _core, nets
from sandtable.conquest import State
from sandtable.errors import CheckpointError
from sandtable.nets import checkpoints
from sandtable.nets.architectures import PROPOSERS, TURN_POLICIES
from sandtable.nets.evaluators import network_of
from sandtable.nets.territories import TerritoryNet
from support.conquest_positions import MAPS, states_along_a_game
from support.fresh_nets import RUNTIMES

torch.set_num_threads(1)


def one_map(states: list[State], player: int = 0) -> list[torch.Tensor]:
    """Encodes states of one map as a search does."""
    edges, kin, nodes, totals = map(torch.from_numpy, _core.conquest.encode_territories(states, [player] * len(states)))
    return [edges[0], kin[0], nodes, totals]


@torch.no_grad()
@pytest.mark.parametrize("name", PROPOSERS)
def test_padding_to_other_maps_changes_no_value(name: str) -> None:
    """Nor do other states in the batch, or the form in which the map is given."""
    torch.manual_seed(1)
    module: Any = PROPOSERS[name].build()
    states = [state for at in MAPS for state in states_along_a_game(st.conquest.load(at), 3, 2)]
    padded = _core.conquest.encode_territories(states, [0] * len(states))
    results, deploys, marches, owners = module.everything(*map(torch.from_numpy, padded))
    for i, state in enumerate(states):
        n = len(state.owner)
        values, deploy, march = module(*one_map([state]), torch.tensor([0]))
        chances = torch.softmax(results[i], 0)
        torch.testing.assert_close(values[0], chances[0] - chances[2], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(deploy[0], deploys[i, :n], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(march[0], marches[i, :n, :n], rtol=1e-4, atol=1e-5)
        assert owners.shape[1:] == (42, 3)


@torch.no_grad()
def test_renumbered_territories_give_the_same_answers() -> None:
    torch.manual_seed(2)
    module = TerritoryNet(32)
    land = st.conquest.load("italy")
    order = torch.randperm(len(land.territories)).tolist()  # place i holds the former territory order[i]
    where = [order.index(t) for t in range(len(order))]
    moved = dataclasses.replace(
        land,
        territories=tuple(land.territories[t] for t in order),
        places=tuple(land.places[t] for t in order),
        edges=tuple((where[a], where[b]) for a, b in land.edges),
        bonuses=tuple(b._replace(territories=tuple(where[t] for t in b.territories)) for b in land.bonuses),
    )
    for state in states_along_a_game(land, 4):
        same = moved.state([state.owner[t] for t in order], [state.armies[t] for t in order], state.turn)
        (value, deploy, march), (value2, deploy2, march2) = (
            module(*one_map([one]), torch.tensor([0])) for one in (state, same)
        )
        torch.testing.assert_close(value, value2, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(deploy[:, order], deploy2, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(march[:, order][:, :, order], march2, rtol=1e-4, atol=1e-5)


def test_both_runtimes_give_the_same_outputs(territory_net: Path) -> None:
    states = states_along_a_game(st.conquest.load("owl_island"), 1)
    arrays = [one.numpy() for one in one_map(states)]
    for asked in (np.arange(3), np.zeros(0, np.int64)):
        for a, b in zip(*(network_of(territory_net, runtime)(*arrays, asked) for runtime in RUNTIMES), strict=True):
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, atol=1e-5)


# The evaluator.


def test_values_come_in_batches_and_from_the_cache(territory_net: Path) -> None:
    evaluator = nets.territory_evaluator(str(territory_net))
    states = states_along_a_game(st.conquest.load("banana"), 2)
    with torch.no_grad():
        expected = checkpoints.load(territory_net)(*one_map(states), torch.tensor([], dtype=torch.int64))[0]
    before = evaluator.evaluated
    for _ in range(2):
        np.testing.assert_allclose(evaluator.evaluate(states, [0] * len(states)), expected, atol=1e-5)
    assert evaluator.evaluated - before == len(states)
    assert evaluator.hits >= len(states)
    assert evaluator.batches >= 1
    assert evaluator.forward_seconds > 0
    deploys, marches = evaluator.policies(states[0])
    assert deploys.shape == (2, 12)
    assert marches.shape == (2, 12, 12)


def test_wrong_network_outputs_are_refused() -> None:
    state = st.conquest.load("simple").start()
    fine = np.zeros(1, np.float32), np.zeros((0, 9), np.float32), np.zeros((0, 9, 9), np.float32)
    for answer in (
        None,
        fine[:2],
        (fine[0].astype(float), *fine[1:]),
        (fine[0][:, None], *fine[1:]),
        (*fine[:2], fine[1]),
    ):
        evaluator = _core.conquest.TerritoryEvaluator(lambda *_, answer=answer: answer, batch=4, cache=0)
        with pytest.raises(ValueError, match="three arrays of float32"):
            evaluator.evaluate([state], [0])
    assert _core.conquest.TerritoryEvaluator(lambda *_: fine, batch=4, cache=0).evaluate([state], [0]) == 0


def test_every_answer_must_be_finite() -> None:
    state = st.conquest.load("simple").start()
    for wrong in range(3):
        answers = tuple(np.zeros(shape, np.float32) for shape in ((2,), (2, 9), (2, 9, 9)))
        answers[wrong].flat[-1] = np.nan
        evaluator = _core.conquest.TerritoryEvaluator(lambda *_, answers=answers: answers, batch=4, cache=0)
        with pytest.raises(ValueError, match="answered with NaN or infinity"):
            evaluator.policies(state)


def test_a_net_of_the_other_kind_is_refused(territory_net: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="proposes moves"):
        nets.turn_evaluator(str(territory_net))
    other = tmp_path / "soares.safetensors"
    checkpoints.save(other, TURN_POLICIES["soares2025"].build(), "soares2025", "", {})
    with pytest.raises(CheckpointError, match="weighs moves"):
        nets.territory_evaluator(str(other))
