"""The paper in docs/a-paper.md runs as its page says."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from sandtable import papers
from sandtable.cli import app
from support.pages import ROOT, files
from support.report_rendering import check_rendering


def test_the_smallest_paper_writes_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ((name, content),) = files(ROOT / "docs" / "a-paper.md")
    (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.setattr(papers, "__path__", [*papers.__path__, str(tmp_path)])
    monkeypatch.setattr(papers, "PAPERS", (*papers.PAPERS, "mini"))
    monkeypatch.chdir(tmp_path)
    reproduce = ["reproduce", "mini", "--scale", "smoke", "--workers", "1"]
    done = CliRunner().invoke(app, reproduce)
    assert done.exit_code == 0, done.exception
    report = (tmp_path / "results/mini/report.md").read_text(encoding="utf-8")
    assert "Tree search beats random play" in report
    assert "paper 77.5 W-L-D 150-40-10" in report
    refused = CliRunner().invoke(app, [*reproduce, "--set", "maps=3"])
    assert "made with maps = 2, not 3: take another --folder" in str(refused.exception)
    check_rendering("mini", tmp_path / "results/mini", tmp_path / "elsewhere")
