"""Local copies of the files that tasks from another machine name.

A task may name a network or a map by a path that exists only on the machine that sent it. The sender (scale/on_ray.py)
therefore sends the file too, and code that opens such a file calls `here` to find the local copy.
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


_copies: dict[str, tuple[str, Path]] = {}  # by name: the digest of the content, and the path of the copy
_folders: list[Path] = []  # the folder of this process's copies, once there is one


def here(name: str | Path) -> Path:
    """The path to open for a file's name: the local copy if the file was sent here, else the name itself."""
    found = _copies.get(str(name))
    return Path(name) if found is None else found[1]


def keep(files: Mapping[str, Content]) -> None:
    """Keep copies of these files, and no others. A file's content is read only if it is not here yet."""
    for name in [name for name in _copies if name not in files]:
        _copies.pop(name)[1].unlink(missing_ok=True)
    for name, content in files.items():
        if name in _copies and _copies[name][0] == content.digest:
            continue
        path = Path(name)
        # Files of one folder are copied to one folder: a network consists of three files.
        copy = _folder() / hashlib.sha256(str(path.parent).encode()).hexdigest()[:16] / path.name
        copy.parent.mkdir(exist_ok=True)
        write_whole(copy, content.read())
        _copies[name] = content.digest, copy


def _folder() -> Path:
    if not _folders:
        import tempfile  # slow to import, and only needed by workers on other machines

        _folders.append(Path(tempfile.mkdtemp(prefix="sandtable-")))
        atexit.register(shutil.rmtree, _folders[0], ignore_errors=True)
    return _folders[0]
