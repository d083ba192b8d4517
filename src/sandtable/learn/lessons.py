"""What a training by self-play needs to know about a game: all else is the same for both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sandtable.learn.recipe import Recipe


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
class Lessons:
    """The functions of a game's own. Its games and samples are nobody else's business."""

    play: Callable[..., Played]  # (weights, recipe, numbers): games by their numbers
    save: Callable[..., None]  # (games, path)
    load: Callable[[Path], list[Any]]
    halved: Callable[..., Any]  # (game): as it would be after saving and loading
    samples: Callable[..., list[Any]]  # (game, recipe): the positions to learn from
    losses: Callable[..., dict[str, Any]]  # (module, encoder, samples, learning, generator): `total` and its parts
    rival: Callable[[Path, Recipe], str]  # (weights, recipe): the player of matches


def lessons_of(game: str) -> Lessons:
    """Those of a game by its name."""
    if game == "conquest":
        from sandtable.learn import turn_policy
        from sandtable.learn import turn_self_play as turns

        return Lessons(turns.play, turns.save, turns.load, turns.halved, turns.samples, turn_policy.losses, turns.rival)
    from sandtable.learn import policy, self_play

    return Lessons(
        self_play.play,
        self_play.save,
        self_play.load,
        self_play.halved,
        self_play.samples,
        policy.losses,
        self_play.rival,
    )
