"""Stage `growth`: how accuracy grows with the number of games that a network learns from. Not in the paper; it tells
whether data or the network is what limits it."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

from sandtable.learn import samples
from sandtable.papers.accuracy import share_of_states
from sandtable.papers.dataset import folder
from sandtable.papers.li2022.data import check_records
from sandtable.papers.li2022.settings import Settings
from sandtable.papers.li2022.training import labels, train, train_networks
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.rng import Rng

NETWORK = "gcn_4"
SHARES = (0.125, 0.25, 0.5, 1.0)


@stage("growth", needs=(check_records, train_networks))
def measure_growth(run: Run, settings: Settings, records: dict[str, Any], _: Any) -> list[dict[str, Any]]:
    """For each share of the training games: how many, the error and the accuracy on all test states."""
    encoder = settings.architecture(NETWORK).encoder.name
    tasks = [
        functools.partial(
            _grown, share, settings, folder(run, "train", encoder), folder(run, "test", encoder), run.folder
        )
        for share in SHARES
    ]
    depends = measure_growth.depends(settings) | {"records": records["digest"]}
    return run.collect("growth", depends, tasks, here=True)


def _grown(share: float, settings: Settings, train_folder: Path, test_folder: Path, into: Path) -> dict[str, Any]:
    from sandtable.learn import supervised

    whole, test = samples.load(train_folder), samples.load(test_folder)
    games = sorted(set(whole.games.tolist()))
    chosen = Rng(settings.seed, f"li2022 growth {share}").sample(games, max(2, round(share * len(games))))
    part = whole.where(np.isin(whole.games, chosen))
    module, _ = train(NETWORK, settings, part, test, into / "growth" / f"{NETWORK}-{round(1000 * share)}")
    values = supervised.predictions(module, test.inputs).numpy()
    accuracy = share_of_states(labels(values) == test.values, test.games)
    return {"games": len(chosen), "error": float(np.mean((values - test.values) ** 2)), "accuracy": accuracy}
