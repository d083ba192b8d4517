"""Training by self-play: a network plays itself, learns from the results of its searches, and plays on.

Workers play tasks of some games with the latest published weights; this process learns as the games come in. With one
worker nothing but the limit in minutes depends on the clock: the same recipe and seed give the same weights, whether or
not the training was interrupted. A training keeps everything in one folder:

    net.safetensors   the finished network, with card and ONNX; `published/` has the weights that workers play with
    games/            the games in the replay buffer
    resume            the checkpoint from which an interrupted training continues
    progress.jsonl    a line for every checkpoint; `tensorboard/` has the same for TensorBoard
    snapshots/        copies of the network after the recipe's numbers of minutes
"""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from sandtable import scale
from sandtable.arena.playing import play as play_game
from sandtable.carried import here
from sandtable.errors import CheckpointError, PlayerError, RecipeError, SandtableError
from sandtable.files import Lock, remove_unfinished, write_whole
from sandtable.games import game
from sandtable.learn.adapter import Played, adapter
from sandtable.learn.devices import device
from sandtable.learn.optimisation import l2_term, learning_rate, optimiser
from sandtable.learn.processor import prepare_for_training
from sandtable.learn.recipe import MAY_CHANGE, Recipe
from sandtable.learn.replay_buffer import ReplayBuffer
from sandtable.learn.resume import Tensors, fits, keep, kept_as, restore
from sandtable.machine import commit
from sandtable.nets import checkpoints
from sandtable.nets.architectures import TRAINABLE
from sandtable.nets.evaluators import locate
from sandtable.players import player
from sandtable.players.spec import files_of
from sandtable.texts import shown

VERSION = 1
DROPOUT_VERSION = 2  # of dropout's random numbers; before version 2 they were PyTorch's
CHECKPOINT_SECONDS = 60.0
LATEST = "latest"  # the file that names the weights that workers should use


@dataclass
class Progress:
    """The progress of a training. With one worker all fields except `seconds` and `spent_...` are reproducible."""

    tasks: int = 0  # tasks below this number are complete
    ahead: list[int] = field(default_factory=list)  # later tasks that are complete
    games: int = 0
    positions: int = 0
    updates: int = 0
    published: int = 0  # number of updates before the published weights
    seconds: float = 0.0
    losses: dict[str, float] = field(default_factory=dict)  # means over the latest updates
    spent_playing: float = 0.0  # seconds, by workers
    spent_forward: float = 0.0  # the part of it inside the network
    evaluated: int = 0
    hits: int = 0
    rows: int = 0
    batches: int = 0
    strength: dict[str, list[int]] = field(default_factory=dict)  # latest by "opponent on map": wins, losses, ties

    @property
    def possible(self) -> bool:
        """Whether a training can have this progress: the file that it was read from may have been edited."""
        times = (self.seconds, self.spent_playing, self.spent_forward)
        matches = all(len(counts) == 3 and sum(counts) for counts in self.strength.values())
        return all(0 <= time < 1e12 for time in times) and self.published <= self.updates and matches

    def figures(self) -> dict[str, float]:
        """The figures for people to read."""
        playing = max(self.spent_playing, 1e-9)
        found = {
            "minutes": self.seconds / 60,
            "games": self.games,
            "positions": self.positions,
            "updates": self.updates,
            "games_per_second": self.games / max(self.seconds, 1e-9),
            "evaluations_per_second": self.evaluated / max(self.seconds, 1e-9),
            "batch": self.evaluated / max(self.batches, 1),
            "cache_hits": self.hits / max(self.hits + self.evaluated, 1),
            "forward_share": self.spent_forward / playing,
        }
        return found | {f"{name}_loss": value for name, value in self.losses.items()}


def train(
    recipe: Recipe,
    folder: Path,
    *,
    workers: int = 1,
    ray: str | None = None,
    watch: Callable[[Progress], None] = lambda progress: None,
) -> Path:
    """Train by a recipe until its end, continuing an interrupted training; returns the file of the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = Lock(folder / "lock", RecipeError(f"{folder}: another process is at work on this training"))
    try:
        remove_unfinished(folder)
        return _Training(recipe, folder, workers, ray, watch).run()
    finally:
        lock.free()


def curve(folder: Path) -> list[dict[str, float]]:
    """The figures of a training's checkpoints; a line that was cut off is skipped."""
    rows = []
    for line in (folder / "progress.jsonl").read_text().splitlines():
        with contextlib.suppress(ValueError):
            rows.append({name: value for name, value in json.loads(line).items() if name != "strength"})
    return rows


