"""Files that another machine has named: where a copy of them lies on this one.

A task that is sent to another machine may name a network or a map by its path, which means nothing there. What sends
it (scale/on_ray.py) sends the file too, and whoever opens one asks `here` where it is.
"""

from __future__ import annotations

import atexit
import hashlib
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from sandtable.files import write_whole


class Content(NamedTuple):
    digest: str
    read: Callable[[], bytes]


_lies: dict[str, tuple[str, Path]] = {}  # by name: the digest of the content, and the copy
_folders: list[Path] = []  # of this process's copies: one


def here(name: str | Path) -> Path:
    """Where the file of that name is: the copy of what was carried here, else under its own name."""
    found = _lies.get(str(name))
    return Path(name) if found is None else found[1]


def keep(files: Mapping[str, Content]) -> None:
    """Keep copies of these files, and no others; of those that are here already the content is not read."""
    for name in [name for name in _lies if name not in files]:
        _lies.pop(name)[1].unlink(missing_ok=True)
    for name, content in files.items():
        if name in _lies and _lies[name][0] == content.digest:
            continue
        path = Path(name)
        # Files that lie beside each other do so here too: a network is three of them.
        copy = _folder() / hashlib.sha256(str(path.parent).encode()).hexdigest()[:16] / path.name
        copy.parent.mkdir(exist_ok=True)
        write_whole(copy, content.read())
        _lies[name] = content.digest, copy


def _folder() -> Path:
    if not _folders:
        import tempfile  # slow to import, and only needed by workers on other machines

        _folders.append(Path(tempfile.mkdtemp(prefix="sandtable-")))
        atexit.register(shutil.rmtree, _folders[0], ignore_errors=True)
    return _folders[0]
