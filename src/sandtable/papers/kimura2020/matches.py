"""Stage `matches`: the networks against PMC and MCTS (section 4.2) on Map01 (Table 1) and Map02 (section 4.3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sandtable import tubstap
from sandtable.papers.kimura2020.settings import ATTACK_BONUS, FIRST_READINGS, Settings, Variant
from sandtable.papers.kimura2020.training import TRAINING_SETTINGS, train_variants
from sandtable.papers.matches import Contestant, Match, count_thinking, play_all
from sandtable.papers.run import Run
from sandtable.papers.training import digests, weights
from sandtable.rng import Rng

OPPONENTS = ("PMC", "MCTS")
GROUNDS = {"Map01": "kimura-map01", "Map02": "kimura-map02"}
SKIRMISHES = "skirmishes"


def play_matches(run: Run, settings: Settings) -> dict[str, Any]:
    """Each result by its name, such as `Map01 short-sep-8 PMC`."""
    train_variants(run, settings)

    def work() -> dict[str, Any]:
        matches = []
        for variant in settings.trained():
            longer = variant.time == "long"
            games = settings.long_match_games if longer and variant.attack else settings.match_games
            for ground in GROUNDS if longer and variant.attack else ("Map01",):
                count = games if ground == "Map01" else settings.match_games
                maps = [tubstap.load(GROUNDS[ground])] * max(1, count // 2)
                own = contestant(run, settings, variant)
                matches += [Match(ground, own, opponent(settings, name), maps) for name in OPPONENTS]
        return play_all(run, matches, settings.seed)

    names = [variant.name for variant in settings.trained()]
    others = ("match_games", "long_match_games", "playouts", "mcts_simulations")
    depends = settings.only(*TRAINING_SETTINGS, *others) | settings.only(*FIRST_READINGS) | digests(run, names)
    found: dict[str, Any] = run.make("matches", depends, work)
    count_thinking(run, found)
    return found


def skirmishes(settings: Settings) -> list[tubstap.Scenario]:
    """Random maps, for two players that leave nothing to chance: on one map they would play the same two games again
    and again."""
    rng = Rng(settings.seed, "kimura2020 skirmishes")
    return [
        tubstap.maps.skirmish(rng.below(2**32 - 1), red=2, blue=2) for _ in range(max(1, settings.match_games // 2))
    ]


def contestant(run: Run, settings: Settings, variant: Variant) -> Contestant:
    """PV-MCTS with a variant's network, the attack term as in its training."""
    path = weights(run, variant.name)
    bonus = ATTACK_BONUS if variant.attack else 0.0
    return policy_player(variant.name, path, settings, bonus)


def policy_player(name: str, path: Path, settings: Settings, bonus: float) -> Contestant:
    net = str(path.resolve())
    return Contestant.playing(name, "pvmcts", path, net=net, simulations=settings.simulations, attack_bonus=bonus)


def opponent(settings: Settings, name: str) -> Contestant:
    """Section 4.2."""
    if name == "PMC":
        return Contestant.playing(name, "pmc", playouts=settings.playouts)
    return Contestant.playing(name, "uct", simulations=settings.mcts_simulations, c=1.0, expand_after=10)
