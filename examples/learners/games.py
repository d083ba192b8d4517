"""Sandtable's vector environments as a VecEnv of Stable-Baselines3, and matches of the trained policy.

Stable-Baselines3 expects that the step which ends a game begins the next one; the environments do so with
`autoreset_mode="SameStep"`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv
from stable_baselines3.common.vec_env import VecEnv

from sandtable.arena.statistics import wilson

Arrays = dict[str, np.ndarray]
PLACES = 50  # games at once in a match


class Games(VecEnv):
    """Groups of games on the same map; each group has an opponent of its own."""

    def __init__(self, groups: Sequence[VectorEnv], seed: int) -> None:
        self.groups = list(groups)
        self.render_mode = None
        self.masks = np.ones((0, 0), bool)  # of the legal actions, a row for each game
        one = self.groups[0]
        places = [group.num_envs for group in self.groups]
        super().__init__(sum(places), one.single_observation_space, one.single_action_space)
        self._borders = np.cumsum(places)[:-1]
        self._first_seeds: list[int | None] = [seed + 10_000 * i for i in range(len(self.groups))]

    def reset(self) -> Arrays:
        found = [group.reset(seed=seed) for group, seed in zip(self.groups, self._first_seeds, strict=True)]
        self._first_seeds = [None] * len(self.groups)  # a later reset continues the random streams
        return self._merged([observations for observations, _ in found], [infos for _, infos in found])

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = np.split(actions, self._borders)

    def step_wait(self) -> tuple[Arrays, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        steps = [group.step(actions) for group, actions in zip(self.groups, self._actions, strict=True)]
        observations, rewards, ended, _, infos = zip(*steps, strict=True)
        places: list[dict[str, Any]] = []
        for group, over, info in zip(self.groups, ended, infos, strict=True):
            first = len(places)
            places += [{} for _ in range(group.num_envs)]
            for i in np.flatnonzero(over):
                places[first + i] = {"terminal_observation": info["final_obs"][i], "TimeLimit.truncated": False}
        return self._merged(observations, infos), np.concatenate(rewards), np.concatenate(ended), places

    def _merged(self, observations: Sequence[Arrays], infos: Sequence[dict[str, Any]]) -> Arrays:
        together = {name: np.concatenate([one[name] for one in observations]) for name in observations[0]}
        self.masks = self.legal(together, infos)
        return together

    def legal(self, observations: Arrays, infos: Sequence[dict[str, Any]]) -> np.ndarray:
        return np.concatenate([info["action_mask"] for info in infos]).astype(bool)

    # sb3-contrib asks for the masks through these two methods.

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks"

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **options: Any) -> list[np.ndarray]:
        if method_name != "action_masks":
            raise NotImplementedError(method_name)
        return list(self.masks)

    # The rest of the interface.

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError(attr_name)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def close(self) -> None:
        for group in self.groups:
            group.close()


@dataclass(frozen=True)
class Score:
    """The learner's wins, losses and draws, from each side."""

    sides: tuple[tuple[int, int, int], tuple[int, int, int]]

    @property
    def games(self) -> int:
        return sum(map(sum, self.sides))

    @property
    def share(self) -> float:
        """The learner's share of the points; a draw counts half."""
        return sum(wins + draws / 2 for wins, _, draws in self.sides) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval of the share."""
        return wilson(self.share * self.games, self.games)

    def __str__(self) -> str:
        first, second = ("-".join(map(str, side)) for side in self.sides)
        low, high = self.interval
        return f"{self.share:.1%} ({low:.1%} .. {high:.1%}) in {self.games} games, W-L-D {first} and {second} by side"


def match(model: Any, make: Callable[[int], Games], games: int) -> Score:
    """Play the policy's likeliest actions, half of the games from each side; `make` gives PLACES games of a side. All
    places play the same number of games, because the first games to end would be the short ones."""
    rounds = -(-games // (2 * PLACES))
    sides = []
    for side in (0, 1):
        env = make(side)
        results: list[list[float]] = [[] for _ in range(env.num_envs)]
        observations = env.reset()
        while min(map(len, results)) < rounds:
            actions, _ = model.predict(observations, deterministic=True, action_masks=env.masks)
            observations, rewards, ended, _ = env.step(actions)
            for i in np.flatnonzero(ended):
                results[i].append(float(rewards[i]))
        counted = [result for place in results for result in place[:rounds]]
        sides.append((counted.count(1.0), counted.count(-1.0), counted.count(0.0)))
    return Score((sides[0], sides[1]))
