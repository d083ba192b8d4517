"""Tasks for sandtable.scale. Workers import this module, so it imports little: no test framework."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sandtable import scale
from support.processes import MAX_SECONDS


def square(number: int) -> int:
    return number * number


def fail(number: int) -> int:
    if number % 3 == 0:
        raise KeyError(f"no {number}\nat all")
    return number


def die_always(number: int) -> int:
    if number == 5:
        os._exit(1)
    return number


def outlive(mark: Path) -> None:
    """Says that it is there, and would go on for longer than anybody waits."""
    (mark / str(os.getpid())).touch()
    time.sleep(2 * MAX_SECONDS)


def die_once(folder: Path, number: int) -> int:
    """Takes its worker with it the first time it is run."""
    mark = folder / str(number)
    if number % 7 == 3 and not mark.exists():
        mark.touch()
        os._exit(1)
    return number


def collected(tasks: Sequence[scale.Task], **options: Any) -> list[scale.Done]:
    done = sorted(scale.run(tasks, **options))
    assert [one.place for one in done] == list(range(len(tasks)))
    return done
