"""Ablation: the effect of single recipe changes on strength. Each variant is trained for the same minutes on one core,
then plays against the recipe itself. The figures are in docs/fast-training.md.

    python benchmarks/recipe_variants.py [--minutes 5] [--games 100] [--folder runs/variants] [--workers 2]

Trainings that were stopped continue. Prints each variant's score in per cent against the unchanged recipe, with its 95%
interval, on maps with infantry, with mixed units in touch and with mixed units apart, and the games and updates of its
training.
"""

import argparse
import dataclasses
import functools
from pathlib import Path
from typing import Any

from sandtable import scale, tubstap
from sandtable.arena.playing import play
from sandtable.arena.tables import Cell
from sandtable.learn import recipe as recipes
from sandtable.learn import self_play_training
from sandtable.learn.recipe import Recipe

RECIPE = Path(__file__).parent.parent / "recipes" / "tubstap-fast.toml"
BASE = "as it is"
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    BASE: {},
    "8 simulations": {"search": {"simulations": 8, "considered": 4}},
    "32 simulations": {"search": {"simulations": 32}},
    "PUCT root": {"search": {"root": "puct"}},
    "half the updates": {"learning": {"updates_per_game": 0.2}},
    "twice the updates": {"learning": {"updates_per_game": 0.8}},
    "no fates": {"learning": {"fate_weight": 0.0}},
    "no mean of weights": {"learning": {"average": 0.0}},
    "tokens_32": {"network": {"architecture": "tokens_32"}},
    "tokens_96": {"network": {"architecture": "tokens_96"}},
}
SIMULATIONS = 64  # per decision, in the matches
GROUNDS = {
    "infantry": functools.partial(tubstap.maps.skirmish, red=3, blue=3),
    "in touch": functools.partial(tubstap.maps.battle, size=8, red=4, blue=4),
    "apart": functools.partial(tubstap.maps.mixed, size=10, units=4),
}


def varied(minutes: float, changes: dict[str, dict[str, Any]]) -> Recipe:
    recipe = recipes.load(RECIPE)
    parts = {name: dataclasses.replace(getattr(recipe, name), **change) for name, change in changes.items()}
    # The curriculum and the half-life of the learning rate are shortened with the training.
    share = minutes / recipe.minutes
    maps = tuple(dataclasses.replace(one, from_game=int(share * one.from_game)) for one in recipe.maps)
    learning = parts.pop("learning", recipe.learning)
    learning = dataclasses.replace(learning, half_life=max(1, int(share * learning.half_life)))
    strength = dataclasses.replace(recipe.strength, every=0)
    return dataclasses.replace(
        recipe, minutes=minutes, snapshots=(), maps=maps, learning=learning, strength=strength, **parts
    )


def train(folder: Path, minutes: float, name: str) -> dict[str, float]:
    self_play_training.train(varied(minutes, VARIANTS[name]), folder / name.replace(" ", "-"))
    return self_play_training.curve(folder / name.replace(" ", "-"))[-1]


def match(folder: Path, name: str, ground: str, games: int) -> list[int]:
    """Wins, losses and ties of a variant against the recipe as it is."""
    nets = [(folder / one.replace(" ", "-") / "net.safetensors").resolve() for one in (name, BASE)]
    own, base = (f"sandtable(net='{net}', choice=visits, simulations={SIMULATIONS})" for net in nets)
    counts = [0, 0, 0]
    for game in range(games):
        seat = game % 2
        pair = (own, base) if seat == 0 else (base, own)
        winner = play(GROUNDS[ground](10**6 + game // 2), *pair, seed=game).winner
        counts[2 if winner is None else int(winner != seat)] += 1
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--folder", type=Path, default=Path("runs/variants"))
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    names = list(VARIANTS)
    trained: dict[str, dict[str, float]] = {}
    tasks = [functools.partial(train, chosen.folder, chosen.minutes, name) for name in names]
    for done in scale.run(tasks, workers=chosen.workers):
        trained[names[done.place]] = value_of(done)
    pairs = [(name, ground) for name in names if name != BASE for ground in GROUNDS]
    scores: dict[tuple[str, str], Cell] = {}
    played = [functools.partial(match, chosen.folder, *pair, chosen.games) for pair in pairs]
    for done in scale.run(played, workers=chosen.workers):
        scores[pairs[done.place]] = Cell(*value_of(done))
    print(f"| variant | {' | '.join(GROUNDS)} | games | updates |")
    print("|" + "---|" * (len(GROUNDS) + 3))
    for name in names:
        row = ["" if name == BASE else score_text(scores[name, ground]) for ground in GROUNDS]
        print(f"| {name} | {' | '.join(row)} | {trained[name]['games']:,.0f} | {trained[name]['updates']:,.0f} |")


def value_of(done: scale.Done) -> Any:
    if done.error is not None:
        raise SystemExit(done.error)
    return done.value


def score_text(cell: Cell) -> str:
    low, high = cell.interval
    return f"{100 * cell.share:.0f} ({100 * low:.0f}..{100 * high:.0f})"


if __name__ == "__main__":
    main()
