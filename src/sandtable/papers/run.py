"""A run: a folder in which the stages of a reproduction store their results.

A finished stage is skipped, an interrupted one continues, and one that was made with other settings is an error: no
result is lost, and results of different settings are never mixed. There are two kinds of stage. `collect` runs many
tasks, on any number of workers, and logs one line per result; `make` computes one result in this process.
"""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sandtable import scale as scaling
from sandtable.errors import SandtableError
from sandtable.files import Lock, read_at_most, remove_unfinished, write_whole
from sandtable.learn.devices import training_on
from sandtable.machine import commit, machine

MAX_BYTES = 1 << 30  # of a stage's file

Settings = dict[str, Any]  # what a stage's results depend on; plain JSON


class RunError(SandtableError):
    """A run cannot continue: its folder is in use, damaged or made with other settings, or a task failed."""


class Progress(NamedTuple):
    """How far a stage is, in tasks, games or epochs. `note` is shown beside it."""

    stage: str
    done: int
    total: int
    note: str = ""


class Cost(NamedTuple):
    """The cost of a stage, summed over all its starts."""

    seconds: float  # wall-clock time
    core_seconds: float  # summed over its tasks
    commits: tuple[str, ...]


class Run:
    """`Run(folder)` creates the folder, or continues the run in it. A context manager; one process at a time may have a
    run."""

    def __init__(
        self,
        folder: Path,
        *,
        scale: str = "smoke",
        results: Path | None = None,
        keep_as: str | None = None,
        workers: int = 1,
        ray: str | None = None,
        device: str = "auto",
        watch: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        commit()  # cached, so that commits made during the run do not change it
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.scale = scale  # the scale whose settings the run has, for the report
        self.results = results  # a second folder for the report
        self.keep_as = keep_as  # the subfolder of `results` to which an earlier report is moved first
        self.workers = workers
        self.ray = ray
        self.device = device  # for the training of networks: see learn/devices.py
        self.watch = watch
        self.costs: dict[str, Cost] = {}
        self.made: dict[Any, Any] = {}  # results by stage and settings: see papers/stages.py
        self._lock = Lock(folder / "lock", RunError(f"{folder}: another process is at work on this run"))
        remove_unfinished(folder)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.free()

    def collect(
        self, stage: str, settings: Settings, tasks: Sequence[Callable[[], Any]], *, here: bool = False
    ) -> list[Any]:
        """The tasks' results, which must be plain JSON, in the order of the tasks. Results that are in the log already
        are not computed again. `here`: run the tasks on this machine, because they use files of the run."""
        log = _Log(self.folder / f"{stage}.jsonl", stage, settings, len(tasks))
        missing = [place for place in range(len(tasks)) if place not in log.values]
        self.watch(Progress(stage, len(log.values), len(tasks)))
        if missing:
            with log:
                for done in self._run([tasks[place] for place in missing], here):
                    if done.error is not None:
                        raise RunError(f"{stage}: task {missing[done.place]}: {done.error}")
                    log.add(missing[done.place], *done.value)
                    self.watch(Progress(stage, len(log.values), len(tasks)))
        self.costs[stage] = log.cost
        return [log.values[place] for place in range(len(tasks))]

    def _run(self, work: Sequence[scaling.Task], here: bool) -> Iterator[scaling.Done]:
        # Tasks on other machines train no networks, and those machines may not have this device.
        tasks = [functools.partial(_timed, task, self.device if here else "auto") for task in work]
        if here or self.ray is None:
            return scaling.run(tasks, workers=self.workers)
        return scaling.run(tasks, "ray", address=None if self.ray == "local" else self.ray)

    def make(self, stage: str, settings: Settings, work: Callable[[], Any], *, renew: bool = False) -> Any:
        """The result of work(), which must be plain JSON; it is read if it is stored already. `renew`: a result that
        was stored with other settings is made again instead of refused, because the stage only gathers what other files
        have."""
        path = self.folder / f"{stage}.json"
        found = _object(path, read_at_most(path, MAX_BYTES)) if path.exists() else None
        if found is not None and not (renew and found.get("settings") != _as_json(settings)):
            _check_settings(path, found.get("settings"), settings)
            if not _is_time(found.get("seconds")) or not isinstance(found.get("commit"), str) or not _whole(found):
                raise RunError(f"{path}: damaged: not the result that was stored; delete the file to make it again")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.watch(Progress(stage, 0, 1))
            begin = time.perf_counter()
            with training_on(self.device):
                value = work()
            seconds = round(time.perf_counter() - begin, 3)
            found = {"stage": stage, "settings": settings, **_circumstances(), "seconds": seconds, **_add_digest(value)}
            write_whole(path, (json.dumps(found, indent=1) + "\n").encode())
        self.watch(Progress(stage, 1, 1))
        self.costs[stage] = Cost(found["seconds"], found["seconds"], (found["commit"],))
        return found["value"]


class _Log:
    """The log of a stage: a header, then a line for every start of the stage and for every result: {"place", "seconds",
    "at", "value", "sha256"}, where `at` is the number of seconds since that start. The last line may be incomplete, if
    the program ended while it was written."""

    def __init__(self, path: Path, stage: str, settings: Settings, tasks: int) -> None:
        self.path = path
        self.values: dict[int, Any] = {}
        self._header: dict[str, Any] = _as_json({"stage": stage, "tasks": tasks, "settings": settings})
        self._lines: list[dict[str, Any]] = []
        self._size = 0
        if path.exists():
            self._read()

    def _read(self) -> None:
        data = read_at_most(self.path, MAX_BYTES)
        self._size = data.rfind(b"\n") + 1
        lines = [
            _object(f"{self.path}, line {n}", line, "that line")
            for n, line in enumerate(data[: self._size].splitlines(), start=1)
        ]
        if not lines:
            return
        _check_settings(self.path, lines[0].get("settings"), self._header["settings"])
        if lines[0] != self._header:
            raise RunError(f"{self.path}: not the log of {self._header['tasks']} tasks of {self._header['stage']}")
        self._lines = lines
        for number, line in enumerate(lines[1:], start=2):
            if "value" not in line:
                if not isinstance(line.get("commit"), str):
                    raise RunError(
                        f"{self.path}, line {number}: damaged: neither a start nor a result; delete that line"
                    )
                continue
            place = line.get("place")
            timed = _is_time(line.get("seconds")) and _is_time(line.get("at"))
            if not timed or type(place) is not int or not 0 <= place < self._header["tasks"] or not _whole(line):
                raise RunError(
                    f"{self.path}, line {number}: damaged: not a valid result; delete that line to make it again"
                )
            self.values[place] = line["value"]

    def __enter__(self) -> _Log:
        self._file = self.path.open("r+b" if self.path.exists() else "w+b")
        self._file.truncate(self._size)  # drop an incomplete last line
        self._file.seek(0, 2)
        if not self._lines:
            self._write(self._header)
        self._write(_circumstances())
        self._begin = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, place: int, seconds: float, value: Any) -> None:
        at = time.perf_counter() - self._begin
        self._write({"place": place, "seconds": round(seconds, 4), "at": round(at, 3), **_add_digest(value)})
        self.values[place] = value

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        self._file.flush()
        self._lines.append(line)

    @property
    def cost(self) -> Cost:
        wall = core = latest = 0.0
        commits = []
        for line in self._lines:
            if "commit" in line:
                commits.append(line["commit"])
                wall, latest = wall + latest, 0.0
            elif "at" in line:
                core += line["seconds"]
                latest = line["at"]
        return Cost(wall + latest, core, tuple(dict.fromkeys(commits)))


