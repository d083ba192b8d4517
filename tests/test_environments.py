"""Groups of games in the core against the same games in Python: opponents, masks, observations, rewards."""

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

import sandtable as st
from sandtable.adapters.gymnasium import ConquestEnv, ConquestVectorEnv, TubstapEnv, TubstapVectorEnv
from sandtable.adapters.views import ConquestView, TubstapView
from sandtable.players.protocol import Player

STEPS = 120


def random_action(mask: NDArray[Any], rng: np.random.Generator) -> int:
    """A legal action at random; rarely the end of the turn, so that games last longer."""
    choices = np.flatnonzero(mask)
    return int(choices[-1] if rng.random() < 0.1 else rng.choice(choices))


def tubstap_steps(opponent: str | Player, encoder: str = "graph", map: str = "ford") -> list[Any]:
    env = TubstapEnv(map, opponent, observation=encoder, shaping=0.25)
    rng = np.random.default_rng(5)
    found: list[Any] = [env.reset(seed=7)]
    for _ in range(STEPS):
        step = env.step(random_action(found[-1][-1]["action_mask"], rng))
        found += [step, env.reset()] if step[2] else [step]
    return found


def conquest_steps(opponent: str | Player, actions: Any) -> list[Any]:
    env = ConquestEnv("simple", opponent, actions=actions, shaping=0.25)
    env.action_space.seed(3)
    found: list[Any] = [env.reset(seed=7)]
    for _ in range(STEPS):
        step = env.step(env.action_space.sample())
        found += [step, env.reset()] if step[2] else [step]
    return found


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(np.array_equal(a, b))


@pytest.mark.parametrize("name", ["random", "greedy"])
@pytest.mark.parametrize("map", ["ford", "islands"])
def test_native_opponents_of_tubstap_play_like_the_players(name: str, map: str) -> None:
    assert same(tubstap_steps(name, map=map), tubstap_steps(st.player(name), map=map))


@pytest.mark.parametrize("actions", ["genes", "shares"])
def test_the_native_opponent_of_conquest_plays_like_the_player(actions: str) -> None:
    assert same(conquest_steps("random", actions), conquest_steps(st.player("random"), actions))


@pytest.mark.parametrize("encoder", ["graph", "image", "tokens"])
@pytest.mark.parametrize("opponent", ["greedy", "uct(simulations=2)"])
def test_the_vector_environment_of_tubstap_matches_single_environments(encoder: str, opponent: str) -> None:
    many = TubstapVectorEnv(3, "duel", opponent, observation=encoder)
    alone = [TubstapEnv("duel", opponent, observation=encoder) for _ in range(3)]
    compare(many, alone, lambda infos, i, rng: random_action(infos["action_mask"][i], rng))


@pytest.mark.parametrize("opponent", ["random", "flow"])
def test_the_vector_environment_of_conquest_matches_single_environments(opponent: str) -> None:
    many = ConquestVectorEnv(3, "simple", opponent, actions="shares")
    alone = [ConquestEnv("simple", opponent, actions="shares") for _ in range(3)]
    compare(many, alone, lambda infos, i, rng: rng.random(alone[0].action_space.shape, np.float32))


def compare(many: Any, alone: list[Any], choose: Any) -> None:
    rng = np.random.default_rng(2)
    observations, infos = many.reset(seed=20)
    ended = [False] * len(alone)
    for i, env in enumerate(alone):
        check(env.reset(seed=20 + i), observations, infos, i)
    resets = 0
    for _ in range(STEPS):
        actions = [choose(infos, i, rng) for i in range(len(alone))]
        observations, rewards, terminated, truncated, infos = many.step(np.array(actions))
        assert not truncated.any()
        for i, env in enumerate(alone):
            if ended[i]:  # the step after the end begins the next game
                resets += 1
                ended[i] = False
                assert rewards[i] == 0
                assert not terminated[i]
                check(env.reset(), observations, infos, i)
                continue
            observation, reward, ended[i], _, info = env.step(actions[i])
            assert (np.float32(reward), ended[i]) == (rewards[i], terminated[i])
            check((observation, info), observations, infos, i)
    assert resets > 1


