"""Turns of Conquest solved among proposed moves: the moves are legal, and the result is an equilibrium."""

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as s
from numpy.typing import NDArray

import sandtable as st
from sandtable import _core
from sandtable.arena import tournament
from sandtable.conquest import Deploy, Land, March, Order, State
from sandtable.conquest.benchmarks import turn_net_rates
from sandtable.conquest.flow import flow_plans
from sandtable.conquest.small_games import LAST_TURN, Solver, sampled_moves
from sandtable.errors import SandtableError, SettingError
from sandtable.nets import territory_evaluator
from sandtable.rng import Rng
from support.clocks import once_in_time
from support.conquest_positions import states_along_a_game
from support.strategies import lands

Evaluator = _core.conquest.TerritoryEvaluator
Array = NDArray[Any]

SETTINGS = _core.EquilibriumSettings(
    rounds=3,
    candidates=8,
    fresh=8,
    joining=3,
    most=12,
    opponents=4,
    random=0.3,
    uniform=0.2,
    least=0.0,
    iterations=2000,
)
SEED = 5


def result_of(found: _core.conquest.Equilibrium) -> list[Any]:
    """The whole result of a search, for comparison."""
    mixtures = [(one.best, one.moves, one.shares, one.values) for one in found.players]
    return [mixtures, found.value, found.exploitability, found.states, found.rounds]


def by_rule(value: Callable[[Array], Array], seed: int = 0) -> Evaluator:
    """An evaluator that values positions by a rule on the totals and proposes moves at random."""

    def forward(edges: Array, kin: Array, nodes: Array, totals: Array, asked: Array) -> tuple[Array, Array, Array]:
        generator, n = np.random.default_rng(seed), edges.shape[0]
        deploys, marches = (
            generator.normal(size=shape, scale=2).astype(np.float32) for shape in ((len(asked), n), (len(asked), n, n))
        )
        return value(totals).astype(np.float32), deploys, marches

    return Evaluator(forward, batch=64, cache=1 << 10)


def income_lead(totals: Array) -> Array:
    return np.tanh(totals[:, 0] - totals[:, 1] + 0.3 * (totals[:, 2] - totals[:, 3]))


# Moves.


def deployed(state: State, move: list[Order]) -> list[int]:
    """Armies after the deploys."""
    armies = list(state.armies)
    for order in move:
        if isinstance(order, Deploy):
            armies[order.territory] += order.armies
    return armies


def shares_of(state: State, player: int, move: list[Order]) -> tuple[Array, Array]:
    """The shares of the income and of the armies that go each way, if the enemy does nothing."""
    n, guard = len(state.owner), int(state.land.rules.stand_guard)
    deploys, marches = np.zeros(n), np.zeros((n, n))
    income = sum(order.armies for order in move if isinstance(order, Deploy))
    armies = deployed(state, move)
    through = [max(a - guard, 0) if o == player else 0 for a, o in zip(armies, state.owner, strict=True)]
    for order in move:
        if isinstance(order, Deploy):
            deploys[order.territory] += order.armies / income
            continue
        gone = max(min(order.armies, armies[order.source] - guard), 0)
        armies[order.source] -= gone
        marches[order.source, order.target] += gone
        if state.owner[order.target] == player:
            armies[order.target] += gone
            through[order.target] += gone
    for t, all_of in enumerate(through):
        if all_of:
            marches[t, t] = all_of - marches[t].sum()
            marches[t] /= all_of
    return deploys, marches


