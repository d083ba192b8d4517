"""Stages `fast` and `fast_matches`: the paper's strength in an hour, by our recipe (recipes/tubstap-fast.toml).

The network after each of the recipe's snapshots against the paper's opponents on its maps; and, as the player
`sandtable`, the last one against the Monte-Carlo players at equal seconds a turn on maps with all kinds and terrains.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from sandtable import tubstap
from sandtable.learn import recipe as recipes
from sandtable.nets import checkpoints
from sandtable.papers.kimura2020.matches import GROUNDS, OPPONENTS, opponent
from sandtable.papers.kimura2020.settings import Settings
from sandtable.papers.matches import Contestant, Match, play_all
from sandtable.papers.run import Run
from sandtable.papers.training import digests, weights
from sandtable.players.spec import PlayerSpec
from sandtable.rng import Rng

RECIPE = Path(__file__).parents[2] / "recipes" / "tubstap-fast.toml"
RIVALS = ("muct", "uct")
TERRAIN = ("crossroads", "ford", "hills", "woodland", "pass", "causeway")  # hand-made maps with terrain
ARMIES = (4, 6, 10)  # units a side on generated maps


def recipe(settings: Settings) -> recipes.Recipe:
    """The shipped recipe, for the scale's minutes."""
    whole = recipes.load(RECIPE)
    share = settings.fast_minutes / whole.minutes
    snapshots = tuple(round(share * minutes, 3) for minutes in whole.snapshots)
    learning = whole.learning
    if share < 1:  # a short run learns from its first games
        learning = dataclasses.replace(learning, first_update=max(1, int(share * learning.first_update)))
    return dataclasses.replace(whole, minutes=settings.fast_minutes, snapshots=snapshots, learning=learning)


def train_fast(run: Run, settings: Settings) -> dict[str, Any]:
    """The recipe's curve; its snapshots are left among the run's networks."""
    chosen = recipe(settings)

    def work() -> dict[str, Any]:
        from sandtable.learn import self_play_training

        folder = weights(run, "fast").with_suffix("")
        self_play_training.train(chosen, folder, workers=run.workers)
        for minutes in chosen.snapshots:
            made = folder / "snapshots" / f"{minutes:g}min.safetensors"
            checkpoints.copy(made, weights(run, snapshot(minutes)))
        return {"curve": self_play_training.curve(folder)}

    found: dict[str, Any] = run.make("fast", settings.only("fast_minutes") | {"recipe": chosen.about()}, work)
    return found


def snapshot(minutes: float) -> str:
    return f"fast-{minutes:g}min"


def play_fast(run: Run, settings: Settings) -> dict[str, Any]:
    """Results by name: `Map01 fast-15min PMC`, and `battle-4 sandtable muct 0.1`."""
    train_fast(run, settings)
    snapshots = recipe(settings).snapshots

    def work() -> dict[str, Any]:
        matches = []
        for minutes in snapshots:
            for ground, map in GROUNDS.items():
                maps = [tubstap.load(map)] * max(1, settings.fast_games // 2)
                own = player(run, minutes, snapshot(minutes), simulations=settings.fast_simulations)
                matches += [Match(ground, own, opponent(settings, other), maps) for other in OPPONENTS]
        for seconds, games in ((0.1, settings.turn_games), (1.0, settings.long_turn_games)):
            own = player(run, snapshots[-1], "sandtable", seconds_per_turn=seconds)
            for ground in ("terrain", *(f"battle-{units}" for units in ARMIES)):
                for rival in RIVALS:
                    other = Contestant.playing(f"{rival} {seconds:g}", rival, seconds_per_turn=seconds)
                    matches.append(Match(ground, own, other, grounds(settings, ground, games)))
        return play_all(run, [match for match in matches if match.maps], settings.seed)

    counts = ("fast_games", "fast_simulations", "turn_games", "long_turn_games", "playouts", "mcts_simulations")
    depends = settings.only(*counts) | digests(run, [snapshot(minutes) for minutes in snapshots])
    found: dict[str, Any] = run.make("fast_matches", depends, work)
    return found


def player(run: Run, minutes: float, called: str, **budget: float) -> Contestant:
    """The player `sandtable` with a network of the run."""
    path = weights(run, snapshot(minutes))
    champion = PlayerSpec.parse(tubstap.GAME.champion)
    settings = dict(champion.settings) | {"net": str(path.resolve())} | budget
    return Contestant.playing(called, champion.name, path, **settings)


def grounds(settings: Settings, ground: str, games: int) -> list[tubstap.Scenario]:
    """Hand-made maps by turns, or generated ones, two games on each."""
    if ground == "terrain":
        return [tubstap.load(TERRAIN[i % len(TERRAIN)]) for i in range(games // 2)]
    units = int(ground.rpartition("-")[2])
    rng = Rng(settings.seed, f"kimura2020 {ground}")
    size = 8 if units < 6 else 10 if units < 10 else 12
    return [tubstap.maps.battle(rng.below(2**32 - 1), size=size, red=units, blue=units) for _ in range(games // 2)]
