"""The test that every game must pass: random play from any start to the end, with consistent answers throughout."""

import copy
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

from sandtable.rng import Rng
from support.strategies import lands, scenarios


class GameKit(NamedTuple):
    """What the test needs to know about a game."""

    starts: s.SearchStrategy[Any]  # states
    step: Callable[[Any, Rng], None]  # plays something random
    position: Callable[[Any], object]  # all that a state holds
    refused: Callable[[Any], None]  # an action after the end


def tubstap_step(state: Any, rng: Rng) -> None:
    if rng.below(20) == 0:
        state.end_turn()
    else:
        state.play(rng.choice(state.moves()))


def conquest_step(state: Any, rng: Rng) -> None:
    orders = [state.random_move(player, rng.below(2**31)) for player in (0, 1)]
    state.resolve(*orders, first=rng.below(2), seed=rng.below(2**31))


KITS = {
    "tubstap": GameKit(
        starts=scenarios().map(lambda scenario: scenario.start()),
        step=tubstap_step,
        position=lambda state: (state.units, state.turn, state.quiet, state.hp_lost, state.over, state.winner),
        refused=lambda state: state.end_turn(),
    ),
    "conquest": GameKit(
        starts=s.tuples(lands(), s.integers(0, 99)).map(lambda pair: pair[0].start(pair[1])),
        step=conquest_step,
        position=lambda state: (state.owner, state.armies, state.turn, state.over, state.winner),
        refused=lambda state: state.resolve([], []),
    ),
}


@pytest.mark.parametrize("name", KITS)
@given(data=s.data(), seed=s.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_random_play(name: str, data: s.DataObject, seed: int) -> None:
    kit = KITS[name]
    state = data.draw(kit.starts)
    twin = copy.deepcopy(state)
    rng, same = Rng(seed, "random play"), Rng(seed, "random play")
    seen: dict[int, object] = {}
    steps = 0
    while not state.over:
        assert seen.setdefault(state.hash(), kit.position(state)) == kit.position(state)
        before, kept = kit.position(state), state.copy()
        restored = pickle.loads(pickle.dumps(state))
        assert (kit.position(restored), restored.hash()) == (before, state.hash())
        assert state.winner is None
        kit.step(state, rng)
        assert kit.position(kept) == before
        assert kit.position(state) != before
        kit.step(twin, same)
        assert (kit.position(twin), twin.hash()) == (kit.position(state), state.hash())
        steps += 1
        assert steps < 20_000
    assert state.winner in (0, 1, None)
    end = kit.position(state)
    with pytest.raises(ValueError, match="over"):
        kit.refused(state)
    assert kit.position(state) == end
