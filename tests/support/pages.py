"""The README, the docs and the other pages of the repository, and their blocks of code."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "examples" / "README.md"]


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def files(path: Path) -> list[tuple[str, str]]:
    """The files that a page tells its reader to save."""
    pattern = r"^```\w+ file=(\S+)\n(.*?)^```"
    return re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
