"""States and moves of Conquest as numbers: the core's encoder against an oracle for soares2025's inputs."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as s

import sandtable as st
from sandtable import _core
from sandtable.conquest import Deploy, Land, March, State
from sandtable.rng import Rng
from support.examples import examples
from support.soares2025_oracle import Question, arrays
from support.strategies import lands

Encoder = _core.conquest.TerritoryGraphEncoder

NAMES = ["edges", "members", "cliques", "shares", "nodes", "totals", "asked", "sources", "targets", "orders", "moves"]


def random_questions(land: Land, seed: int) -> list[Question]:
    """Positions along a random game, perhaps with its end, from either player's perspective and with any moves."""
    rng = Rng(seed, "questions")
    state, found = land.start(seed), []
    for _ in range(1 + rng.below(8)):
        player = rng.below(2)
        moves = [] if state.over else [random_move(state, player, rng) for _ in range(rng.below(5))]
        found.append(Question(state.copy(), player, moves))
        if not state.over:
            state.resolve(state.random_move(0, rng.below(99)), state.random_move(1, rng.below(99)))
    return found


def random_move(state: State, player: int, rng: Rng) -> list[st.conquest.Order]:
    """A sampled move, one from random genes, or no orders."""
    kind = rng.below(5)
    if kind == 0:
        return []
    if kind < 4:
        return state.random_move(player, rng.below(99))
    genes = [rng.between(0, 400) * (rng.below(3) == 0) for _ in range(len(state.owner) + 2 * len(state.land.edges))]
    return state.decode(state.repair(np.array(genes, dtype=np.int32), player, rng.below(99)))


def assert_encoded(some: list[Question], scaled: bool, *, text: bool = False) -> None:
    states, players, moves = zip(*some, strict=True)
    encoder = Encoder(scaled=scaled, text_inputs_of=states[0] if text else None)
    found = encoder.encode(states, players, moves)
    for name, mine, expected in zip(NAMES, found, arrays(some, scaled, text=text), strict=True):
        assert mine.shape == expected.shape, name
        assert mine.dtype == (np.int64 if expected.dtype == np.int64 else np.float32), name
        np.testing.assert_allclose(mine, expected, rtol=1e-6, err_msg=name)


@given(lands(), s.integers(0, 2**32), s.booleans(), s.booleans())
@examples(150)
def test_the_encoder_agrees_with_the_oracle(land: Land, seed: int, scaled: bool, text: bool) -> None:
    assert_encoded(random_questions(land, seed), scaled, text=text)


@pytest.mark.parametrize("name", st.conquest.maps.shipped())
def test_the_encoder_agrees_with_the_oracle_on_the_shipped_maps(name: str) -> None:
    for seed in range(10):
        assert_encoded(random_questions(st.conquest.load(name), seed), scaled=seed % 2 == 0, text=seed % 3 == 0)


@pytest.mark.parametrize("text", [False, True])
def test_a_map_without_bonuses_and_with_many_armies(text: bool) -> None:
    land = dataclasses.replace(st.conquest.load("simple"), bonuses=())
    state = land.state([0, 0, 0, 0, 1, 1, -1, -1, 1], [10**6, 255, 256, 0, 1, 10**6, 10**6, 10**6, 7])
    some = [Question(state, player, [[], [March(0, 1, 10**6)]] if player == 0 else []) for player in (0, 1)]
    assert_encoded(some, True, text=text)


def test_an_encoder_with_the_text_s_inputs_refuses_other_maps() -> None:
    """Maps with other rules are accepted. Other maps are refused, even with as many bonuses."""
    banana = st.conquest.load("banana")
    encoder = Encoder(text_inputs_of=banana.start(1))
    shuffled = st.conquest.load("banana", rules="soares2025-text")
    assert encoder.encode([banana.start(2), shuffled.start(3)], [0, 1])[4].shape == (2, 12, 6 + 4)
    other = dataclasses.replace(banana, bonuses=(*banana.bonuses[:3], banana.bonuses[3]._replace(value=3)))
    for land in (st.conquest.load("owl_island"), other):
        with pytest.raises(
            ValueError, match=r"^this network reads the bonuses of the map banana and cannot play another map$"
        ):
            encoder.encode([land.start(1)], [0])


def test_attacks_transfers_and_deploys_are_encoded() -> None:
    """By the rows of their territories in the network's table, and by their armies."""
    land = st.conquest.load("simple")
    state = land.state([0, 0, 1, -1, -1, -1, -1, -1, -1], [3] * 9)
    move = [Deploy(1, 5), March(1, 2, 7), March(0, 1, 2)]
    *_, asked, sources, targets, orders, moves = Encoder(scaled=False).encode(
        [state, state], [1, 0], [None, [move, []]]
    )
    assert asked.tolist() == [1]
    assert sources.tolist() == [5 * 1 + 4, 5 * 1 + 0, 5 * 0 + 2]
    assert targets.tolist() == [5 * 9, 5 * 2 + 1, 5 * 1 + 3]
    assert orders.tolist() == [[0, 0, 5, 0, 0, 1], [7, 0, 0, 1, 0, 0], [0, 2, 0, 0, 1, 0]]
    assert moves.tolist() == [[0, 1, 2], [3, 3, 3]]


def test_equal_lands_count_as_one_map() -> None:
    first, second = (st.conquest.load("italy").start(seed) for seed in (1, 2))
    assert len(Encoder().encode([first, second], [0, 1])[4]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], []), "at least one state"),
        ((5, [0]), "states must be a sequence"),
        (([5], [0]), "states must be states of Conquest"),
        (([None], [0]), "states must be states of Conquest"),
        ((["italy"], 0), "players must be a sequence"),
        ((["italy"], []), "a player for each state"),
        ((["italy"], [2]), "player must be 0 or 1"),
        ((["italy"], [2**80]), "player must be 0 or 1"),
        ((["italy"], ["red"]), "a player must be an integer"),
        ((["italy", "simple"], [0, 1]), "all states must be on the same map"),
        ((["italy"], [0], []), "a list of moves, or None, for each state"),
        ((["italy"], [0], 5), "moves must be a sequence"),
        ((["italy"], [0], [5]), "moves must be a list of moves"),
        ((["italy"], [0], [[5]]), "orders are a list of"),
        ((["italy"], [0], [[[(0, 0)]]]), "illegal orders: player 0 deploys"),
        ((["italy"], [0], [[[(0, 10**9, 1)]]]), "illegal orders: player 0 marches"),
    ],
)
def test_invalid_arguments_of_the_encoder_get_a_one_line_error(arguments: tuple[Any, ...], message: str) -> None:
    states, *rest = arguments
    if isinstance(states, list):
        states = [st.conquest.load(one).start(1) if isinstance(one, str) else one for one in states]
    with pytest.raises(ValueError, match=message) as caught:
        Encoder().encode(states, *rest)
    assert "\n" not in str(caught.value)
