"""Stages `training_1`, `training_2`, ...: the network of every iteration, from all data so far (section 5.2.1).

`line` is the line of iterations, as in data.py."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sandtable import conquest
from sandtable.learn import samples
from sandtable.learn.processor import prepare_for_training
from sandtable.nets.architectures import TURN_POLICIES, TurnEncoder
from sandtable.papers.run import Run
from sandtable.papers.soares2025 import searched_games
from sandtable.papers.soares2025.data import (
    FIRST_SEARCHES,
    Data,
    File,
    collect_games,
    net,
    read_games,
    settings_of,
    stage_of,
)
from sandtable.papers.soares2025.settings import Settings
from sandtable.papers.stages import Stage, stage
from sandtable.papers.training import digests, noting, resume_file, save_trained, train_all, weights

ARCHITECTURE = "soares2025"
MOST_EPOCHS = 100_000  # more than a training limited by `seconds` can reach
TRAINING_SETTINGS = ("seed", "batch", "learning_rate", "epochs", "patience", "held_out", "begin", "rules")


class Training(NamedTuple):
    """A network to train: its name, the last iteration of its data, and its targets."""

    name: str
    iteration: int
    policy_target: str
    value_target: str
    data_search: str  # the search that made the iteration's own games
    map: str | None = None  # learn only from games on this map, beginning with fresh weights
    inputs: str = "code"  # or "text", if `map` is given
    layers: str = ""  # other layers instead of the thesis's: see nets/soares2025_layers.py
    seconds: float = 0.0  # limit of processor time that replaces the settings' epochs and patience; 0: those apply

    @property
    def architecture(self) -> str:
        if self.layers:
            return f"{ARCHITECTURE}_{self.layers}"
        return ARCHITECTURE if self.inputs == "code" else f"{ARCHITECTURE}_text_{self.map}"

    @property
    def described(self) -> dict[str, Any]:
        """The fields that differ from their defaults; older runs do not have the last fields."""
        return {name: value for name, value in self._asdict().items() if value != self._field_defaults.get(name, ())}


def usual(settings: Settings, name: str, iteration: int) -> Training:
    """The training by the run's own settings."""
    return Training(name, iteration, settings.policy_target, settings.value_target, settings.data_search)


@stage("untrained", settings=("seed", "rules"))
def make_untrained(run: Run, settings: Settings) -> dict[str, Any]:
    """The untrained network, with which the first iteration is compared."""

    def work() -> dict[str, Any]:
        import torch

        from sandtable.nets import checkpoints

        torch.manual_seed(settings.seed)
        module = TURN_POLICIES[ARCHITECTURE].build()
        about = {"seed": settings.seed, "epochs": 0}
        checkpoints.save(weights(run, net(0)), module, ARCHITECTURE, conquest.rules(settings.rules).digest, about)
        return {}

    return make_untrained.make(run, settings, work)


@functools.cache
def data_stage(iteration: int, line: str = "", other_search: str | None = None) -> Stage[Data]:
    """Stage `data_N`: it needs the previous iteration's network, if its search has one. `other_search`: makes the games
    instead of the settings' search."""

    def needs(settings: Settings) -> list[Stage[Any]]:
        if iteration > 1:
            return [training_stage(iteration - 1, line)]
        return [make_untrained] if FIRST_SEARCHES[settings_of(settings, line).first_search].has_net else []

    @stage(stage_of(f"data_{iteration}" + (f"_{other_search}" if other_search else ""), line), needs=needs)
    def make_data(run: Run, settings: Settings, *_: Any) -> Data:
        own = settings_of(settings, line)
        return collect_games(run, own, iteration, other_search or own.data_search, line)

    return make_data


@functools.cache
def training_stage(iteration: int, line: str = "") -> Stage[dict[str, Any]]:
    """Stage `training_N`: the learning curve of an iteration's network, and its number of samples."""

    @stage(stage_of(f"training_{iteration}", line), needs=data_until(iteration, line))
    def train_network(run: Run, settings: Settings, _: Any, *data: Data) -> dict[str, Any]:
        own = settings_of(settings, line)
        one = usual(own, net(iteration, line), iteration)
        found: dict[str, Any] = train_some(run, own, train_network.name, {one: data}, line)[one.name]
        return found

    return train_network


def data_until(iteration: int, line: str = "") -> list[Stage[Any]]:
    """The stages that an iteration's network needs: the untrained network, and the data of all iterations so far."""
    return [make_untrained, *(data_stage(number, line) for number in range(1, iteration + 1))]


def train_some(
    run: Run, settings: Settings, stage: str, trainings: Mapping[Training, Sequence[Data]], line: str = ""
) -> dict[str, Any]:
    """Train networks of one iteration from their data, each in its own process."""
    previous = net(next(iter(trainings)).iteration - 1, line)
    files = {
        one.name: [file for part in data for file in part.files if one.map in (None, file.map)]
        for one, data in trainings.items()
    }
    tasks = {
        one.name: functools.partial(
            _train, one, settings, files[one.name], weights(run, previous), weights(run, one.name)
        )
        for one in trainings
    }
    played = {name: hashlib.sha256("".join(file.sha256 for file in own).encode()) for name, own in files.items()}
    depends = settings.only(*TRAINING_SETTINGS) | {"trainings": [one.described for one in trainings]}
    depends |= {"games": {name: one.hexdigest()[:16] for name, one in played.items()}}
    if settings.begin == "previous":
        depends |= digests(run, [previous])
    return train_all(run, depends, tasks, settings.epochs, stage=stage)


def _train(one: Training, settings: Settings, files: Sequence[File], previous: Path, path: Path) -> dict[str, Any]:
    """Train one network, with one thread. Whole games are held out, not single turns."""
    from sandtable.learn import supervised
    from sandtable.nets import checkpoints
    from sandtable.papers.soares2025.turn_training import TurnObjective

    prepare_for_training()
    found: list[searched_games.Sample] = []
    games: list[int] = []
    for number, game in enumerate(game for file in files for game in read_games(file)):
        own = searched_games.samples(game)
        found += own
        games += [number] * len(own)
    held_out = samples.held_out_by_game(games, settings.held_out, settings.seed)
    how = supervised.Settings(
        batch=settings.batch,
        learning_rate=settings.learning_rate,
        patience=MOST_EPOCHS if one.seconds else settings.patience,
        max_epochs=MOST_EPOCHS if one.seconds else settings.epochs,
        max_seconds=one.seconds,
        seed=settings.seed,
    )
    known = TURN_POLICIES[one.architecture]
    assert isinstance(known.encoder, TurnEncoder)
    objective = TurnObjective(found, held_out, known.encoder, how, one.policy_target, one.value_target)
    continues = settings.begin == "previous" and one.map is None and not one.seconds
    build = functools.partial(checkpoints.load, previous) if continues else known.build

    note = noting(path, "held_out_loss", "loss {:.3f}")
    module, progress = supervised.fit(build, objective, how, resume_file(path), watch=note)
    rules, depends = conquest.rules(settings.rules).digest, settings.only(*TRAINING_SETTINGS)
    trained = save_trained(
        path, module, one.architecture, rules, "soares2025", depends, len(found), progress, training=one.described
    )
    return {**trained, "samples": len(found)}
