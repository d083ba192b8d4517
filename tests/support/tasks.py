"""Tasks for sandtable.scale, which workers import too."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sandtable import scale


def square(number: int) -> int:
    return number * number


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
