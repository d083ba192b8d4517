"""Stages `graph`, `thinking` and `memory`: future work of kimura2020 and li2022.

`graph` trains a graph network of ours by the same self-play for as long as the image network's training took;
`thinking` measures seconds per decision by the number of units, whose growth the paper names as a drawback; `memory`
measures the memory and time of separable and of plain convolutions.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from statistics import fmean
from typing import Any

from sandtable import tubstap
from sandtable.nets.architectures import POLICIES
from sandtable.papers.kimura2020.matches import (
    OPPONENTS,
    SKIRMISHES,
    against_opponents,
    contestant,
    opponent,
    policy_player,
    skirmishes,
)
from sandtable.papers.kimura2020.settings import ATTACK_BONUS, BATCH, Settings, Variant
from sandtable.papers.kimura2020.training import by_self_play, train_short
from sandtable.papers.matches import Contestant, Match, play_all
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.training import digests, weights
from sandtable.papers.training_cost import cost_of
from sandtable.players.spec import player

IMAGE = Variant("short", 8)  # the network that the graph network is compared with
GRAPH = "graph"
ARMIES = (1, 2, 3, 4, 6, 8)  # units per side, on 6x6 cells


@stage(
    "graph",
    needs=(train_short,),
    settings=(
        *("seed", "simulations", "updates_per_game", "match_games", "playouts", "mcts_simulations"),
        "training_maps",
    ),
    inherits=False,
    when=lambda settings: settings.graph,
)
def train_graph(run: Run, settings: Settings, trained: dict[str, Any]) -> dict[str, Any]:
    """The last row of the graph network's curve, and its matches: on Map01 against PMC and MCTS, on generated maps
    against the image network."""
    minutes = max(0.001, round(trained[IMAGE.name]["last"]["minutes"], 3))

    def work() -> dict[str, Any]:
        original = settings.recipe(IMAGE)
        learning = dataclasses.replace(
            original.learning, optimiser="adam", rate=0.001, average=0.99, weight_decay=1e-4, l2=0.0
        )
        network = dataclasses.replace(original.network, architecture="tokens_64", dropout=0.0)
        recipe = dataclasses.replace(original, name=GRAPH, games=0, minutes=minutes, network=network, learning=learning)
        last = by_self_play(recipe, weights(run, GRAPH))["last"]
        own = graph(run, settings)
        matches = against_opponents(settings, "Map01", own, settings.match_games)
        matches.append(Match(SKIRMISHES, own, contestant(run, settings, IMAGE), skirmishes(settings)))
        return {"last": last, "matches": play_all(run, matches, settings.seed)}

    return train_graph.make(run, settings, work, **digests(run, [IMAGE.name]))


def graph(run: Run, settings: Settings) -> Contestant:
    """PV-MCTS with the graph network."""
    return policy_player(GRAPH, weights(run, GRAPH), settings, ATTACK_BONUS)


@stage(
    "thinking",
    needs=(train_short, train_graph),
    settings=("simulations", "thinking_maps", "playouts", "mcts_simulations"),
    inherits=False,
)
def measure_thinking(run: Run, settings: Settings, *_: Any) -> dict[str, dict[str, float]]:
    """Mean seconds of a first decision, by player and by the number of units per side."""

    def work() -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = {}
        networks = [contestant(run, settings, IMAGE), *([graph(run, settings)] if settings.graph else [])]
        for one in (*networks, *(opponent(settings, name) for name in OPPONENTS)):
            found[one.name] = {}
            for units in ARMIES:
                taken = []
                for seed in range(settings.thinking_maps):
                    fresh = player(one.spec)  # without a cache or tree from another map
                    state = tubstap.maps.skirmish(seed, red=units, blue=units).start()
                    begin = time.perf_counter()
                    fresh.act(state)
                    taken.append(time.perf_counter() - begin)
                found[one.name][str(units)] = fmean(taken)
        return found

    networks = [IMAGE.name, *([GRAPH] if settings.graph else [])]
    return measure_thinking.make(run, settings, work, **digests(run, networks))


@stage("memory", settings=("policy_head", "measurements"))
def measure_memory(run: Run, settings: Settings) -> dict[str, dict[str, float]]:
    """By architecture, the number of weights and the cost of a forward and backward pass of the paper's batch."""
    names = [settings.architecture(blocks, separable) for blocks in (6, 8) for separable in (True, False)]

    def work() -> dict[str, dict[str, float]]:
        costs = {name: cost_of(_step, name, batch=BATCH, processes=settings.measurements) for name in names}
        modules = {name: POLICIES[name].build() for name in names}
        return {
            name: cost | {"weights": sum(one.numel() for one in modules[name].parameters())}
            for name, cost in costs.items()
        }

    return measure_memory.make(run, settings, work, batch=BATCH)


def _step(name: str, batch: int) -> Callable[[], None]:
    """A forward and backward pass of a batch."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    module = POLICIES[name].build()
    planes = torch.rand(batch, 5, 6, 6)

    def step() -> None:
        values, logits = module(planes)
        (values.sum() + logits.sum()).backward()

    return step
