"""OpenSpiel's own test of games, and its algorithms, on our games. Part of `make ci`, where pyspiel is installed."""

from pathlib import Path

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'sandtable[openspiel]'")

from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, mcts  # noqa: E402

import sandtable as st  # noqa: E402
import sandtable.adapters.openspiel  # noqa: E402
from sandtable.errors import SandtableError  # noqa: E402
from support.pages import ROOT, blocks  # noqa: E402


@pytest.fixture
def strip(tmp_path: Path) -> Path:
    """A map of six cells with one infantry a side and two turns: small enough for a whole tree."""
    path = tmp_path / "strip.json"
    path.write_text(
        '{"format": "sandtable-tubstap", "version": 1, "name": "strip", "turn_limit": 2, "hp_threshold": 0,'
        ' "terrain": ["00000", "01110", "01110", "00000"], "units": ['
        '{"kind": "infantry", "side": 0, "x": 1, "y": 1, "hp": 5, "acted": false},'
        ' {"kind": "infantry", "side": 1, "x": 3, "y": 2, "hp": 5, "acted": false}]}'
    )
    st.tubstap.load(path)
    return path


@pytest.mark.parametrize(
    "name",
    [
        "sandtable_tubstap(map=ford)",
        "sandtable_tubstap(map=duel,observation=tokens)",
        "sandtable_tubstap(map=kimura-map01,observation=image)",
        "sandtable_conquest(map=simple)",
        "sandtable_conquest(map=italy,candidates=3,turns=4,observation=soares2025)",
    ],
)
def test_openspiel_s_random_simulations_pass(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=2, serialize=True, verbose=False)


def test_the_examples_in_rl_md_run() -> None:
    examples = [block for block in blocks(ROOT / "docs" / "rl.md", "python") if "import pyspiel" in block]
    assert examples
    for block in examples:
        exec(compile(block, "docs/rl.md", "exec"), {})


def test_candidates_depend_only_on_the_position() -> None:
    game = pyspiel.load_game("sandtable_conquest(map=italy,seed=3)")
    first, second = game.new_initial_state(), game.new_initial_state()
    for state in (first, second):
        state.apply_actions([3, 5])
        state.apply_action(1)
    assert str(first) == str(second)
    assert [first.legal_actions(player) for player in (0, 1)] == [second.legal_actions(player) for player in (0, 1)]
    assert first.action_to_string(0, 2) == second.action_to_string(0, 2)
    assert np.array_equal(first.observation_tensor(1), second.observation_tensor(1))


def test_mcts_finds_the_winning_attack(strip: Path) -> None:
    """Red wins if it attacks first: at the turn limit the side with more HP wins."""
    game = pyspiel.load_game(f"sandtable_tubstap(map={strip})")
    bot = mcts.MCTSBot(
        game, 1.4, 300, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), random_state=np.random.RandomState(1)
    )
    state = game.new_initial_state()
    action = bot.step(state)
    assert "x1" in state.action_to_string(0, action)


def test_mcts_plays_conquest_turn_by_turn() -> None:
    game = pyspiel.convert_to_turn_based(pyspiel.load_game("sandtable_conquest(map=simple,candidates=4,turns=2)"))
    bot = mcts.MCTSBot(
        game, 1.4, 20, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), random_state=np.random.RandomState(1)
    )
    assert bot.step(game.new_initial_state()) in range(4)


def test_cfr_solves_small_games(strip: Path) -> None:
    tubstap = pyspiel.load_game(f"sandtable_tubstap(map={strip})")
    conquest = pyspiel.convert_to_turn_based(pyspiel.load_game("sandtable_conquest(map=simple,candidates=2,turns=2)"))
    for game in (tubstap, conquest):
        solver = cfr.CFRPlusSolver(game)
        for _ in range(5):
            solver.evaluate_and_update_policy()
        assert exploitability.nash_conv(game, solver.average_policy()) < 0.2
    solver = cfr.CFRPlusSolver(tubstap)
    for _ in range(5):
        solver.evaluate_and_update_policy()
    policies = [solver.average_policy()] * 2
    assert expected_game_score.policy_value(tubstap.new_initial_state(), policies)[0] > 0.8


def test_rules_without_a_turn_limit_are_refused() -> None:
    with pytest.raises(SandtableError, match="have no turn limit, and OpenSpiel needs one"):
        sandtable.adapters.openspiel.TubstapGame({"map": "ford", "rules": "li2022", "observation": "graph"})
