"""Both games for OpenSpiel: importing this module registers `sandtable_tubstap` and `sandtable_conquest`.

`pyspiel.load_game("sandtable_tubstap(map=ford)")` is sequential: an action is one unit's operation or the end of the
turn, numbered as in docs/rl.md. `pyspiel.load_game("sandtable_conquest(map=simple)")` is simultaneous: an action is the
index of a move in a list of candidates, which depends only on the position, and chance decides who marches first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from sandtable.adapters.views import ConquestView, TubstapView
from sandtable.errors import SandtableError

SEEDS_PER_CANDIDATE = 8  # the search for different moves ends after so many samples for each that is wanted


def _type(name: str, long_name: str, simultaneous: bool, parameters: dict[str, Any]) -> Any:
    kind = pyspiel.GameType
    return kind(
        short_name=name,
        long_name=long_name,
        dynamics=kind.Dynamics.SIMULTANEOUS if simultaneous else kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if simultaneous else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )


def _info(actions: int, length: int, chance: int = 0) -> Any:
    return pyspiel.GameInfo(
        num_distinct_actions=actions,
        max_chance_outcomes=chance,
        num_players=2,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=length,
    )


TUBSTAP = _type("sandtable_tubstap", "TUBSTAP", False, {"map": "ford", "rules": "", "observation": "graph"})
CONQUEST = _type(
    "sandtable_conquest",
    "Conquest",
    True,
    {"map": "simple", "rules": "", "observation": "graph", "seed": 0, "candidates": 16, "turns": 0},
)


class TubstapGame(pyspiel.Game):  # type: ignore[misc]
    """`map` is the name or the file of a map, `rules` a preset to use instead of the map's rules."""

    def __init__(self, params: dict[str, Any]) -> None:
        self.view = TubstapView(params["map"], params["observation"], params["rules"] or None)
        turn_limit = self.view.map.limits[0]
        if turn_limit is None:
            raise SandtableError(f"rules {self.view.map.rules.name!r} have no turn limit, and OpenSpiel needs one")
        turns = turn_limit - self.view.map.turn
        super().__init__(TUBSTAP, _info(self.view.observer.actions, turns * (self.view.observer.rows + 1)), params)

    def new_initial_state(self) -> TubstapState:
        return TubstapState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        return _Observer(self.view.observe(self.view.map.start(), 0), iig_obs_type)


class _State(pyspiel.State):  # type: ignore[misc]
    """The methods that do not depend on the game."""

    view: Any
    position: Any

    def is_terminal(self) -> bool:
        return bool(self.position.over)

    def returns(self) -> list[float]:
        if not self.position.over or self.position.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if self.position.winner == 0 else [-1.0, 1.0]

    def observe(self, player: int) -> dict[str, Any]:
        found: dict[str, Any] = self.view.observe(self.position, player)
        return found

    def __str__(self) -> str:
        return str(self.view.game.text(self.position))


class TubstapState(_State):
    view: TubstapView

    def __init__(self, game: TubstapGame) -> None:
        super().__init__(game)
        self.view = game.view
        self.position = self.view.map.start()

    def current_player(self) -> int:
        return int(pyspiel.PlayerId.TERMINAL) if self.position.over else self.position.side

    def _legal_actions(self, player: int) -> list[int]:
        return [int(action) for action in np.flatnonzero(self.view.mask(self.position))]

    def _apply_action(self, action: int) -> None:
        self.view.game.replay(self.position, self.view.move(self.position, action))

    def _action_to_string(self, player: int, action: int) -> str:
        return self.view.game.notation(self.position, self.view.move(self.position, action))


class ConquestGame(pyspiel.Game):  # type: ignore[misc]
    """`seed` draws the start, `candidates` is the maximum number of candidate moves, and `turns` the number of turns
    that are left of the limit when the game begins (0: all)."""

    def __init__(self, params: dict[str, Any]) -> None:
        self.view = ConquestView(params["map"], params["observation"], params["rules"] or None)
        if self.view.map.rules.order != "alternate":
            raise SandtableError(
                f"rules {self.view.map.rules.name!r} draw the order of all marches at random; for OpenSpiel, chance "
                "can only decide who marches first"
            )
        if params["candidates"] < 1 or params["turns"] < 0:
            raise SandtableError("candidates must be at least 1, and turns at least 0")
        self.candidates = int(params["candidates"])
        land, limit = self.view.map, self.view.map.rules.turn_limit
        begin = land.start(int(params["seed"]))
        turns = min(int(params["turns"]) or limit, limit)
        self.begin = land.state(begin.owner, begin.armies, limit - turns)
        super().__init__(CONQUEST, _info(self.candidates, turns, chance=2), params)

    def new_initial_state(self) -> ConquestState:
        return ConquestState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        return _Observer(self.view.observe(self.begin, 0), iig_obs_type)


class ConquestState(_State):
    """Both players choose a move, then chance decides who marches first."""

    view: ConquestView

    def __init__(self, game: ConquestGame) -> None:
        super().__init__(game)
        self.view = game.view
        self.most = game.candidates
        self.position = game.begin.copy()
        self.chosen: list[int] | None = None  # the actions of this turn, until it is resolved

    def moves(self, player: int) -> list[Any]:
        """The candidates: sampled moves of the position, without duplicates."""
        found: list[Any] = []
        for seed in range(SEEDS_PER_CANDIDATE * self.most):
            move = self.position.random_move(player, seed)
            if move not in found:
                found.append(move)
            if len(found) == self.most:
                break
        return found

    def current_player(self) -> int:
        if self.position.over:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.SIMULTANEOUS if self.chosen is None else pyspiel.PlayerId.CHANCE)

    def _legal_actions(self, player: int) -> list[int]:
        return list(range(len(self.moves(player))))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(0, 0.5), (1, 0.5)]

    def _apply_actions(self, actions: list[int]) -> None:
        self.chosen = [int(action) for action in actions]

    def _apply_action(self, action: int) -> None:
        assert self.chosen is not None
        orders = [self.moves(player)[chosen] for player, chosen in enumerate(self.chosen)]
        self.position.resolve(orders[0], orders[1], first=action)
        self.chosen = None

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"player {action} marches first"
        return self.view.game.notation(self.position, self.moves(player)[action])

    def __str__(self) -> str:
        waits = "" if self.chosen is None else f"\nchosen: {self.chosen}"
        return super().__str__() + waits


class _Observer:
    """The arrays of an observation, one after the other in `tensor` and by name in `dict`."""

    def __init__(self, example: dict[str, Any], kind: Any) -> None:
        self._history = kind is not None and kind.perfect_recall
        self.tensor = np.zeros(sum(values.size for values in example.values()), np.float32)
        self.dict = {}
        begin = 0
        for name, values in example.items():
            self.dict[name] = self.tensor[begin : begin + values.size].reshape(values.shape)
            begin += values.size

    def set_from(self, state: Any, player: int) -> None:
        for name, values in state.observe(player).items():
            self.dict[name][:] = values

    def string_from(self, state: Any, player: int) -> str:
        """The history of actions if the observer has perfect recall, else the position."""
        return " ".join(map(str, state.history())) if self._history else str(state)


for _game_type, _game_class in ((TUBSTAP, TubstapGame), (CONQUEST, ConquestGame)):
    if _game_type.short_name not in pyspiel.registered_names():
        pyspiel.register_game(_game_type, _game_class)
