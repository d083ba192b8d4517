"""Stages `curve_games`, `curve_training`, `curve_ceiling`: accuracy by the number of training games, beside that of a
perfect value network. They are not in the paper. They show whether the data, the input or the layers limit a network.

The games follow the second readings: the last games of the local search, with a tie after 40 turns without damage. For
some sizes there are also games by the first tie rule. Players have fewer rollouts than in the paper, so that there can
be many games. For each size a network is trained several times, each time with another seed and, while the games
suffice, with other games; all networks are tested on the same games. Each block of games and each size has its own log,
so that more of both can be added.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sandtable.arena import Record
from sandtable.learn import samples
from sandtable.learn.processor import prepare_for_training
from sandtable.nets.architectures import ARCHITECTURES
from sandtable.papers.accuracy import ByGame, by_game
from sandtable.papers.games import LABELS, Place, fresh_game, keep_records
from sandtable.papers.li2022.accuracy import CEILING_SETTINGS, ceiling_of, play_on
from sandtable.papers.li2022.data import games, generator_options, map_with_last_game
from sandtable.papers.li2022.settings import Settings
from sandtable.papers.li2022.training import hyperparameters, labels
from sandtable.papers.run import Cost, Run
from sandtable.papers.stages import stage
from sandtable.players.spec import PlayerSpec
from sandtable.rng import Rng

if TYPE_CHECKING:
    from torch import nn

RULES = (40, 20)  # turns without damage until a tie: the second reading, and the first
TOKENS = "tokens"  # our network, for which the core has a policy encoder but no value encoder
NETWORKS = ("cnn_i", "cnn_g", "gcn_4", "gcn_4_kernel", "takahashi_gcn", TOKENS)
FIRST_RULE_NETWORKS = NETWORKS[:4]  # the paper's
BLOCK = 1000  # games in a log
# Map numbers modulo 25 of two kinds; all others are local search. About the proportions of the paper's data.
RANDOM, SYMMETRIC = (0, 12), (4, 9, 18)
TEST = "test"


class Games(NamedTuple):
    """The files of the training and test games, and the digest of both."""

    learnt: list[Path]
    test: Path
    digest: str


class Training(NamedTuple):
    network: str
    size: int
    repeat: int


Results = dict[int, dict[Training, ByGame]]  # by tie rule


def asked(settings: Settings) -> bool:
    return settings.curve_repeats > 0


def sizes(settings: Settings, rule: int) -> list[int]:
    return sorted({*(settings.curve_sizes if rule == RULES[0] else settings.curve_first_rule)})


def networks(rule: int) -> tuple[str, ...]:
    return NETWORKS if rule == RULES[0] else FIRST_RULE_NETWORKS


def repeats(settings: Settings, rule: int, size: int) -> int:
    """The number of trainings for a size; each has its own games."""
    return max(1, min(settings.curve_repeats, sizes(settings, rule)[-1] // size))


def curve_seeds(settings: Settings) -> list[int]:
    """The training seeds for a size, one for each repeat."""
    return [Rng(settings.seed, f"li2022 curve {repeat}").below(2**32 - 1) for repeat in range(settings.curve_repeats)]


def kind_of(number: int) -> str:
    place = number % 25
    return "random" if place in RANDOM else "symmetric" if place in SYMMETRIC else "local_search"


@stage("curve_games", settings=("seed", "curve_rollouts", "curve_test_games"), when=asked)
def play_curve_games(run: Run, settings: Settings) -> dict[int, Games]:
    """The games by tie rule. The maps of both rules have the same seeds."""
    before = set(run.costs)
    found = {rule: _games(run, settings, rule) for rule in RULES}
    _merge_costs(run, play_curve_games.name, before)
    return found


def _games(run: Run, settings: Settings, rule: int) -> Games:
    most = sizes(settings, rule)[-1]
    blocks = {str(start // BLOCK): range(start, start + BLOCK) for start in range(0, most, BLOCK)}
    blocks[str((most - 1) // BLOCK)] = range((most - 1) // BLOCK * BLOCK, most)
    blocks[TEST] = range(settings.curve_test_games)
    files = {block: _play_block(run, settings, rule, block, numbers) for block, numbers in blocks.items()}
    content = hashlib.sha256("".join(digest for _, digest in files.values()).encode())
    learnt = [path for block, (path, _) in files.items() if block != TEST]
    return Games(learnt, files[TEST][0], content.hexdigest()[:16])


def _play_block(run: Run, settings: Settings, rule: int, block: str, numbers: range) -> tuple[Path, str]:
    """Play a block of games: their file and its digest. A block that is not full has its own log."""
    own = dataclasses.replace(settings, quiet_limit=rule, local_search_rollouts=settings.curve_rollouts)
    options, seed_of = generator_options(own), games(own).seed_of
    player = str(PlayerSpec.of("uct", simulations=settings.curve_rollouts))
    use = "curve test" if block == TEST else "curve"
    tasks = [
        functools.partial(_game, kind_of(number), seed_of(Place(use, kind_of(number), number)), options, player)
        for number in numbers
    ]
    name = f"curve_games-{rule}-{block}" + ("" if len(numbers) == BLOCK else f"-{len(numbers)}")
    depends = settings.only("seed", "curve_rollouts") | {"rule": rule, "use": use, "first": numbers.start}
    path = run.folder / "curves" / f"{name}.jsonl"
    lines = run.collect(name, depends, tasks)
    up_to_date = path.is_file() and path.read_text() == "".join(f"{line}\n" for line in lines)
    return path, _digest(path) if up_to_date else keep_records(path, lines)


def _game(kind: str, seed: int, options: dict[str, dict[str, Any]], player: str) -> str:
    """The verified game of a map: the last one of the local search, or a fresh one if there was no search."""
    made = map_with_last_game(kind, seed, options[kind])
    line = made["game"] or fresh_game("tubstap", made["map"], player, seed)
    Record.from_line(line).verify()
    return line


@stage(
    "curve_records",
    needs=(play_curve_games,),
    settings=("curve_sizes", "curve_first_rule", "curve_repeats"),
    when=asked,
)
def describe_curve_games(run: Run, settings: Settings, played: dict[int, Games]) -> dict[str, Any]:
    """The number of games, and of their states by label, for each tie rule."""

    def work() -> dict[str, Any]:
        return {str(rule): _described([*found.learnt, found.test]) for rule, found in played.items()}

    depends = describe_curve_games.depends(settings)
    digests = {str(rule): found.digest for rule, found in played.items()}
    found: dict[str, Any] = run.make("curve_records", depends | {"records": digests}, work, renew=True)
    return found


def _described(files: list[Path]) -> dict[str, Any]:
    games, states = 0, Counter[str]()
    for path in files:
        for line in path.read_text().splitlines():
            games += 1
            states.update(LABELS[value] for value in samples.positions(Record.from_line(line))[1])
    return {"games": games, "states": dict(states)}


@stage(
    "curve_training",
    needs=(play_curve_games,),
    settings=("batch", "learning_rate", "held_out", "best_by", "curve_patience", "curve_max_epochs"),
    when=asked,
)
def train_curves(run: Run, settings: Settings, played: dict[int, Games]) -> Results:
    """The results of every network on each test game, with a log for each tie rule and size."""
    before = set(run.costs)
    found: Results = {rule: {} for rule in RULES}
    for rule in RULES:
        for size in sizes(settings, rule):
            found[rule] |= _train_size(run, settings, rule, size, played[rule])
    _merge_costs(run, train_curves.name, before)
    return found


def _train_size(run: Run, settings: Settings, rule: int, size: int, played: Games) -> dict[Training, ByGame]:
    trainings = [
        Training(network, size, repeat) for repeat in range(repeats(settings, rule, size)) for network in networks(rule)
    ]
    learnt = {one.repeat: _chosen(played.learnt, one) for one in trainings}
    digests = {
        str(repeat): hashlib.sha256("".join(lines).encode()).hexdigest()[:16] for repeat, lines in learnt.items()
    }
    depends = train_curves.depends(settings) | {"records": digests, "test": _digest(played.test), "rule": rule}
    name = f"curve_training-{rule}-{size}"
    tasks = [functools.partial(_train, one, settings, played, run.folder / "curves" / name) for one in trainings]
    return dict(zip(trainings, run.collect(name, depends, tasks, here=True), strict=True))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _chosen(files: list[Path], one: Training) -> list[str]:
    """The records of a training. No two repeats share a game."""
    lines = [line for path in files for line in path.read_text().splitlines()]
    return lines[one.repeat * one.size : (one.repeat + 1) * one.size]


def _train(one: Training, settings: Settings, played: Games, into: Path) -> ByGame:
    """Train a network: its results on the test games. An interrupted training continues after its last epoch."""
    from sandtable.learn import supervised

    prepare_for_training()
    encode, build = _network(one.network)
    learnt = encode(_chosen(played.learnt, one))
    seed = curve_seeds(settings)[one.repeat]
    held_out = samples.held_out_by_game(learnt.games, settings.held_out, seed)
    how = hyperparameters(settings, seed, settings.curve_patience, settings.curve_max_epochs)
    into.mkdir(parents=True, exist_ok=True)
    module, _ = supervised.train(build, learnt, held_out, how, into / f"{one.network}-{one.repeat}.resume")
    test = encode(played.test.read_text().splitlines())
    values = supervised.predictions(module, test.inputs).numpy()
    return by_game(test.games, labels(values) == test.values, (values - test.values) ** 2)


def _network(name: str) -> tuple[Callable[[list[str]], samples.Samples], Callable[[], nn.Module]]:
    """Functions that encode records as the network's inputs, and that build the network."""
    make: Callable[[], samples.StateEncoder]
    build: Callable[[], nn.Module]
    if name == TOKENS:
        from sandtable.papers.li2022.token_values import TokenEncoder, TokenValues

        make, build = TokenEncoder, TokenValues
    else:
        make, build = ARCHITECTURES[name].encoder.make, ARCHITECTURES[name].build

    def encode(lines: list[str]) -> samples.Samples:
        records = [Record.from_line(line) for line in lines]
        return samples.encoded_by(records, range(len(records)), make())

    return encode, build


