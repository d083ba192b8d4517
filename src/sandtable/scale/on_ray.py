"""Tasks over a Ray cluster."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator, Sequence
from typing import Any

from sandtable.errors import SandtableError, one_line
from sandtable.scale import Done, Task
from sandtable.scale.batches import Batch, Queue, run_batch

AHEAD = 2
STARTS = 3  # of a cluster here: Ray gives its own processes 15 seconds, which may be too few on a busy machine


def connect(address: str | None, **options: Any) -> None:
    """Connect to the cluster at that address; None, or "local", starts one here. `options`: others of ray.init()."""
    _check_reachable(address)
    try:
        import ray
    except ImportError:
        raise SandtableError("Ray is not installed: pip install 'sandtable[ray]'") from None
    if ray.is_initialized():
        return
    here = address in (None, "local")
    for left in reversed(range(STARTS if here else 1)):
        try:
            ray.init(
                address=address,
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
                **options,
            )
            return
        except Exception as error:  # of many kinds
            ray.shutdown()  # the processes that have started
            if not left:
                what = "Ray cannot be started here" if here else f"no Ray cluster at {address}"
                raise SandtableError(f"{what}: {str(error).partition(chr(10))[0]:.200}") from None


def run_on_ray(tasks: Sequence[Task], address: str | None) -> Iterator[Done]:
    connect(address)
    import ray

    # Ray's own retries are off: a task whose worker died comes back through the queue, as it does locally.
    remote = ray.remote(max_retries=0)(run_batch)
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    workers = max(1, int(resources.get("CPU", 1)))
    queue = Queue(tasks)
    running: dict[Any, Batch] = {}
    while True:
        while len(running) < AHEAD * workers and (batch := queue.next_batch(workers)):
            running[remote.remote(batch)] = batch
        if not running:
            return
        for reference in ray.wait(list(running), num_returns=1)[0]:
            batch = running.pop(reference)
            try:
                done, seconds = ray.get(reference)
            except ray.exceptions.RayTaskError as error:  # the tasks could not even be read there
                yield from (Done(place, None, one_line(error)) for place, _ in batch)
            except ray.exceptions.RayError:
                yield from queue.worker_died(batch, alone=True)  # on Ray a death is one worker's, and known
            else:
                queue.took(batch, seconds, len(done))
                yield from done


def _check_reachable(address: str | None) -> None:
    """SandtableError if nobody listens there: Ray itself would try for minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if not host:
        return  # None, "auto" and the like: Ray looks for itself
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except (OSError, ValueError) as error:
        raise SandtableError(f"no Ray cluster at {address}: {error}") from None
