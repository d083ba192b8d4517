"""Shared by the games that read maps from files."""

from pathlib import Path

MAX_FILE_BYTES = 1 << 20


def shipped_in(folder: Path, suffixes: tuple[str, ...]) -> dict[str, Path]:
    """The map files of a folder by name."""
    return {path.stem: path for path in sorted(folder.iterdir()) if path.suffix in suffixes}


def check_text(text: object) -> None:
    """TypeError unless the text of a map is a str."""
    if not isinstance(text, str):
        raise TypeError(f"the text of a map must be a str, not {type(text).__name__}")
