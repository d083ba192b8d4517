"""Searches in worker processes at lower priority, so that the server itself never waits for one. Each worker runs one
search at a time; the others wait in a queue, and their places in it are known."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

from sandtable.errors import SandtableError, one_line
from sandtable.scale.local import START, begin_worker

PRIORITY = 10  # added to the niceness of a process that searches
ATTEMPTS = 2  # times that a search is tried if its worker process dies
MAX_WAITING = 1000


class Ticket:
    """A search that waits or runs. `place` in the queue: 0 while it runs, 1 if it is next."""

    def __init__(self, call: Callable[..., Any], arguments: tuple[Any, ...], worker: int | None) -> None:
        self.call, self.arguments, self.wanted = call, arguments, worker
        self.place = 0
        self.ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()


def worker_process() -> Executor:
    """One process, which starts with its first search."""
    return ProcessPoolExecutor(1, get_context(START), initializer=_begin)


class Searches:
    """`await searches.run(function, *arguments)` calls the function in a worker and returns its result. A search may
    ask for the worker that ran its previous part, because that worker keeps its tree. `start` makes a worker."""

    def __init__(self, workers: int, start: Callable[[], Executor] = worker_process) -> None:
        self._start_worker = start
        self._pools: list[Executor | None] = [None] * workers
        self._free = set(range(workers))
        self._waiting: list[Ticket] = []
        self._closed = False

    def __len__(self) -> int:
        """The number of waiting searches."""
        return len(self._waiting)

    def ticket(self, call: Callable[..., Any], *arguments: Any, worker: int | None = None) -> Ticket:
        """Add a search to the queue; SandtableError if the queue is full. The ticket must be awaited with result()."""
        if len(self._waiting) >= MAX_WAITING:
            raise SandtableError("too many searches are waiting; try again later")
        found = Ticket(call, arguments, worker)
        self._waiting.append(found)
        self._begin_next()
        return found

    async def result(self, ticket: Ticket) -> tuple[Any, int]:
        """The function's result, and the worker that computed it."""
        try:
            worker = await ticket.ready
        except asyncio.CancelledError:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                self._begin_next()
            elif ticket.ready.done() and not ticket.ready.cancelled():
                self._release(ticket.ready.result())
            raise
        running = asyncio.ensure_future(self._run_on(worker, ticket))
        running.add_done_callback(lambda done: self._finished(worker, done))
        return await asyncio.shield(running), worker  # a cancelled search runs on and keeps its worker until it ends

    async def run(self, call: Callable[..., Any], *arguments: Any) -> Any:
        return (await self.result(self.ticket(call, *arguments)))[0]

    async def _run_on(self, worker: int, ticket: Ticket) -> Any:
        for _ in range(ATTEMPTS):
            if self._closed:
                break
            pool = self._pools[worker]
            if pool is None:
                pool = self._pools[worker] = self._start_worker()
            try:
                return await asyncio.wrap_future(pool.submit(ticket.call, *ticket.arguments))
            except BrokenProcessPool:
                pool.shutdown(wait=False, cancel_futures=True)
                self._pools[worker] = None
            except SandtableError:
                raise
            except Exception as error:  # a user's own game or player may raise any exception
                raise SandtableError(f"the search failed: {one_line(error)}") from None
        raise SandtableError("the process of the search ended unexpectedly")

    def _finished(self, worker: int, done: asyncio.Future[Any]) -> None:
        if not done.cancelled():
            done.exception()  # asyncio logs an exception that nobody retrieves, and the caller may have been cancelled
        self._release(worker)

    def _release(self, worker: int) -> None:
        self._free.add(worker)
        self._begin_next()

    def _begin_next(self) -> None:
        """Start every waiting search that has a free worker, and renumber the others."""
        for ticket in list(self._waiting):
            if not self._free:
                break
            if ticket.wanted is not None and ticket.wanted not in self._free:
                continue
            worker = min(self._free) if ticket.wanted is None else ticket.wanted
            self._free.discard(worker)
            self._waiting.remove(ticket)
            ticket.place = 0
            if ticket.ready.done():  # cancelled meanwhile
                self._free.add(worker)
                continue
            ticket.ready.set_result(worker)
        for place, ticket in enumerate(self._waiting, 1):
            ticket.place = place

    def close(self) -> None:
        """End all workers at once."""
        self._closed = True
        for pool in self._pools:
            if pool is not None:
                processes = getattr(pool, "_processes", None) or {}
                pool.shutdown(wait=False, cancel_futures=True)
                for process in list(processes.values()):
                    process.terminate()


def _begin() -> None:
    begin_worker()
    if hasattr(os, "nice"):
        os.nice(PRIORITY)
