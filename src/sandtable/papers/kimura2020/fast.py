"""Stages `fast`, `fast_matches` and `pruned`: our recipe tubstap-fast, which aims at the paper's strength within an
hour.

The network of each of the recipe's snapshots plays against the paper's opponents on the paper's maps. The last network,
as the player `sandtable`, plays against Monte-Carlo players at equal seconds per turn, on maps with all kinds of units
and terrains.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from sandtable import tubstap
from sandtable.learn import recipe as recipes
from sandtable.nets import checkpoints
from sandtable.papers.kimura2020.matches import GROUNDS, SKIRMISHES, against_opponents, opponent, skirmishes
from sandtable.papers.kimura2020.settings import Settings
from sandtable.papers.matches import Contestant, Match, match_stage
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.training import weights
from sandtable.players.spec import PlayerSpec
from sandtable.rng import Rng

RECIPE = Path(__file__).parents[2] / "recipes" / "tubstap-fast.toml"
RIVALS = ("muct", "uct")
TERRAIN = ("crossroads", "ford", "hills", "woodland", "pass", "causeway")  # hand-made maps with terrain
KINDS = ("terrain", *(f"battle-{units}" for units in (4, 6, 10)))  # of maps; battle-N: generated, with N units per side
LONG_TURN = 1.0  # seconds
DEPTHS = (2, 3, 4)
WIDTH = 6  # operations searched at each node below the root
TREE, MCTS = "tree", "MCTS"


def recipe(settings: Settings) -> recipes.Recipe:
    """The shipped recipe, shortened or lengthened to the settings' minutes."""
    whole = recipes.load(RECIPE)
    share = settings.fast_minutes / whole.minutes
    snapshots = tuple(round(share * minutes, 3) for minutes in whole.snapshots)
    learning = whole.learning
    if share < 1:  # so that a short run learns from its first games
        learning = dataclasses.replace(learning, first_update=max(1, int(share * learning.first_update)))
    return dataclasses.replace(whole, minutes=settings.fast_minutes, snapshots=snapshots, learning=learning)


@stage("fast", settings=("fast_minutes",))
def train_fast(run: Run, settings: Settings) -> dict[str, Any]:
    """The curve of the training. Its snapshots are copied to the run's networks."""
    chosen = recipe(settings)

    def work() -> dict[str, Any]:
        from sandtable.learn import self_play_training

        folder = weights(run, "fast").with_suffix("")
        self_play_training.train(chosen, folder, workers=run.workers)
        for minutes in chosen.snapshots:
            made = folder / "snapshots" / f"{minutes:g}min.safetensors"
            checkpoints.copy(made, weights(run, snapshot(minutes)))
        return {"curve": self_play_training.curve(folder)}

    return train_fast.make(run, settings, work, recipe=chosen.about())


def snapshot(minutes: float) -> str:
    return f"fast-{minutes:g}min"


@match_stage(
    "fast_matches",
    lambda settings: map(snapshot, recipe(settings).snapshots),
    needs=(train_fast,),
    settings=(
        *("fast_games", "fast_simulations", "turn_games", "long_turn_games", "turn_seconds"),
        *("playouts", "mcts_simulations"),
    ),
    inherits=False,
)
def play_fast(run: Run, settings: Settings, _: Any) -> list[Match]:
    """The matches of the snapshots, and of the last network at equal times. Results are named like
    `Map01 fast-15min PMC` and `battle-4 sandtable muct 0.1`."""
    snapshots = recipe(settings).snapshots
    matches = []
    for minutes in snapshots:
        own = player(run, minutes, snapshot(minutes), simulations=settings.fast_simulations)
        for ground in GROUNDS:
            matches += against_opponents(settings, ground, own, settings.fast_games)
    for seconds, games in ((settings.turn_seconds, settings.turn_games), (LONG_TURN, settings.long_turn_games)):
        own = player(run, snapshots[-1], "sandtable", seconds_per_turn=seconds)
        for ground in KINDS if games > 1 else ():
            for rival in RIVALS:
                other = Contestant.playing(f"{rival} {seconds:g}", rival, seconds_per_turn=seconds)
                matches.append(Match(ground, own, other, grounds(settings, ground, games)))
    return matches


def player(run: Run, minutes: float, called: str, **budget: float) -> Contestant:
    """The player `sandtable` with the network of a snapshot. It plays the most visited move, as in the paper."""
    path = weights(run, snapshot(minutes))
    champion = PlayerSpec.parse(tubstap.GAME.champion).replace(choice="visits")
    settings = dict(champion.settings) | {"net": str(path.resolve())} | budget
    return Contestant.playing(called, champion.name, path, **settings)


def grounds(settings: Settings, ground: str, games: int) -> list[tubstap.Scenario]:
    """The maps of `games` games, two on each: hand-made ones in rotation, or generated ones."""
    if ground == "terrain":
        return [tubstap.load(TERRAIN[i % len(TERRAIN)]) for i in range(games // 2)]
    units = int(ground.rpartition("-")[2])
    rng = Rng(settings.seed, f"kimura2020 {ground}")
    size = 8 if units < 6 else 10 if units < 10 else 12
    return [tubstap.maps.battle(rng.below(2**32 - 1), size=size, red=units, blue=units) for _ in range(games // 2)]


@match_stage(
    "pruned",
    lambda settings: [snapshot(recipe(settings).snapshots[-1])],
    lambda: {"width": WIDTH, "grounds": ["Map01", SKIRMISHES]},
    needs=(train_fast,),
    settings=("match_games", "fast_simulations", "mcts_simulations"),
    inherits=False,
)
def play_pruned(run: Run, settings: Settings, _: Any) -> list[Match]:
    """Minimax of several depths over the operations that a policy prefers, future work of li2022: against the paper's
    MCTS on Map01, and against the tree search with the same network on generated maps. The stage's results have names
    such as `Map01 depth-3 MCTS` and `skirmishes depth-3 tree`."""
    minutes = recipe(settings).snapshots[-1]
    path = weights(run, snapshot(minutes))
    maps = [tubstap.load(GROUNDS["Map01"])] * max(1, settings.match_games // 2)
    tree = player(run, minutes, TREE, simulations=settings.fast_simulations)
    matches = []
    for depth in DEPTHS:
        search = {"depth": depth, "width": WIDTH, "evaluator": str(path.resolve())}
        own = Contestant.playing(depth_name(depth), "minimax", path, **search)
        matches.append(Match("Map01", own, opponent(settings, MCTS), maps))
        matches.append(Match(SKIRMISHES, own, tree, skirmishes(settings)))
    return matches


def depth_name(depth: int) -> str:
    return f"depth-{depth}"
