"""soares2025's searches with a network: how they use values and priors."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import sandtable as st
from sandtable import _core, nets
from sandtable.conquest import Deploy, State
from sandtable.conquest.benchmarks import turn_net_rates
from support.conquest_positions import after_three_turns
from support.share_evaluator import Answer, Evaluator, share_evaluator


def guided(state: State, player: int, evaluator: Evaluator, **settings: Any) -> Any:
    made = _core.conquest.GuidedSettings(**{"iterations": 60} | settings)
    return _core.conquest.guided(state, player, evaluator, made, seed=1)


def coevolution(state: State, player: int, evaluator: Evaluator | None, **settings: Any) -> Any:
    made = _core.conquest.CoevolutionSettings(**{"generations": 5} | settings)
    weigh = "sampled" in settings
    return _core.conquest.coevolution(state, player, made, seed=1, evaluator=evaluator, weigh=weigh)[0]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", ["banana", "italy"])
def test_coevolution_with_a_network_of_shares_matches_coevolution_by_shares(name: str, player: int) -> None:
    """For both players, whose views of a pair have opposite signs."""
    state = after_three_turns(name)
    found, expected = (coevolution(state, player, evaluator) for evaluator in (share_evaluator(), None))
    assert found.value == pytest.approx(expected.value, abs=1e-6)
    assert found.candidates[0].move == expected.candidates[0].move


def test_coevolution_begins_with_moves_that_the_policy_prefers() -> None:
    """All are elites, so the last population is the first one: moves that deploy on few territories."""
    state = after_three_turns("italy")

    def deploys(**settings: Any) -> list[int]:
        found = coevolution(state, 0, share_evaluator(), generations=1, elites=30, **settings)
        return [sum(isinstance(order, Deploy) for order in orders) for orders, *_ in found.candidates]

    assert max(deploys(sampled=90)) <= min(deploys(sampled=90)) + 1
    assert max(deploys(sampled=900)) < max(deploys(sampled=90)) < max(deploys())


def test_coevolution_takes_repeated_positions_from_the_cache() -> None:
    """Pairs of moves often lead to the same position."""
    evaluator = share_evaluator()
    state = st.conquest.load("simple").start(3)
    coevolution(state, 0, evaluator, sampled=90)
    assert evaluator.weighed == 180
    assert evaluator.evaluated + evaluator.hits == 2 + 7 * 900
    assert evaluator.hits > evaluator.evaluated


@pytest.mark.parametrize("player", [0, 1])
def test_guided_search_finds_the_move_that_wins(player: int) -> None:
    """One territory is left to take, with many more armies; an uninformed network does not hide the win."""
    land = st.conquest.load("simple")
    owner = [1 - player, player, *[-1] * 6, player]
    state = land.state(owner, [4, 20, 30, 30, 30, 30, 30, 30, 3])

    def nothing(*inputs: NDArray[Any]) -> Answer:
        return np.zeros(len(inputs[4]), np.float32), np.zeros(len(inputs[10]), np.float32)

    found = guided(state, player, share_evaluator(nothing), iterations=60)
    assert found.value > 0.9
    orders = found.candidates[found.best].move
    state.resolve([] if player else orders, orders if player else [])
    assert state.winner == player


def test_guided_search_counts_its_evaluations() -> None:
    evaluator = share_evaluator()
    state = st.conquest.load("italy").start(1)
    found = guided(state, 0, evaluator, iterations=30)
    assert found.simulations == 30
    assert sum(one.visits for one in found.candidates) == 30 * 20
    assert evaluator.weighed == 20 + 30 * 400  # no game has ended so early
    assert found.nodes == 1 + evaluator.weighed
    # The root and its children are one position each; then every child's replies are twenty.
    assert evaluator.evaluated == 2 + 20 * 20 + 9
    assert found.candidates[found.best].visits == max(one.visits for one in found.candidates)
    assert -1 <= found.value <= 1


def test_priors_attract_visits_as_far_as_they_are_trusted() -> None:
    """The network prefers moves with few deployments."""
    state = st.conquest.load("italy").start(5)

    def deploys(**settings: Any) -> float:
        found = guided(state, 0, share_evaluator(), iterations=150, **settings)
        weights = [one.visits for one in found.candidates]
        counts = [sum(isinstance(order, Deploy) for order in orders) for orders, *_ in found.candidates]
        return float(np.average(counts, weights=weights))

    assert deploys(trust=0.75) < deploys(trust=0) - 0.2
    assert deploys(trust=0.75) < deploys(trust=0.75, root_prior=False) - 0.2


def test_an_error_in_a_network_ends_the_search() -> None:
    state = st.conquest.load("italy").start(1)
    for search in (guided, coevolution):
        with pytest.raises(ZeroDivisionError):
            search(state, 0, share_evaluator(lambda *_: 1 / 0))


def test_players_share_the_evaluator_of_their_net(fresh_net: Path) -> None:
    evaluator = nets.turn_evaluator(str(fresh_net))
    before = evaluator.weighed
    state = st.conquest.load("owl_island").start(1)
    made: Any = st.player(f"guided(net={str(fresh_net)!r}, iterations=2)")
    analysis = made.analyse(state, 1)
    assert len(analysis.candidates) == 20
    assert evaluator.weighed == before + 20 + 800
    priors = evaluator.priors(state, 1, [candidate.move for candidate in analysis.candidates])
    assert [candidate.prior for candidate in analysis.candidates] == pytest.approx(list(priors), abs=1e-6)
    before += 20
    rootless: Any = st.player(f"guided(net={str(fresh_net)!r}, iterations=1, root_prior=false)")
    assert {candidate.prior for candidate in rootless.analyse(state, 1).candidates} == {None}
    before += 400
    other: Any = st.player(f"coevolution(evaluator={str(fresh_net)!r}, initialise=policy, generations=1)")
    assert len(other.analyse(state, 1).candidates) == 30
    assert evaluator.weighed == before + 20 + 800 + 180


def test_the_bench_measures_a_net(fresh_net: Path) -> None:
    rates = list(turn_net_rates(str(fresh_net), st.conquest.load("simple"), seconds=0.01))
    assert [rate.what for rate in rates] == ["guided", "coevolution, a network"]
    assert all(rate.per_second > 0 for rate in rates)
    assert nets.shipped("conquest") == [name for name in nets.shipped() if name not in nets.shipped("tubstap")]


def test_playing_needs_no_torch(fresh_net: Path) -> None:
    code = "import sys; sys.modules['torch'] = sys.modules['safetensors'] = None; import sandtable as st; "
    code += f"made = st.player('guided(net=\"{fresh_net}\", iterations=2)'); "
    code += "state = st.conquest.load('italy').start(1); state.resolve(made.act(state, 0), []); print(state.turn)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"]
