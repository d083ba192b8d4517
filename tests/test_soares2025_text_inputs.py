"""The inputs of soares2025's text: networks that are tied to one map."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import sandtable as st
from sandtable import nets
from sandtable.nets import checkpoints
from sandtable.nets.architectures import TEXT_BONUSES, TEXT_GRAPHS, TURN_POLICIES
from support.soares2025_net_oracle import read
from support.soares2025_nets import network, questions, tensors
from support.soares2025_oracle import arrays, text_nodes_of

PLAYERS = (
    "guided(net={net}, iterations=2)",
    "coevolution(evaluator={net}, initialise=policy, sampled=30, generations=1)",
    "cmaes(evaluator={net}, generations=1)",
    "regret(evaluator={net}, sampled=40, simulations=20)",
)


@pytest.fixture(scope="module")
def text_net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network for Banana with fresh weights, saved."""
    path = tmp_path_factory.mktemp("nets") / "text.safetensors"
    checkpoints.save(path, network(node_inputs=10), "soares2025_text_banana", "digest of rules", {"seed": 5})
    return path


@pytest.mark.parametrize("name", TEXT_BONUSES)
def test_each_map_of_the_thesis_has_an_architecture(name: str) -> None:
    """The first layer grows by one input for neutral land and one for each bonus."""
    land = st.conquest.load(name)
    assert TEXT_BONUSES[name] == len(land.bonuses)
    module = TURN_POLICIES[f"soares2025_text_{name}"].build()
    assert sum(one.numel() for one in module.parameters()) == 32_622 + 20 * (1 + len(land.bonuses))
    inputs = TEXT_GRAPHS[name].make().encode([land.start(1)], [0])
    wanted = TEXT_GRAPHS[name].inputs
    assert inputs[4].shape[2] == wanted["nodes"][2]
    assert len(inputs) == len(wanted)


@pytest.mark.parametrize("name", TEXT_BONUSES)
def test_the_network_agrees_with_the_oracle(name: str) -> None:
    land = st.conquest.load(name)
    net, some = network(node_inputs=6 + len(land.bonuses)), questions(land, 4)
    with torch.no_grad():
        values, logits = net(*tensors(arrays(some, text=True)))
    found = iter(logits.tolist())
    for value, (state, player, moves) in zip(values.tolist(), some, strict=True):
        expected, of_moves = read(net, state, player, moves, text_nodes_of)
        assert value == pytest.approx(expected, abs=1e-5)
        assert [next(found) for _ in of_moves] == pytest.approx(of_moves, abs=1e-5)


def test_both_runtimes_and_the_cache_give_the_same_values(text_net: Path) -> None:
    some = questions(st.conquest.load("banana"))
    states, players, _ = zip(*some, strict=True)
    with torch.no_grad():
        expected = network(node_inputs=10)(*tensors(arrays(some, text=True)))[0].numpy()
    for runtime in ("onnx", "torch"):
        evaluator = nets.turn_evaluator(str(text_net), runtime)
        for _ in range(2):
            np.testing.assert_allclose(evaluator.evaluate(states, players), expected, atol=1e-5, rtol=0)
        assert evaluator.hits >= len(states)


@pytest.mark.parametrize("spec", PLAYERS)
def test_players_play_the_map_of_their_network_and_no_other(spec: str, text_net: Path) -> None:
    made: Any = st.player(spec.format(net=repr(str(text_net))))
    state = st.conquest.load("banana").start(1)
    state.resolve(made.act(state, 0), made.act(state, 1))
    for name in ("owl_island", "italy"):
        with pytest.raises(
            ValueError, match="reads the bonuses of the map banana and cannot play another map"
        ) as caught:
            made.act(st.conquest.load(name).start(1), 0)
        assert "\n" not in str(caught.value)
