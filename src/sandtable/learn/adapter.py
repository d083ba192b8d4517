"""What a training by self-play needs from a game: a game's part `training`. All else is the same for every game."""

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
    """The games of a task, and what they cost."""

    games: list[Any]  # of the game's own kind
    seconds: float
    forward_seconds: float
    evaluated: int
    hits: int
    rows: int
    batches: int


@dataclass(frozen=True)
class TrainingAdapter:
    """The functions of a game's own. Its games and samples are opaque to the trainer."""

    play: Callable[..., Played]  # (weights, recipe, numbers): games by their numbers
    save: Callable[..., None]  # (games, path)
    load: Callable[[Path], list[Any]]
    rounded: Callable[..., Any]  # (game): with the precision that it has after saving and loading
    samples: Callable[..., list[Any]]  # (game, recipe): the positions to learn from
    losses: Callable[..., dict[str, Any]]  # (module, encoder, samples, learning, generator): `total` and its parts
    player: Callable[[Path, Recipe], PlayerSpec]  # (weights, recipe): the player in matches

    @classmethod
    def of(cls, self_play: ModuleType, losses: Callable[..., dict[str, Any]]) -> TrainingAdapter:
        """An adapter of a module that has all functions but the losses."""
        found = {one.name: getattr(self_play, one.name) for one in fields(cls) if one.name != "losses"}
        return cls(**found, losses=losses)


def adapter(of: str) -> TrainingAdapter:
    """The adapter of a game by the game's name."""
    found: TrainingAdapter = game(of).training
    return found
