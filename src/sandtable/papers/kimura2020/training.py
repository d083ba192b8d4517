"""Stages `training` and `long_training`: every variant of section 4.2.2 by self-play, each in a process of its own."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from sandtable.learn.recipe import Recipe
from sandtable.nets import checkpoints
from sandtable.papers.kimura2020.settings import FIRST_READINGS, Settings, Variant
from sandtable.papers.run import Run
from sandtable.papers.stages import Stage, stage
from sandtable.papers.training import leave_note, train_all, weights


@stage(
    "training",
    settings=(
        *("seed", "games", "small_games", "plain_games", "simulations", "updates_per_game"),
        *FIRST_READINGS,
    ),
)
def train_short(run: Run, settings: Settings) -> dict[str, Any]:
    """The curve of each training and its last row, by variant."""
    return _train_all(run, settings, train_short, "short")


@stage(
    "long_training",
    settings=("seed", "long_games", "simulations", "updates_per_game", *FIRST_READINGS),
    when=lambda settings: settings.long_games,
)
def train_long(run: Run, settings: Settings) -> dict[str, Any]:
    """The same for the long trainings."""
    return _train_all(run, settings, train_long, "long")


def _train_all(run: Run, settings: Settings, trained: Stage[Any], time: str) -> dict[str, Any]:
    variants = settings.trained(time)
    tasks = {
        variant.name: functools.partial(_train, variant, settings, weights(run, variant.name)) for variant in variants
    }
    max_games = max(map(settings.games_of, variants))
    return train_all(run, trained.depends(settings), tasks, max_games, stage=trained.name)


def _train(variant: Variant, settings: Settings, path: Path) -> dict[str, Any]:
    return by_recipe(settings.recipe(variant), path)


def by_recipe(recipe: Recipe, path: Path) -> dict[str, Any]:
    """Trains a network by a recipe with one worker, so that the same seed gives the same network. Progress is shown in
    games."""
    return by_self_play(
        recipe,
        path,
        watch=lambda now: leave_note(path, now.games, f"value loss {now.losses.get('value', 0.0):.3f}"),
    )


def by_self_play(recipe: Recipe, path: Path, **more: Any) -> dict[str, Any]:
    """Trains a network and copies it to `path`; returns its curve and the curve's last row."""
    from sandtable.learn import self_play_training

    folder = path.with_suffix("")
    checkpoints.copy(self_play_training.train(recipe, folder, **more), path)
    curve = self_play_training.curve(folder)
    return {"curve": curve, "last": curve[-1]}