@given(lands(), s.integers(0, 2**32), s.sampled_from((0.0, 0.3, 1.0)))
@settings(max_examples=40, deadline=None)
def test_proposed_moves_are_legal_and_deploy_the_whole_income(land: Land, seed: int, uniform: float) -> None:
    evaluator = by_rule(income_lead, seed)
    for state in states_along_a_game(land, seed, 3):
        if state.over:
            continue
        for player in (0, 1):
            moves = evaluator.proposed(state, player, 12, seed=seed, uniform=uniform)
            assert moves == evaluator.proposed(state, player, 12, seed=seed, uniform=uniform)
            for move in moves:
                orders: list[list[Order]] = [[], []]
                orders[player] = move
                state.copy().resolve(orders[0], orders[1])
                assert sum(order.armies for order in move if isinstance(order, Deploy)) == state.income(player)
                armies = deployed(state, move)
                for order in move:
                    if isinstance(order, March):
                        assert 0 < order.armies <= armies[order.source]
                        armies[order.source] -= order.armies
                        armies[order.target] += order.armies * (state.owner[order.target] == player)


@pytest.mark.parametrize("territories", [257, 1024])
def test_turns_on_large_maps_can_be_searched(territories: int, territory_net: Path) -> None:
    *_, state = states_along_a_game(st.conquest.maps.planar(seed=5, territories=territories), 6, 3)
    evaluator = territory_evaluator(str(territory_net))
    found = evaluator.equilibrium(state, 1, SETTINGS, seed=SEED)
    assert found.rounds == SETTINGS.rounds
    assert result_of(found) == result_of(evaluator.equilibrium(state, 1, SETTINGS, seed=SEED))
    for one in found.players:
        assert sum(one.shares) == pytest.approx(1)
    for mine in found.players[0].moves:
        for theirs in found.players[1].moves:
            state.copy().resolve(mine, theirs)  # all are legal


def test_proposed_moves_follow_the_policy() -> None:
    """With large logits for one deploy and one path, the drawn moves follow these."""
    land = st.conquest.load("simple")
    state = land.state([0, 0, 1, -1, -1, -1, -1, -1, -1], [3] * 9)

    def forward(edges: Array, kin: Array, nodes: Array, totals: Array, asked: Array) -> tuple[Array, Array, Array]:
        deploys, marches = np.zeros((2, 9), np.float32), np.zeros((2, 9, 9), np.float32)
        deploys[:, 1], marches[:, 0, 1], marches[:, 1, 2] = 20, 20, 20
        deploys[:, 5] = marches[:, 1, 7] = 99  # territory 5 is not owned, and 1 and 7 are not adjacent
        return np.zeros(2, np.float32), deploys, marches

    drawn = Evaluator(forward, batch=4, cache=0).proposed(state, 0, 300, seed=1, uniform=0.0)[::3]
    assert all(move[0] == Deploy(1, 5) for move in drawn)
    assert all({order[:2] for order in move[1:]} == {(0, 1), (1, 2)} for move in drawn)
    # Armies that arrive march on.
    assert np.mean([move[1:] == [March(0, 1, 3), March(1, 2, 11)] for move in drawn]) > 0.3


