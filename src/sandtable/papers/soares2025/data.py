"""Stages `data_1`, `data_2`, ...: games of a search against itself on each map (section 5.2.1), with every candidate's
visits: vanilla MCTS in the first iteration, guided MCTS with the latest network in the others.

A run may have several lines of iterations, each with data and networks of its own: the thesis's, whose name is empty,
and that of from_nothing.py.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from sandtable.arena import Record
from sandtable.papers.matches import spec_without_places
from sandtable.papers.run import Run, RunError
from sandtable.papers.soares2025 import searched_games
from sandtable.papers.soares2025.searches import NET, Blank, search
from sandtable.papers.soares2025.settings import Settings
from sandtable.papers.training import digests, weights
from sandtable.rng import Rng

# Searches of the first iteration. Coevolution evaluates by the untrained network, or by shares of armies and income.
FIRST_SEARCHES = {
    "mcts": search("mcts", iterations=Blank("vanilla_iterations")),
    "coevolution": search("coevolution", evaluator=NET, generations=Blank("generations")),
    "coevolution_share": search("coevolution", generations=Blank("generations")),
}
SEARCHES = {  # searches of later iterations, with the network of the previous one
    "guided": search("guided", net=NET, iterations=Blank("iterations")),
    "dropout": search("guided", net=NET, iterations=Blank("iterations"), dropout=True),
    "coevolution": search("coevolution", evaluator=NET, initialise="policy", generations=Blank("generations")),
}
# Lines of iterations, by name: the settings in which they differ from the run's.
LINES: dict[str, dict[str, str]] = {
    "": {},
    "from_nothing": {"first_search": "coevolution", "data_search": "coevolution"},
}
TASK = 500  # samples that a task makes


class File(NamedTuple):
    """The file with the games of a task, and its digest."""

    path: Path
    sha256: str
    map: str


class Data(NamedTuple):
    """The data that an iteration adds: samples, games and ties by map, and the files."""

    samples: dict[str, int]
    games: dict[str, int]
    ties: dict[str, int]
    files: list[File]


def net(iteration: int, line: str = "") -> str:
    """The name of an iteration's network; network 0 is untrained, and all lines share it."""
    return f"{line}-net-{iteration}".replace("_", "-") if line and iteration else f"net-{iteration}"


def stage_of(name: str, line: str) -> str:
    return f"{line}_{name}" if line else name


def settings_of(settings: Settings, line: str) -> Settings:
    """The run's settings, changed by those of a line of iterations."""
    return dataclasses.replace(settings, **LINES[line])  # type: ignore[arg-type]


def collect_games(run: Run, settings: Settings, iteration: int, search: str, line: str = "") -> Data:
    """Play the games that an iteration adds. The network that its search needs must exist."""
    usual = iteration == 1 or search == settings.data_search
    stage = stage_of(f"data_{iteration}" if usual else f"data_{iteration}_{search}", line)
    budget = {
        "vanilla_iterations": settings.vanilla_iterations,
        "iterations": settings.guided_iterations,
        "generations": settings.generations,
    }
    made_by = FIRST_SEARCHES[settings.first_search] if iteration == 1 else SEARCHES[search]
    network = net(iteration - 1, line)
    depends = settings.only("seed", "turn_limit", "rules") | {"samples": settings.added(iteration)}
    depends |= {"player": made_by.filled(net="NET", **budget)} | digests(run, [network] if made_by.has_net else [])
    player = made_by.filled(net=repr(str(weights(run, network).resolve())), **budget)
    parts = [
        (name, number, min(TASK, samples - number * TASK))
        for name, samples in settings.added(iteration).items()
        for number in range(-(-samples // TASK))
    ]
    paths = [run.folder / "games" / f"{stage}-{name}-{number:04d}.npz" for name, number, _ in parts]
    tasks = [
        functools.partial(_play, settings, name, player, f"{stage} {name} {number}", samples, path)
        for (name, number, samples), path in zip(parts, paths, strict=True)
    ]
    samples, games, ties = Counter[str](), Counter[str](), Counter[str]()
    files = []
    for (name, *_), path, found in zip(parts, paths, run.collect(stage, depends, tasks, here=True), strict=True):
        if not path.is_file():
            log = run.folder / f"{stage}.jsonl"
            raise RunError(f"{path}: missing, although its games were played; delete {log} to play them again")
        samples[name] += found["samples"]
        games[name] += found["games"]
        ties[name] += found["ties"]
        files.append(File(path, found["sha256"], name))
    return Data(dict(samples), dict(games), dict(ties), files)


def read_games(file: File) -> list[searched_games.Game]:
    """The games of a file; RunError or SandtableError unless they are those that were played."""
    check_games(file)
    return searched_games.load(file.path)


def check_games(file: File) -> None:
    """Raise RunError unless a file holds the games that were played."""
    if not file.path.is_file() or hashlib.sha256(file.path.read_bytes()).hexdigest() != file.sha256:
        log = file.path.parent.parent / f"{file.path.name.partition('-')[0]}.jsonl"
        raise RunError(f"{file.path}: missing, or not the games that were played; delete {log} to play them again")


def without_places(record: Record) -> Record:
    """The record with networks by their names instead of their files."""
    first, second = map(spec_without_places, record.players)
    return dataclasses.replace(record, players=(first, second))


def _play(settings: Settings, name: str, player: str, place: str, samples: int, path: Path) -> dict[str, Any]:
    """Play whole games until there are at least `samples` samples; save them."""
    rng = Rng(settings.seed, f"soares2025 {place}")
    land = settings.land(name)
    games: list[searched_games.Game] = []
    while sum(len(game.values) for game in games) < samples:
        game = searched_games.play(land, player, player, rng.below(2**32 - 1))
        games.append(game._replace(record=without_places(game.record)))
    searched_games.save(games, path)
    return {
        "samples": sum(len(game.values) for game in games),
        "games": len(games),
        "ties": sum(game.record.winner is None for game in games),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
