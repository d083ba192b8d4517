"""Reports of one table and one figure a section."""

from pathlib import Path
from typing import Any

from sandtable.papers.measured import Measured
from sandtable.papers.plots import Curves
from sandtable.papers.report import Report, Section, write
from sandtable.papers.tables import Cell, Table

ABOUT: dict[str, Any] = {
    "paper": "li2022",
    "scale": "smoke",
    "changed": {},
    "seeds": [1],
    "settings": {},
    "commit": "abc",
    "machine": "m",
    "stages": {},
}


def table(name: str) -> Table:
    return Table(name, name, ("what", "figure"), ((Cell("x"), Cell(1)),))


def curves(name: str, top: float = 1.0) -> Curves:
    return Curves(name, {"line": ([0, 1], [0, top])}, "x", "y")


def written(folder: Path, *names: str, top: float = 1.0) -> None:
    measured = Measured.of([table(name) for name in names], [curves(name, top) for name in names], ABOUT)
    sections = [Section(name, "", table(name), measured.picture(name), name) for name in names]
    write(folder, Report("title", ("summary",), tuple(sections)), measured)
