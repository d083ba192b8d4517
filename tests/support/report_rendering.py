"""For the tests of papers: a report rendered from its stored tables is identical to the one that the run wrote."""

import re
import shutil
from pathlib import Path

from typer.testing import CliRunner

from sandtable.cli import app


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check_orders(report: str) -> None:
    """Counts of games must name their order, and all must use the same order."""
    for found in re.finditer(r"\b\d+-\d+-\d+\b", report):
        before = report[: found.start()]
        assert before.endswith(("W-L-D ", "won-lost-split ")), report[found.start() - 40 : found.end() + 10]
    for other in ("W-D-L", "wins-draws-losses", "win-loss-tie", "W-L-T", "wins-losses-ties"):
        assert other not in report


def check_rendering(paper: str, results: Path, elsewhere: Path) -> None:
    """Remove all of a run's report but its tables and its figures' data: rendering must restore all files."""
    shutil.copytree(results, elsewhere)
    for path in elsewhere.iterdir():
        if path.suffix in (".png", ".md", ".html"):
            path.unlink()
    done = CliRunner().invoke(app, ["reproduce", paper, "--render", str(elsewhere)])
    assert done.exit_code == 0, done.exception
    assert done.stdout == f"{elsewhere / 'report.html'}\n"
    before, after = files(results), files(elsewhere)
    check_orders(before["report.md"].decode())
    assert before.keys() == after.keys()
    assert [name for name in before if before[name] != after[name]] == []