@pytest.mark.parametrize("opponent", ["random", "greedy", "uct(simulations=2)"])
@pytest.mark.parametrize("copy", [True, False])
def test_same_step_autoreset_matches_gymnasium(opponent: str, copy: bool) -> None:
    many = TubstapVectorEnv(3, "duel", opponent, shaping=0.5, copy=copy, autoreset_mode="SameStep")
    alone = SyncVectorEnv(
        [lambda: TubstapEnv("duel", opponent, shaping=0.5)] * 3, autoreset_mode=AutoresetMode.SAME_STEP
    )
    assert many.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    rng = np.random.default_rng(4)
    steps: list[Any] = [env.reset(seed=20) for env in (many, alone)]
    ends = 0
    for _ in range(STEPS):
        actions = np.array([random_action(mask, rng) for mask in steps[0][-1]["action_mask"]])
        actions[rng.random(3) < 0.01] = -1  # an illegal one ends the game as well
        steps = [env.step(actions) for env in (many, alone)]
        (seen, rewards, over, _, infos), (seen_alone, rewards_alone, over_alone, _, infos_alone) = steps
        assert same((seen, over), (seen_alone, over_alone))
        assert np.array_equal(rewards, rewards_alone.astype(np.float32))
        assert same(infos["action_mask"], infos_alone["action_mask"])
        assert ("final_obs" in infos) == over.any()
        if over.any():
            ends += 1
            assert same(infos["_final_obs"], over)
            assert same(list(infos["final_obs"]), list(infos_alone["final_obs"]))
            assert infos["final_info"].keys() == infos_alone["final_info"].keys()
            for name, rows in infos["final_info"].items():
                assert np.array_equal(rows[over], infos_alone["final_info"][name][over])
    assert ends > 3


def test_other_autoreset_modes_are_refused() -> None:
    with pytest.raises(st.SandtableError, match=r"^autoreset_mode is NextStep or SameStep, not 'Disabled'$"):
        ConquestVectorEnv(2, "simple", autoreset_mode=AutoresetMode.DISABLED)


def check(found: Any, observations: Any, infos: Any, i: int) -> None:
    observation, info = found
    assert same(observation, {name: rows[i] for name, rows in observations.items()})
    assert all(np.array_equal(info[name], infos[name][i]) for name in info)


def test_copied_observations_do_not_change() -> None:
    for copy in (True, False):
        envs = TubstapVectorEnv(2, "duel", "random", copy=copy)
        observations, infos = envs.reset(seed=1)
        kept = observations["roster"].copy()
        envs.step(np.array([random_action(infos["action_mask"][i], np.random.default_rng(1)) for i in range(2)]))
        assert np.array_equal(kept, observations["roster"]) == copy


