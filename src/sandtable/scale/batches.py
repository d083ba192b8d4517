"""Tasks in batches: a task of half a millisecond must not pay for a message of its own."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence

from sandtable.errors import with_place
from sandtable.scale import RETRIES, Done, Task

BATCH_SECONDS = 0.1  # what a batch should take: short enough to lose little and to share the end evenly
MAX_BATCH = 500
LONGEST_BATCH = (
    2.0  # seconds after which no further task of a batch is begun: later tasks may be much slower than the first
)

Batch = list[tuple[int, Task]]


def run_batch(batch: Batch) -> tuple[list[Done], float]:
    """The first tasks of a batch, one after the other, as many as there is time for, and the seconds they took. A
    worker runs this."""
    start = time.perf_counter()
    done: list[Done] = []
    for index, task in batch:
        if done and time.perf_counter() - start > LONGEST_BATCH:
            break
        done.append(run_task(index, task))
    return done, time.perf_counter() - start


def run_task(index: int, task: Task) -> Done:
    try:
        return Done(index, task(), None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever else a task raises is its result: SystemExit must not end the program
        return Done(index, None, with_place(error))


class Queue:
    """What is left to do, in batches that grow with the tasks' speed; those whose worker died come back one by one."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self._next = 0  # a task is looked at when its turn comes: there may be millions that never do
        self._left: deque[tuple[int, Task]] = deque()  # of batches that took too long
        self._suspects: deque[tuple[int, Task]] = deque()
        self._deaths: dict[int, int] = {}
        self._size = 1
        self._short = False  # whether the last batch was

    @property
    def ahead(self) -> int:
        """How many batches each worker should have: a second one, so that it need not wait for it, only if they are
        short. Behind a long batch it would wait while other workers have nothing to do."""
        return 2 if self._short else 1

    def next_batch(self, workers: int) -> Batch:
        """The next tasks for one worker; empty if there are none. The last ones are shared among the workers."""
        if self._suspects:
            return [self._suspects.popleft()]
        if self._left:
            return [self._left.popleft() for _ in range(min(self._size, len(self._left)))]
        left = len(self._tasks) - self._next
        size = min(left, max(1, min(self._size, left // (2 * workers))))
        places = range(self._next, self._next + size)
        self._next += size
        return [(place, self._tasks[place]) for place in places]

    def took(self, batch: Batch, seconds: float, done: int) -> None:
        """Note how long a batch took and how many of its tasks are done; the others are handed out again."""
        self._left.extend(batch[done:])
        self._short = seconds <= LONGEST_BATCH
        if done < len(batch):
            self._size = 1
        elif batch and seconds < BATCH_SECONDS and len(batch) >= self._size:
            self._size = min(2 * self._size, MAX_BATCH)
        elif seconds > 2 * BATCH_SECONDS:
            self._size = max(1, self._size // 2)

    def give_back(self, batch: Batch) -> None:
        """Take back a batch of which nothing was begun."""
        self._left.extend(batch)

    @property
    def has_suspects(self) -> bool:
        """Whether tasks wait that may have cost a worker its life; each must run alone, so that it shows."""
        return bool(self._suspects)

    def worker_died(self, batch: Batch, *, alone: bool) -> list[Done]:
        """Takes a batch back; a task that was alone and has now cost too many workers their lives, as failed."""
        if not (alone and len(batch) == 1):
            self._suspects.extend(batch)
            return []
        place, task = batch[0]
        self._deaths[place] = self._deaths.get(place, 0) + 1
        if self._deaths[place] >= RETRIES:
            return [Done(place, None, f"its worker died {self._deaths[place]} times")]
        self._suspects.append((place, task))
        return []
