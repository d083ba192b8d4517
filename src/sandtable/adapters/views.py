"""The interface of a map for learners: its states as arrays, its moves as actions. One class for each game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandtable import _core
from sandtable.adapters.layouts import Observation, conquest_layout, tubstap_layout
from sandtable.conquest.game import GAME as CONQUEST
from sandtable.conquest.land import Land
from sandtable.errors import SandtableError, nearest
from sandtable.games import Game, check_position
from sandtable.tubstap.game import GAME as TUBSTAP
from sandtable.tubstap.scenario import Scenario
from sandtable.tubstap.types import Move

MOST_ARMIES = 1_000_000  # the most that an order may have


def one_of(what: str, given: str, known: Sequence[str]) -> str:
    if given not in known:
        raise SandtableError(f"{what} is {' or '.join(known)}, not {given!r:.40}{nearest(str(given), known)}")
    return given


def _map(game: Game, given: Any, rules: Any) -> Any:
    if isinstance(given, game.map_types):
        if rules is not None:
            raise SandtableError("rules apply only to a map given by its name; call with_rules() on a map object")
        return given
    if not isinstance(given, str):
        check_position(game.name, given, or_map=True)
    found = game.load(given, rules=rules)
    check_position(game.name, found, or_map=True)
    return found


class _Immutable:
    """Deep copies of an object that holds a view share the view; pickling makes a new one from the map."""

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments()

    def _arguments(self) -> tuple[Any, ...]:
        raise NotImplementedError


class TubstapView(_Immutable):
    """A scenario. An action is an operation of one unit or the end of the turn; the mask says which are legal."""

    game = TUBSTAP
    native_opponents = ("random", "greedy")

    def __init__(self, map: str | Scenario, observation: str = "graph", rules: Any = None) -> None:
        self.encoder = one_of("observation", observation, ("graph", "image", "tokens"))
        self.map: Scenario = _map(TUBSTAP, map, rules)
        self.observer = _core.tubstap.Observer(self.map.start(), self.encoder)
        self.layout = tubstap_layout(self.encoder, self.map, self.observer.rows)

    def action_space(self) -> spaces.Discrete:
        return spaces.Discrete(self.observer.actions)

    def _arguments(self) -> tuple[Any, ...]:
        return self.map, self.encoder

    def observe(self, state: Any, side: int) -> Observation:
        """The observation of the side to move, with the roster of `side`."""
        return self.layout.split(self.observer.encode(state)) | {"roster": self.observer.roster(state, side)}

    def mask(self, state: Any) -> NDArray[np.int8]:
        return self.observer.mask(state).view(np.int8)

    def move(self, state: Any, action: int) -> Move | None:
        return self.observer.move(state, int(action))

    def numbers(self, actions: Any, games: int) -> NDArray[np.int64]:
        """An action for each game, in the form that the core takes; SandtableError if their type or number is wrong."""
        found = np.asarray(actions)
        if found.dtype.kind not in "iu":
            raise SandtableError(f"actions must be whole numbers, not {actions!r:.40}")
        if found.shape != (games,):
            raise SandtableError(f"actions must have the shape {(games,)}, not {found.shape}")
        return np.ascontiguousarray(found, np.int64)

    def group(self, games: int, opponent: str, side: int | None, shaping: float) -> _core.tubstap.Games:
        return _core.tubstap.Games(
            self.map.start(), games=games, encoder=self.encoder, opponent=opponent, side=side, shaping=shaping
        )


class ConquestView(_Immutable):
    """A land. An action has a number for each gene: armies, which are repaired into legal orders, or shares of the
    income and of armies."""

    game = CONQUEST
    native_opponents = ("random",)

    def __init__(
        self,
        map: str | Land,
        observation: str = "graph",
        rules: Any = None,
        actions: Literal["genes", "shares"] = "genes",
    ) -> None:
        self.encoder = one_of("observation", observation, ("graph", "soares2025"))
        self.actions = one_of("actions", actions, ("genes", "shares"))
        self.map: Land = _map(CONQUEST, map, rules)
        empty = self.map.start(0)
        self.observer = _core.conquest.Observer(empty, self.encoder)
        self.layout = conquest_layout(self.map, self.observer.node_size, self.observer.totals_size)
        self.genes = len(empty.encode([]))

    def action_space(self) -> spaces.Box:
        if self.actions == "genes":
            return spaces.Box(0, MOST_ARMIES, (self.genes,), np.int32)
        return spaces.Box(0, 1, (self.genes,), np.float32)

    def _arguments(self) -> tuple[Any, ...]:
        return self.map, self.encoder, None, self.actions

    def observe(self, state: Any, side: int) -> Observation:
        return self.layout.split(self.observer.encode(state, side))

    def move(self, state: Any, side: int, action: Any, seed: int) -> Any:
        """The orders of an action; `seed` is that of the repair's random choices."""
        row = self.rows(action)
        if self.actions == "shares":
            return state.decode(self.observer.genes_of_shares(state, side, row))
        return state.decode(state.repair(row, side, seed))

    def rows(self, actions: Any, games: int | None = None) -> NDArray[Any]:
        """An action, or one for each game, in the form that the core takes; SandtableError if their shape is wrong or a
        number is not finite. Numbers of armies are clipped to 0..MOST_ARMIES."""
        shape = (self.genes,) if games is None else (games, self.genes)
        found = np.asarray(actions)
        if found.dtype.kind not in "iuf":
            raise SandtableError(f"an action must have {self.genes} finite numbers, not {actions!r:.40}")
        if found.shape != shape:
            raise SandtableError(f"actions must have the shape {shape}, not {found.shape}")
        if found.dtype.kind == "f" and not np.isfinite(found).all():
            raise SandtableError("an action must have finite numbers, but this one has NaN or infinity")
        if self.actions == "shares":
            return np.ascontiguousarray(found, np.float32)
        if found.dtype != np.int32:
            found = found.clip(0, MOST_ARMIES)
        return np.ascontiguousarray(found, np.int32)

    def group(self, games: int, opponent: str, side: int | None, shaping: float) -> _core.conquest.Games:
        return _core.conquest.Games(
            self.map.start(0), games=games, encoder=self.encoder, opponent=opponent, side=side, shaping=shaping
        )


View = TubstapView | ConquestView