def _timed(task: Callable[[], Any], device: str) -> tuple[float, Any]:
    """The task's seconds and its result. Networks are trained on `device` meanwhile."""
    begin = time.perf_counter()
    with training_on(device):
        value = task()
    return time.perf_counter() - begin, value


def _circumstances() -> dict[str, str]:
    begun = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {"begun": begun, "commit": commit(), "machine": machine()}


def _as_json(value: Any) -> Any:
    """The value as it would be read from a file: tuples become lists."""
    return json.loads(json.dumps(value))


def _add_digest(value: Any) -> dict[str, Any]:
    """A result with its digest, so that code that reads it need not check its form."""
    return {"value": value, "sha256": hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]}


def _whole(found: dict[str, Any]) -> bool:
    """Whether the result is unchanged since it was written."""
    return "value" in found and found.get("sha256") == _add_digest(found["value"])["sha256"]


def _is_time(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < 1e12


def _object(where: object, line: bytes, what: str = "the file") -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RunError(f"{where}: damaged: not a JSON object; delete {what} to make it again")
    return found


def _check_settings(path: Path, found: Any, wanted: Settings) -> None:
    """Raises RunError unless they are the same; it names the first setting that differs."""
    if not isinstance(found, dict):
        raise RunError(f"{path}: damaged: it has no settings; delete the file to make it again")
    wanted = _as_json(wanted)
    for key in sorted({*found, *wanted}):
        if found.get(key) != wanted.get(key):
            raise RunError(
                f"{path}: made with {key} = {found.get(key)!r:.80}, not {wanted.get(key)!r:.80}: "
                "take another --folder, or delete the file to make it again"
            )