@given(lands(), s.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_shares_agree_with_the_oracle(land: Land, seed: int) -> None:
    for state in states_along_a_game(land, seed, 3):
        if state.over:
            continue
        player = Rng(seed, "player").below(2)
        moves = [state.random_move(player, seed) for seed in range(3)]
        moves.append([order._replace(armies=10**6) if isinstance(order, March) else order for order in moves[0]])
        weights = [0.5, 0.25, 0.0, 0.25]
        deploys, marches = _core.conquest.shares(state, player, moves, weights)
        expected = [shares_of(state, player, move) for move in moves]
        np.testing.assert_allclose(deploys, sum(w * d for w, (d, _) in zip(weights, expected, strict=True)), atol=1e-6)
        np.testing.assert_allclose(marches, sum(w * m for w, (_, m) in zip(weights, expected, strict=True)), atol=1e-6)
        assert deploys.sum() == pytest.approx(1.0 if state.income(player) else 0.0)


# The search.


@given(lands(), s.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_the_search_finds_an_equilibrium_of_its_candidates(land: Land, seed: int) -> None:
    evaluator = by_rule(income_lead, seed)
    state = states_along_a_game(land, seed, 4)[-1]
    if state.over:
        return
    found = evaluator.equilibrium(state, 0, SETTINGS, seed=seed)
    assert result_of(found) == result_of(evaluator.equilibrium(state, 0, SETTINGS, seed=seed))
    assert found.rounds == SETTINGS.rounds
    assert -1e-9 <= found.exploitability < 0.05
    payoffs = np.array(
        [[worth(evaluator, state, a, b) for b in found.players[1].moves] for a in found.players[0].moves]
    )
    shares = [np.array(mixture.shares) for mixture in found.players]
    for player, mixture in enumerate(found.players):
        assert 1 <= len(mixture.moves) <= SETTINGS.most
        assert shares[player].sum() == pytest.approx(1)
        assert shares[player][mixture.best] > 0
        against = payoffs @ shares[1] if player == 0 else -(payoffs.T @ shares[0])
        np.testing.assert_allclose(mixture.values, against, atol=1e-5)
        sign = 1 - 2 * player
        assert sign * found.value == pytest.approx(float(against @ shares[player]), abs=1e-5)


def worth(evaluator: Evaluator, state: State, a: list[Order], b: list[Order]) -> float:
    """The value of a pair of moves for player 0, averaged over who marches first."""
    values = []
    for first in (0, 1):
        after = state.copy()
        after.resolve(a, b, first)
        if after.over:
            values.append(0.0 if after.winner is None else 1.0 - 2 * after.winner)
        else:
            values.append(float(evaluator.evaluate([after], [0])[0]))
    return sum(values) / 2


@pytest.mark.parametrize("state", LAST_TURN.values(), ids=LAST_TURN)
def test_the_last_turn_is_solved(state: State) -> None:
    """Given all moves that can be sampled, the search finds the value; on its own it finds strategies that sampled
    moves exploit by little."""
    evaluator = by_rule(lambda totals: totals[:, 0] * 0)
    moves = sampled_moves(state, 0), sampled_moves(state, 1)
    value = float(Solver(sampled_moves).value(state))
    given_only = SETTINGS.replace(candidates=1, most=200, rounds=0)
    found = evaluator.equilibrium(state, 0, given_only, seed=SEED, moves=moves)
    assert found.value == pytest.approx(value, abs=0.05)
    assert found.exploitability < 0.05
    # From few candidates by rounds alone. Moves that cannot be sampled may be even better, for either player.
    first, second = evaluator.equilibrium(state, 0, SETTINGS.replace(rounds=30, most=40, fresh=24), seed=SEED).players
    lowest = min(
        sum(share * worth(evaluator, state, move, reply) for move, share in zip(first.moves, first.shares, strict=True))
        for reply in moves[1]
    )
    highest = max(
        sum(
            share * worth(evaluator, state, reply, move)
            for move, share in zip(second.moves, second.shares, strict=True)
        )
        for reply in moves[0]
    )
    assert highest - lowest < 0.35


def test_a_deeper_search_finds_a_win_in_the_next_turn() -> None:
    """The enemy's only territory is two steps away, and the enemy cannot defend it."""
    land = dataclasses.replace(
        st.conquest.load("simple"),
        territories=("A", "B", "C"),
        places=((0.0, 0.0), (1.0, 0.0), (2.0, 0.0)),
        edges=((0, 1), (1, 2)),
        bonuses=(),
    )
    state = land.state([0, -1, 1], [90, 0, 1])
    evaluator = by_rule(lambda totals: totals[:, 0] * 0)
    assert evaluator.equilibrium(state, 0, SETTINGS, seed=SEED).value == 0
    deeper = SETTINGS.replace(deepened=6, below=10)
    found = [evaluator.equilibrium(state, player, deeper, seed=SEED) for player in (0, 1, 0)]
    assert all(one.value > 0.5 for one in found)
    assert result_of(found[0]) == result_of(found[2])


def certain(totals: Array) -> Array:
    """A network that is certain of the perspective player's win in every position."""
    return np.ones(len(totals))


def test_progress_takes_a_certain_win_at_once() -> None:
    """82 armies are next to the enemy's last three. With all values at 1 only `progress` makes an attack better than
    waiting."""
    state = st.conquest.load("simple").state([0, 0, 1, *[-1] * 6], [9, 82, 3, *[50] * 6])
    evaluator = by_rule(certain)
    for seed in range(10):
        found = evaluator.equilibrium(state, 0, SETTINGS.replace(progress=0.1), seed=seed)
        own = found.players[0]
        after = state.copy()
        after.resolve(own.moves[own.best], [Deploy(2, 5)])
        assert after.winner == 0
        assert found.value == pytest.approx(1)  # the reported value is the network's, without `progress`
        assert max(own.values) == pytest.approx(1)


def test_progress_moves_armies_towards_the_enemy_when_the_win_is_certain() -> None:
    """The enemy's only territory is three steps away from all armies."""
    land = dataclasses.replace(
        st.conquest.load("simple"),
        territories=("A", "B", "C", "D"),
        places=((0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)),
        edges=((0, 1), (1, 2), (2, 3)),
        bonuses=(),
    )
    state = land.state([0, 0, 0, 1], [60, 0, 0, 9])
    for seed in range(5):
        own = by_rule(certain).equilibrium(state, 0, SETTINGS.replace(progress=0.1), seed=seed).players[0]
        after = state.copy()
        after.resolve(own.moves[own.best], [Deploy(3, 5)])
        assert after.over or after.armies[0] < 10


def test_a_deeper_search_uses_its_time() -> None:
    settings = SETTINGS.replace(rounds=None, deepened=4)
    state = st.conquest.load("banana").start(3)

    def spends() -> bool:
        begin = time.perf_counter()
        by_rule(income_lead).equilibrium(state, 0, settings, seconds=0.2, seed=SEED)
        return 0.19 < time.perf_counter() - begin < 0.22

    assert once_in_time(spends)


def test_the_value_is_the_same_from_both_perspectives() -> None:
    """The network is asked from the player's perspective; the value is player 0's."""
    state = st.conquest.load("banana").start(3)
    evaluator = by_rule(income_lead)
    values = [evaluator.equilibrium(state, player, SETTINGS, seed=SEED).value for player in (0, 1)]
    assert values[0] == pytest.approx(values[1], abs=1e-5)  # the rule is symmetric


def test_given_moves_are_candidates() -> None:
    state = states_along_a_game(st.conquest.load("italy"), 1, 4)[-1]
    rng = Rng(1, "plans")
    plans = [flow_plans(state, player, rng) for player in (0, 1)]
    given_only = SETTINGS.replace(rounds=0, candidates=1)
    mixtures = by_rule(income_lead).equilibrium(state, 0, given_only, seed=SEED, moves=plans).players
    for mixture, given_moves in zip(mixtures, plans, strict=True):
        found = [(sorted(o for o in move if len(o) == 2), [o for o in move if len(o) == 3]) for move in mixture.moves]
        assert all(
            (sorted(o for o in move if len(o) == 2), [o for o in move if len(o) == 3]) in found for move in given_moves
        )


@pytest.mark.parametrize(
    "changed",
    [
        {"candidates": 0},
        {"fresh": 0},
        {"joining": 9},
        {"most": 7},
        {"opponents": 0},
        {"random": 2.0},
        {"uniform": -1.0},
        {"least": 2.0},
        {"iterations": 0},
        {"deepened": -1},
        {"below": 0},
        {"progress": 1.5},
        {"rounds": -1},
    ],
    ids=str,
)
def test_bad_settings_are_refused(changed: dict[str, Any]) -> None:
    (name,) = changed
    with pytest.raises(SettingError, match=f"EquilibriumSettings: {name} must be within"):
        SETTINGS.replace(**changed)


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ([[]], "two lists of moves"),
        ([[[Deploy(0, 99)]], []], "illegal orders"),
        (3, "two lists of moves"),
    ],
    ids=str,
)
def test_bad_given_moves_are_refused(moves: Any, message: str) -> None:
    state = st.conquest.load("simple").start()
    with pytest.raises(ValueError, match=message):
        by_rule(income_lead).equilibrium(state, 0, SETTINGS, seed=SEED, moves=moves)


