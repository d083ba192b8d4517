"""Run tasks on a Ray cluster."""

from __future__ import annotations

import hashlib
import logging
import socket
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sandtable import carried
from sandtable.errors import CONNECTING, SandtableError, one_line, reason_of
from sandtable.scale import Done, Task, batches
from sandtable.scale.addresses import check_address
from sandtable.scale.batches import Batch, Queue

AHEAD = 2  # batches that are handed out per core of the cluster
STARTS = 3  # attempts to start a cluster here: Ray's processes get 15 seconds, maybe too few on a busy machine


def connect(address: str | None, **options: Any) -> None:
    """Connect to the cluster at that address; None or "local" starts one here. `options` are passed to ray.init()."""
    if address is not None:
        check_address(address)
    _check_reachable(address)
    try:
        import ray
    except ImportError:
        raise SandtableError("Ray is not installed: pip install 'sandtable[ray]'") from None
    if ray.is_initialized():
        return
    here = address in (None, "local")  # Ray itself takes None for any cluster of this machine
    for left in reversed(range(STARTS if here else 1)):
        try:
            ray.init(
                address="local" if here else address,
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
                **options,
            )
            return
        except Exception as error:  # exceptions of many kinds
            ray.shutdown()  # ends the processes that have started
            if not left:
                what = "Ray cannot be started here" if here else f"no Ray cluster at {address}"
                raise SandtableError(f"{what}: {str(error).partition(chr(10))[0]:.200}") from None


Sent = dict[str, tuple[str, Any]]  # by file name: the digest of the content, and its reference in the object store


def run_batch(batch: Batch, sent: Sent) -> tuple[list[Done], float]:
    """Run `batches.run_batch` on a worker that has copies of these files."""
    import ray

    def content(place: Any) -> bytes:
        found: bytes = ray.get(place)
        return found

    carried.keep({name: carried.Content(digest, partial(content, place)) for name, (digest, place) in sent.items()})
    return batches.run_batch(batch)


class _ObjectStore:
    """Files in Ray's object store. A file is uploaded again only if it has changed, and dropped when it is not sent any
    more."""

    def __init__(self) -> None:
        self._sent: Sent = {}
        self._read: dict[str, tuple[int, ...]] = {}  # by file name: inode, time and size when it was read

    def put(self, names: Collection[str]) -> Sent:
        import ray

        for name in names:
            found = Path(name).stat()
            about = found.st_ino, found.st_mtime_ns, found.st_size
            if self._read.get(name) != about:
                content = Path(name).read_bytes()
                self._sent[name] = hashlib.sha256(content).hexdigest(), ray.put(content)
                self._read[name] = about
        self._sent = {name: self._sent[name] for name in names}
        self._read = {name: self._read[name] for name in names}
        return self._sent


def run_on_ray(
    tasks: Sequence[Task], address: str | None, files: Callable[[], Collection[str]] = tuple
) -> Iterator[Done]:
    connect(address)
    import ray

    # Ray's own retries are off: a task whose worker died comes back through the queue, as it does locally.
    remote = ray.remote(max_retries=0)(run_batch)
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    workers = max(1, int(resources.get("CPU", 1)))
    queue, store = Queue(tasks), _ObjectStore()
    running: dict[Any, Batch] = {}
    while True:
        while len(running) < AHEAD * workers and (batch := queue.next_batch(workers)):
            running[remote.remote(batch, store.put(files()))] = batch
        if not running:
            return
        for reference in ray.wait(list(running), num_returns=1)[0]:
            batch = running.pop(reference)
            try:
                done, seconds = ray.get(reference)
            except ray.exceptions.RayTaskError as error:  # the worker could not even read the batch
                yield from (Done(place, None, one_line(error)) for place, _ in batch)
            except ray.exceptions.RayError:
                yield from queue.worker_died(batch, alone=True)  # Ray tells which batch's worker has died
            else:
                queue.took(batch, seconds, len(done))
                yield from done


def _check_reachable(address: str | None) -> None:
    """SandtableError if nothing listens at the address: Ray itself would try for minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if not host:
        return  # None, "auto" and the like: Ray looks for itself
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except CONNECTING as error:
        raise SandtableError(f"no Ray cluster at {address}: {reason_of(error)}") from None
