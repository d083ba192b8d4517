"""What soares2025 leaves as future work: plans of several turns, partial crossover, searches that start from others."""

from typing import Any

import pytest

import sandtable as st
from sandtable.analysis import SearchResult
from sandtable.conquest import March
from sandtable.conquest.players.soares2025 import Coevolution, Mcts, in_proportion
from support.conquest_positions import after_three_turns
from support.searches import moves_of


def test_a_horizon_of_one_turn_changes_nothing() -> None:
    state = after_three_turns()
    plain, one = Coevolution(generations=4), Coevolution(generations=4, horizon=1, crossover=1.0)
    assert plain.search(state, 1, 0, 7) == one.search(state, 1, 0, 7)


@pytest.mark.parametrize("horizon", [2, 4])
def test_plans_of_several_turns_begin_with_legal_moves(horizon: int) -> None:
    """The moves are the same for a seed and differ from those of a horizon of one turn."""
    state = after_three_turns()
    made = Coevolution(generations=4, horizon=horizon)
    found = made.search(state, 1, 0, 7)
    assert found == made.search(state, 1, 0, 7)
    assert found.candidates != Coevolution(generations=4).search(state, 1, 0, 7).candidates
    assert all(-1 <= value <= 1 for _, _, value, *_ in found.candidates)
    for move in moves_of(found):
        state.copy().resolve([], move)


def test_a_longer_horizon_finds_a_win_in_two_turns() -> None:
    """All armies can take a treasure now, or the enemy's last territory in two turns, through one without value."""
    rules = st.conquest.rules("soares2025").replace(turn_limit=2)
    land = st.conquest.Land(
        name="fork",
        territories=("home", "way", "enemy", "treasure"),
        places=((0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 1.0)),
        edges=((0, 1), (1, 2), (0, 3)),
        bonuses=(st.conquest.Bonus("treasure", 20, (3,)),),
        rules=rules,
    )
    state = land.state([0, -1, 1, -1], [20, 0, 0, 14])

    def goes_to(horizon: int) -> int:
        move = Coevolution(generations=60, horizon=horizon).search(state, 0, 0, 1).candidates[0].move
        return max((order for order in move if isinstance(order, March)), key=lambda march: march.armies).target

    assert goes_to(1) == 3
    assert goes_to(2) == 1


def test_without_mutation_only_crossover_makes_new_moves() -> None:
    """Without crossover and mutation the population does not change."""
    state = after_three_turns()
    first = moves_of(Coevolution(generations=1, elites=30).search(state, 0, 0, 5))
    first = [state.decode(state.encode(move)) for move in first]

    def new_moves(**settings: Any) -> int:
        found = Coevolution(generations=10, mutation=0, **settings).search(state, 0, 0, 5)
        return sum(state.decode(state.encode(move)) not in first for move in moves_of(found))

    assert new_moves(crossover=0.0) == 0
    assert new_moves(crossover=0.5) > 0
    assert new_moves(crossover=1.0) > 15


def test_a_tree_search_takes_its_candidates_from_an_evolved_population() -> None:
    """The root's candidates are the best of the population, each once, and then sampled moves if these are too few."""
    state = after_three_turns()
    for side in (0, 1):
        found, others = Coevolution(generations=5).evolve(state, side, 0, 7)
        evolved = list(dict.fromkeys(map(tuple, moves_of(found))))
        tree = Mcts(root="coevolution(generations=5)", iterations=5, candidates=40)
        candidates = list(map(tuple, moves_of(tree.search(state, side, 0, 7))))
        assert candidates[: len(evolved)] == evolved
        assert len(candidates) == 40
        assert len(others) == 30
        regret: Any = st.player("regret(root='coevolution(generations=5)', simulations=100, candidates=10)")
        assert list(map(tuple, moves_of(regret.search(state, side, 0, 7)))) == evolved[:10]
        few = Mcts(root="coevolution(generations=5)", iterations=5, candidates=3)
        assert list(map(tuple, moves_of(few.search(state, side, 0, 7)))) == evolved[:3]


def test_coevolution_can_start_from_the_visits_of_a_search() -> None:
    """All individuals are elites, so the last populations are the first: moves in proportion to their visits."""
    state = after_three_turns()
    searched = "mcts(iterations=40, candidates=10)"
    made = Coevolution(initialise=searched, generations=1, population=12, elites=12)
    own, others = made.evolve(state, 1, 0, 7)
    for side, moves in ((1, moves_of(own)), (0, others)):
        tree: Any = st.player(searched)
        expected = in_proportion(tree.search(state, side, 0, 7), 12)
        assert sorted(moves) == sorted(expected)


def test_moves_are_copied_in_proportion_to_their_visits() -> None:
    def shared(visits: list[int], size: int) -> dict[str, int]:
        candidates = [st.Candidate(letter, count, 0.0) for letter, count in zip("abcd", visits, strict=False)]
        found = SearchResult(best=0, candidates=candidates, value=0, nodes=0, simulations=0)
        moves: list[Any] = in_proportion(found, size)
        assert len(moves) == size
        return {move: moves.count(move) for move in moves}

    assert shared([10, 60, 30], 10) == {"a": 1, "b": 6, "c": 3}
    assert shared([1, 98, 1], 10) == {"b": 10}
    assert shared([1, 1, 1], 4) == {"a": 2, "b": 1, "c": 1}
    assert list(shared([1, 5, 3], 9)) == ["b", "c", "a"]


def test_both_parts_of_a_combined_search_share_the_time() -> None:
    """With a time limit neither part has a count."""
    tree: Any = st.player("mcts(seconds=2, share=0.25, root=coevolution)")
    assert tree._evolved.seconds == 0.5
    assert (tree.settings.iterations, tree._evolved.settings.generations) == (None, None)
    counted: Any = st.player("coevolution(initialise='mcts(iterations=7)', seconds_per_turn=2)")
    assert (counted._searched.settings.iterations, counted._searched.seconds) == (7, 1.0)
