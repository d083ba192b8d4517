"""Networks of Conquest as the searches see them: files, runtimes, batches, the cache, and networks that misbehave."""

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import sandtable as st
from sandtable import _core, nets
from sandtable.conquest import Land, State
from sandtable.errors import CheckpointError
from sandtable.nets import checkpoints
from sandtable.nets.evaluators import network_of
from support.conquest_positions import MAPS, positions
from support.soares2025_nets import network, questions, tensors
from support.soares2025_oracle import arrays

Evaluator = _core.conquest.Evaluator
Encoder = _core.conquest.TerritoryGraphEncoder
Answer = tuple[NDArray[np.float32], NDArray[np.float32]]

RUNTIMES = ("onnx", "torch")


# Files.


def test_a_saved_net_is_loaded_unchanged(fresh_net: Path) -> None:
    inputs = tensors(arrays(questions(st.conquest.load("banana"))))
    with torch.no_grad():
        for mine, expected in zip(checkpoints.load(fresh_net)(*inputs), network()(*inputs), strict=True):
            assert torch.equal(mine, expected)
    card = nets.read_card(fresh_net)
    assert (card.architecture, card.game, card.weights) == ("soares2025", "conquest", 32_622)
    assert (card.encoder, card.encoder_version) == ("conquest-territory-graph", 1)


@pytest.mark.parametrize("name", MAPS)
def test_both_runtimes_give_the_same_values_and_priors(name: str, fresh_net: Path) -> None:
    """One file on all maps, with and without moves."""
    some = questions(st.conquest.load(name))
    states, players, moves = zip(*some, strict=True)
    inputs = Encoder().encode(states, players, moves)
    with torch.no_grad():
        expected = network()(*map(torch.from_numpy, inputs))
    for runtime in RUNTIMES:
        for mine, answer in zip(network_of(fresh_net, runtime)(*inputs), expected, strict=True):
            np.testing.assert_allclose(mine, answer.numpy(), atol=1e-5, rtol=0)
        evaluator = nets.turn_evaluator(str(fresh_net), runtime)
        np.testing.assert_allclose(evaluator.evaluate(states, players), expected[0].numpy(), atol=1e-5, rtol=0)
        weights = torch.softmax(expected[1][: len(moves[0])], 0)
        np.testing.assert_allclose(evaluator.priors(*some[0]), weights.numpy(), atol=1e-5, rtol=0)
    assert expected[0].std() > 0.01


def test_evaluators_of_the_same_net_and_runtime_are_shared(fresh_net: Path) -> None:
    assert nets.turn_evaluator(str(fresh_net), "onnx") is nets.turn_evaluator(str(fresh_net), "onnx")
    assert nets.turn_evaluator(str(fresh_net), "onnx") is not nets.turn_evaluator(str(fresh_net), "torch")


def test_nets_of_the_other_game_and_unknown_runtimes_are_refused(fresh_net: Path) -> None:
    with pytest.raises(CheckpointError, match="a net for conquest, not tubstap"):
        nets.evaluator(str(fresh_net))
    with pytest.raises(CheckpointError, match="a net for tubstap, not conquest"):
        nets.turn_evaluator("gcn_4")
    with pytest.raises(CheckpointError, match="no runtime is called 'fast'"):
        nets.turn_evaluator(str(fresh_net), "fast")


def test_an_onnx_file_of_another_architecture_is_refused(fresh_net: Path, tmp_path: Path) -> None:
    for suffix in (".safetensors", ".json", ".onnx"):
        shutil.copy(fresh_net.with_suffix(suffix), tmp_path)
    data = nets.locate("gcn_4").with_suffix(".onnx").read_bytes()
    (tmp_path / "fresh.onnx").write_bytes(data)
    card = tmp_path / "fresh.json"
    changed = json.loads(card.read_text()) | {"onnx_sha256": hashlib.sha256(data).hexdigest()}
    card.write_text(json.dumps(changed))
    with pytest.raises(CheckpointError, match="not a network of the architecture soares2025") as caught:
        nets.turn_evaluator(str(tmp_path / "fresh.safetensors"), "onnx")
    assert "\n" not in str(caught.value)


# Evaluators.


class Counting:
    """A network of sums that remembers its inputs."""

    def __init__(self) -> None:
        self.asked: list[list[NDArray[Any]]] = []

    def __call__(self, *inputs: NDArray[Any]) -> Answer:
        self.asked.append([array.copy() for array in inputs])
        nodes, totals, orders, moves = inputs[4], inputs[5], inputs[9], inputs[10]
        values = np.tanh(nodes @ np.array([1, -1, 0.1, -0.1, 0.01])).mean(1) / 2 + np.tanh(totals.sum(1)) / 10
        of_orders = np.append(orders @ np.arange(1, 7), 0)
        return values.astype(np.float32), of_orders[moves].sum(1).astype(np.float32)


def italy(count: int = 20) -> tuple[list[State], list[int]]:
    states = positions(st.conquest.load("italy"), count)
    return states, [i % 2 for i in range(count)]


