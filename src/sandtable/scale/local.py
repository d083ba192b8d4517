"""Run tasks in this process or in several processes of this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import Any

from sandtable.errors import with_place
from sandtable.scale import Done, Task
from sandtable.scale.batches import Batch, Queue, run_batch, run_task
from sandtable.scale.main_script import hide_unguarded_script

# Workers are forked from a small server process, not from this one; on systems without fork they start from scratch.
START = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


def run_here(tasks: Sequence[Task]) -> Iterator[Done]:
    for index, task in enumerate(tasks):
        yield run_task(index, task)


def run_in_processes(tasks: Sequence[Task], workers: int) -> Iterator[Done]:
    _check_open_files(min(workers, len(tasks)))
    queue = Queue(tasks)
    team: list[_Worker] = []
    try:
        while True:
            _hand_out(queue, team, workers)
            if not any(worker.batches for worker in team):
                return
            for worker in _ready_workers(team):
                yield from _finished_tasks(worker, queue, team)
    finally:
        for worker in team:
            worker.kill()
        for worker in team:
            worker.end()


def _check_open_files(workers: int) -> None:
    """OSError unless all workers' pipes can be opened: without this check, the process that starts workers would print
    a traceback of its own."""
    with contextlib.ExitStack() as held:
        for _ in range(7 + 2 * workers):
            for end in os.pipe():
                held.callback(os.close, end)


class _Worker:
    """A process that runs batches, with a pipe of its own. The driving process closes its copy of the worker's end as
    soon as the worker has it. So if the worker dies, even while it sends a result, the pipe ends, and nobody waits for
    the rest.
    """

    def __init__(self) -> None:
        context: Any = multiprocessing.get_context(START)
        self.batches: deque[Batch] = deque()  # handed out; the first one is running
        self._pipe, self._other_end = context.Pipe()
        self._process = context.Process(target=_run_worker, args=(self._other_end,))

    def start(self) -> None:
        self._process.start()
        self._other_end.close()

    def give(self, batch: Batch) -> None:
        message = ForkingPickler.dumps(batch)
        self.batches.append(batch)
        with contextlib.suppress(OSError):  # the worker has died: the next answer() tells
            self._pipe.send_bytes(message)

    @property
    def sources(self) -> tuple[Connection, int]:
        """What to `wait` for: the pipe, and the process itself, because a fork of it may hold the pipe open."""
        return self._pipe, self._process.sentinel

    def answer(self) -> tuple[list[Done], float] | str | None:
        """The result of the first batch: the finished tasks and the seconds they took; or the reason why tasks or
        values could not be sent; or None if the worker has died."""
        try:
            if not self._pipe.poll():
                return None
            message = self._pipe.recv_bytes()
        except (EOFError, OSError):
            return None
        answer: tuple[list[Done], float] | str = pickle.loads(message)
        return answer

    def kill(self) -> None:
        if self._process.pid is not None:
            self._process.kill()

    def end(self) -> None:
        """Wait for the process, which is about to end, and free its resources."""
        self._pipe.close()
        self._other_end.close()
        if self._process.pid is not None:
            self._process.join()
        self._process.close()


def _hand_out(queue: Queue, team: list[_Worker], workers: int) -> None:
    """Give batches to the workers, and start workers as long as there is work for another one."""
    while True:
        # A task that may have killed its worker runs alone, to find out whether it did.
        if sum(len(worker.batches) for worker in team) >= (1 if queue.has_suspects else queue.ahead * workers):
            return
        batch = queue.next_batch(workers)
        if not batch:
            return
        with hide_unguarded_script(batch):
            _free_worker(team, workers).give(batch)


def _free_worker(team: list[_Worker], workers: int) -> _Worker:
    if team:
        least_busy = min(team, key=lambda worker: len(worker.batches))
        if not least_busy.batches or len(team) == workers:
            return least_busy
    started = _Worker()
    team.append(started)  # before it starts: if that is interrupted, it is still ended with the others
    started.start()
    return started


def _ready_workers(team: list[_Worker]) -> list[_Worker]:
    """Wait until a worker has answered or died; returns all that have."""
    ready = set(wait([source for worker in team for source in worker.sources]))
    return [worker for worker in team if not ready.isdisjoint(worker.sources)]


def _finished_tasks(worker: _Worker, queue: Queue, team: list[_Worker]) -> list[Done]:
    """The tasks that a worker has finished. Those that it could not finish go back into the queue."""
    answer = worker.answer()
    if answer is None:
        team.remove(worker)
        worker.kill()
        worker.end()
        begun, *not_begun = worker.batches or [[]]
        for batch in not_begun:
            queue.give_back(batch)
        return queue.worker_died(begun, alone=not any(other.batches for other in team))
    batch = worker.batches.popleft()
    if isinstance(answer, str):
        if len(batch) == 1:
            return [Done(batch[0][0], None, answer)]
        return queue.worker_died(batch, alone=False)  # run again one by one, to find out which task it was
    done, seconds = answer
    queue.took(batch, seconds, len(done))
    return done


def _run_worker(pipe: Connection) -> None:
    """The main loop of a worker: answer the batches in order until the pipe ends."""
    messages = SimpleQueue[bytes]()

    def receive() -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                messages.put(pipe.recv_bytes())

    _prepare_worker(receive)
    while True:
        message = messages.get()
        try:
            answer = ForkingPickler.dumps(run_batch(pickle.loads(message)))
        except Exception as error:  # tasks or values that cannot be pickled
            answer = ForkingPickler.dumps(with_place(error))
        pipe.send_bytes(answer)


def begin_worker() -> None:
    """Make this worker ignore Ctrl-C and end with the process that started it, even if that one is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "only a process that another one started is a worker"
    _prepare_worker(parent.join)


def _prepare_worker(until: Callable[[], object]) -> None:
    """Leave Ctrl-C to the driving process, and end this process when `until` returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end() -> None:
        until()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()
