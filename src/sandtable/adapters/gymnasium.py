"""One side against a player, for Gymnasium: `gymnasium.make("sandtable/Tubstap-v0", map="ford", opponent="greedy")`
after an import of this module, which registers the environments.

A step is one decision of the learner: in TUBSTAP an operation of a unit or the end of the turn, after which the
opponent plays until the learner decides again; in Conquest a turn. The winner gets 1 and the loser -1.
`info["action_mask"]` says which actions are legal in TUBSTAP; an illegal one loses the game. The vector environments
step all games in the core.
"""

from __future__ import annotations

import operator
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from sandtable.adapters.groups import ILLEGAL, Group
from sandtable.adapters.layouts import Observation
from sandtable.adapters.views import ConquestView, TubstapView, View, one_of
from sandtable.conquest.land import Land
from sandtable.errors import SandtableError
from sandtable.players.protocol import Player
from sandtable.players.spec import PlayerSpec
from sandtable.rng import checked_seed, checked_whole
from sandtable.tubstap.scenario import Scenario

for _name in ("Tubstap", "Conquest"):
    gymnasium.register(
        id=f"sandtable/{_name}-v0",
        entry_point=f"{__name__}:{_name}Env",
        vector_entry_point=f"{__name__}:{_name}VectorEnv",
    )

Opponent = str | PlayerSpec | Player
Info = dict[str, Any]
RENDER_MODES = ["ansi", "svg"]
MOST_GAMES = 2**20  # in a vector environment


