"""Many tasks over local processes or a Ray cluster: the same call, the same results.

A task is a callable without arguments that can be pickled (a `functools.partial` of a module's function). Its own
exceptions are its result; a worker that dies takes nothing with it, for its tasks are given to another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

from sandtable.errors import SandtableError

Task = Callable[[], Any]

BACKENDS = ("local", "ray")
RETRIES = 3  # times that a task may take its worker with it
MAX_WORKERS = 1024  # local processes


class Done(NamedTuple):
    """A task that has ended: its place among the tasks, and its value or what went wrong."""

    place: int
    value: Any
    error: str | None


def run(
    tasks: Sequence[Task],
    backend: str = "local",
    *,
    workers: int = 1,
    address: str | None = None,
    files: Callable[[], Collection[str]] = tuple,
) -> Iterator[Done]:
    """Run the tasks and give each as it ends, in any order; every task exactly once.

    `workers`: local processes, 1 being this one itself. `address`: of the Ray cluster; None starts one here. `files`:
    what tasks that are handed out now read, by the names that they have in the tasks. Ray carries them to the workers,
    which find them by `carried.here`.
    """
    check_workers(workers)
    if backend == "local":
        from sandtable.scale.local import run_here, run_in_processes

        return run_here(tasks) if workers == 1 else run_in_processes(tasks, workers)
    if backend == "ray":
        from sandtable.scale.on_ray import run_on_ray

        return run_on_ray(tasks, address, files)
    raise SandtableError(f"no backend is called {backend!r}; there are {' and '.join(BACKENDS)}")


def check_workers(workers: int) -> None:
    if not 1 <= workers <= MAX_WORKERS:
        raise SandtableError(f"workers must be within 1..{MAX_WORKERS}, not {workers}")
