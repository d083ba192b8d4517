"""Tasks in this process, or over processes of this machine."""

from __future__ import annotations

import contextlib
import errno
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any

from sandtable.scale import Done, Task
from sandtable.scale.batches import Batch, Queue, run_batch, run_task
from sandtable.scale.main_script import spared

# A worker starts from a small process, not from a copy of this one; where there is no fork, from nothing.
START = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
# When a worker dies while the pool starts another, the pool closes the pipes that the new one is to be given, and the
# process that starts workers may end over it. multiprocessing says "handle is closed" without a number.
POOL_GONE = (None, errno.EBADF, errno.ECONNREFUSED, errno.ECONNRESET, errno.EPIPE)
AHEAD = 2  # batches handed out for each worker, so that none waits for the next


def run_here(tasks: Sequence[Task]) -> Iterator[Done]:
    for index, task in enumerate(tasks):
        yield run_task(index, task)


def run_in_processes(tasks: Sequence[Task], workers: int) -> Iterator[Done]:
    _check_open_files(min(workers, len(tasks)))
    queue = Queue(tasks)
    while True:
        # A pool is broken for good when one of its workers dies: then another one goes on with what is left.
        context = multiprocessing.get_context(START)
        heard, lifeline = context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(workers, context, initializer=begin_pool_worker, initargs=(heard,))
        try:
            if (yield from _drain(queue, pool, workers)):
                return
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            # A worker that was started while the pool broke is in nobody's list: the program would wait for its end.
            lifeline.close()
            heard.close()


def _check_open_files(workers: int) -> None:
    """OSError unless a pool can open its pipes: if it cannot open them all, the process that starts workers prints a
    traceback of its own."""
    with contextlib.ExitStack() as held:
        for _ in range(7 + workers):
            for end in os.pipe():
                held.callback(os.close, end)


def _drain(queue: Queue, pool: ProcessPoolExecutor, workers: int) -> Generator[Done, None, bool]:
    """Runs all tasks; gives up with False when the pool breaks, what was under way put back into the queue."""
    running: dict[Future[Any], Batch] = {}
    pending: Batch = []  # taken from the queue, not yet handed out
    with contextlib.suppress(BrokenProcessPool):
        while True:
            # A broken pool does not say who broke it: whoever may have runs alone.
            while len(running) < (1 if queue.has_suspects else AHEAD * workers):
                pending = queue.next_batch(workers)
                if not pending:
                    break
                running[_submitted(pool, pending)] = pending
                pending = []
            if not running:
                return True
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                done, seconds = future.result()
                queue.took(running.pop(future), seconds, len(done))
                yield from done
    alone = len(running) == 1 and not pending
    for batch in (pending, *running.values()):
        yield from queue.worker_died(batch, alone=alone)
    return False


def _submitted(pool: ProcessPoolExecutor, batch: Batch) -> Future[Any]:
    try:
        with spared(batch):
            return pool.submit(run_batch, batch)
    except OSError as error:
        if error.errno in POOL_GONE:
            raise BrokenProcessPool from error
        raise


def begin_pool_worker(lifeline: Connection) -> None:
    """End this worker when the lifeline's other end is closed: with the pool, or because its process was killed."""

    def wait() -> None:
        with contextlib.suppress(EOFError, OSError):
            lifeline.recv_bytes()

    _begin(wait)


def begin_worker() -> None:
    """End this worker with the process that started it, even if that is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "only a process that another one started is a worker"
    _begin(parent.join)


def _begin(wait: Callable[[], object]) -> None:
    """Leave Ctrl-C to the driving process, and end when `wait` returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end() -> None:
        wait()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()
