"""Stages `readings_records` and `readings_training`: networks by every reading, on each data set, by cross-validation.

Each fold has its own training seed. The network of a fold learns from the games of the other folds, with a tenth held
out for early stopping, and is tested on the games of its own fold. So every network is tested once on every game, and
networks are compared game by game.
"""

from __future__ import annotations

import functools
import itertools
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from sandtable.arena import Record
from sandtable.arena.statistics import mean_interval
from sandtable.learn import samples
from sandtable.learn.processor import prepare_for_training
from sandtable.nets.architectures import ARCHITECTURES, INPUTS, LAYERS, PLANES, li2022_name
from sandtable.papers.accuracy import by_game, share_of_states
from sandtable.papers.games import LABELS, keep_records
from sandtable.papers.li2022.readings_data import DATA_SETS, DataSet, make_readings_data
from sandtable.papers.li2022.settings import Settings
from sandtable.papers.li2022.training import hyperparameters, labels
from sandtable.papers.run import Run, RunError
from sandtable.papers.stages import stage
from sandtable.rng import Rng

FACTORS = {"layer": tuple(LAYERS), "inputs": tuple(INPUTS), "planes": tuple(PLANES)}
FACTORS_OF = {"gcn_4": ("layer", "inputs"), "cnn_g": ("inputs",), "cnn_i": ("planes", "inputs")}
ARCHITECTURE_NAMES = (
    *(
        li2022_name(network, **dict(zip(factors, levels, strict=True)))
        for network, factors in FACTORS_OF.items()
        for levels in itertools.product(*(FACTORS[factor] for factor in factors))
    ),
    li2022_name("gcn_32", layer="kernel"),
)


class Tested(NamedTuple):
    """A network's results on a game: the states, those predicted correctly, and the sum of squared errors."""

    states: int
    right: int
    squared_error: float


Results = dict[DataSet, dict[str, dict[int, dict[int, Tested]]]]  # by architecture, fold and game


@stage("readings_records", needs=(make_readings_data,), when=lambda settings: settings.readings)
def check_readings_records(run: Run, settings: Settings, lines: dict[DataSet, list[str]]) -> dict[str, Any]:
    """Replay every game, keep the records in a file for each data set, and describe the data sets."""

    def work() -> dict[str, Any]:
        found = {}
        for data, own in lines.items():
            found[data.name] = _described(own) | {"digest": keep_records(_records_file(run, data), own)}
        return found

    result = check_readings_records.make(run, settings, work)
    for data in DATA_SETS:
        if not _records_file(run, data).is_file():
            made = run.folder / "readings_records.json"
            raise RunError(f"{_records_file(run, data)}: missing, although it was made; delete {made} to make it again")
    return result


def _records_file(run: Run, data: DataSet) -> Path:
    return run.folder / "readings" / f"{data.name}.jsonl"


def _described(lines: Sequence[str]) -> dict[str, Any]:
    """Verify the games: the mean number of states in a game, and the share of each label."""
    games = []
    for line in lines:
        record = Record.from_line(line)
        record.verify()
        games.append(Counter(LABELS[value] for value in samples.positions(record)[1]))
    sizes = [game.total() for game in games]
    low, high = mean_interval(sizes)
    states = {"value": fmean(sizes), "low": low, "high": high, "games": len(games)}
    numbers = [number for number, size in enumerate(sizes) for _ in range(size)]
    shares = {
        label: share_of_states([word == label for game in games for word in game.elements()], numbers)
        for label in LABELS.values()
    }
    return {"states": states, "labels": shares}


@stage(
    "readings_training",
    needs=(check_readings_records,),
    settings=(
        *("batch", "learning_rate", "held_out", "best_by"),
        *("readings_folds", "readings_patience", "readings_max_epochs"),
    ),
)
def train_readings(run: Run, settings: Settings, records: dict[str, Any]) -> Results:
    digests = {name: found["digest"] for name, found in records.items()}
    folds = range(settings.readings_folds)
    trainings = list(itertools.product(DATA_SETS, ARCHITECTURE_NAMES, folds))
    tasks = [
        functools.partial(_tested_fold, _records_file(run, data), name, fold, settings)
        for data, name, fold in trainings
    ]
    depends = train_readings.depends(settings) | {"records": digests}
    found = run.collect("readings_training", depends, tasks, here=True)
    results: Results = {data: {name: {} for name in ARCHITECTURE_NAMES} for data in DATA_SETS}
    for (data, name, fold), one in zip(trainings, found, strict=True):
        results[data][name][fold] = {game: Tested(*tested) for game, *tested in one["games"]}
    return results


def fold_seed(settings: Settings, fold: int) -> int:
    """The seed of all trainings that are tested on a fold."""
    return Rng(settings.seed, f"li2022 readings {fold}").below(2**32 - 1)


def _tested_fold(records: Path, architecture: str, fold: int, settings: Settings) -> dict[str, Any]:
    """Train a network on the games of the other folds: its results on each game of its own fold."""
    from sandtable.learn import supervised

    prepare_for_training()
    known = ARCHITECTURES[architecture]
    games = [Record.from_line(line) for line in records.read_text().splitlines()]
    whole = samples.encoded(games, range(len(games)), known.encoder)
    tested = whole.games % settings.readings_folds == fold
    learnt, test = whole.where(~tested), whole.where(tested)
    seed = fold_seed(settings, fold)
    held_out = samples.held_out_by_game(learnt.games, settings.held_out, seed)
    how = hyperparameters(settings, seed, settings.readings_patience, settings.readings_max_epochs)
    with tempfile.TemporaryDirectory() as folder:  # trainings are short: an interrupted one starts over
        module, progress = supervised.train(known.build, learnt, held_out, how, Path(folder) / "resume")
    values = supervised.predictions(module, test.inputs).numpy()
    found = by_game(test.games, labels(values) == test.values, (values - test.values) ** 2)
    return {
        "games": [list(game) for game in zip(*found.values(), strict=True)],  # game, states, right, error
        "epochs": progress.epochs,
        "best_epoch": progress.best_epoch,
    }
