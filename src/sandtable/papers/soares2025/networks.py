"""Stages `network_training` and `networks`: other layers instead of the thesis's, trained for equal time.

The thesis's network, a plain graph convolution and the layers of our own network for Conquest learn from all games of
the three iterations in the same way, each for the same processor time; then they play each other, in the same searches
with the same budget.
"""

from __future__ import annotations

import itertools
from typing import Any

from sandtable.papers.matches import score
from sandtable.papers.run import Run
from sandtable.papers.soares2025.budgets import play_beyond
from sandtable.papers.soares2025.data import Data
from sandtable.papers.soares2025.matches import GA_POLICY, GUIDED, Entry, Results, pooled
from sandtable.papers.soares2025.settings import ITERATIONS, MAPS, Settings
from sandtable.papers.soares2025.training import data_until, train_some, usual
from sandtable.papers.stages import stage
from sandtable.papers.tables import Table
from sandtable.papers.training import weights

# Training.layers by the name in tables; the thesis's layers are "".
LAYERS = {"thesis": "", "territories": "territories", "plain GCN": "gcn"}
PAIRS = tuple(itertools.combinations(LAYERS, 2))
PLAYERS = (GUIDED, GA_POLICY)
TEXT = (
    "Three networks with the thesis's inputs and heads: one with its layers, one with those of our network for "
    "Conquest (`src/sandtable/nets/territories.py`), and one with a plain graph convolution that knows nothing of "
    "bonuses. Each was trained on all games of the three iterations for {seconds:g} seconds of processor time, with "
    "one training seed; the epoch with the least loss on held-out games is kept."
)


@stage("network_training", needs=data_until(ITERATIONS), when=lambda settings: settings.network_games)
def train_networks(run: Run, settings: Settings, _: Any, *data: Data) -> dict[str, Any]:
    """The learning curves, by the networks' names."""
    trainings = {
        usual(settings, net_of(name), ITERATIONS)._replace(layers=layers, seconds=settings.network_seconds): data
        for name, layers in LAYERS.items()
    }
    return train_some(run, settings, "network_training", trainings)


@stage("networks", needs=(train_networks,), when=lambda settings: settings.network_games)
def play_networks(run: Run, settings: Settings, _: Any) -> Results:
    """Every pair of networks in the same searches."""
    pairs = [(_with_layers(one, first), _with_layers(one, second)) for one in PLAYERS for first, second in PAIRS]
    return play_beyond(run, settings, "networks", MAPS, pairs, settings.network_games)


def tables(run: Run, found: Results, trained: dict[str, Any]) -> list[Table]:
    from sandtable.nets.checkpoints import read_card

    summaries = []
    for name in LAYERS:
        curve = trained[net_of(name)]["curve"]
        best = trained[net_of(name)]["best_epoch"]
        seconds = sum(row["processor_seconds"] for row in curve)
        held_out = (float(curve[best - 1][f"held_out_{part}loss"]) for part in ("", "policy_", "value_"))
        summaries.append((name, read_card(weights(run, net_of(name))).weights, seconds, len(curve), best, *held_out))
    rows = [
        (
            f"{first} - {second}",
            *(score(pooled(found, _with_layers(one, first).name, _with_layers(one, second).name)) for one in PLAYERS),
        )
        for first, second in PAIRS
    ]
    losses = ("loss", "policy loss", "value loss")
    columns = ("layers", "weights", "seconds", "epochs", "best epoch", *(f"held out: {one}" for one in losses))
    return [
        Table.of(
            "network_trainings", "Networks trained for equal time", columns, summaries, digits=(1, 1, 0, 1, 1, 3, 3, 3)
        ),
        Table.of(
            "networks",
            "Scores of the first against the second, %",
            ("layers", *(one.name for one in PLAYERS)),
            rows,
        ),
    ]


def net_of(name: str) -> str:
    return f"layers-{name.replace(' ', '-').lower()}"


def _with_layers(player: Entry, name: str) -> Entry:
    return player._replace(name=f"{player.name}, {name}", net=net_of(name))