def test_the_network_receives_what_the_encoder_writes() -> None:
    states, players = italy()
    for encoder in (Encoder(), Encoder(scaled=False)):
        forward = Counting()
        values = Evaluator(encoder, forward, batch=8, cache=0).evaluate(states, players)
        assert [len(inputs[4]) for inputs in forward.asked] == [8, 8, 4]
        for first, inputs in zip((0, 8, 16), forward.asked, strict=True):
            expected = encoder.encode(states[first : first + 8], players[first : first + 8])
            assert all(np.array_equal(mine, right) for mine, right in zip(inputs, expected, strict=True))
        assert np.array_equal(values, Counting()(*encoder.encode(states, players))[0])
        assert values.dtype == np.float32


def test_priors_are_probabilities() -> None:
    state, forward = italy()[0][0], Counting()
    moves = [state.random_move(1, seed) for seed in range(30)]
    evaluator = Evaluator(Encoder(), forward, batch=8, cache=8)
    found = evaluator.priors(state, 1, moves)
    logits = Counting()(*Encoder().encode([state], [1], [moves]))[1].astype(float)
    np.testing.assert_allclose(found, np.exp(logits) / np.exp(logits).sum())
    assert (evaluator.evaluated, evaluator.weighed, evaluator.hits, len(forward.asked)) == (1, 30, 0, 1)
    assert evaluator.priors(state, 1, []).shape == (0,)


@pytest.mark.parametrize("cache", [0, 1, 5, 1 << 18])
@pytest.mark.parametrize("batch", [4, 100])
def test_a_cache_changes_no_value(cache: int, batch: int) -> None:
    states, players = italy()
    evaluator = Evaluator(Encoder(), Counting(), batch=batch, cache=cache)
    expected = Counting()(*Encoder().encode(states, players))[0]
    for order in (slice(None), slice(None, None, -1), slice(5, 15)):
        assert np.array_equal(evaluator.evaluate(states[order], players[order]), expected[order])
    assert evaluator.evaluated + evaluator.hits == 50
    if cache in (0, 1 << 18):
        assert evaluator.hits == (30 if cache else 0)
    assert evaluator.forward_seconds > 0
    assert evaluator.evaluate([], []).shape == (0,)


def worth(value: int) -> Land:
    land = st.conquest.load("simple")
    return dataclasses.replace(land, bonuses=tuple(bonus._replace(value=value) for bonus in land.bonuses))


def meeting(land: Land | None = None, turn: int = 0, owner: int = 0, armies: int = 3) -> State:
    land = land or st.conquest.load("simple")
    return land.state([0, owner, -1, -1, -1, -1, -1, -1, 1], [armies] * 9, turn=turn)


@pytest.mark.parametrize(
    ("other", "player", "known"),
    [
        (meeting(), 0, True),
        (meeting(turn=7), 0, True),  # the network does not see the clock
        (meeting(worth(2)), 0, True),  # another land, but the same map
        (meeting(), 1, False),
        (meeting(owner=1), 0, False),
        (meeting(armies=4), 0, False),
        (meeting(worth(3)), 0, False),
        (meeting(dataclasses.replace(worth(2), edges=(*worth(2).edges, (0, 8)))), 0, False),
    ],
)
def test_cached_values_are_used_only_for_equivalent_positions(other: State, player: int, known: bool) -> None:
    evaluator = Evaluator(Encoder(), Counting(), batch=8, cache=1 << 10)
    evaluator.evaluate([meeting()], [0])
    value = evaluator.evaluate([other], [player])
    assert evaluator.hits == known
    assert np.array_equal(value, Counting()(*Encoder().encode([other], [player]))[0])


def test_the_cache_distinguishes_worthless_bonuses() -> None:
    """Two worthless bonuses have the same members and shares as one that unites them; only their cliques differ."""
    land = st.conquest.load("simple")
    two = tuple(st.conquest.Bonus(f"bonus {first}", 0, (first, first + 1)) for first in (0, 2))
    one = (st.conquest.Bonus("bonus 0", 0, (0, 1, 2, 3)),)
    apart, joined = (meeting(dataclasses.replace(land, bonuses=bonuses)) for bonuses in (two, one))

    def forward(*inputs: NDArray[Any]) -> Answer:
        pairs = np.float32((inputs[2] == 0).sum())
        return np.full(len(inputs[4]), pairs / 100, np.float32), np.zeros(0, np.float32)

    evaluator = Evaluator(Encoder(), forward, batch=8, cache=1 << 10)
    values = [float(evaluator.evaluate([state], [0])[0]) for state in (apart, joined)]
    assert values == pytest.approx([0.08, 0.16])
    assert evaluator.hits == 0


def test_arrays_that_a_network_keeps_do_not_change() -> None:
    kept: list[tuple[NDArray[Any], ...]] = []

    def forward(*inputs: NDArray[Any]) -> Answer:
        kept.append(inputs)
        return Counting()(*inputs)

    states, players = italy()
    evaluator = Evaluator(Encoder(), forward, batch=3, cache=0)
    for _ in range(2):
        evaluator.evaluate(states, players)
    del evaluator
    assert len(kept) == 14
    for number, inputs in enumerate(kept):
        first = 3 * (number % 7)
        expected = Encoder().encode(states[first : first + 3], players[first : first + 3])
        assert all(np.array_equal(mine, right) for mine, right in zip(inputs, expected, strict=True))


