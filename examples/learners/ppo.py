"""Shared by the learners here: the settings of sb3-contrib's maskable PPO, its training, and the command."""

import argparse
import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import gymnasium
import torch
from games import PLACES, Games, Score, match
from sb3_contrib import MaskablePPO

import sandtable.adapters.gymnasium  # noqa: F401 (registers the environments)


@dataclass(frozen=True)
class Settings:
    environment: str
    map: str
    options: dict[str, str]  # further options of the environment
    opponents: dict[str, int]  # to learn against, and how many games at once
    steps: int  # decisions of the learner, in all games together
    steps_per_update: int  # in each game
    batch: int
    epochs: int
    learning_rate: float  # at the beginning; it falls linearly to 0
    discount: float
    entropy_weight: float
    layers: tuple[int, ...]  # widths of the hidden layers, of the policy and of the value each
    shaping: float  # docs/rl.md
    seed: int = 1


Group = Callable[[list[gymnasium.vector.VectorEnv], Settings, int], Games]


def plain(groups: list[gymnasium.vector.VectorEnv], settings: Settings, seed: int) -> Games:
    return Games(groups, seed)


def groups(settings: Settings, opponents: dict[str, int], **more: object) -> list[gymnasium.vector.VectorEnv]:
    return [
        gymnasium.make_vec(
            settings.environment,
            num_envs=games,
            map=settings.map,
            opponent=opponent,
            autoreset_mode="SameStep",
            **settings.options,
            **more,
        )
        for opponent, games in opponents.items()
    ]


def train(settings: Settings, group: Group = plain) -> MaskablePPO:
    torch.set_num_threads(1)
    model = MaskablePPO(
        "MultiInputPolicy",
        group(groups(settings, settings.opponents, shaping=settings.shaping), settings, settings.seed),
        n_steps=settings.steps_per_update,
        batch_size=settings.batch,
        n_epochs=settings.epochs,
        learning_rate=lambda left: settings.learning_rate * left,
        gamma=settings.discount,
        ent_coef=settings.entropy_weight,
        policy_kwargs={"net_arch": list(settings.layers)},
        seed=settings.seed,
        device="cpu",
    )
    return model.learn(settings.steps)


def score(model: MaskablePPO, settings: Settings, opponent: str, games: int, group: Group = plain) -> Score:
    """The score in new games: their seeds are not those of the training."""
    return match(
        model,
        lambda side: group(
            groups(settings, {opponent: PLACES}, side=side), settings, 10**6 * (settings.seed + side + 1)
        ),
        games,
    )


def command(defaults: Settings, matches: dict[str, int], group: Group = plain) -> None:
    """Train, and print the score against each opponent; `matches` has the number of games against each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=defaults.steps)
    parser.add_argument("--seed", type=int, default=defaults.seed)
    parser.add_argument("--map", default=defaults.map)
    parser.add_argument("--save", metavar="FILE.zip", help="Save the policy in Stable-Baselines3's format.")
    given = parser.parse_args()
    settings = dataclasses.replace(defaults, steps=given.steps, seed=given.seed, map=given.map)
    model = train(settings, group)
    if given.save:
        model.save(given.save)
    for opponent, games in matches.items():
        print(f"{settings.map}, against {opponent}: {score(model, settings, opponent, games, group)}", flush=True)
