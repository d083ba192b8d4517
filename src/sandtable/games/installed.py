"""Games and players of installed packages, which name them as entry points in their pyproject.toml.

Finding them reads the metadata of every installed package, so it waits until somebody asks for a name that is not known
or for a list. Another package's fault costs a warning of one line, and no command.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from sandtable.errors import one_line

T = TypeVar("T")


_log = logging.getLogger("sandtable")  # prints warnings to stderr as they are, unless a program arranges otherwise


@functools.cache
def installed(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name; of several with one name the first."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        found.setdefault(point.name, point)
    return found


def taken(what: str, reference: str, take: Callable[[], T]) -> T | None:
    """What `take` gives. If it raises anything but Ctrl-C, a warning, and None."""
    try:
        return take()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # importing a package runs it: it may raise anything, SystemExit too
        _log.warning("sandtable: the %s %.100s cannot be loaded: %s", what, reference, one_line(error))
        return None
