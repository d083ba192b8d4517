"""Coevolution's operators other than the thesis's, and CMA-ES instead of operators."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as s
from numpy.typing import NDArray

import sandtable as st
from sandtable import _core
from sandtable.conquest import Deploy, Land, March, Order, State
from sandtable.conquest.players.soares2025 import CmaEs, Coevolution
from sandtable.players import spec_of
from support.conquest_positions import after_three_turns
from support.searches import moves_of
from support.strategies import lands


def test_the_thesis_s_operators_are_the_defaults() -> None:
    plain = Coevolution(generations=4)
    named = Coevolution(generations=4, selection="random", crossover_kind="one_point", tournament_size=7)
    assert plain.search(after_three_turns(), 0, 0, 7) == named.search(after_three_turns(), 0, 0, 7)
    assert spec_of(plain) == "coevolution(generations=4)"


def test_every_combination_of_operators_gives_different_legal_moves() -> None:
    """The moves are the same for a seed, and each combination leads to another population."""
    state, found = after_three_turns(), []
    for selection, kind in itertools.product(("random", "tournament"), ("one_point", "two_point", "uniform")):
        made = Coevolution(generations=6, selection=selection, crossover_kind=kind)
        found.append(moves_of(made.search(state, 1, 0, 7)))
        assert found[-1] == moves_of(made.search(state, 1, 0, 7))
        for move in found[-1]:
            state.copy().resolve([], move)
    assert all(one != other for one, other in itertools.combinations(found, 2))


def test_a_large_selection_tournament_breeds_from_the_best() -> None:
    """Without mutation, when only the fittest has children, all are its copies."""
    state = after_three_turns()
    one = Coevolution(generations=1, elites=0, mutation=0, selection="tournament", tournament_size=1000)
    genes = {tuple(state.encode(move)) for move in moves_of(one.search(state, 0, 0, 5))}
    assert len(genes) == 1
    many = Coevolution(generations=1, elites=0, mutation=0)
    assert len({tuple(state.encode(move)) for move in moves_of(many.search(state, 0, 0, 5))}) > 15


# CMA-ES.


@given(lands(), s.integers(0, 2**32), s.booleans(), s.integers(2, 7))
@settings(max_examples=60, deadline=None)
def test_cmaes_gives_legal_moves(land: Land, seed: int, random_order: bool, population: int) -> None:
    """From any position, of any map and rules, for both sides; all of the income is deployed."""
    if random_order:
        land = land.with_rules(land.rules.replace(order="random"))
    state = land.start(seed)
    player = CmaEs(generations=3, population=population, elites=1, step=4.0)
    for turn in range(4):
        if state.over:
            return
        moves = []
        for side in (0, 1):
            found, others = player.evolve(state, side, 0, seed + turn)
            for one, candidates in ((side, moves_of(found)), (1 - side, others)):
                assert len(candidates) == population
                for move in candidates:
                    state.copy().resolve(*((move, []) if one == 0 else ([], move)))
                    assert sum(order.armies for order in move if isinstance(order, Deploy)) == state.income(one)
            moves.append(moves_of(found)[0])
        state.resolve(moves[0], moves[1], seed=seed)


def test_cmaes_is_reproducible() -> None:
    state = after_three_turns()
    made = CmaEs(generations=8)
    assert made.evolve(state, 1, 0, 7) == made.evolve(state, 1, 0, 7)
    assert made.evolve(state, 1, 0, 7) != made.evolve(state, 1, 0, 8)


def test_cmaes_begins_with_given_populations() -> None:
    """All individuals are elites, so the final populations are the initial ones."""
    state = after_three_turns()
    made = CmaEs(initialise="mcts(iterations=40, candidates=10)", generations=1, population=12, elites=12)
    evolved = Coevolution(initialise="mcts(iterations=40, candidates=10)", generations=1, population=12, elites=12)
    assert sorted(made.evolve(state, 1, 0, 7)[1]) == sorted(evolved.evolve(state, 1, 0, 7)[1])


def behind_the_lines() -> State:
    """Player 0 owns three territories in a row, with 4 armies and an income of 2. The enemy is behind a territory that
    it cannot take in a turn, so its moves do not matter."""
    land = Land(
        name="row",
        territories=tuple("ABCDE"),
        places=tuple((float(i), 0.0) for i in range(5)),
        edges=((0, 1), (1, 2), (2, 3), (3, 4)),
        bonuses=(),
        rules=st.conquest.rules("soares2025").replace(base_income=2),
    )
    return land.state([0, 0, 0, -1, 1], [3, 1, 0, 100, 0])


def every_transfer() -> Iterator[list[Order]]:
    """All moves of player 0 within its land, marches in the order of their genes."""
    ways = ((0, 1), (1, 0), (1, 2), (2, 1))
    for deployed in itertools.product(range(3), repeat=3):
        for sent in itertools.product(range(7), repeat=4) if sum(deployed) == 2 else ():
            deploys = (Deploy(territory, armies) for territory, armies in enumerate(deployed) if armies)
            marches = (March(*way, armies) for way, armies in zip(ways, sent, strict=True) if armies)
            yield [*deploys, *marches]


@pytest.mark.parametrize("wanted", [(0, 0, 6), (0, 1, 5), (2, 2, 2)])
def test_cmaes_finds_the_best_reply(wanted: tuple[int, int, int]) -> None:
    """The best of 14,406 moves, each played out, if a position is worth the more the closer its armies are to those
    wanted. No sampled move is as good."""
    state = behind_the_lines()

    def distance(move: list[Order]) -> int:
        then = state.copy()
        then.resolve(move, [])
        return sum((armies - goal) ** 2 for armies, goal in zip(then.armies[:3], wanted, strict=True))

    def network(*inputs: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        distances = ((inputs[4][:, :3, 2] - np.array(wanted)) ** 2).sum(1)
        return (-distances / 100).astype(np.float32), np.zeros(len(inputs[10]), np.float32)

    least = min(map(distance, every_transfer()))
    assert min(distance(state.random_move(0, seed)) for seed in range(200)) > least
    found, _ = _core.conquest.cmaes(
        state,
        0,
        _core.conquest.CmaesSettings(generations=60),
        seed=1,
        evaluator=_core.conquest.Evaluator(
            _core.conquest.TerritoryGraphEncoder(scaled=False), network, batch=64, cache=1 << 10
        ),
    )
    assert distance(found.candidates[0].move) == least
