"""Reports of papers: what lies beside them."""

from pathlib import Path
from typing import Any

from sandtable.papers.report import Section, write
from sandtable.papers.tables import Cell, Table

ABOUT: dict[str, Any] = {"scale": "smoke", "changed": {}}


def section(name: str) -> Section:
    table = Table(name, name, ("what", "figure"), ((Cell("x"), Cell(1)),))
    return Section(name, "", table, f"{name}.png", name)


def test_tables_and_pictures_of_an_earlier_report_go_and_nothing_else(tmp_path: Path) -> None:
    strange = {"mine.json": "{}", "list.json": "[]", "notes.png": "mine", "records.jsonl": "{}"}
    for name, text in strange.items():
        (tmp_path / name).write_text(text)
    write(tmp_path, "first", [section("a"), section("b")], {"a.png": b"1", "b.png": b"2"}, ABOUT)
    write(tmp_path, "second", [section("b")], {"b.png": b"3"}, ABOUT)
    assert {path.name for path in tmp_path.iterdir()} == {*strange, "b.json", "b.png", "report.md", "report.html"}
    assert (tmp_path / "b.png").read_bytes() == b"3"
