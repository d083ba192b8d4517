"""Coevolution's operators beyond the thesis's."""

import itertools
from typing import Any

import sandtable as st
from sandtable.conquest import State
from sandtable.players import spec_of
from sandtable.players.conquest import CROSSOVER_KINDS, Coevolution


def later(name: str = "italy") -> State:
    state = st.conquest.load(name).start(3)
    for turn in range(3):
        state.resolve(state.random_move(0, turn), state.random_move(1, turn))
    return state


def moves_of(found: Any) -> list[Any]:
    return [move for move, *_ in found[1]]


def test_the_thesis_s_operators_are_the_defaults() -> None:
    plain = Coevolution(generations=4)
    named = Coevolution(generations=4, selection="random", crossover_kind="one_point", tournament_size=7)
    assert plain.search(later(), 0, 0, 7) == named.search(later(), 0, 0, 7)
    assert spec_of(plain) == "coevolution(generations=4)"


def test_every_combination_of_operators_gives_legal_moves_of_its_own() -> None:
    """The same for a seed; different ways to choose and cross parents lead to different populations."""
    state, found = later(), []
    for selection, kind in itertools.product(("random", "tournament"), CROSSOVER_KINDS):
        made = Coevolution(generations=6, selection=selection, crossover_kind=kind)
        found.append(moves_of(made.search(state, 1, 0, 7)))
        assert found[-1] == moves_of(made.search(state, 1, 0, 7))
        for move in found[-1]:
            state.copy().resolve([], move)
    assert all(one != other for one, other in itertools.combinations(found, 2))


def test_a_tournament_of_many_breeds_from_the_best() -> None:
    """Without mutation, when only the fittest has children, all are its copies."""
    state = later()
    one = Coevolution(generations=1, elites=0, mutation=0, selection="tournament", tournament_size=1000)
    genes = {tuple(state.encode(move)) for move in moves_of(one.search(state, 0, 0, 5))}
    assert len(genes) == 1
    many = Coevolution(generations=1, elites=0, mutation=0)
    assert len({tuple(state.encode(move)) for move in moves_of(many.search(state, 0, 0, 5))}) > 15
