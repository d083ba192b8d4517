"""The interface between a game and training by self-play. Each game provides a TrainingAdapter as its part `training`;
the rest of the trainer is the same for every game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from sandtable.games import game
from sandtable.learn.recipe import Recipe
from sandtable.players.spec import PlayerSpec


class Played(NamedTuple):
    """The games of a task, and the cost of playing them."""

    games: list[Any]  # of a type that the game defines
    seconds: float
    forward_seconds: float  # inside the network
    evaluated: int  # positions that the network evaluated
    hits: int  # positions found in the cache
    rows: int  # rows that the network evaluated
    batches: int  # calls of the network


@dataclass(frozen=True)
class TrainingAdapter:
    """The functions that a game supplies. Its games and samples are opaque to the trainer."""

    play: Callable[..., Played]  # (weights, recipe, numbers): plays the games with these numbers
    save: Callable[..., None]  # (games, path)
    load: Callable[[Path], list[Any]]
    rounded: Callable[..., Any]  # (game): the game with the precision that it has after saving and loading
    samples: Callable[..., list[Any]]  # (game, recipe): the positions to learn from
    losses: Callable[..., dict[str, Any]]  # (module, encoder, samples, learning, generator): `total` and its parts
    player: Callable[[Path, Recipe], PlayerSpec]  # (weights, recipe): the network's player in matches

    @classmethod
    def of(cls, self_play: ModuleType, losses: Callable[..., dict[str, Any]]) -> TrainingAdapter:
        """The adapter from a module that defines all functions except the losses."""
        found = {one.name: getattr(self_play, one.name) for one in fields(cls) if one.name != "losses"}
        return cls(**found, losses=losses)


def adapter(of: str) -> TrainingAdapter:
    """The adapter of the game with this name."""
    found: TrainingAdapter = game(of).training
    return found
