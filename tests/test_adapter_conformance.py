"""The adapters pass the checks that PettingZoo and Gymnasium provide for environments."""

import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import flatten
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import sandtable.adapters.gymnasium as adapter
import sandtable.tubstap
from sandtable.adapters.pettingzoo import conquest_v0, tubstap_v0
from sandtable.errors import SandtableError

ENCODERS = ("graph", "image", "tokens")


@pytest.fixture(autouse=True)
def only_known_warnings() -> Iterator[None]:
    """Any other warning of a checker is a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for known in (
            "Observation is not a NumPy array",  # but a dictionary of arrays
            "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
            ".*we recommend using a symmetric and normalized space",  # genes are numbers of armies
        ):
            warnings.filterwarnings("ignore", message=f".*{known}")
        yield


@pytest.mark.parametrize("encoder", ENCODERS)
def test_tubstap_passes_pettingzoo_s_tests(encoder: str) -> None:
    api_test(tubstap_v0.env(map="duel", observation=encoder), num_cycles=100)
    seed_test(lambda: tubstap_v0.env(map="duel", observation=encoder), num_cycles=30)


@pytest.mark.parametrize("env", [tubstap_v0.env(map="duel"), conquest_v0.parallel_env(map="simple")])
def test_spaces_of_two_agents_sample_independently(env: Any) -> None:
    """An agent's samples do not depend on the other agent's, in any part of a space."""

    def samples(between: bool) -> list[Any]:
        space = env.observation_space("player_0")
        space.seed(1)
        first = flatten(space, space.sample())
        if between:
            env.observation_space("player_1").sample()
        return [first, flatten(space, space.sample())]

    for alone, beside in zip(samples(False), samples(True), strict=True):
        assert np.array_equal(alone, beside)


@pytest.mark.parametrize("actions", ["genes", "shares"])
def test_conquest_passes_pettingzoo_s_tests(actions: Any) -> None:
    parallel_api_test(conquest_v0.parallel_env(map="italy", actions=actions), num_cycles=100)
    parallel_seed_test(lambda: conquest_v0.parallel_env(map="italy", actions=actions), num_cycles=30)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *(("Tubstap", {"map": "ford", "opponent": "greedy", "observation": encoder}) for encoder in ENCODERS),
        ("Tubstap", {"map": "duel", "opponent": "uct(simulations=2)", "side": 1, "shaping": 0.5}),
        ("Conquest", {"map": "simple", "actions": "shares"}),
        ("Conquest", {"map": "italy", "opponent": "flow", "observation": "soares2025"}),
    ],
)
def test_gymnasium_s_checker_passes(name: str, options: dict[str, Any]) -> None:
    check_env(gymnasium.make(f"sandtable/{name}-v0", render_mode="ansi", **options).unwrapped)


@pytest.mark.parametrize("name", ["Tubstap", "Conquest"])
def test_a_vector_environment_declares_how_it_resets(name: str) -> None:
    envs = gymnasium.make_vec(f"sandtable/{name}-v0", num_envs=3)
    assert isinstance(envs.unwrapped, adapter.TubstapVectorEnv | adapter.ConquestVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, infos = envs.reset(seed=1)
    assert observations in envs.observation_space
    assert len(infos["side"]) == 3
    envs.action_space.seed(1)
    observations, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
    assert observations in envs.observation_space
    assert rewards.shape == terminated.shape == truncated.shape == (3,)


def test_an_illegal_action_loses() -> None:
    env = gymnasium.make("sandtable/Tubstap-v0", map="duel", opponent="random", side=0)
    _, info = env.reset(seed=1)
    illegal = int(info["action_mask"].argmin())
    _, reward, terminated, _, info = env.step(illegal)
    assert (reward, terminated, info["illegal"]) == (-1, True, True)
    with pytest.raises(SandtableError, match=r"^the game is over: call reset\(\) to begin another$"):
        env.unwrapped.step(illegal)
    aec = tubstap_v0.env(map="duel")
    aec.reset()
    aec.step(illegal)
    assert aec.rewards == {"player_0": -1, "player_1": 0}
    assert all(aec.terminations.values())


def test_wrong_options_get_a_one_line_error() -> None:
    for options, message in (
        ({"map": "fort"}, "fort"),
        ({"observation": "grapf"}, r"observation is graph or image or tokens, not .grapf. .did you mean .graph.\?"),
        ({"opponent": "greddy"}, "greddy"),
        ({"opponent": "flow"}, "^the opponent flow does not play tubstap$"),
        ({"side": 2}, "^side must be 0, 1 or None, not 2$"),
        ({"side": "red"}, "^side must be 0, 1 or None, not 'red'$"),
        ({"shaping": float("nan")}, "^shaping must be a finite number, not nan$"),
        ({"shaping": "much"}, "^shaping must be a finite number, not 'much'$"),
        ({"render_mode": "human"}, "render_mode is ansi or svg"),
        ({"map": sandtable.tubstap.load("ford"), "rules": "kimura2020"}, r"call with_rules\(\) on a map object"),
    ):
        with pytest.raises(ValueError, match=message):
            adapter.TubstapEnv(**options)
    with pytest.raises(SandtableError, match="a player object can play only one game"):
        adapter.TubstapVectorEnv(2, opponent=sandtable.player("greedy"))
    for games in (0, -1, 2.5, "two"):
        with pytest.raises(SandtableError, match=r"^num_envs must be a whole number within 1\.\."):
            adapter.ConquestVectorEnv(games)  # type: ignore[arg-type]


@pytest.mark.parametrize("action", [0.5, np.float32(3), "end", None, [1, 2], np.nan, 10**20])
def test_an_invalid_action_of_tubstap_is_refused(action: Any) -> None:
    """It is not rounded to a valid action, and the state does not change."""
    env = adapter.TubstapEnv("duel", "random", side=0)
    env.reset(seed=1)
    before = env.state
    with pytest.raises(SandtableError, match=r"^an action must be a whole number from 0 to \d+, not "):
        env.step(action)
    assert env.state == before
    many = adapter.TubstapVectorEnv(2, "duel", "random", side=0)
    many.reset(seed=1)
    with pytest.raises(SandtableError, match=r"^actions must (be whole numbers, not |have the shape \(2,\), not )"):
        many.step([action, action])  # type: ignore[arg-type]


@pytest.mark.parametrize("actions", ["genes", "shares"])
def test_an_invalid_action_of_conquest_is_refused(actions: Any) -> None:
    env: Any = adapter.ConquestEnv("simple", actions=actions)
    many = adapter.ConquestVectorEnv(2, "simple", actions=actions)
    both: Any = conquest_v0.parallel_env("simple", actions=actions)
    with pytest.raises(SandtableError, match=r"^call reset\(\) first: it begins the game$"):
        both.step({})
    for one in (env, many, both):
        one.reset(seed=1)
    genes = env.view.genes
    for given, message in (
        ("x", "^an action must have 25 finite numbers, not 'x'$"),
        (None, "^an action must have 25 finite numbers, not None$"),
        (np.ones(3), r"^actions must have the shape \(.*\), not \(.*3,?\)$"),
        (np.full(genes, np.nan), "^an action must have finite numbers, but this one has NaN or infinity$"),
        (np.full(genes, np.inf), "^an action must have finite numbers, but this one has NaN or infinity$"),
    ):
        with pytest.raises(SandtableError, match=message):
            env.step(given)
        with pytest.raises(SandtableError, match=message):
            both.step({"player_0": given, "player_1": given})
        with pytest.raises(
            SandtableError, match=message if isinstance(given, np.ndarray) else "^an action must have 25"
        ):
            many.step(np.array([given, given]))
    with pytest.raises(SandtableError, match=r"^step\(\) needs an action for each of player_0 and player_1, not {}$"):
        both.step({})


def test_a_seed_is_a_whole_number_of_any_type() -> None:
    """NumPy's integers count too; anything else is refused."""
    env, many = adapter.TubstapEnv("duel", "random"), adapter.TubstapVectorEnv(40, "duel", "random")
    env.reset(seed=np.int64(5))  # type: ignore[arg-type]
    sides = many.reset(seed=5)[1]["side"]
    assert np.array_equal(many.reset(seed=np.int64(5))[1]["side"], sides)  # type: ignore[arg-type]
    assert np.array_equal(many.reset(seed=list(range(5, 45)))[1]["side"], sides)
    for seed in (-1, 2**64, 1.5, "one"):
        for one in (env, many):
            with pytest.raises(SandtableError, match=r"^a seed must be a whole number within 0\.\."):
                one.reset(seed=seed)  # type: ignore[arg-type]
    with pytest.raises(SandtableError, match=r"^a list of seeds must have one for each game: 40, not 3$"):
        many.reset(seed=[1, 2, 3])
