"""Stage `training_seeds`: the networks trained again with other seeds. It is not in the paper. With it, intervals for
the order of the networks include the variance between trainings, not only that between test games."""

from __future__ import annotations

import functools
import itertools
import tempfile
from pathlib import Path
from typing import Any

from sandtable.learn import samples
from sandtable.papers.accuracy import ByGame, by_game, cells_over_trainings
from sandtable.papers.dataset import folder
from sandtable.papers.li2022 import published
from sandtable.papers.li2022.accuracy import measure_accuracy
from sandtable.papers.li2022.compose import NAMES
from sandtable.papers.li2022.data import check_records
from sandtable.papers.li2022.settings import NETWORKS, Settings
from sandtable.papers.li2022.training import labels, train, train_networks
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.tables import Table
from sandtable.rng import Rng

BySeed = dict[str, list[ByGame]]  # by network, with an entry for each seed


def seeds(settings: Settings) -> list[int]:
    """The seeds with which every network is trained; the other stages use the first."""
    return [
        settings.seed,
        *(Rng(settings.seed, f"li2022 training {n}").below(2**32 - 1) for n in range(1, settings.training_seeds)),
    ]


@stage(
    "training_seeds",
    needs=(check_records, train_networks, measure_accuracy),
    settings=("training_seeds",),
    when=lambda settings: settings.training_seeds > 1,
)
def train_with_seeds(run: Run, settings: Settings, records: dict[str, Any], _: Any, accuracy: dict[str, Any]) -> BySeed:
    """Every network's results on each test game, by seed."""
    others = seeds(settings)[1:]
    trainings = [(network, seed) for network in NETWORKS for seed in others]
    tasks = [
        functools.partial(
            _train_and_test,
            network,
            settings,
            seed,
            *(folder(run, part, settings.architecture(network).encoder.name) for part in ("train", "test")),
        )
        for network, seed in trainings
    ]
    depends = train_with_seeds.depends(settings) | {"records": records["digest"]}
    found: BySeed = {network: [accuracy[network]["by_game"]] for network in NETWORKS}
    for (network, _), one in zip(trainings, run.collect("training_seeds", depends, tasks, here=True), strict=True):
        found[network].append(one)
    return found


def _train_and_test(network: str, settings: Settings, seed: int, train_folder: Path, test_folder: Path) -> ByGame:
    from sandtable.learn import supervised

    learnt, test = samples.load(train_folder), samples.load(test_folder)
    with tempfile.TemporaryDirectory() as scratch:  # an interrupted training starts over
        module, _ = train(network, settings, learnt, test, Path(scratch) / network, seed)
    values = supervised.predictions(module, test.inputs).numpy()
    return by_game(test.games, labels(values) == test.values, (values - test.values) ** 2)


def seed_tables(found: BySeed) -> list[Table]:
    """Accuracy and squared error over all trainings, and differences between networks; no tables if the stage was left
    out."""
    if not found:
        return []
    printed = {network: published.ACCURACY[network]["overall"] for network in NETWORKS}
    levels = [(NAMES[network], *cells_over_trainings(found[network], printed=printed[network])) for network in NETWORKS]
    pairs = [
        (
            f"{NAMES[second]} - {NAMES[first]}",
            *cells_over_trainings(found[second], found[first], round(printed[second] - printed[first], 1)),
        )
        for first, second in itertools.combinations(NETWORKS, 2)
    ]
    title = f"{len(found[NETWORKS[0]])} trainings of each network"
    return [
        Table.of("seeds", title, ("network", "accuracy, %", "squared error"), levels, digits=(1, 1, 3)),
        Table.of(
            "seeds_paired",
            f"{title}: differences of two, game by game",
            ("networks", "accuracy, points", "squared error"),
            pairs,
            digits=(1, 1, 3),
        ),
    ]
