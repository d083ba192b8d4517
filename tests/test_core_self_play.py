"""Games of self-play in the core."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable.tubstap import State
from support.boards import after
from support.puct_oracle import Network, policy
from support.puct_search import WON, PolicyTree, flat, positions, search, self_play

STARTS = [st.tubstap.maps.skirmish(seed).start() for seed in range(10)]


@pytest.mark.parametrize("root", ["puct", "gumbel"])
@pytest.mark.parametrize("full_share", [1.0, 0.4])
def test_games_of_self_play_are_legal_and_complete(root: str, full_share: float) -> None:
    games = self_play(STARTS, policy(cache=1 << 12), root=root, full_share=full_share, quick_simulations=3)
    assert len(games) == len(STARTS)
    fulls = []
    for start, game in zip(STARTS, games, strict=True):
        state = start.copy()
        assert len(game.moves) == len(game.full) == len(game.values) == len(game.counts)
        for move, count, shares, value in zip(game.moves, game.counts, game.policies(), game.values, strict=True):
            moves = state.moves()
            assert count == len(moves) == len(shares)
            assert shares.sum() == pytest.approx(1, abs=1e-5)
            assert shares.min() >= 0
            assert -1 <= value <= 1
            if root == "puct":
                assert shares[move] > 0
            state.play(moves[move])
        assert state.over
        fulls += game.full
    assert set(fulls) <= {0.0, 1.0}
    assert np.mean(fulls) == pytest.approx(full_share, abs=0.15)


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_a_game_depends_only_on_its_seed(root: str) -> None:
    """Not on the number of lanes, the other games or the cache."""
    expected = self_play(STARTS, policy(), root=root, lanes=1)
    for lanes, cache in ((3, 0), (64, 0), (8, 1 << 10)):
        for game, same in zip(self_play(STARTS, policy(cache=cache), root=root, lanes=lanes), expected, strict=True):
            assert game[:4] == same[:4]
            assert np.array_equal(game.policy, same.policy)
    alone = self_play(STARTS[4:5], policy(), [4], root=root)[0]
    assert alone[:4] == expected[4][:4]
    others = self_play(STARTS, policy(), [seed + 100 for seed in range(10)], root=root)
    assert sum(game.moves != same.moves for game, same in zip(others, expected, strict=True)) >= 5


def test_self_play_without_noise_searches_as_a_player_does() -> None:
    """The subtree is kept from one decision to the next, and at a low temperature the most visited move is played."""
    for seed in range(5):
        state, tree = STARTS[seed].copy(), PolicyTree()
        (game,) = self_play(
            [state], policy(), simulations=60, noise_share=0.0, temperature=0.001, last_temperature=0.001
        )
        for move, shares, value in zip(game.moves, game.policies(), game.values, strict=True):
            found = search(state, policy(), tree, simulations=60, keep=True)
            visits = np.array([visits for _, visits, _, _ in found.candidates])
            np.testing.assert_allclose(shares, visits / visits.sum(), rtol=1e-6)
            assert value == pytest.approx(found.value, abs=1e-6)
            assert visits[move] == visits.max()
            state.play(state.moves()[move])
        assert state.over


def test_noise_and_temperature_make_games_differ() -> None:
    start = st.tubstap.load("kimura-map01").start()
    seeds = list(range(12))

    def first_moves(**changes: Any) -> Counter[int]:
        settings = {"noise_share": 0.0, "temperature": 1.0, "simulations": 30, **changes}
        return Counter(game.moves[0] for game in self_play([start] * 12, policy(cache=999), seeds, **settings))

    cold = {"temperature": 0.001, "last_temperature": 0.001}
    assert len(first_moves(**cold)) == 1
    assert len(first_moves(noise_share=0.5, **cold)) > 1
    assert len(first_moves()) > 3
    # The temperature falls with every decision: after `falling` of them the most visited move is played.
    games = self_play([start] * 6, policy(cache=999), seeds[:6], falling=2, last_temperature=0.001, noise_share=0.0)
    for game in games:
        for move, shares in list(zip(game.moves, game.policies(), strict=True))[2:]:
            assert shares[move] == shares.max()


@given(positions, s.sampled_from((0.0, 1.0)))
@settings(max_examples=20, deadline=None)
def test_the_improved_policy_follows_its_formula(state: State, spread: float) -> None:
    """With as many simulations as moves, all of them considered, each is tried once: its value is the network's for the
    position that it leads to."""
    count, evaluator = len(state.moves()), policy(Network(spread))
    (game,) = self_play([state], evaluator, root="gumbel", simulations=count, considered=1000)
    priors = evaluator.evaluate([state])[1].astype(float)
    q = []
    for move in state.moves():
        child = after(state, move)
        if child.over:
            q.append(0.0 if child.winner is None else 1.0 if child.winner == state.side else -1.0)
        else:
            q.append(float(evaluator.evaluate([child])[0][0]) * (1 if child.side == state.side else -1))
    scores = np.log(priors) + (50 + 1) * (np.array(q) + 1) / 2
    weights = np.exp(scores - scores.max())
    np.testing.assert_allclose(game.policies()[0], weights / weights.sum(), rtol=1e-4, atol=1e-7)


def test_the_improved_policy_prefers_winning_moves() -> None:
    """All moves have the same prior; the winning ones get nearly all of the policy."""
    state = WON["one blow"][0].start()
    for seed in range(5):
        (game,) = self_play([state], policy(flat), [seed], root="gumbel", simulations=64, considered=64)
        wins = [i for i, move in enumerate(state.moves()) if after(state, move).over]
        assert game.policies()[0][wins].sum() > 0.99
        assert game.moves == [game.moves[0]]
        assert game.moves[0] in wins


@pytest.mark.parametrize(
    ("changes", "seeds", "message"),
    [
        ({}, [1, 2], "self-play needs a seed for every start"),
        ({"lanes": 0}, [1], "lanes must be within 1..4096"),
        ({"simulations": 0}, [1], "simulations must be within 1..1000000"),
        ({"quick_simulations": 0, "full_share": 0.5}, [1], "quick_simulations must be within 1..1000000"),
    ],
)
def test_bad_settings_of_self_play_are_refused(changes: dict[str, Any], seeds: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        self_play(STARTS[:1], policy(), seeds, **changes)


def test_self_play_without_starts_plays_no_games() -> None:
    assert self_play([], policy(), []) == []
