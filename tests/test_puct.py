"""Search with a policy network: priors, the core's trees against oracles, wins and losses that it must find, and the
player's settings."""

import dataclasses
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable import _core
from sandtable.tubstap import State
from support.boards import after, field
from support.puct_oracle import Floats, Gumbel, Network, PolicyEvaluator, Puct, halving, policy
from support.puct_search import (
    WON,
    PolicyTree,
    PuctSettings,
    any_positions,
    assert_same_tree,
    flat,
    positions,
    search,
    skirmish,
    visits_of,
)

# Priors.


@given(any_positions)
@settings(max_examples=40, deadline=None)
def test_every_unit_has_the_same_share_of_the_priors(state: State) -> None:
    values, priors = policy().evaluate([state])
    (planes,), places, _ = _core.tubstap.encode_policy("unit-question", [state])
    values_of_images, logits = Network()(planes)
    assert values[0] == pytest.approx(np.mean(values_of_images), abs=1e-6)
    units = [move.unit for move in state.moves()]
    for unit in set(units):
        own = [i for i, one in enumerate(units) if one == unit]
        weights = np.exp(logits.ravel()[places[own]].astype(float))
        np.testing.assert_allclose(priors[own], weights / weights.sum() / len(set(units)), rtol=1e-5)
    assert priors.sum() == pytest.approx(1, abs=1e-5)


def test_each_move_of_a_token_network_has_its_own_prior() -> None:
    states = [st.tubstap.load(name).start() for name in ("crossroads", "kimura-map01", "ambush")]

    def forward(units: Floats, *arrays: Any) -> tuple[Floats, Floats]:
        values = np.arange(len(units), dtype=np.float32) * np.float32(0.25)
        return values, np.sin(np.arange(len(arrays[2]), dtype=np.float32))

    values, priors = PolicyEvaluator("tokens", forward, cache=0).evaluate(states)
    assert values.tolist() == [0, 0.25, 0.5]
    first = 0
    for state in states:
        count = len(state.moves())
        weights = np.exp(np.sin(np.arange(first, first + count)))
        np.testing.assert_allclose(priors[first : first + count], weights / weights.sum(), rtol=1e-5)
        first += count
    assert first == len(priors)


# Trees.


@given(positions)
@settings(max_examples=25, deadline=None)
def test_a_principal_variation_is_the_most_visited_path(state: State) -> None:
    plain = Puct(state, policy())
    plain.search(200)
    how = PuctSettings(simulations=200, batch=1)
    for candidate in PolicyTree().search(state, policy(), how, seed=0).candidates:
        assert candidate.pv[0] == candidate.move
        if candidate.visits == 0:
            assert len(candidate.pv) == 1
            continue
        for length in range(1, len(candidate.pv) + 1):
            path = tuple(candidate.pv[:length])
            visits = {move: plain.visits[(*path, move)] for move in plain.moves.get(path, ())}
            most = max(visits.values(), default=0)
            if length == len(candidate.pv):
                assert most == 0  # nothing below it was visited
            else:
                assert visits[candidate.pv[length]] == most > 0


@given(
    any_positions,
    s.sampled_from((0.0, 2.0)),
    s.sampled_from((0.0, 3.7)),
    s.sampled_from((0.0, 0.8, 3.0)),
    s.sampled_from(("zero", "parent")),
)
@settings(max_examples=60, deadline=None)
def test_puct_agrees_with_the_oracle(state: State, spread: float, bonus: float, c: float, unvisited: str) -> None:
    """Uniform priors (spread 0) make many ties; without the bonus and c only values count."""
    plain = Puct(state, policy(Network(spread)), c, bonus, unvisited == "parent")
    plain.search(80)
    found = search(state, policy(Network(spread)), simulations=80, c=c, attack_bonus=bonus, unvisited=unvisited)
    assert_same_tree(found, plain)
    assert found.simulations == found.visits == 80


@given(any_positions, s.sampled_from((0.0, 2.0)), s.sampled_from((1, 2, 3, 16, 1000)), s.integers(1, 90))
@settings(max_examples=60, deadline=None)
def test_a_gumbel_root_agrees_with_the_oracle(state: State, spread: float, considered: int, simulations: int) -> None:
    plain = Gumbel(state, policy(Network(spread)), simulations, considered)
    plain.search(simulations)
    found = search(state, policy(Network(spread)), simulations=simulations, considered=considered, root="gumbel")
    assert_same_tree(found, plain)
    assert found.simulations == found.visits == simulations


