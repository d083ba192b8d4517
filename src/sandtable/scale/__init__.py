"""Run many tasks in local processes or on a Ray cluster: the same call, the same results.

A task is a callable without arguments that can be pickled (a `functools.partial` of a module's function). An exception
that it raises is its result. If a worker dies, nothing is lost: its tasks are given to another worker.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

from sandtable.errors import SandtableError

Task = Callable[[], Any]

BACKENDS = ("local", "ray")
RETRIES = 3  # a task fails when it has killed this many workers while it ran alone
MAX_WORKERS = 1024  # local processes


class Done(NamedTuple):
    """A finished task: its index among the tasks, and its value or what went wrong."""

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
    """Run the tasks and yield each when it ends, in any order; every task exactly once.

    `workers`: the number of local processes; 1 runs the tasks in this process. `address`: that of the Ray cluster; None
    starts one here. `files`: called whenever tasks are handed out; returns the files that they read, by the names that
    the tasks use. Ray sends the files to the workers, which find them by `carried.here`.
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
