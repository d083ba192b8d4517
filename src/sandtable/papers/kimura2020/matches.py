"""Stages `matches` and `long_matches`: the networks against PMC and MCTS (section 4.2) on Map01 (Table 1) and Map02
(section 4.3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sandtable import tubstap
from sandtable.papers.kimura2020.settings import ATTACK_BONUS, Settings, Variant
from sandtable.papers.kimura2020.training import train_long, train_short
from sandtable.papers.matches import Contestant, Match, match_stage
from sandtable.papers.run import Run
from sandtable.papers.training import weights
from sandtable.rng import Rng

OPPONENTS = ("PMC", "MCTS")
GROUNDS = {"Map01": "kimura-map01", "Map02": "kimura-map02"}
SKIRMISHES = "skirmishes"


@match_stage(
    "matches",
    lambda settings: [variant.name for variant in settings.trained("short")],
    needs=(train_short,),
    settings=("match_games", "playouts", "mcts_simulations"),
)
def play_matches(run: Run, settings: Settings, _: Any) -> list[Match]:
    """The matches of the short trainings. The stage's results have names such as `Map01 short-sep-8 PMC`."""
    matches = []
    for variant in settings.trained("short"):
        matches += against_opponents(settings, "Map01", contestant(run, settings, variant), settings.match_games)
    return matches


@match_stage(
    "long_matches",
    lambda settings: [variant.name for variant in settings.trained("long")],
    needs=(train_long,),
    settings=("match_games", "long_match_games", "playouts", "mcts_simulations"),
    when=lambda settings: settings.long_games,
)
def play_long_matches(run: Run, settings: Settings, _: Any) -> list[Match]:
    """The same for the long trainings. The network with all of the paper's components plays more games, and on both
    maps."""
    matches = []
    for variant in settings.trained("long"):
        complete = variant.attack
        for ground in GROUNDS if complete else ("Map01",):
            games = settings.long_match_games if complete and ground == "Map01" else settings.match_games
            matches += against_opponents(settings, ground, contestant(run, settings, variant), games)
    return matches


def against_opponents(settings: Settings, ground: str, own: Contestant, games: int) -> list[Match]:
    """A match of `games` games on one of the paper's maps against each of its opponents."""
    maps = [tubstap.load(GROUNDS[ground])] * max(1, games // 2)
    return [Match(ground, own, opponent(settings, name), maps) for name in OPPONENTS]


def skirmishes(settings: Settings) -> list[tubstap.Scenario]:
    """Random maps for two deterministic players, which would repeat the same two games on a single map."""
    rng = Rng(settings.seed, "kimura2020 skirmishes")
    return [
        tubstap.maps.skirmish(rng.below(2**32 - 1), red=2, blue=2) for _ in range(max(1, settings.match_games // 2))
    ]


def contestant(run: Run, settings: Settings, variant: Variant, name: str = "") -> Contestant:
    """PV-MCTS with a variant's network, and with the attack term if its training had it. `name`: another network of
    this variant than the one in Table 1."""
    name = name or variant.name
    return policy_player(name, weights(run, name), settings, ATTACK_BONUS if variant.attack else 0.0)


def policy_player(name: str, path: Path, settings: Settings, bonus: float) -> Contestant:
    net = str(path.resolve())
    return Contestant.playing(name, "pvmcts", path, net=net, simulations=settings.simulations, attack_bonus=bonus)


def opponent(settings: Settings, name: str) -> Contestant:
    """An opponent of section 4.2 by its name."""
    if name == "PMC":
        return Contestant.playing(name, "pmc", playouts=settings.playouts)
    return Contestant.playing(name, "uct", simulations=settings.mcts_simulations, c=1.0, expand_after=10)
