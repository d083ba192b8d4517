"""Reads stored results: the tables of a report, the data of its figures, and their provenance.

The content of a file is checked before it is used: a file that no report would have written is an error of one line.
Tables of format 1, which reports wrote before counts were stored as numbers, are read too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sandtable.files import read_at_most
from sandtable.papers.measured import SCALES, Measured
from sandtable.papers.plots import Curves
from sandtable.papers.tables import FORMAT, PLAIN_KEYS, Cell, Counts, Table, TableError

FIGURES = "figures"  # the folder with the data of pictures
MAX_BYTES = 1 << 26  # of a file
LONGEST_TEXT = 1000
LARGEST_NUMBER = 1e15
MARKS = {"columns", "rows", "provenance"}  # a JSON file with none of these keys is not a table of a report


def read(folder: Path, paper: str) -> Measured:
    """Everything that the report in this folder is written from."""
    found = {path: _content(path) for path in sorted(folder.glob("*.json"))}
    tables = {path: content for path, content in found.items() if isinstance(content, dict) and MARKS & content.keys()}
    if not tables:
        raise TableError(f"{folder}: contains no tables of a report")
    figures = {path: _content(path) for path in sorted((folder / FIGURES).glob("*.json"))}
    about = _common_provenance(tables | figures, paper)
    pictures = {path.stem for path in folder.glob("*.png")}
    return Measured(
        {path.stem: _Reader(path).table(content, paper) for path, content in tables.items()},
        {path.stem: _Reader(path).curves(content) for path, content in figures.items()},
        about,
        frozenset(pictures - {path.stem for path in figures}),
    )


def _content(path: Path) -> Any:
    data = read_at_most(path, MAX_BYTES)
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise TableError(f"{path}: not JSON") from None


def _common_provenance(contents: Mapping[Path, Any], paper: str) -> dict[str, Any]:
    """The provenance that all files share; they must be from one run of the paper."""
    first, about = None, None
    for path, content in contents.items():
        reader = _Reader(path)
        one = {"paper": paper} | reader.provenance(reader.of(content, dict, "the file").get("provenance"))
        if one["paper"] != paper:
            raise TableError(f"{path}: belongs to {one['paper']!r:.40}, not to {paper}")
        if about is not None and one != about:
            raise TableError(f"{path}: belongs to another run than {first}")
        first, about = first or path.name, one
    assert about is not None
    return about


class _Reader:
    """Checks the content of a file. Its errors name the file and say what is wrong."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fail(self, what: str) -> TableError:
        return TableError(f"{self.path}: {what}")

    def of(self, value: Any, kind: type | tuple[type, ...], what: str) -> Any:
        if not isinstance(value, kind) or isinstance(value, bool):
            names = {dict: "an object", list: "a list", str: "a string", int: "a whole number"}
            wanted = names.get(kind, "a number") if isinstance(kind, type) else "a number"
            raise self.fail(f"{what} must be {wanted}, not {value!r:.40}")
        return value

    def text(self, value: Any, what: str) -> str:
        found: str = self.of(value, str, what)
        if len(found) > LONGEST_TEXT or not found.isprintable():
            raise self.fail(f"{what} must be one line of at most {LONGEST_TEXT} characters")
        return found

    def number(self, value: Any, what: str) -> float:
        found: float = self.of(value, (int, float), what)
        if not abs(found) <= LARGEST_NUMBER:  # rejects NaN too
            raise self.fail(f"{what} must be a number that is not too large, not {value!r:.40}")
        return found

    def natural(self, value: Any, what: str) -> int:
        found: int = self.of(value, int, what)
        if not 0 <= found <= LARGEST_NUMBER:
            raise self.fail(f"{what} must not be negative or too large, but is {found!r:.40}")
        return found

    def counts(self, value: Any, what: str) -> Counts:
        found = [self.natural(count, what) for count in self.of(value, list, what)]
        if len(found) != 3:
            raise self.fail(f"{what} must be three numbers")
        return found[0], found[1], found[2]

    def table(self, content: dict[str, Any], paper: str) -> Table:
        version = content.get("format", 1)
        if version not in (1, FORMAT):
            raise self.fail(f"format {version!r:.40} is not known; this version reads 1 and {FORMAT}")
        if version == 1:
            content = _from_first_format(f"{paper} {self.path.stem}", self, content)
        columns = tuple(self.text(name, "a column") for name in self.of(content.get("columns"), list, "columns"))
        rows = []
        for place, row in enumerate(self.of(content.get("rows"), list, "rows"), start=1):
            cells = self.of(row, list, f"row {place}")
            if len(cells) != len(columns) or not cells:
                raise self.fail(f"row {place} has {len(cells)} cells for {len(columns)} columns")
            rows.append(
                tuple(self.cell(cell, f"row {place}, {name}") for name, cell in zip(columns, cells, strict=True))
            )
        return Table(
            self.path.stem,
            self.text(content.get("title"), "title"),
            columns,
            tuple(rows),
            digits=self.digits(content.get("digits", 1), len(columns)),
            facts={
                self.text(name, "a fact"): self.figure(fact, "a fact")
                for name, fact in self.of(content.get("facts", {}), dict, "facts").items()
            },
        )

    def figure(self, value: Any, what: str) -> float | str:
        """A number or a text."""
        return self.text(value, what) if isinstance(value, str) else self.number(value, what)

    def digits(self, value: Any, columns: int) -> int | tuple[int, ...]:
        found = [self.natural(one, "digits") for one in (value if isinstance(value, list) else [value])]
        if any(one > 9 for one in found) or (isinstance(value, list) and len(found) != columns):
            raise self.fail(f"digits must be at most 9, for all columns or for each, not {value!r:.40}")
        return tuple(found) if isinstance(value, list) else found[0]

    def cell(self, value: Any, where: str) -> Cell:
        found = self.of(value, dict, where)
        for key in found:
            if key not in PLAIN_KEYS:
                raise self.fail(f"{where}: a cell has no key {key!r:.40}")
        parsed: dict[str, Any] = {}
        for key, name in PLAIN_KEYS.items():
            one = found.get(key)
            if one is not None:
                parsed[name] = self._parser(key)(one, f"{where}: {key}")
        cell = Cell(**{"value": None} | parsed)
        self._check(cell, where)
        return cell

    def _parser(self, key: str) -> Callable[[Any, str], Any]:
        if key == "value":
            return self.figure
        if key in ("n", "games", "published_games"):
            return self.natural
        return self.counts if key.endswith("wins_losses_draws") else self.number

    def _check(self, cell: Cell, where: str) -> None:
        """Raises an error if the figures of a cell contradict each other."""
        if (cell.low is None) != (cell.high is None):
            raise self.fail(f"{where}: an interval needs both ends")
        if cell.low is not None and (cell.interval is None or not cell.low <= cell.interval.value <= (cell.high or 0)):
            raise self.fail(f"{where}: the interval does not contain the figure")
        if cell.games is not None and (cell.n is None or cell.games > cell.n):
            raise self.fail(f"{where}: there must be at least as many states as games")
        if cell.counts is not None and (cell.n is None or cell.n != sum(cell.counts) or cell.n == 0):
            raise self.fail(f"{where}: wins, losses and draws do not add up to n")

    def curves(self, content: Any) -> Curves:
        found = self.of(content, dict, "the file")
        lines = {}
        for line in self.of(found.get("lines"), list, "lines"):
            parts = self.of(line, dict, "a line")
            name = self.text(parts.get("name"), "a line's name")
            along, values = (
                [self.number(one, f"{name}: {axis}") for one in self.of(parts.get(axis), list, f"{name}: {axis}")]
                for axis in ("x", "y")
            )
            if len(along) != len(values):
                raise self.fail(f"{name}: x and y differ in length")
            lines[name] = along, values
        log_x = found.get("log_x", False)
        if not isinstance(log_x, bool):
            raise self.fail(f"log_x must be true or false, not {log_x!r:.40}")
        return Curves(self.path.stem, lines, self.text(found.get("x"), "x"), self.text(found.get("y"), "y"), log_x)

    def provenance(self, value: Any) -> dict[str, Any]:
        about: dict[str, Any] = self.of(value, dict, "provenance")
        if about.get("scale") not in SCALES:
            raise self.fail(f"provenance: no scale is called {about.get('scale')!r:.40}")
        for name in ("commit", "machine"):
            self.text(about.get(name), f"provenance: {name}")
        if "paper" in about:
            self.text(about["paper"], "provenance: paper")
        for seed in self.of(about.get("seeds") or None, list, "provenance: seeds"):
            self.natural(seed, "provenance: a seed")
        for part in ("changed", "settings"):
            for name, setting in self.of(about.get(part), dict, f"provenance: {part}").items():
                what = f"provenance: {self.text(name, 'provenance: the name of a setting')}"
                for one in setting if isinstance(setting, list) else [setting]:
                    self.figure(one, what)
        for name, stage in self.of(about.get("stages"), dict, "provenance: stages").items():
            self.text(name, "provenance: a stage's name")
            for part in ("seconds", "core_seconds"):
                self.number(self.of(stage, dict, f"provenance: {name}").get(part), f"provenance: {name}: {part}")
        return about


