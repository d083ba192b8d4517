"""Stage `training`: the five models on each kind of maps (section 5.3), with games divided and with states divided, and
regularised models. Stage `short_training`: the five models on games as long as the paper's. Stage `training_seeds`: two
models again with other seeds."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sandtable import tubstap
from sandtable.learn import samples
from sandtable.learn.processor import prepare_for_training
from sandtable.nets.architectures import ARCHITECTURES, COMBINED
from sandtable.papers.accuracy import ByGame, by_game, share_of_states
from sandtable.papers.dataset import folder
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.takahashi.data import (
    SHORT,
    check_records,
    check_short_records,
    make_dataset,
    make_short_dataset,
)
from sandtable.papers.takahashi.settings import KINDS, MODELS, SPLITS, Settings
from sandtable.papers.training import noting, resume_file, save_trained, train_all, weights
from sandtable.rng import Rng

if TYPE_CHECKING:
    from torch import nn

TRAIN_SAMPLE = 20_000  # training states on which the accuracy is measured after every epoch


class Training(NamedTuple):
    model: str
    kind: str  # of maps
    split: str  # game or state; game if regularised
    regularised: bool = False
    data: str = ""  # the name of the data set; empty: the run's first

    @property
    def name(self) -> str:
        own = f"{self.model}-{self.kind}-{'regularised' if self.regularised else self.split}"
        return f"{self.data}-{own}" if self.data else own

    @property
    def architecture(self) -> str:
        return f"takahashi_{self.model}"


SEEDED = ("gcn", "b")  # trained with several seeds: the paper's best two
PLAIN = tuple(Training(model, kind, split) for split in SPLITS for kind in KINDS for model in MODELS)
REGULARISED = tuple(Training(model, kind, "game", True) for kind in KINDS for model in MODELS)
ON_SHORT_GAMES = tuple(Training(model, kind, "game", data=SHORT) for kind in KINDS for model in MODELS)
TRAINING_SETTINGS = ("test_share", "batch", "learning_rate", "epochs")
REGULARISATION_SETTINGS = ("held_out", "patience", "dropout", "weight_decay")


def trainings(settings: Settings) -> list[Training]:
    """The trainings that the settings ask for."""
    plain = [one for one in PLAIN if settings.by_state or one.split == "game"]
    return [*plain, *(REGULARISED if settings.regularise else ())]


@stage(
    "training",
    needs=(check_records, make_dataset),
    settings=(*TRAINING_SETTINGS, *REGULARISATION_SETTINGS, "by_state", "regularise"),
)
def train_models(run: Run, settings: Settings, records: dict[str, Any], _: Any) -> dict[str, Any]:
    """The figures of each training by its name: its curve, its best epoch, that epoch's accuracy on the training and
    test states, and its results on each test game."""
    depends = train_models.depends(settings)
    tasks = {one.name: _task(run, one, settings, depends) for one in trainings(settings)}
    return train_all(run, depends | {"records": records["digest"]}, tasks, settings.epochs)


@stage(
    "short_training",
    needs=(check_short_records, make_short_dataset),
    settings=TRAINING_SETTINGS,
    when=lambda settings: settings.short_simulations,
)
def train_on_short_games(run: Run, settings: Settings, records: dict[str, Any], _: Any) -> dict[str, Any]:
    """The same figures of the models that are trained on games as long as the paper's."""
    depends = train_on_short_games.depends(settings)
    tasks = {one.name: _task(run, one, settings, depends) for one in ON_SHORT_GAMES}
    depends |= {"records": records["digest"]}
    return train_all(run, depends, tasks, settings.epochs, stage=train_on_short_games.name)


def seeds(settings: Settings) -> list[int]:
    """The seeds with which the GCN and B are trained; the other stages use the first."""
    further = range(1, settings.training_seeds)
    return [settings.seed, *(Rng(settings.seed, f"takahashi training {n}").below(2**32 - 1) for n in further)]


@stage(
    "training_seeds",
    needs=(check_records, make_dataset, train_models),
    settings=("training_seeds",),
    when=lambda settings: settings.training_seeds > 1,
)
def train_with_seeds(
    run: Run, settings: Settings, records: dict[str, Any], _: Any, first: dict[str, Any]
) -> dict[str, list[ByGame]]:
    """The results of all trainings on each test game, by the name of the first training."""
    again = [
        (one, number)
        for number in range(1, settings.training_seeds)
        for one in PLAIN
        if one.split == "game" and one.model in SEEDED
    ]
    tasks = {
        f"{one.name}-seed-{number}": _task(run, one, settings, train_models.depends(settings), number)
        for one, number in again
    }
    depends = train_with_seeds.depends(settings) | {"records": records["digest"]}
    trained = train_all(run, depends, tasks, settings.epochs, stage="training_seeds")
    found: dict[str, list[ByGame]] = {one.name: [first[one.name]["by_game"]] for one, _ in again}
    for (one, _), result in zip(again, trained.values(), strict=True):
        found[one.name].append(result["by_game"])
    return found