class _Training:
    def __init__(
        self, recipe: Recipe, folder: Path, workers: int, ray: str | None, watch: Callable[[Progress], None]
    ) -> None:
        prepare_for_training()
        self.recipe, self.folder, self.workers, self.ray, self.watch = recipe, folder, workers, ray, watch
        torch.manual_seed(recipe.seed)
        self.device = device()
        self.module = _built(recipe).to(self.device)
        self.average: Tensors = copy.deepcopy(self.module.state_dict())
        self.optimizer = optimiser(self.module, recipe.learning)
        self.adapter = adapter(recipe.game)
        self.memory = ReplayBuffer(recipe, folder / "games")
        self.progress = Progress()
        self.recent: dict[str, list[float]] = {}
        self.about = {"version": VERSION, "recipe": json.loads(json.dumps(recipe.about()))}
        if recipe.network.dropout:
            self.about["dropout"] = DROPOUT_VERSION
        self.published_folder = folder / "published"
        self.published_folder.mkdir(exist_ok=True)
        if (folder / "resume").exists():
            self._restore()
        else:
            self._delete_earlier()
            self._publish()
            self._checkpoint()
        self.begin = time.perf_counter() - self.progress.seconds

    def run(self) -> Path:
        self.progress.seconds = time.perf_counter() - self.begin
        last_checkpoint = self.progress.seconds
        first = self.progress.tasks
        with _tensorboard(self.folder) as tensorboard:
            for done in self._tasks():
                if done.error is not None:
                    raise SandtableError(f"self-play: {done.error}")
                self._take(first + done.place, done.value)
                self.progress.seconds = time.perf_counter() - self.begin
                self._snapshot()
                self.watch(self.progress)
                if self._ended() or self.progress.seconds - last_checkpoint >= CHECKPOINT_SECONDS or self.workers == 1:
                    self._checkpoint()
                    self._report(tensorboard)
                    last_checkpoint = self.progress.seconds
                if self._ended():
                    break
        return self._save(self.folder / "net.safetensors")

    def _ended(self) -> bool:
        recipe, now = self.recipe, self.progress
        return bool(
            (recipe.games and now.games >= recipe.games) or (recipe.minutes and now.seconds >= 60 * recipe.minutes)
        )

    def _tasks(self) -> Iterator[scale.Done]:
        """Run the tasks that are left. The number of a task determines which games it plays, or which match."""
        first = self.progress.tasks
        left = 10**6 if not self.recipe.games else -(-self.recipe.games // self.recipe.search.games) * 2
        if self._ended():
            return iter(())
        # Workers may run in another working directory, so the path must be absolute.
        tasks = _Tasks(self.published_folder.resolve(), self.recipe, range(first, first + left))
        if self.ray is not None:
            return scale.run(tasks, "ray", address=self.ray, files=self._read_by_tasks)
        return scale.run(tasks, workers=self.workers)

    def _read_by_tasks(self) -> list[str]:
        """The files that a task reads if it is handed out now."""
        recipe, published = self.recipe, self.published_folder.resolve()
        newest = published / f"{self.progress.published:08d}"
        maps = [one.source for one in recipe.maps] + list(recipe.strength.maps)
        return [
            str(published / LATEST),
            *(f"{newest}{suffix}" for suffix in checkpoints.SUFFIXES),
            *(one for one in maps if one.endswith(tuple(game(recipe.game).formats))),
            *files_of(recipe.strength.opponents),
        ]

    def _take(self, number: int, done: Played | dict[str, list[int]]) -> None:
        now = self.progress
        if number in now.ahead:
            return  # complete before the training was interrupted, while an earlier task still ran
        now.ahead.append(number)
        while now.tasks in now.ahead:
            now.ahead.remove(now.tasks)
            now.tasks += 1
        if isinstance(done, dict):
            now.strength |= done
            return
        now.positions += self.memory.add(number, done.games)
        now.games += len(done.games)
        now.spent_playing += done.seconds
        now.spent_forward += done.forward_seconds
        for name in ("evaluated", "hits", "rows", "batches"):
            setattr(now, name, getattr(now, name) + getattr(done, name))
        if now.positions < self.recipe.learning.first_update:
            return
        while now.updates < int(self.recipe.learning.updates_per_game * now.games):
            self._update()
            if now.updates - now.published >= self.recipe.learning.publish_every:
                self._publish()

    def _update(self) -> None:
        recipe, now, how = self.recipe, self.progress, self.recipe.learning
        generator = np.random.default_rng([recipe.seed, now.updates])
        torch.manual_seed(recipe.seed * 1_000_003 + now.updates)  # dropout
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(how, now.updates)
        self.module.train()
        found = self.adapter.losses(
            self.module,
            TRAINABLE[recipe.network.architecture].encoder,
            self.memory.draw(how.batch, generator),
            how,
            generator,
        )
        if how.l2:
            found["l2"] = l2_term(self.module, how)
            found["total"] = found["total"] + found["l2"]
        self.optimizer.zero_grad(set_to_none=True)
        found["total"].backward()
        nn.utils.clip_grad_norm_(self.module.parameters(), 5.0)
        self.optimizer.step()
        now.updates += 1
        decay = min(how.average, (1 + now.updates) / (10 + now.updates))
        for name, value in self.module.state_dict().items():
            if how.average and value.dtype.is_floating_point:
                self.average[name].lerp_(value, 1 - decay)
            else:
                self.average[name].copy_(value)
        for name, loss in found.items():
            latest = self.recent.setdefault(name, [])
            latest.append(float(loss.detach()))
            del latest[:-200]
        now.losses = {name: sum(latest) / len(latest) for name, latest in self.recent.items()}

    def _publish(self) -> None:
        """Give the workers the latest weights. The previous files remain, since workers may still be reading them."""
        now = self.progress
        now.published = now.updates
        self.published = copy.deepcopy(self.average)
        self._write_published()

    def _write_published(self) -> None:
        name = f"{self.progress.published:08d}"
        self._save(self.published_folder / f"{name}.safetensors", self.published)
        write_whole(self.published_folder / LATEST, f"{name}\n".encode())
        # Files with a later number are from an interrupted run or from another training.
        names = sorted({path.stem for path in self.published_folder.glob("[0-9]*.*")})
        kept = [one for one in names if one <= name][-3:]
        for old in set(names) - set(kept):
            for suffix in (".safetensors", ".onnx", ".json"):
                (self.published_folder / old).with_suffix(suffix).unlink(missing_ok=True)

    def _save(self, path: Path, weights: Tensors | None = None) -> Path:
        module = copy.deepcopy(self.module).cpu()
        module.load_state_dict(self.average if weights is None else weights)
        now = self.progress
        about = {
            "recipe": self.about["recipe"],
            "games": now.games,
            "positions": now.positions,
            "updates": now.updates,
            "seconds": round(now.seconds, 1),
            "workers": self.workers,
            "device": self.device.type,
            "commit": commit(),
        }
        rules = self.recipe.start(0).rules.digest
        checkpoints.save(path, module, self.recipe.network.architecture, rules, about)
        return path

    def _snapshot(self) -> None:
        for minutes in self.recipe.snapshots:
            path = self.folder / "snapshots" / f"{minutes:g}min.safetensors"
            if self.progress.seconds >= 60 * minutes and not path.exists():
                self._save(path)

    def _checkpoint(self) -> None:
        parts = {"now": self.module.state_dict(), "average": self.average, "published": self.published}
        about = self.about | {
            "progress": asdict(self.progress),
            "memory": self.memory.tasks,
            "recent": self.recent,
        }
        keep(self.folder / "resume", parts, self.optimizer, about)
        self.memory.forget_files()

    def _delete_earlier(self) -> None:
        """Delete the curve and the snapshots of another training that was in this folder."""
        folder = self.folder
        for old in (
            *folder.glob("progress.jsonl"),
            *folder.glob("snapshots/*min.*"),
            *folder.glob("tensorboard/events.*"),
        ):
            old.unlink()

    def _restore(self) -> None:
        may_change = [f"recipe.{key}" for key in MAY_CHANGE]
        about, parts = restore(self.folder / "resume", self.module, self.optimizer, self.about, may_change)
        try:
            self.progress = kept_as(Progress, about["progress"])
            self.average, self.published = (
                {name: value.to(self.device) for name, value in one.items()}
                for one in (parts["average"], parts["published"])
            )
            self.recent = about["recent"]
            if not (self.progress.possible and fits(dict[str, list[float]], self.recent)):
                raise ValueError
            for weights in (self.average, self.published):
                copy.deepcopy(self.module).load_state_dict(weights)
            tasks = about["memory"]
            if not fits(list[int], tasks):
                raise ValueError
        except (TypeError, KeyError, ValueError, RuntimeError):
            raise CheckpointError(f"{self.folder / 'resume'}: this training cannot be resumed") from None
        self.memory.fill(tasks)
        self._write_published()  # the weights of the checkpoint replace any that were published after it

    def _report(self, tensorboard: Callable[[Progress], None]) -> None:
        row = self.progress.figures() | {"strength": self.progress.strength}
        shown = {key: round(value, 5) if isinstance(value, float) else value for key, value in row.items()}
        with (self.folder / "progress.jsonl").open("a") as file:
            file.write(json.dumps(shown) + "\n")
        tensorboard(self.progress)


def _built(recipe: Recipe) -> nn.Module:
    """A network with fresh weights, or with those of the recipe's `warm_start`."""
    known = TRAINABLE[recipe.network.architecture]
    try:
        module = known.build(dropout=recipe.network.dropout) if recipe.network.dropout else known.build()
    except TypeError:
        raise RecipeError(f"network.dropout: {known.name} has no dropout") from None
    if recipe.network.warm_start:
        path = locate(recipe.network.warm_start)
        card = checkpoints.read_card(path)
        if card.architecture != known.name:
            raise RecipeError(f"network.warm_start: {path} is a {card.architecture}, not a {known.name}")
        module.load_state_dict(checkpoints.load(path).state_dict())
    return module


class _Tasks(Sequence[scale.Task]):
    """Tasks by their numbers, created on demand: a training with a limit in minutes has more tasks than it will run."""

    def __init__(self, published: Path, recipe: Recipe, numbers: range) -> None:
        self._published, self._recipe, self._numbers = published, recipe, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, place: Any) -> Any:
        return functools.partial(_task, self._published, self._recipe, self._numbers[place])


