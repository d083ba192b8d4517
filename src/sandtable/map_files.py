"""Finding map files: by path, or among the maps that come with a game."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

from sandtable.errors import MapError, nearest

MAX_FILE_BYTES = 1 << 20


def shipped_in(folder: Path, suffixes: tuple[str, ...]) -> dict[str, Path]:
    """The map files of a folder by name."""
    return {path.stem: path for path in sorted(folder.iterdir()) if path.suffix in suffixes}


def find(source: str | Path, shipped: Mapping[str, Path]) -> Path:
    """The file that is meant: a path, or else the name of a shipped map."""
    path = Path(source)
    with contextlib.suppress(OSError, ValueError):  # a name that no file can have is no file
        if path.is_file():
            return path
    if str(source) not in shipped:
        hint = nearest(str(source), shipped) or "; `sandtable maps list` shows them"
        raise MapError(f"{source!s:.200}: no such file, and no shipped map of that name{hint}")
    return shipped[str(source)]


def check_text(text: object) -> None:
    """TypeError unless it can be the text of a map."""
    if not isinstance(text, str):
        raise TypeError(f"the text of a map must be a str, not {type(text).__name__}")