def inputs_of(model: str, combined: np.ndarray[Any, np.dtype[np.float32]]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The part of the combined inputs that a model reads."""
    from sandtable.nets.takahashi import GRAPH, IMAGE

    if model == "gcn":
        return combined[:, :GRAPH]
    if model == "cnn":
        return combined[:, GRAPH : GRAPH + IMAGE].reshape(-1, *ARCHITECTURES["takahashi_cnn"].encoder.shape)
    return combined


def kept_for_test(
    games: np.ndarray[Any, np.dtype[np.int32]], split: str, settings: Settings
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """A mask of the samples in the test set."""
    if split == "game":
        return samples.held_out_by_game(games, settings.test_share, settings.seed)
    chosen = Rng(settings.seed, "split by state").sample(
        range(len(games)), max(1, round(settings.test_share * len(games)))
    )
    mask = np.zeros(len(games), np.bool_)
    mask[chosen] = True
    return mask


def _task(
    run: Run, one: Training, settings: Settings, depends: dict[str, Any], number: int = 0
) -> functools.partial[dict[str, Any]]:
    """The task of a training with the seed of that number. `depends`: the settings that the network's card records."""
    name = f"{one.name}-seed-{number}" if number else one.name
    data = folder(run, one.kind, COMBINED.name, one.data)
    return functools.partial(_train, one, settings, data, weights(run, name), seeds(settings)[number], depends)


def _train(
    one: Training, settings: Settings, data: Path, path: Path, seed: int, depends: dict[str, Any]
) -> dict[str, Any]:
    """Trains one model, in a process of its own with one thread. `seed` determines its initial weights and its batches;
    the test set does not depend on it.

    The paper reports the epoch that is best on the test set; so do we for its models. A regularised model is stopped on
    games held out from the training set, and is evaluated on the test set once.
    """
    import torch

    from sandtable.learn import supervised

    prepare_for_training()
    stored = samples.load(data)
    whole = samples.Samples(inputs_of(one.model, stored.inputs), stored.values, stored.games)
    in_test = kept_for_test(whole.games, one.split, settings)
    train, test = whole.where(~in_test), whole.where(in_test)
    pool, held_out = whole, in_test
    if one.regularised:
        pool, held_out = train, samples.held_out_by_game(train.games, settings.held_out, settings.seed)

    def right(module: nn.Module, part: samples.Samples) -> np.ndarray[Any, np.dtype[np.bool_]]:
        wanted = supervised.classes_of(torch.from_numpy(part.values))
        found: np.ndarray[Any, np.dtype[np.bool_]] = (
            supervised.class_predictions(module, part.inputs) == wanted
        ).numpy()
        return found

    sampled = np.sort(np.array(Rng(settings.seed, "some").sample(range(len(train)), min(TRAIN_SAMPLE, len(train)))))
    training_sample, stopping = train.where(sampled), pool.where(held_out)

    def measure(module: nn.Module) -> dict[str, float]:
        return {
            "train_accuracy": float(right(module, training_sample).mean()),
            "held_out_accuracy": float(right(module, stopping).mean()),
        }

    training_settings = supervised.Settings(
        batch=settings.batch,
        learning_rate=settings.learning_rate,
        patience=settings.patience if one.regularised else settings.epochs,
        max_epochs=settings.epochs,
        best_by="held_out_accuracy",
        seed=seed,
        loss="classes",
        weight_decay=settings.weight_decay if one.regularised else 0.0,
        augment="board" if one.regularised and one.model != "gcn" else "none",
        dropout=settings.dropout if one.regularised else 0.0,
    )
    build = functools.partial(ARCHITECTURES[one.architecture].build, dropout=training_settings.dropout)
    note = noting(path, "held_out_accuracy", "{:.1%}")
    module, progress = supervised.train(build, pool, held_out, training_settings, resume_file(path), measure, note)
    rules = tubstap.rules("takahashi").digest
    trained = save_trained(
        path, module, one.architecture, rules, "takahashi", depends, len(train), progress, training=one._asdict()
    )
    right_on_test = right(module, test)
    return {
        **trained,
        "train": share_of_states(right(module, train), train.games),
        "test": share_of_states(right_on_test, test.games),
        "by_game": by_game(test.games, right_on_test, _brier(module, test)),
    }


def _brier(module: nn.Module, part: samples.Samples) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The Brier score of each state: the squared error of the probabilities of win, loss and draw. Unlike accuracy, it
    does not reward overconfidence."""
    import torch

    from sandtable.learn import supervised

    given = supervised.class_probabilities(module, part.inputs)
    wanted = torch.nn.functional.one_hot(supervised.classes_of(torch.from_numpy(part.values)), given.shape[1])
    found: np.ndarray[Any, np.dtype[np.float32]] = ((given - wanted) ** 2).sum(1).numpy()
    return found