@stage("curve_ceiling", needs=(play_curve_games,), settings=CEILING_SETTINGS, when=asked)
def measure_curve_ceiling(run: Run, settings: Settings, played: dict[int, Games]) -> dict[str, Any]:
    """The best possible accuracy on test games of the second reading: see accuracy.measure_ceiling()."""
    test = played[RULES[0]].test
    lines = test.read_text().splitlines()
    places = [(game, ply) for game, line in enumerate(lines) for ply in range(_states(line))]
    rng = Rng(settings.seed, "li2022 curve ceiling")
    chosen = [places[i] for i in sorted(rng.sample(range(len(places)), min(settings.ceiling_states, len(places))))]
    depends = measure_curve_ceiling.depends(settings) | {"records": _digest(test)}
    asked_of = ((lines[game], ply) for game, ply in chosen)
    results = play_on(run, "curve_ceiling-games", depends, asked_of, settings.curve_rollouts, settings, rng)

    def work() -> dict[str, Any]:
        return ceiling_of(results, np.array([game for game, _ in chosen]))

    return measure_curve_ceiling.make(run, settings, work, records=depends["records"])


def _states(line: str) -> int:
    return len(samples.positions(Record.from_line(line))[1])


def _merge_costs(run: Run, stage: str, before: set[str]) -> None:
    """Count the costs of a stage's logs as one."""
    parts = [run.costs.pop(name) for name in list(run.costs) if name not in before]
    commits = tuple(dict.fromkeys(commit for part in parts for commit in part.commits))
    run.costs[stage] = Cost(sum(part.seconds for part in parts), sum(part.core_seconds for part in parts), commits)
