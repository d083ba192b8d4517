"""The move that is played after a tree search: the most visited one, or the one with the highest lower bound of its
value, with ties broken by progress. The tree is the same for both."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable import _core
from sandtable.analysis import SearchResult
from sandtable.tubstap import Move, State
from support.boards import field
from support.puct_oracle import Floats, Network, policy
from support.puct_search import PolicyTree, PuctSettings, any_positions

OFTEN, WIDTH, EQUAL = 0.1, 0.5, 0.01


def searched(state: State, choice: str, network: Any = None, simulations: int = 100) -> SearchResult:
    how = PuctSettings(simulations=simulations, batch=1, choice=choice, attack_bonus=0.0)
    return PolicyTree().search(state, policy(network or Network()), how, seed=0)


def progress(state: State, moves: Sequence[Move]) -> float:
    """The lead in HP and then the nearness of units at the end of a variation, for the side that moves first."""
    after, side = state.copy(), state.side
    for move in moves:
        if after.over:
            break
        after.play(move)
    if after.over:
        return 0.0 if after.winner is None else 2.0 if after.winner == side else -2.0
    units = [[one for one in after.units if one.side == of] for of in (side, 1 - side)]
    own, other = (sum(one.hp for one in of) for of in units)
    lead = (own - other) / (own + other)
    ahead, behind = units if lead >= 0 else units[::-1]
    steps = [min(abs(one.x - two.x) + abs(one.y - two.y) for two in behind) for one in ahead]
    return lead + math.copysign(1e-3, lead) * sum(1 / n for n in steps) / len(steps)


@given(any_positions, s.integers(1, 150))
@settings(max_examples=40, deadline=None)
def test_the_highest_bound_is_chosen_and_ties_go_to_progress(state: State, simulations: int) -> None:
    plain, found = (searched(state, choice, simulations=simulations) for choice in ("visits", "bound"))
    rows = [(one.move, one.visits, one.value, one.pv) for one in found.candidates]
    assert rows == [(one.move, one.visits, one.value, one.pv) for one in plain.candidates]
    most = max(one.visits for one in found.candidates)
    assert plain.candidates[plain.best].visits == most
    bounds = {
        i: one.value - WIDTH / math.sqrt(one.visits)
        for i, one in enumerate(found.candidates)
        if one.visits >= OFTEN * most
    }
    value = found.candidates[max(bounds, key=lambda i: bounds[i])].value
    alike = [i for i in bounds if abs(found.candidates[i].value - value) <= EQUAL]
    made = {i: progress(state, found.candidates[i].pv) for i in alike}
    assert found.best in made
    assert made[found.best] >= max(made.values()) - 1e-9


def test_a_unit_advances_or_attacks_where_all_values_are_alike() -> None:
    """Among moves that the network values alike, one that approaches the enemy is played, or an attack that gains more
    than it costs."""

    def indifferent(planes: Floats) -> tuple[Floats, Floats]:
        return np.zeros(len(planes), np.float32), np.zeros((len(planes), 180), np.float32)

    far = field(("infantry", 0, 1, 1, 10), ("infantry", 1, 6, 6, 9), size=6, rules="kimura2020").start()
    found = searched(far, "bound", indifferent, simulations=13)
    move = found.candidates[found.best].move
    assert abs(move.x - 6) + abs(move.y - 6) < 10
    near = field(("infantry", 0, 1, 1, 10), ("infantry", 1, 3, 3, 9), size=6, rules="kimura2020").start()
    found = searched(near, "bound", indifferent, simulations=13)
    assert found.candidates[found.best].move.target is not None


def test_the_paper_plays_the_most_visited_move() -> None:
    assert _core.tubstap.PuctSettings().choice == "visits"
    assert st.player("pvmcts").settings.choice == "visits"  # type: ignore[attr-defined]
