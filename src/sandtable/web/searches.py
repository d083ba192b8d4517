"""Searches in processes of their own, at lower priority, so that the page never waits for one: no more at once than
there are workers, the others in a queue whose places are known."""

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
ATTEMPTS = 2  # times that a search may take its worker with it
MAX_WAITING = 1000


class Ticket:
    """A search that waits or runs. `place`: 0 while it runs, 1 for the next."""

    def __init__(self, call: Callable[..., Any], arguments: tuple[Any, ...], worker: int | None) -> None:
        self.call, self.arguments, self.wanted = call, arguments, worker
        self.place = 0
        self.ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()


def worker_process() -> Executor:
    """One process, which starts with its first search."""
    return ProcessPoolExecutor(1, get_context(START), initializer=_begin)


class Searches:
    """`await searches.run(function, *arguments)` gives the function's value from a worker. A search may ask for the
    worker that had its last part, which keeps its tree. `start` makes a worker."""

    def __init__(self, workers: int, start: Callable[[], Executor] = worker_process) -> None:
        self._start_worker = start
        self._pools: list[Executor | None] = [None] * workers
        self._free = set(range(workers))
        self._waiting: list[Ticket] = []
        self._closed = False

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    def ticket(self, call: Callable[..., Any], *arguments: Any, worker: int | None = None) -> Ticket:
        """A place in the queue; SandtableError if it is full. It must be awaited with result()."""
        if len(self._waiting) >= MAX_WAITING:
            raise SandtableError("too many searches are waiting; try again later")
        found = Ticket(call, arguments, worker)
        self._waiting.append(found)
        self._begin_next()
        return found

    async def result(self, ticket: Ticket) -> tuple[Any, int]:
        """The function's value, and the worker that gave it."""
        try:
            worker = await ticket.ready
        except asyncio.CancelledError:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                self._begin_next()
            elif ticket.ready.done() and not ticket.ready.cancelled():
                self._release(ticket.ready.result())
            raise
        running = asyncio.ensure_future(self._on(worker, ticket))
        running.add_done_callback(lambda done: self._finished(worker, done))
        return await asyncio.shield(running), worker  # a search that is no longer wanted goes on, and keeps its worker

    async def run(self, call: Callable[..., Any], *arguments: Any) -> Any:
        return (await self.result(self.ticket(call, *arguments)))[0]

    async def _on(self, worker: int, ticket: Ticket) -> Any:
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
            except Exception as error:  # a game or a player of the user's may raise anything
                raise SandtableError(f"the search failed: {one_line(error)}") from None
        raise SandtableError("the search ended its process")

    def _finished(self, worker: int, done: asyncio.Future[Any]) -> None:
        if not done.cancelled():
            done.exception()  # nobody may be left to ask for it
        self._release(worker)

    def _release(self, worker: int) -> None:
        self._free.add(worker)
        self._begin_next()

    def _begin_next(self) -> None:
        """Start what can be started, and tell the others their places."""
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