# Format 1 has counts as text, in the order that the title gives, and has some facts only in its sentences.
_COUNTS = re.compile(r"(\d+)-(\d+)-(\d+)")
_STATES = re.compile(r"([\d,]+) states, ([\d,]+) games")
_DRAWS_SECOND = "(wins-draws-losses)"
_FIRST_DIGITS = {"li2022 growth": 2, "li2022 longer": 2}
_FIRST_FACTS: dict[str, dict[str, tuple[str, Callable[[str], float | str]]]] = {
    "li2022 ceiling": {"variance": (r"own variance, below which no squared error falls, is (\d+\.\d+)\.", float)},
    "soares2025 records": {
        "ends": (r"^How they ended: (.*)\. The file's", str),
        "sha256": (r"sha256 begins with (\w+)", str),
    },
}


def _from_first_format(name: str, reader: _Reader, content: dict[str, Any]) -> dict[str, Any]:
    title, said = (reader.of(content.get(key), str, key) for key in ("title", "said"))
    rows = [
        [_from_first_cell(reader, cell, _DRAWS_SECOND in title) for cell in reader.of(row, list, "a row")]
        for row in reader.of(content.get("rows"), list, "rows")
    ]
    facts = {
        fact: kind(match[1])
        for fact, (form, kind) in _FIRST_FACTS.get(name, {}).items()
        if (match := re.search(form, said))
    }
    title = title.replace(_DRAWS_SECOND, "(W-L-D)")
    return content | {"title": title, "rows": rows, "facts": facts, "digits": _FIRST_DIGITS.get(name, 1)}


def _from_first_cell(reader: _Reader, cell: Any, draws_second: bool) -> dict[str, Any]:
    found = dict(reader.of(cell, dict, "a cell"))
    for key, counts in (("detail", "wins_losses_draws"), ("published_detail", "published_wins_losses_draws")):
        text = found.pop(key, "")
        if match := _COUNTS.fullmatch(str(text)):
            won, second, third = map(int, match.groups())
            found[counts] = [won, third, second] if draws_second else [won, second, third]
        elif match := _STATES.fullmatch(str(text)):
            found["games"] = int(match[2].replace(",", ""))
        elif text:
            raise reader.fail(f"{text!r:.40} is not known as the detail of a cell")
    if "published_wins_losses_draws" in found:
        found["published_games"] = sum(found["published_wins_losses_draws"])
    return found
