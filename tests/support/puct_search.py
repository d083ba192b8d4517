"""The core's search with a policy network as the tests call it, and positions to search."""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as s

import sandtable as st
from sandtable import _core
from sandtable.analysis import SearchResult
from sandtable.tubstap import Move, Scenario, State
from support.boards import after, field
from support.puct_oracle import Floats, PolicyEvaluator, Tree
from support.strategies import small_boards

PolicyTree = _core.tubstap.PolicyTree
PuctSettings = _core.tubstap.PuctSettings
SelfPlaySettings = _core.SelfPlaySettings


class Found(NamedTuple):
    best: int
    candidates: list[tuple[Move, int, float, Any]]  # move, visits, value, prior
    value: float
    nodes: int
    simulations: int

    @classmethod
    def of(cls, found: SearchResult) -> "Found":
        candidates = [(one.move, one.visits, one.value, one.prior) for one in found.candidates]
        return cls(found.best, candidates, found.value, found.nodes, found.simulations)

    @property
    def move(self) -> Move:
        return self.candidates[self.best][0]

    @property
    def visits(self) -> int:
        return sum(visits for _, visits, _, _ in self.candidates)


def search(
    state: State,
    evaluator: PolicyEvaluator,
    tree: PolicyTree | None = None,
    *,
    seconds: float = 0.0,
    seed: int = 0,
    **changes: Any,
) -> Found:
    how = PuctSettings(**{"simulations": 100, "batch": 1, "max_nodes": 1 << 20, "keep": False, **changes})
    return Found.of((tree or PolicyTree()).search(state, evaluator, how, seconds=seconds, seed=seed))


def skirmish(seed: int, operations: int, **options: Any) -> State:
    """A position of a game of infantry on 6x6 with frequent attacks."""
    state = st.tubstap.maps.skirmish(seed, **options).start()
    for number in range(operations):
        attacks = [move for move in state.moves() if move.target is not None]
        move = attacks[number % len(attacks)] if attacks and number % 2 else state.random_move(seed + number)
        if after(state, move).over:
            break
        state.play(move)
    return state


positions = s.builds(skirmish, s.integers(0, 10**6), s.integers(0, 30))
any_positions = positions | small_boards().map(Scenario.start).filter(lambda state: not state.over)

# Positions that red, to move, can win in this turn, with the number of operations that it takes.
WON: dict[str, tuple[Scenario, int]] = {
    "one blow": (field(("infantry", 0, 1, 1, 9), ("infantry", 1, 4, 1, 1), size=6, rules="kimura2020"), 1),
    "two blows of two units": (
        field(
            *(("infantry", 0, 3, 1, 9), ("infantry", 0, 5, 3, 9), ("infantry", 1, 3, 3, 7)), size=6, rules="kimura2020"
        ),
        2,
    ),
    "two enemies, one each": (
        field(
            *(("infantry", 0, 1, 1, 9), ("infantry", 0, 6, 6, 9), ("infantry", 1, 1, 4, 1), ("infantry", 1, 4, 6, 1)),
            size=6,
            rules="kimura2020",
        ),
        2,
    ),
}


def flat(planes: Floats) -> tuple[Floats, Floats]:
    """A network that values all positions and moves alike."""
    return np.zeros(len(planes), np.float32), np.zeros((len(planes), 180), np.float32)


def visits_of(schedule: list[int]) -> list[int]:
    """The numbers of visits that a schedule leaves: a simulation lifts some move from its number to the next."""
    counts: Counter[int] = Counter()
    for number in schedule:
        counts[number] -= 1
        counts[number + 1] += 1
    return [number for number, moves in counts.items() if number for _ in range(moves)]


def assert_same_tree(found: Found, plain: Tree) -> None:
    assert found.candidates == plain.candidates()
    assert found.move == plain.best()
    assert found.value == pytest.approx(plain.value(), abs=1e-12)
    assert found.nodes == plain.nodes


class Game(NamedTuple):
    moves: list[int]
    full: list[float]
    values: list[float]
    counts: list[int]
    policy: Floats

    def policies(self) -> list[Floats]:
        return np.split(self.policy, np.cumsum(self.counts)[:-1])


def self_play(
    starts: list[State], evaluator: PolicyEvaluator, seeds: list[int] | None = None, **changes: Any
) -> list[Game]:
    how = SelfPlaySettings(**{"lanes": 8, "simulations": 20, **changes})
    found = _core.tubstap.self_play(evaluator, starts, seeds or list(range(len(starts))), how)
    return [
        Game(moves.tolist(), full.tolist(), values.tolist(), counts.tolist(), shares)
        for moves, full, values, counts, shares in found
    ]
