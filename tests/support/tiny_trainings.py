"""Trainings of TUBSTAP's networks that take seconds, and what must be the same in two of them."""

import dataclasses
import json
from pathlib import Path
from typing import Any

from safetensors import safe_open

from sandtable.learn.map_sources import Maps
from sandtable.learn.recipe import Learning, Network, Recipe, Search
from sandtable.nets import read_card
from sandtable.tubstap.training import self_play

TINY = {
    "kimura_sep_1": Recipe(
        name="tiny",
        network=Network("kimura_sep_1", dropout=0.2),
        maps=(Maps("skirmish", options={"red": [1, 2], "blue": 1}), Maps("technical", share=0.5, from_game=3)),
        seed=3,
        games=9,
        search=Search(simulations=6, lanes=2, games=3, cache=64),
        learning=Learning(batch=8, memory=60, first_update=12, updates_per_game=1.5, publish_every=5),
    ),
    "tokens_32": Recipe(
        name="tiny",
        network=Network("tokens_32"),
        maps=(Maps("battle", options={"size": [4, 5], "red": [1, 2], "blue": "red"}), Maps("kimura-map01", share=0.2)),
        seed=4,
        games=9,
        search=Search(root="gumbel", simulations=4, considered=3, full_share=0.6, lanes=3, games=3),
        learning=Learning(
            optimiser="adam",
            rate=0.003,
            half_life=50,
            batch=16,
            memory=200,
            first_update=20,
            updates_per_game=2,
            publish_every=6,
            average=0.9,
            fate_weight=0.3,
        ),
    ),
}


def digests(folder: Path) -> dict[str, str]:
    """The digests of a training's nets, from their cards: of the weights, without times."""
    return {path.stem: read_card(path).sha256 for path in folder.glob("*.safetensors")}


def training_state(folder: Path) -> dict[str, Any]:
    """All of a training that must not depend on when it was stopped."""
    with safe_open(folder / "resume", framework="pt") as file:
        about = json.loads(file.metadata()["training"])
        tensors = {key: file.get_tensor(key).numpy().tobytes() for key in file.keys()}  # noqa: SIM118
    progress = {
        key: value for key, value in about["progress"].items() if key != "seconds" and not key.startswith("spent")
    }
    games = {path.name: [game.moves.tolist() for game in self_play.load(path)] for path in folder.glob("games/*.npz")}
    return {
        **{"net": digests(folder), "progress": progress, "memory": about["memory"], "recent": about["recent"]},
        **{"tensors": tensors, "games": games, "published": digests(folder / "published").get(latest(folder))},
    }


def latest(folder: Path) -> str:
    return (folder / "published/latest").read_text().strip()


def with_options(**changes: Any) -> Recipe:
    return dataclasses.replace(TINY["tokens_32"], **changes)
