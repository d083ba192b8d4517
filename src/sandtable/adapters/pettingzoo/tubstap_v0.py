"""TUBSTAP for PettingZoo, agent by agent: an action is the operation of one unit or the end of the turn.

An observation has the arrays of the chosen encoder, the roster that says which row of the actions is which unit, and
the mask of legal actions. An agent's mask is empty while the other side is to move. The winner gets 1 and the loser -1.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from sandtable.adapters.views import TubstapView, one_of
from sandtable.tubstap.scenario import Scenario

AGENTS = ("player_0", "player_1")  # red and blue


def env(**options: Any) -> wrappers.OrderEnforcingWrapper:
    """The environment, in which an illegal action ends the game with -1 for its agent."""
    return wrappers.OrderEnforcingWrapper(
        wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-1))
    )


class raw_env(AECEnv, EzPickle):  # type: ignore[misc]  # noqa: N801 (PettingZoo's name)
    """`map` is the name or the file of a map, or a Scenario; `observation` is graph, image or tokens."""

    metadata = {"name": "tubstap_v0", "render_modes": ["ansi", "svg"], "render_fps": 2, "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        map: str | Scenario = "ford",
        observation: str = "graph",
        rules: Any = None,
        render_mode: str | None = None,
    ) -> None:
        EzPickle.__init__(self, map, observation, rules, render_mode)
        super().__init__()
        if render_mode is not None:
            one_of("render_mode", render_mode, self.metadata["render_modes"])  # type: ignore[arg-type]
        self.render_mode = render_mode
        self._view = TubstapView(map, observation, rules)
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.state_of_game = self._view.map.start()
        shape = (self._view.observer.actions,)
        space = spaces.Dict({"observation": self._view.layout.space, "action_mask": spaces.Box(0, 1, shape, np.int8)})
        # Each agent has its own spaces, so that samples of one do not depend on samples of the other.
        self.observation_spaces = {agent: copy.deepcopy(space) for agent in AGENTS}
        self.action_spaces = {agent: self._view.action_space() for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin at the start of the map. TUBSTAP is deterministic, so the seed has no effect."""
        self.state_of_game = self._view.map.start()
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.state_of_game.side]

    def observe(self, agent: str) -> dict[str, Any]:
        state, side = self.state_of_game, AGENTS.index(agent)
        mask = self._view.mask(state)
        if state.over or state.side != side:
            mask[:] = 0
        return {"observation": self._view.observe(state, side), "action_mask": mask}

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        state = self.state_of_game
        move = self._view.move(state, -1 if action is None else action)
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        if move is None:
            state.end_turn()
        else:
            state.play(move)
        if state.over:
            self.terminations = dict.fromkeys(AGENTS, True)
            if state.winner is not None:
                self.rewards = {agent: 1.0 if side == state.winner else -1.0 for side, agent in enumerate(AGENTS)}
        self.agent_selection = AGENTS[state.side]
        self._accumulate_rewards()

    def render(self) -> str | None:
        if self.render_mode is None:
            return None
        game = self._view.game
        return str(game.text(self.state_of_game) if self.render_mode == "ansi" else game.svg(self.state_of_game))

    def close(self) -> None:
        """Nothing is held open."""
