"""States of Conquest as our networks read them: the core's encoder against an oracle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as s

import sandtable as st
from sandtable import _core
from sandtable.conquest import Land
from sandtable.rng import Rng
from support.conquest_positions import states_along_a_game
from support.examples import examples
from support.strategies import lands
from support.territory_oracle import map_arrays, nodes_of, totals_of


@given(s.lists(lands(), min_size=1, max_size=3), s.integers(0, 2**32))
@examples(40)
def test_the_encoder_agrees_with_the_oracle(some: list[Land], seed: int) -> None:
    states = [state for land in some for state in states_along_a_game(land, seed, 3)]
    players = [Rng(seed, str(i)).below(2) for i in range(len(states))]
    edges, kin, nodes, totals = _core.conquest.encode_territories(states, players)
    most = max(len(state.owner) for state in states)
    assert edges.shape == kin.shape == (len(states), most, most)
    for i, (state, player) in enumerate(zip(states, players, strict=True)):
        n = len(state.owner)
        for found, expected in zip((edges[i], kin[i]), map_arrays(state.land), strict=True):
            np.testing.assert_allclose(found[:n, :n], expected, rtol=1e-5, atol=1e-7)
            assert not found[n:].any()
            assert not found[:, n:].any()
        np.testing.assert_allclose(nodes[i, :n], nodes_of(state, player), rtol=1e-5, atol=1e-6)
        assert not nodes[i, n:].any()
        np.testing.assert_allclose(totals[i], totals_of(state, player), rtol=1e-5)


@pytest.mark.parametrize("territories", [257, 1024])
def test_the_encoder_agrees_with_the_oracle_on_large_maps(territories: int) -> None:
    land = st.conquest.maps.planar(seed=5, territories=territories)
    *_, state = states_along_a_game(land, 6, 3)
    edges, kin, nodes, totals = _core.conquest.encode_territories([state], [1])
    for found, expected in zip((edges[0], kin[0]), map_arrays(land), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(nodes[0], nodes_of(state, 1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(totals[0], totals_of(state, 1), rtol=1e-5)


def test_the_encoder_agrees_with_the_oracle_with_many_armies() -> None:
    state = st.conquest.load("simple").state(
        [0, 0, 0, 0, 1, 1, -1, -1, 1], [10**6, 255, 256, 0, 1, 10**6, 10**6, 10**6, 7]
    )
    _, _, nodes, totals = _core.conquest.encode_territories([state], [1])
    np.testing.assert_allclose(nodes[0], nodes_of(state, 1), rtol=1e-5)
    np.testing.assert_allclose(totals[0], totals_of(state, 1), rtol=1e-5)


def test_bad_arguments_are_refused() -> None:
    state = st.conquest.load("simple").start()
    for states, players, message in (
        ([state], [2], "player"),
        ([state], [], "player for each state"),
        ([1], [0], "states of Conquest"),
        (7, [0], "sequence"),
    ):
        with pytest.raises(ValueError, match=message):
            _core.conquest.encode_territories(states, players)  # type: ignore[arg-type]