# The players.


def test_the_benchmark_measures_the_search(territory_net: Path) -> None:
    (rate,) = turn_net_rates(str(territory_net), st.conquest.load("simple"), seconds=0.01)
    assert rate.what == "equilibrium"
    assert rate.per_second > 0


def test_a_win_is_taken(territory_net: Path) -> None:
    """Although the network is untrained, the end of a game has its true value."""
    state = st.conquest.load("simple").state([0, 0, 1, -1, -1, -1, -1, -1, -1], [9, 9, 2, *[50] * 6])
    player = st.player(f"sandtable(net={str(territory_net)!r}, rounds=5)")
    after = state.copy()
    after.resolve(player.act(state, 0), [Deploy(2, 5)])
    assert after.winner == 0
    assert player.analyse(state, 0).value > 0.9  # type: ignore[attr-defined]
    assert player.analyse(state, 1).value < -0.9  # type: ignore[attr-defined]


def test_the_same_seed_plays_the_same_game(territory_net: Path) -> None:
    spec = f"equilibrium(net={str(territory_net)!r}, rounds=1, candidates=6, fresh=6, most=8, plans=true)"
    land = st.conquest.load("simple")
    records = [st.play(land, spec, "random", seed=2) for _ in range(2)]
    assert records[0].moves == records[1].moves
    records[0].verify()