class _SingleGame(gymnasium.Env[Observation, Any]):
    """A single game. `side` is the learner's, 0, 1 or None to draw it for each game."""

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012 (Gymnasium's form)

    def __init__(
        self, view: View, opponent: Opponent, side: int | None, shaping: float, render_mode: str | None
    ) -> None:
        if render_mode is not None:
            one_of("render_mode", render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self.view = view
        self._group = Group(view, 1, opponent, side, shaping)
        native = self._group.native
        self._rows = native.observations[0]
        self._roster = native.rosters[0] if isinstance(view, TubstapView) else None  # type: ignore[union-attr]
        self._mask = native.masks[0].view(np.bool_) if isinstance(view, TubstapView) else None  # type: ignore[union-attr]
        self._rewards, self._outcomes, self._sides = native.rewards, native.outcomes, native.sides
        self._over = True
        self._seeded = False
        self.observation_space: Any = view.layout.space
        self.action_space = view.action_space()

    @property
    def state(self) -> Any:
        """The position, as a state of the game."""
        return self._group.native.state(0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        seed = None if seed is None else checked_seed(seed)
        super().reset(seed=seed)
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(2**63))
        self._seeded = True
        self._group.reset(None if seed is None else [seed])
        self._over = False
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        if self._over:
            raise SandtableError("the game is over: call reset() to begin another")
        self._group.step(self._batch(action))
        outcome = self._outcomes[0]
        self._over = bool(outcome)
        info = self._info()
        if outcome == ILLEGAL:
            info["illegal"] = True
        return self._observation(), float(self._rewards[0]), self._over, False, info

    def render(self) -> Any:
        if self.render_mode is None:
            return None
        game = self.view.game
        return str(game.text(self.state)) if self.render_mode == "ansi" else game.svg(self.state)

    def _batch(self, action: Any) -> NDArray[Any]:
        raise NotImplementedError

    def _observation(self) -> Observation:
        observation = self.view.layout.split(self._rows.copy())
        if self._roster is not None:
            observation["roster"] = self._roster.copy()
        return observation

    def _info(self) -> Info:
        info: Info = {"side": int(self._sides[0])}
        if self._mask is not None:
            info["action_mask"] = self._mask.view(np.int8).copy()
        return info


class TubstapEnv(_SingleGame):
    """One side of TUBSTAP. `map` is the name or the file of a map, or a Scenario; `observation` is graph, image or
    tokens; `opponent` a spec string or a player; `shaping` the weight of changes of the HP balance in the rewards."""

    def __init__(
        self,
        map: str | Scenario = "ford",
        opponent: Opponent = "greedy",
        side: int | None = None,
        observation: str = "graph",
        rules: Any = None,
        shaping: float = 0.0,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(TubstapView(map, observation, rules), opponent, side, shaping, render_mode)
        self._action = np.zeros(1, np.int64)

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of legal actions, in the form that sb3-contrib expects."""
        assert self._mask is not None
        legal: NDArray[np.bool_] = self._mask.copy()
        return legal

    def _batch(self, action: Any) -> NDArray[np.int64]:
        try:
            self._action[0] = operator.index(action)
        except (TypeError, OverflowError):
            most = self.view.action_space().n - 1  # type: ignore[union-attr]
            raise SandtableError(f"an action must be a whole number from 0 to {most}, not {action!r:.40}") from None
        return self._action


class ConquestEnv(_SingleGame):
    """One side of Conquest. `map` is the name or the file of a map, or a Land; `observation` is graph or soares2025;
    `actions` is genes or shares; `shaping` the weight of changes of the share of armies and income in the rewards."""

    def __init__(
        self,
        map: str | Land = "italy",
        opponent: Opponent = "random",
        side: int | None = None,
        observation: str = "graph",
        actions: Literal["genes", "shares"] = "genes",
        rules: Any = None,
        shaping: float = 0.0,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(ConquestView(map, observation, rules, actions), opponent, side, shaping, render_mode)

    def _batch(self, action: Any) -> NDArray[Any]:
        assert isinstance(self.view, ConquestView)
        return self.view.rows(action)[np.newaxis]


class _ManyGames(VectorEnv[Observation, NDArray[Any], NDArray[Any]]):
    """Many games at once. With AutoresetMode.NEXT_STEP the step after a game's end begins its next game and ignores its
    action; with SAME_STEP the step that ends a game begins the next one, and its info has the last observation
    and info of the ended game as `final_obs` and `final_info`. Without `copy` a step overwrites the observations and
    masks of the step before."""

    def __init__(
        self,
        view: View,
        num_envs: int,
        opponent: Opponent,
        side: int | None,
        shaping: float,
        copy: bool,
        autoreset_mode: str | AutoresetMode,
        render_mode: str | None,
    ) -> None:
        if render_mode is not None:
            one_of("render_mode", render_mode, RENDER_MODES)
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        known = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
        self._autoreset_mode = AutoresetMode(one_of("autoreset_mode", mode, [one.value for one in known]))
        self.metadata = {"render_modes": RENDER_MODES, "render_fps": 2, "autoreset_mode": self._autoreset_mode}
        self.render_mode = render_mode
        self.view = view
        self.num_envs = checked_whole("num_envs", num_envs, 1, MOST_GAMES)
        self.single_observation_space = view.layout.space
        self.single_action_space = view.action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._group = Group(view, num_envs, opponent, side, shaping)
        self._copy, self._seeded = copy, False
        native = self._group.native
        self._outcomes, self._rewards = native.outcomes, native.rewards
        rosters = {"roster": native.rosters} if isinstance(view, TubstapView) else {}  # type: ignore[union-attr]
        self._observation = view.layout.split(native.observations) | rosters
        self._rows = native.observations
        self._rosters = rosters
        infos: dict[str, NDArray[Any]] = {"side": native.sides}
        if isinstance(view, TubstapView):
            infos["action_mask"] = native.masks.view(np.int8)  # type: ignore[union-attr]
        self._infos = infos
        self._all = np.ones(num_envs, np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """New games in all slots. Slot i draws its games from `seed` + i, or from `seed`[i]."""
        games = self.num_envs
        if isinstance(seed, list):
            if len(seed) != games:
                raise SandtableError(f"a list of seeds must have one for each game: {games}, not {len(seed)}")
            super().reset()
            drawn = self.np_random.integers(2**63, size=games)
            seeds = [int(drawn[i]) if one is None else checked_seed(one) for i, one in enumerate(seed)]
        elif seed is not None:
            first = checked_whole("a seed", seed, 0, 2**64 - games)
            super().reset(seed=first)
            seeds = [first + i for i in range(games)]
        else:
            seeds = [] if self._seeded else [int(one) for one in self.np_random.integers(2**63, size=games)]
        self._seeded = True
        self._group.reset(seeds or None)
        return self._observations(self._copy), self._info(self._copy)

    def step(self, actions: NDArray[Any]) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], Info]:
        if not self._seeded:
            raise SandtableError("call reset() first: it begins the games")
        view, games = self.view, self.num_envs
        self._group.step(view.numbers(actions, games) if isinstance(view, TubstapView) else view.rows(actions, games))
        rewards, terminated = self._rewards.copy(), self._outcomes > 0
        info = self._info(self._copy)
        if (illegal := self._outcomes == ILLEGAL).any():
            info |= {"illegal": illegal, "_illegal": illegal}
        if self._autoreset_mode == AutoresetMode.SAME_STEP and terminated.any():
            info = self._begin_next(terminated, info)
        return self._observations(self._copy), rewards, terminated, np.zeros(self.num_envs, np.bool_), info

    def _begin_next(self, ended: NDArray[np.bool_], info: Info) -> Info:
        """Begin the next games. Returns the info of the step, with the last observations and infos of the ended games
        in the form of Gymnasium's own vector environments."""
        last = self._observations(copy=True)
        final_obs = np.full(self.num_envs, None, object)
        for game in np.flatnonzero(ended):
            final_obs[game] = {name: rows[game] for name, rows in last.items()}
        final_info = {name: values.copy() for name, values in info.items()}
        self._group.begin(np.flatnonzero(ended))
        finals = {"final_obs": final_obs, "_final_obs": ended, "final_info": final_info, "_final_info": ended}
        return self._info(self._copy) | finals

    def render(self) -> Any:
        if self.render_mode is None:
            return None
        show = self.view.game.text if self.render_mode == "ansi" else self.view.game.svg
        return tuple(str(show(self._group.native.state(game))) for game in range(self.num_envs))

    def _observations(self, copy: bool) -> Observation:
        if not copy:
            return self._observation
        return self.view.layout.split(self._rows.copy()) | {name: one.copy() for name, one in self._rosters.items()}

    def _info(self, copy: bool) -> Info:
        info: Info = {}
        for name, values in self._infos.items():
            info[name] = values.copy() if copy else values
            info[f"_{name}"] = self._all
        return info


class TubstapVectorEnv(_ManyGames):
    """Many games of TUBSTAP; the options are those of TubstapEnv."""

    def __init__(
        self,
        num_envs: int = 1,
        map: str | Scenario = "ford",
        opponent: Opponent = "greedy",
        side: int | None = None,
        observation: str = "graph",
        rules: Any = None,
        shaping: float = 0.0,
        copy: bool = True,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            TubstapView(map, observation, rules), num_envs, opponent, side, shaping, copy, autoreset_mode, render_mode
        )


class ConquestVectorEnv(_ManyGames):
    """Many games of Conquest; the options are those of ConquestEnv."""

    def __init__(
        self,
        num_envs: int = 1,
        map: str | Land = "italy",
        opponent: Opponent = "random",
        side: int | None = None,
        observation: str = "graph",
        actions: Literal["genes", "shares"] = "genes",
        rules: Any = None,
        shaping: float = 0.0,
        copy: bool = True,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        view = ConquestView(map, observation, rules, actions)
        super().__init__(view, num_envs, opponent, side, shaping, copy, autoreset_mode, render_mode)
