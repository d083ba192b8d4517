"""Stage `pruned`: minimax of depth 2 to 4 over the operations that a policy likes, which li2022 leaves to be done.

The network is the recipe's last one (see fast.py). Each depth plays against the paper's MCTS on Map01, and against the
tree search with the same network on generated maps.
"""

from __future__ import annotations

from typing import Any

from sandtable import tubstap
from sandtable.papers.kimura2020.fast import player, recipe, snapshot, train_fast
from sandtable.papers.kimura2020.matches import GROUNDS, SKIRMISHES, opponent, skirmishes
from sandtable.papers.kimura2020.settings import Settings
from sandtable.papers.matches import Contestant, Match, play_all
from sandtable.papers.run import Run
from sandtable.papers.training import digests, weights

DEPTHS = (2, 3, 4)
WIDTH = 6  # operations that are followed below the root
TREE, MCTS = "tree", "MCTS"


def play_pruned(run: Run, settings: Settings) -> dict[str, Any]:
    """Results by name: `Map01 depth-3 MCTS`, `skirmishes depth-3 tree`."""
    train_fast(run, settings)
    minutes = recipe(settings).snapshots[-1]

    def work() -> dict[str, Any]:
        path = weights(run, snapshot(minutes))
        maps = [tubstap.load(GROUNDS["Map01"])] * max(1, settings.match_games // 2)
        tree = player(run, minutes, TREE, simulations=settings.fast_simulations)
        matches = []
        for depth in DEPTHS:
            search = {"depth": depth, "width": WIDTH, "evaluator": str(path.resolve())}
            own = Contestant.playing(called(depth), "minimax", path, **search)
            matches.append(Match("Map01", own, opponent(settings, MCTS), maps))
            matches.append(Match(SKIRMISHES, own, tree, skirmishes(settings)))
        return play_all(run, matches, settings.seed)

    counts = ("match_games", "fast_simulations", "mcts_simulations")
    depends = (
        settings.only(*counts) | {"width": WIDTH, "grounds": ["Map01", SKIRMISHES]} | digests(run, [snapshot(minutes)])
    )
    found: dict[str, Any] = run.make("pruned", depends, work)
    return found


def called(depth: int) -> str:
    return f"depth-{depth}"