def test_a_player_with_a_time_limit_evaluates_many_positions(territory_net: Path) -> None:
    state = st.conquest.load("banana").start(1)
    player: Any = st.player(f"equilibrium(net={str(territory_net)!r}, seconds=0.1)")
    assert once_in_time(lambda: player.analyse(state, 0).nodes > 100)
    assert sum(c.visits for c in player.analyse(state, 1).candidates) == pytest.approx(1000, abs=20)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("equilibrium(net='none.safetensors')", "there is no such file"),
        ("sandtable(net='none.safetensors')", "there is no such file"),
        ("equilibrium(net=gcn_4)", "a net for tubstap, not conquest"),
        ("equilibrium(net=NET, joining=99)", "joining must be within 1..24"),
        ("equilibrium(net=NET, rounds=0)", "rounds must be within"),
        ("sandtable(net=NET, rounds=0)", "rounds must be within"),
        ("sandtable(net=NET, simulations=5)", r"the count is rounds, not simulations: write sandtable\(rounds=5\)"),
        ("sandtable(net=gcn_4)", "a value net without a policy"),
        ("sandtable(net=soares2025)", "weighs moves and proposes none"),
        ("guided(net=NET)", "proposes moves"),
        ("coevolution(sampled=-1)", "sampled must be within"),
    ],
)
def test_bad_players_are_refused(spec: str, message: str, territory_net: Path) -> None:
    with pytest.raises(SandtableError, match=message):
        st.player(spec.replace("NET", repr(str(territory_net))))


def test_a_net_or_a_count_of_the_other_game_is_refused(territory_net: Path) -> None:
    """A match with such a net is refused before it begins."""
    spec = f"sandtable(net={str(territory_net)!r})"
    with pytest.raises(SandtableError, match="sandtable plays conquest, not tubstap"):
        st.player(spec).act(st.tubstap.load("duel").start())
    with pytest.raises(SandtableError, match="does not play tubstap, the game of duel"):
        tournament.make("match", [spec, "random"], ["duel"], 2)
    with pytest.raises(SandtableError, match="in conquest the count is rounds, not simulations"):
        st.player("sandtable(simulations=5)").act(st.conquest.load("simple").start(1), 0)
    assert territory_evaluator(str(territory_net)) is territory_evaluator(str(territory_net))
