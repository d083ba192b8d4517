"""Conquest for PettingZoo, both agents at once: an action has a number for each territory and each directed edge.

`actions="genes"` are armies, repaired into legal orders as evolution repairs them; `actions="shares"`, from 0 to 1,
divide the income and the armies. The start of each game is drawn. The winner gets 1 and the loser -1.
"""

from __future__ import annotations

import copy
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from sandtable.adapters.layouts import Observation
from sandtable.adapters.views import ConquestView, one_of
from sandtable.conquest.land import Land
from sandtable.errors import SandtableError
from sandtable.rng import Rng

AGENTS = ("player_0", "player_1")
SEEDS = 2**32 - 1


class parallel_env(ParallelEnv, EzPickle):  # type: ignore[misc]  # noqa: N801 (PettingZoo's name)
    """`map` is the name or the file of a map, or a Land; `observation` is graph or soares2025."""

    metadata = {"name": "conquest_v0", "render_modes": ["ansi", "svg"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        map: str | Land = "italy",
        observation: str = "graph",
        actions: Literal["genes", "shares"] = "genes",
        rules: Any = None,
        render_mode: str | None = None,
    ) -> None:
        EzPickle.__init__(self, map, observation, actions, rules, render_mode)
        if render_mode is not None:
            one_of("render_mode", render_mode, self.metadata["render_modes"])  # type: ignore[arg-type]
        self.render_mode = render_mode
        self._view = ConquestView(map, observation, rules, actions)
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._draws: Rng | None = None
        self.state_of_game = self._view.map.start(0)
        # Each agent has its own spaces, so that samples of one do not depend on samples of the other.
        self.observation_spaces = {agent: copy.deepcopy(self._view.layout.space) for agent in AGENTS}
        self.action_spaces = {agent: self._view.action_space() for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        if seed is not None or self._draws is None:
            self._draws = Rng(int(np.random.default_rng().integers(2**32)) if seed is None else seed, "environment")
        self.state_of_game = self._view.map.start(self._draws.below(SEEDS))
        self.agents = list(AGENTS)
        return self._observations(), {agent: {} for agent in AGENTS}

    def step(
        self, actions: dict[str, NDArray[Any]]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        if self._draws is None:
            raise SandtableError("call reset() first: it begins the game")
        if not self.agents:
            return {}, {}, {}, {}, {}
        if not isinstance(actions, dict) or set(actions) != set(AGENTS):
            raise SandtableError(f"step() needs an action for each of {' and '.join(AGENTS)}, not {actions!r:.60}")
        state, game, draws = self.state_of_game, self._view.game, self._draws
        orders = [self._view.move(state, side, actions[agent], draws.below(SEEDS)) for side, agent in enumerate(AGENTS)]
        game.advance(state, orders, draws)
        over = not game.movers(state)
        winner = game.winner(state) if over else None
        rewards = {
            agent: 0.0 if winner is None else 1.0 if side == winner else -1.0 for side, agent in enumerate(AGENTS)
        }
        if over:
            self.agents = []
        return (
            self._observations(),
            rewards,
            dict.fromkeys(AGENTS, over),
            dict.fromkeys(AGENTS, False),
            {agent: {} for agent in AGENTS},
        )

    def _observations(self) -> dict[str, Observation]:
        return {agent: self._view.observe(self.state_of_game, side) for side, agent in enumerate(AGENTS)}

    def render(self) -> str | None:
        if self.render_mode is None:
            return None
        game = self._view.game
        return str(game.text(self.state_of_game) if self.render_mode == "ansi" else game.svg(self.state_of_game))

    def close(self) -> None:
        """Nothing is held open."""


raw_env = parallel_env
