"""The replay buffer: the latest positions of self-play, and the files from which it can be restored."""

from __future__ import annotations

import contextlib
import zipfile
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sandtable.errors import CheckpointError, SandtableError
from sandtable.learn.adapter import adapter
from sandtable.learn.recipe import Recipe

MAX_BYTES = 1 << 31  # limit of the unpacked size of a task's games


class ReplayBuffer:
    """Holds the latest `recipe.learning.memory` positions, or a few more: it drops whole tasks only."""

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        self._recipe = recipe
        self._adapter = adapter(recipe.game)
        self._folder = folder
        self._parts: deque[tuple[int, list[Any]]] = deque()
        self._ends = np.zeros(0, np.int64)
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def tasks(self) -> list[int]:
        """The tasks whose games are held, in the order in which they were added."""
        return [task for task, _ in self._parts]

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def add(self, task: int, games: Sequence[Any]) -> int:
        """Add the games of a task and save them to a file; returns the number of positions."""
        self._adapter.save(games, self._file(task))
        return self._append(task, [self._adapter.rounded(game) for game in games])

    def fill(self, tasks: Sequence[int]) -> None:
        """Restore the buffer of an interrupted training from the files of these tasks."""
        for task in tasks:
            try:
                _check_size(self._file(task))
                self._append(task, self._adapter.load(self._file(task)))
            except SandtableError as error:
                where = self._file(task)
                raise CheckpointError(f"{where}: the replay buffer cannot be restored: {error}") from None

    def draw(self, count: int, generator: np.random.Generator) -> list[Any]:
        found = []
        for at in generator.integers(len(self), size=count):
            part = int(np.searchsorted(self._ends, at, side="right"))
            samples = self._parts[part][1]
            found.append(samples[at - (self._ends[part] - len(samples))])
        return found

    def forget_files(self) -> None:
        """Delete the files of games that are no longer held. Call this only after writing a checkpoint without them."""
        held = {self._file(task) for task in self.tasks}
        for path in self._folder.glob("*.npz"):
            if path not in held:
                path.unlink(missing_ok=True)

    def _append(self, task: int, games: Sequence[Any]) -> int:
        samples = [sample for game in games for sample in self._adapter.samples(game, self._recipe)]
        self._parts.append((task, samples))
        while len(self._parts) > 1 and sum(len(one) for _, one in self._parts) - len(self._parts[0][1]) >= (
            self._recipe.learning.memory
        ):
            self._parts.popleft()
        self._ends = np.cumsum([len(one) for _, one in self._parts])
        return len(samples)

    def _file(self, task: int) -> Path:
        return self._folder / f"{task:07d}.npz"


def _check_size(path: Path) -> None:
    """Raise SandtableError if the file unpacks to more than MAX_BYTES: a small file can hold gigabytes. Other defects
    are found when it is read."""
    with contextlib.suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(path) as file:
        if sum(one.file_size for one in file.infolist()) > MAX_BYTES:
            raise SandtableError(f"larger than the {MAX_BYTES:,} bytes that the games of a task may have")
