"""Stages `thinking` and `matches`: the authors' future work, the networks in a minimax against Monte-Carlo players on
maps with terrain, at the same seconds a decision."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from sandtable import tubstap
from sandtable.arena.playing import play_timed
from sandtable.nets.checkpoints import read_card
from sandtable.nets.evaluators import locate
from sandtable.papers.matches import Contestant, Match, match_stage
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.takahashi.settings import KINDS, Settings
from sandtable.papers.takahashi.training import train_models
from sandtable.papers.training import digests, weights
from sandtable.rng import Rng

MONTE_CARLO = ("muct", "uct", "pmc")
# The GCN against all three on both kinds of maps; two combined models against the strongest of them on the maps where
# terrain matters most.
PAIRS = (
    *((kind, "gcn", other) for kind in KINDS for other in MONTE_CARLO),
    *(("complex", model, "muct") for model in ("a", "b")),
)
NETWORKS_THAT_PLAY = sorted({f"{model}-{kind}-game" for kind, model, _ in PAIRS})
LEAST_SECONDS = 0.001
# Shares of the network's seconds that M-UCT gets in further matches on complex maps, which show how large the
# difference in strength is.
HANDICAPS = (0.5, 0.25, 0.125)


@stage("thinking", needs=(train_models,), settings=("thinking_maps",))
def measure_thinking(run: Run, settings: Settings, _: Any) -> dict[str, float]:
    """Mean seconds per decision of each network's player over games against `greedy`, by kind of maps and model."""

    def work() -> dict[str, float]:
        found = {}
        for kind, model in dict.fromkeys((kind, model) for kind, model, _ in PAIRS):
            one = _network(run, kind, model)
            maps = _maps(settings, kind, "thinking", settings.thinking_maps)
            play_timed(maps[0], one.spec, "greedy")  # warm-up: the first decision also loads the network
            clocks = [play_timed(map, one.spec, "greedy", seed).clocks[0] for seed, map in enumerate(maps[1:])]
            found[f"{kind} {model}"] = fmean(clock.seconds / clock.decisions for clock in clocks)
        return found

    return measure_thinking.make(run, settings, work, **digests(run, NETWORKS_THAT_PLAY))


@match_stage(
    "matches", lambda _: NETWORKS_THAT_PLAY, needs=(measure_thinking,), settings=("match_maps", "handicap_maps")
)
def play_matches(run: Run, settings: Settings, seconds: dict[str, float]) -> list[Match]:
    """The matches of the networks against the Monte-Carlo players. Results are named like `complex gcn muct`."""
    matches = []
    for kind, model, other in PAIRS:
        opponent = Contestant.playing(other, other, seconds=_budget(seconds[f"{kind} {model}"]))
        maps = _maps(settings, kind, f"{model} {other}", settings.match_maps)
        matches.append(Match(kind, _network(run, kind, model), opponent, maps))
    for share in HANDICAPS:
        opponent = Contestant.playing(handicapped(share), "muct", seconds=_budget(share * seconds["complex gcn"]))
        maps = _maps(settings, "complex", f"handicap {share}", settings.handicap_maps)
        matches.append(Match("complex", _network(run, "complex", "gcn"), opponent, maps))
    return matches


@match_stage(
    "alternative",
    lambda _: NETWORKS_THAT_PLAY,
    lambda: {"sandtable": read_card(locate("sandtable")).sha256},
    needs=(measure_thinking,),
    settings=("match_maps",),
)
def play_alternative(_: Run, settings: Settings, seconds: dict[str, float]) -> list[Match]:
    """The player `sandtable`, a tree search with a policy network, in the GCN's place against M-UCT. It plays the most
    visited move, as it did for the stored results."""
    matches = []
    for kind in KINDS:
        budget = _budget(seconds[f"{kind} gcn"])
        own = Contestant.playing("sandtable", "sandtable", locate("sandtable"), choice="visits", seconds=budget)
        maps = _maps(settings, kind, "gcn muct", settings.match_maps)
        matches.append(Match(kind, own, Contestant.playing("muct", "muct", seconds=budget), maps))
    return matches


def _budget(seconds: float) -> float:
    return max(LEAST_SECONDS, round(seconds, 4))


def handicapped(share: float) -> str:
    """The name of M-UCT with a share of the time."""
    return f"muct/{1 / share:.0f}"


def _network(run: Run, kind: str, model: str) -> Contestant:
    """A minimax with the network that was trained on that kind of maps with games divided."""
    return Contestant.with_network(model, weights(run, f"{model}-{kind}-game"))


def _maps(settings: Settings, kind: str, use: str, count: int) -> list[tubstap.Scenario]:
    rng = Rng(settings.seed, f"takahashi match {kind} {use}")
    return [tubstap.maps.GENERATORS[kind](rng.below(2**32 - 1)) for _ in range(count)]
