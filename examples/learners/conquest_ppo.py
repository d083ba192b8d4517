"""Maskable PPO in Conquest. soares2025 names it as future work; docs/rl.md describes the experiment.

    python examples/learners/conquest_ppo.py

The learner's actions are choices: for each part of the income one of its territories, and for each of its territories
the neighbour that all its armies march to, or none. The environment receives them as shares. Independent normal
distributions over all shares, the usual policy for such an action space, scatter the armies and win no game at first.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from games import Arrays, Games
from ppo import Settings, command

import sandtable as st

SETTINGS = Settings(
    environment="sandtable/Conquest-v0",
    map="banana",
    options={"observation": "graph", "actions": "shares"},
    opponents={"random": 96, "flow": 32},
    steps=3_000_000,
    steps_per_update=32,
    batch=1024,
    epochs=4,
    learning_rate=7e-4,
    discount=0.97,
    entropy_weight=0.003,
    layers=(128, 128),
    shaping=1.0,
)
PARTS = 2  # equal parts of the income, each deployed to one territory


class Choices(Games):
    """Choices for the learner's income and territories, converted to shares of income and armies."""

    def __init__(self, groups: list[gymnasium.vector.VectorEnv], settings: Settings, seed: int) -> None:
        super().__init__(groups, seed)
        land = st.conquest.load(settings.map)
        self.territories = len(land.territories)
        # The edges in an action are sorted by source: how many each territory has, and the index of its first.
        self.degrees = np.bincount([end for edge in land.edges for end in edge], minlength=self.territories)
        self.first = self.territories + np.cumsum(self.degrees) - self.degrees
        # The options of each territory: to stay, or one of its neighbours.
        self.ways = self.degrees + 1
        self.staying = PARTS * self.territories + np.cumsum(self.ways) - self.ways
        self.action_space = gymnasium.spaces.MultiDiscrete([self.territories] * PARTS + self.ways.tolist())

    def legal(self, observations: Arrays, infos: Sequence[dict[str, Any]]) -> np.ndarray:
        own = observations["nodes"][:, :, 0] > 0  # cpp/conquest/encoders/territory_features.h
        some = own | ~own.any(axis=1, keepdims=True)  # without territories a side has lost; a choice needs an option
        masks = np.concatenate([some] * PARTS + [own.repeat(self.ways, axis=1)], axis=1)
        masks[:, self.staying] = True
        return masks

    def step_async(self, actions: np.ndarray) -> None:
        super().step_async(self.shares(actions))

    def shares(self, actions: np.ndarray) -> np.ndarray:
        shares = np.zeros((len(actions), self.territories + self.degrees.sum()), np.float32)
        for part in range(PARTS):
            shares[np.arange(len(actions)), actions[:, part]] += 1 / PARTS
        marches = actions[:, PARTS:]
        game, source = np.nonzero(marches)
        shares[game, self.first[source] + marches[game, source] - 1] = 1
        return shares


if __name__ == "__main__":
    command(SETTINGS, {"random": 1000, "flow": 400, "coevolution": 400}, Choices)