def test_gumbel_visits_follow_sequential_halving() -> None:
    """By hand: one visit for each of 16 moves, one for 8, two for 4, four for 2, then the remaining visits."""
    state = skirmish(4, 0, red=2, blue=2)
    for simulations, considered, expected in (
        (32, 16, [7, 6, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1]),
        (16, 4, [6, 6, 2, 2]),
        (8, 2, [4, 4]),
        (5, 8, [1] * 5),
        (9, 1, [9]),
    ):
        found = search(state, policy(), simulations=simulations, considered=considered, root="gumbel")
        visits = sorted((visits for _, visits, _, _ in found.candidates if visits), reverse=True)
        assert sum(visits) == simulations
        if expected[0] < 7:
            assert visits == expected
        considered_moves = sorted(found.candidates, key=lambda one: -one[3])[:considered]
        assert sum(visits for _, visits, _, _ in considered_moves) == simulations
        assert Counter(visits) == Counter(visits_of(halving(simulations, considered)))


def test_the_seed_does_not_matter_without_random_draws() -> None:
    state = skirmish(3, 4)
    for root in ("puct", "gumbel"):
        assert search(state, policy(), root=root, seed=1) == search(state, policy(), root=root, seed=2)


# Values.


@pytest.mark.parametrize("name", WON)
@pytest.mark.parametrize("batch", [1, 4, 32])
@pytest.mark.parametrize("network", [flat, Network(2.0, 0.3)], ids=["uninformed", "arbitrary"])
def test_a_win_in_one_turn_is_found(name: str, batch: int, network: Callable[..., Any]) -> None:
    scenario, operations = WON[name]
    for side in (0, 1):
        units = tuple(unit._replace(side=abs(unit.side - side)) for unit in scenario.units)
        state = dataclasses.replace(scenario, turn=14 + side, units=units).start()
        for bonus in (0.0, 3.7):
            evaluator = policy(network)
            found = search(state, evaluator, simulations=2000, batch=batch, attack_bonus=bonus)
            assert found.simulations == found.visits == 2000
            assert found.value > 0.9
            line = state.copy()
            for _ in range(operations):  # every operation of the turn is right
                assert line.side == side
                line.play(search(line, evaluator, simulations=2000, batch=batch, attack_bonus=bonus).move)
            assert line.winner == side
        for move, visits, value, _ in found.candidates:
            end = after(state, move)
            if visits and end.over:  # exactly, since the network does not evaluate the end
                assert value == (0 if end.winner is None else 1)
    if operations == 1:
        found = search(state, policy(network), simulations=200, batch=batch, root="gumbel", considered=1000)
        assert after(state, found.move).winner == state.side


@pytest.mark.parametrize("batch", [1, 8])
def test_an_unavoidable_loss_is_recognised(batch: int) -> None:
    """Whatever red does, blue's two units kill it in their turn, one after the other."""
    scenario = field(
        *(("infantry", 0, 1, 1, 1), ("infantry", 1, 3, 1, 9), ("infantry", 1, 1, 3, 9)), size=6, rules="kimura2020"
    )
    found = search(scenario.start(), policy(flat), simulations=3000, batch=batch)
    assert found.value < -0.8
    assert all(value < -0.5 for _, visits, value, _ in found.candidates if visits > 50)


def test_values_change_sign_with_the_side_and_not_with_every_operation() -> None:
    """The network gives the side to move 0.25. Red has two operations, then blue two: values change their sign with the
    side, not with every operation."""
    state = field(
        *(("infantry", 0, 1, 1, 9), ("infantry", 0, 2, 1, 9), ("infantry", 1, 6, 6, 9), ("infantry", 1, 5, 6, 9)),
        size=6,
        rules="kimura2020",
    ).start()

    def optimist(planes: Floats) -> tuple[Floats, Floats]:
        return np.full(len(planes), 0.25, np.float32), flat(planes)[1]

    once = search(state, policy(optimist), simulations=len(state.moves()), c=1000, attack_bonus=0)
    assert {value for _, visits, value, _ in once.candidates if visits == 1} == {0.25}  # red is still to move
    state.play(state.moves()[0])
    once = search(state, policy(optimist), simulations=len(state.moves()), c=1000, attack_bonus=0)
    assert {value for _, visits, value, _ in once.candidates if visits == 1} == {-0.25}  # blue is


# The player.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("root=puc", "root must be puct or gumbel"),
        ("root=gumbel, seconds=1", "needs a number of simulations"),
        ("batch=0", "batch must be within 1..4096"),
        ("considered=0", "considered must be within 1..1000"),
        ("simulations=0", "simulations must be within 1.."),
        ("c=-1", "c must be within 0..1000"),
        ("runtime=fast", "runtime must be auto or native or onnx or torch"),
        ("nett=x", "has no setting 'nett' (did you mean 'net'?)"),
    ],
)
def test_bad_settings_of_the_player_get_a_one_line_error(options: str, message: str) -> None:
    with pytest.raises(st.PlayerError) as caught:
        st.player(f"pvmcts({options})")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