@pytest.mark.parametrize("map", ["ford", "islands", "capital"])
def test_action_numbers_are_the_legal_moves(map: str) -> None:
    view = TubstapView(map)
    state = view.map.start()
    rng = np.random.default_rng(1)
    for _ in range(30):
        moves = view.game.moves(state, state.side)
        numbers = [view.observer.action(state, move) for move in moves]
        assert sorted(numbers) == np.flatnonzero(view.mask(state)).tolist()
        assert [view.move(state, number) for number in numbers] == moves
        # A row of the roster is a row of the actions.
        roster = view.observer.roster(state, state.side)
        cells = view.map.size[0] * view.map.size[1]
        of_row = (view.observer.actions - 1) // view.observer.rows
        for move, number in zip(moves[:-1], numbers, strict=False):
            assert move is not None
            unit = next(unit for unit in state.units if unit.id == move.unit)
            _, kind, x, y, hp, ready = roster[number // of_row]
            width, height = view.map.size
            assert (round(kind * 6) - 1, round(x * width), round(y * height), round(hp * 10), ready) == (
                st.tubstap.KINDS.index(unit.kind), unit.x, unit.y, unit.hp, 1,
            )  # fmt: skip
            assert number % of_row < cells or move.target is not None
        move = moves[rng.integers(len(moves) - 1)]
        assert move is not None
        state.play(move)


def test_observations_match_the_encoders() -> None:
    view, image, tokens = TubstapView("ford"), TubstapView("ford", "image"), TubstapView("ford", "tokens")
    state = view.map.start()
    for seed in range(9):
        state.play(state.random_move(seed))
    units = len(view.map.units)
    graph = st._core.tubstap.DamageGraphEncoder(rows=units).encode([state])[0]
    found = view.observe(state, 0)
    assert np.array_equal(np.concatenate([found["nodes"].ravel(), found["edges"].ravel()]), graph)
    width, height = view.map.size
    planes = st._core.tubstap.TerrainImageEncoder(width=width, height=height).encode([state])[0]
    assert np.array_equal(image.observe(state, 0)["planes"], planes)
    arrays = st._core.tubstap.encode_policy("tokens", [state])[0]
    shown = tokens.observe(state, 0)
    living = len(state.units)
    assert np.array_equal(shown["units"][:living], arrays[0][0])
    assert not shown["units"][living:].any()
    assert np.array_equal(shown["pairs"][:, :living, :living], arrays[1][0])
    assert np.array_equal(shown["globals"], arrays[2][0])
    land = ConquestView("italy")
    position = land.map.start(3)
    _, _, nodes, totals = st._core.conquest.encode_territories([position], [1])
    seen = land.observe(position, 1)
    assert np.array_equal(seen["nodes"], nodes[0])
    assert np.array_equal(seen["totals"], totals[0])


def test_shares_are_legal_orders_that_use_the_whole_income() -> None:
    view = ConquestView("italy", actions="shares")
    rng = np.random.default_rng(4)
    for seed in range(30):
        state = view.map.start(seed)
        shares = rng.normal(size=view.genes).astype(np.float32) if seed else np.full(view.genes, np.nan, np.float32)
        orders = state.decode(view.observer.genes_of_shares(state, 0, shares))
        if seed:
            assert orders == view.move(state, 0, shares, 0)
        deployed = sum(order.armies for order in orders if len(order) == 2)
        assert deployed == state.income(0)
        state.resolve(orders, [])


def test_a_group_refuses_foreign_states_and_bad_actions() -> None:
    view = TubstapView("ford")
    with pytest.raises(ValueError, match=r"^the state is of another scenario$"):
        view.observer.encode(st.tubstap.load("duel").start())
    with pytest.raises(ValueError, match=r"^action -3 is illegal here; the mask says which are legal$"):
        view.move(view.map.start(), -3)
    group = view.group(2, "greedy", None, 0.0)
    for call, message in (
        (lambda: group.act(np.zeros(3, np.int64)), "^there must be one action for each game$"),
        (lambda: group.act(np.zeros(2, np.float64)), "^actions are an int64 array$"),
        (lambda: group.begin(2), "^there is no such game in the group$"),
        (lambda: group.forfeit(0, 3), "^the loser must be 0 or 1$"),
        (lambda: view.group(0, "greedy", None, 0.0), "^a group has at least one game$"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_genes_of_any_number_type_give_the_same_orders() -> None:
    """Learners give floats, and numbers far beyond what the core's integers hold."""
    view = ConquestView("simple")
    state = view.map.start(1)
    rng = np.random.default_rng(4)
    for _ in range(20):
        genes = rng.integers(0, 10, view.genes)
        genes[rng.random(view.genes) < 0.1] = 2**31 + 1
        as_limited = view.move(state, 0, genes.clip(0, 1_000_000).astype(np.int32), 7)
        assert view.move(state, 0, genes, 7) == view.move(state, 0, genes.astype(np.float64), 7) == as_limited


class _Watcher:
    """A player that records every move it is told, and forfeits after a while."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.ended: list[Any] = []

    def start(self, map: Any, side: int, seed: int) -> None:
        self.begin = map.start()

    def act(self, state: Any, side: int | None = None) -> Any:
        assert state == self.begin  # the moves it was told lead to the state it is given
        if len(self.seen) > 40:
            raise st.errors.ForfeitError(side or 0, "enough")
        return state.moves()[0]

    def played(self, before: Any, kept: Any, after: Any) -> None:
        st.game("tubstap").replay(self.begin, kept)
        self.seen.append(kept)
        assert before != after

    def end(self, winner: Any, reason: Any) -> None:
        self.ended.append(winner)


def test_a_python_opponent_is_told_every_move_and_may_forfeit() -> None:
    watcher = _Watcher()
    env = TubstapEnv("ford", watcher, side=1)
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    over, rewards = False, 0.0
    while not over:
        _, reward, over, _, info = env.step(random_action(info["action_mask"], rng))
        rewards += reward
    assert rewards == 1
    assert len(watcher.ended) == 1
