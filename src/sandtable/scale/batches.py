"""Tasks are sent in batches: a task of half a millisecond must not pay for a message of its own."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence

from sandtable.errors import with_place
from sandtable.scale import RETRIES, Done, Task

# The time that a batch should take: short enough to lose little if a worker dies, and to share the last tasks evenly.
BATCH_SECONDS = 0.1
MAX_BATCH = 500
# Seconds after which no further task of a batch is begun: later tasks may be much slower than the first.
LONGEST_BATCH = 2.0

Batch = list[tuple[int, Task]]


def run_batch(batch: Batch) -> tuple[list[Done], float]:
    """Run the tasks of a batch in order until LONGEST_BATCH has passed; returns the finished tasks and the seconds they
    took. A worker runs this."""
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
    except BaseException as error:  # any other exception is the task's result: SystemExit must not end the program
        return Done(index, None, with_place(error))


class Queue:
    """The tasks that remain, handed out in batches whose size grows with the tasks' speed. Tasks whose worker died are
    handed out again one by one."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self._next = 0  # tasks are read only when they are handed out: there may be millions that never are
        self._returned: deque[tuple[int, Task]] = deque()  # tasks of batches that took too long or were not begun
        self._suspects: deque[tuple[int, Task]] = deque()  # tasks that may have killed their worker
        self._deaths: dict[int, int] = {}  # by task: the workers that died while they ran it alone
        self._size = 1  # of the next batch
        self._short = False  # whether the last batch was short

    @property
    def ahead(self) -> int:
        """How many batches each worker should hold. If batches are short, a second one, so that the worker need not
        wait for it. Behind a long batch, a second one would wait while other workers have nothing to do."""
        return 2 if self._short else 1

    def next_batch(self, workers: int) -> Batch:
        """The next tasks for one worker; empty if there are none. The last ones are shared among the workers."""
        if self._suspects:
            return [self._suspects.popleft()]
        if self._returned:
            return [self._returned.popleft() for _ in range(min(self._size, len(self._returned)))]
        left = len(self._tasks) - self._next
        size = min(left, max(1, min(self._size, left // (2 * workers))))
        places = range(self._next, self._next + size)
        self._next += size
        return [(place, self._tasks[place]) for place in places]

    def took(self, batch: Batch, seconds: float, done: int) -> None:
        """Note how long a batch took and how many of its tasks are done; the others are handed out again."""
        self._returned.extend(batch[done:])
        self._short = seconds <= LONGEST_BATCH
        if done < len(batch):
            self._size = 1
        elif batch and seconds < BATCH_SECONDS and len(batch) >= self._size:
            self._size = min(2 * self._size, MAX_BATCH)
        elif seconds > 2 * BATCH_SECONDS:
            self._size = max(1, self._size // 2)

    def give_back(self, batch: Batch) -> None:
        """Take back a batch that was not begun."""
        self._returned.extend(batch)

    @property
    def has_suspects(self) -> bool:
        """Whether there are tasks that may have killed their worker; each must run alone, to find the one that did."""
        return bool(self._suspects)

    def worker_died(self, batch: Batch, *, alone: bool) -> list[Done]:
        """Take back the batch of a worker that died. A task that ran alone and has now killed too many workers is
        returned as failed."""
        if not (alone and len(batch) == 1):
            self._suspects.extend(batch)
            return []
        place, task = batch[0]
        self._deaths[place] = self._deaths.get(place, 0) + 1
        if self._deaths[place] >= RETRIES:
            return [Done(place, None, f"its worker died {self._deaths[place]} times")]
        self._suspects.append((place, task))
        return []