def test_threads_share_an_evaluator() -> None:
    states, players = italy()
    evaluator = Evaluator(Encoder(), Counting(), batch=7, cache=64)
    expected = Counting()(*Encoder().encode(states, players))[0]
    with ThreadPoolExecutor(4) as pool:
        for values in pool.map(lambda _: evaluator.evaluate(states, players), range(12)):
            assert np.array_equal(values, expected)


def test_an_evaluator_cannot_be_used_inside_its_own_network() -> None:
    def forward(*inputs: NDArray[Any]) -> Answer:
        evaluator.evaluate([meeting()], [0])
        raise AssertionError

    evaluator = Evaluator(Encoder(), forward, batch=8, cache=8)
    with pytest.raises(ValueError, match="cannot be used inside its own network"):
        evaluator.evaluate([meeting()], [0])


ZEROS = np.zeros(1, np.float32)
WRONG: dict[str, Callable[..., Any]] = {
    "values alone": lambda *_: ZEROS,
    "a list": lambda *_: [ZEROS, ZEROS],
    "three": lambda *_: (ZEROS, ZEROS, ZEROS),
    "too many values": lambda *_: (np.zeros(2, np.float32), ZEROS),
    "too few logits": lambda *_: (ZEROS, np.zeros(0, np.float32)),
    "float64": lambda *_: (ZEROS, np.zeros(1)),
    "two dimensions": lambda *_: (np.zeros((1, 1), np.float32), ZEROS),
    "texts": lambda *_: (np.array(["0"]), ZEROS),
    "nothing": lambda *_: None,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_malformed_answer_of_the_network_is_refused(name: str) -> None:
    answers: list[Callable[..., Any]] = [WRONG[name], Counting()]
    evaluator = Evaluator(Encoder(), lambda *inputs: answers.pop(0)(*inputs), batch=8, cache=8)
    state = meeting()
    moves = [state.random_move(0, 1)]
    with pytest.raises(ValueError, match="must return two arrays of float32: a value for each state, a logit for each"):
        evaluator.priors(state, 0, moves)
    assert (evaluator.evaluated, evaluator.weighed) == (0, 0)
    assert evaluator.priors(state, 0, moves).tolist() == [1]


@pytest.mark.parametrize("error", [ZeroDivisionError("a\nb"), KeyboardInterrupt(), MemoryError(), SystemExit(3)])
def test_an_exception_of_the_network_is_passed_on(error: BaseException) -> None:
    broken = [True]

    def forward(*inputs: NDArray[Any]) -> Answer:
        if broken[0]:
            raise error
        return Counting()(*inputs)

    evaluator = Evaluator(Encoder(), forward, batch=1, cache=8)
    for _ in range(2):
        with pytest.raises(type(error)) as caught:
            evaluator.evaluate([meeting()], [0])
        assert caught.value is error
    broken[0] = False
    assert evaluator.evaluate([meeting(), meeting()], [0, 0]).shape == (2,)
    assert (evaluator.evaluated, evaluator.hits) == (1, 1)


@pytest.mark.parametrize(
    ("states", "players", "message"),
    [
        (5, [0], "states must be a sequence"),
        ([5], [0], "states must be states of Conquest"),
        ([meeting()], [2], "player must be 0 or 1"),
        ([meeting(), st.conquest.load("italy").start(1)], [0, 0], "all states must be on the same map"),
    ],
)
def test_an_evaluator_refuses_invalid_states(states: Any, players: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Evaluator(Encoder(), Counting(), batch=4, cache=4).evaluate(states, players)
    assert "\n" not in str(caught.value)


def test_an_evaluator_refuses_illegal_moves() -> None:
    evaluator = Evaluator(Encoder(), Counting(), batch=4, cache=4)
    with pytest.raises(ValueError, match="illegal orders: player 0 deploys 6 armies and has an income of 5"):
        evaluator.priors(meeting(), 0, [[st.conquest.Deploy(0, 6)]])
    with pytest.raises(ValueError, match="player must be 0 or 1"):
        evaluator.priors(meeting(), 3, [])


def test_exchanging_the_sides_exchanges_the_players_answers(fresh_net: Path) -> None:
    """What one player sees is what the other sees with the sides exchanged."""
    land = st.conquest.load("owl_island")
    evaluator = nets.turn_evaluator(str(fresh_net))
    for state in positions(land):
        twin = land.state([owner if owner < 0 else 1 - owner for owner in state.owner], state.armies)
        assert evaluator.evaluate([state], [0]) == pytest.approx(evaluator.evaluate([twin], [1]), abs=1e-6)
        moves = [state.random_move(0, seed) for seed in range(5)]
        assert evaluator.priors(state, 0, moves) == pytest.approx(evaluator.priors(twin, 1, moves), abs=1e-6)