def _task(published: Path, recipe: Recipe, number: int) -> Played | dict[str, list[int]]:
    """Play some games of self-play, or a match that measures the network's strength."""
    while True:
        newest = here(published / LATEST).read_text().strip()
        try:
            return _run_task(here(published / f"{newest}.safetensors"), recipe, number)
        except (CheckpointError, PlayerError):  # the weights may have been replaced before they were read
            if here(published / LATEST).read_text().strip() == newest:
                raise


def _run_task(weights: Path, recipe: Recipe, number: int) -> Played | dict[str, list[int]]:
    matches = recipe.strength.every
    if matches and number % (matches + 1) == matches:
        return _match(weights, recipe, number // (matches + 1))
    # Games are numbered without the tasks that are matches.
    at = number - (number // (matches + 1) if matches else 0)
    games = range(at * recipe.search.games, (at + 1) * recipe.search.games)
    return adapter(recipe.game).play(weights, recipe, games)


def _match(weights: Path, recipe: Recipe, number: int) -> dict[str, list[int]]:
    """Play the next pair of opponent and map in the rotation; returns the network's wins, losses and ties."""
    pairs = [(opponent, map) for opponent in recipe.strength.opponents for map in recipe.strength.maps]
    opponent, map = pairs[number % len(pairs)]
    # Both are created once for the match, because the weights may be replaced during it.
    own, other = player(adapter(recipe.game).player(weights, recipe)), player(opponent)
    counts = [0, 0, 0]
    for number_in_match in range(recipe.strength.games):
        players = (own, other) if number_in_match % 2 == 0 else (other, own)
        winner = play_game(
            game(recipe.game).load(str(here(map))), *players, seed=number * recipe.strength.games + number_in_match
        ).winner
        counts[2 if winner is None else int(winner != number_in_match % 2)] += 1
    return {shown(f"{opponent} on {map}"): counts}  # a file name may contain terminal control sequences


@contextlib.contextmanager
def _tensorboard(folder: Path) -> Iterator[Callable[[Progress], None]]:
    """Writes the figures for TensorBoard."""
    from tensorboardX import SummaryWriter

    with SummaryWriter(str(folder / "tensorboard")) as writer:

        def write(progress: Progress) -> None:
            for name, value in progress.figures().items():
                writer.add_scalar(name, value, progress.updates)
            for name, (wins, losses, ties) in progress.strength.items():
                score = (wins + ties / 2) / (wins + losses + ties)
                writer.add_scalar(f"score against {name}", score, progress.updates)

        yield write
