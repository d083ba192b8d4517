"""What soares2025 leaves as future work: plans of several turns, partial crossover, searches that begin with others."""

from typing import Any

import pytest

import sandtable as st
from sandtable.analysis import SearchResult
from sandtable.conquest import March
from sandtable.conquest.players.soares2025 import Coevolution, Mcts, in_proportion
from support.conquest_positions import after_three_turns
from support.searches import moves_of


def test_a_horizon_of_one_turn_is_none() -> None:
    state = after_three_turns()
    plain, one = Coevolution(generations=4), Coevolution(generations=4, horizon=1, crossover=1.0)
    assert plain.search(state, 1, 0, 7) == one.search(state, 1, 0, 7)


@pytest.mark.parametrize("horizon", [2, 4])
def test_plans_of_several_turns(horizon: int) -> None:
    """Their first turns are legal moves, the same for a seed, and not those of one turn."""
    state = after_three_turns()
    made = Coevolution(generations=4, horizon=horizon)
    found = made.search(state, 1, 0, 7)
    assert found == made.search(state, 1, 0, 7)
    assert found.candidates != Coevolution(generations=4).search(state, 1, 0, 7).candidates
    assert all(-1 <= value <= 1 for _, _, value, *_ in found.candidates)
    for move in moves_of(found):
        state.copy().resolve([], move)


def test_a_plan_sees_what_a_turn_does_not() -> None:
    """All armies take a treasure now, or the enemy's last land in two turns, by a way that is worth nothing."""
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


def test_partial_crossover() -> None:
    """Without crossover and mutation the populations stay what they were."""
    state = after_three_turns()
    first = moves_of(Coevolution(generations=1, elites=30).search(state, 0, 0, 5))
    first = [state.decode(state.encode(move)) for move in first]

    def strange(**settings: Any) -> int:
        found = Coevolution(generations=10, mutation=0, **settings).search(state, 0, 0, 5)
        return sum(state.decode(state.encode(move)) not in first for move in moves_of(found))

    assert strange(crossover=0.0) == 0
    assert strange(crossover=0.5) > 0
    assert strange(crossover=1.0) > 15


def test_a_tree_over_the_populations() -> None:
    """The root's candidates are the best of the population, each once, and sampled ones if they are too few."""
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


def test_coevolution_from_what_a_search_visits() -> None:
    """Everybody an elite: the last populations are the first, as the visits say."""
    state = after_three_turns()
    searched = "mcts(iterations=40, candidates=10)"
    made = Coevolution(initialise=searched, generations=1, population=12, elites=12)
    own, others = made.evolve(state, 1, 0, 7)
    for side, moves in ((1, moves_of(own)), (0, others)):
        tree: Any = st.player(searched)
        expected = in_proportion(tree.search(state, side, 0, 7), 12)
        assert sorted(moves) == sorted(expected)


def test_shares_of_visits() -> None:
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


def test_parts_share_the_clock() -> None:
    """With a clock the counts of both parts are open."""
    tree: Any = st.player("mcts(seconds=2, share=0.25, root=coevolution)")
    assert tree._evolved.seconds == 0.5
    assert (tree.settings.iterations, tree._evolved.settings.generations) == (None, None)
    counted: Any = st.player("coevolution(initialise='mcts(iterations=7)', seconds_per_turn=2)")
    assert (counted._searched.settings.iterations, counted._searched.seconds) == (7, 1.0)
