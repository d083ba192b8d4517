"""Reports of papers: the files beside them, comparisons with published figures, and the order of sections."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sandtable.cli import app
from sandtable.errors import SandtableError
from sandtable.papers.matches import score, turned, win_share
from sandtable.papers.measured import Measured
from sandtable.papers.report import Report, Section, keep_earlier, report_stage
from sandtable.papers.run import Run
from sandtable.papers.settings import PaperSettings
from sandtable.papers.stages import Stage
from sandtable.papers.tables import Cell, Table, agreement, compared, number, percent
from support.report_rendering import files
from support.small_reports import ABOUT, curves, written


def test_only_files_of_an_earlier_report_are_removed(tmp_path: Path) -> None:
    strange = {"mine.json": "{}", "list.json": "[]", "notes.png": "mine", "records.jsonl": "{}"}
    for name, text in strange.items():
        (tmp_path / name).write_text(text)
    written(tmp_path, "a", "b")
    before = (tmp_path / "b.png").read_bytes()
    (tmp_path / "figures/mine.json").write_text("{}")
    written(tmp_path, "b", top=2.0)
    assert {path.name for path in tmp_path.iterdir()} == {
        *strange,
        "b.json",
        "b.png",
        "figures",
        "report.md",
        "report.html",
    }
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {"b.json", "mine.json"}
    assert (tmp_path / "b.png").read_bytes() != before


def test_partial_files_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    """The folder of results is not the run's folder, so nothing else cleans it up."""
    (tmp_path / "figures").mkdir()
    for name in (".report.html.abc.part", "figures/.a.json.xyz.part", ".mine.txt.abc.part"):
        (tmp_path / name).touch()
    written(tmp_path, "a")
    assert [path.name for path in tmp_path.rglob("*.part")] == [".mine.txt.abc.part"]


SMALL_SCALES = {"smoke": PaperSettings(), "paper": PaperSettings()}


def small_stage(value: float) -> Stage[Path]:
    one = Table("a", "a", ("what", "figure"), ((Cell("x"), Cell(value)),))

    def compose(measured: Measured) -> Report:
        return Report("title", ("summary",), (Section("a", "", measured["a"], measured.picture("c"), "c"),))

    return report_stage("li2022", SMALL_SCALES, (), lambda *_: ([one], [curves("c")]), compose)


def report(tmp_path: Path, value: float, scale: str, keep_as: str | None = None) -> Path:
    with Run(tmp_path / f"run-{value}", scale=scale, results=tmp_path / "results", keep_as=keep_as) as run:
        return small_stage(value)(run, SMALL_SCALES[scale])


def test_an_earlier_report_is_kept_in_the_named_folder(tmp_path: Path) -> None:
    results = tmp_path / "results"
    assert report(tmp_path, 1.0, "paper") == results
    (results / "readings").mkdir()
    (results / "notes.txt").write_text("mine")
    assert report(tmp_path, 2.0, "smoke") == tmp_path / "run-2.0/report", "a smaller scale replaces nothing"
    before = files(results)
    assert report(tmp_path, 3.0, "smoke", "first-reading") == results
    kept = files(results / "first-reading")
    assert kept == {name: content for name, content in before.items() if name != "notes.txt"}
    assert (results / "notes.txt").read_text() == "mine"
    assert "**3.0**" in (results / "report.md").read_text()
    # Repeating the command moves nothing.
    again = files(results)
    assert report(tmp_path, 3.0, "smoke", "first-reading") == results
    assert files(results).keys() == again.keys()
    assert files(results / "first-reading") == kept


def test_an_interrupted_move_of_an_earlier_report_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever rename was interrupted: files of the earlier report must not be mixed with the new one."""
    moves, whole = Path.replace, False
    for renames in range(20):
        folder = tmp_path / str(renames)
        folder.mkdir()
        written(folder, "a", "b")
        before = files(folder)
        left = iter(range(renames))

        def move(path: Path, target: Path, left: Iterator[int] = left) -> Path:
            if next(left, None) is None:
                raise KeyboardInterrupt
            return moves(path, target)

        monkeypatch.setattr(Path, "replace", move)
        try:
            keep_earlier(folder, "first")
            whole = True
        except KeyboardInterrupt:
            assert not (folder / "first").exists()
        monkeypatch.setattr(Path, "replace", moves)
        keep_earlier(folder, "first")
        assert files(folder / "first") == before
        assert [path.name for path in folder.iterdir() if path.is_file()] == []
    assert whole


def test_an_earlier_report_is_not_mixed_with_other_files(tmp_path: Path) -> None:
    written(tmp_path, "a")
    (tmp_path / "first").mkdir()
    (tmp_path / "first/notes.txt").write_text("mine")
    before = files(tmp_path)
    with pytest.raises(SandtableError, match=r"first: has files that are not a report; keep the earlier"):
        keep_earlier(tmp_path, "first")
    assert files(tmp_path) == before


@pytest.mark.parametrize("name", ["..", "a/b", "Upper", "", "-x"])
def test_a_folder_for_the_earlier_report_has_a_plain_name(name: str) -> None:
    done = CliRunner().invoke(app, ["reproduce", "li2022", "--scale", "smoke", "--keep-as", name])
    assert isinstance(done.exception, SandtableError)
    assert "a folder name of lower-case letters, digits and hyphens" in str(done.exception)


def test_the_summary_comes_first_and_the_provenance_last(tmp_path: Path) -> None:
    written(tmp_path, "a")
    titles = [line for line in (tmp_path / "report.md").read_text().splitlines() if line.startswith("#")]
    assert titles == ["# title", "## Summary", "## a", "## How these figures were made"]


def test_wins_losses_and_draws_are_labelled_and_in_one_order() -> None:
    """40 wins, 8 losses, 2 draws; the paper's 16, 33, 1."""
    for cell in (score((40, 8, 2), (16, 33, 1)), win_share((40, 8, 2), (16, 33, 1))):
        one = Table("t", "t", ("who", "against"), ((Cell("x"), cell),))
        for text in (one.to_markdown(), one.to_html()):
            assert "W-L-D 40-8-2" in text
            assert "W-L-D 16-33-1" in text
        stored = json.loads(one.to_json(ABOUT))["rows"][0][1]
        assert stored["wins_losses_draws"] == [40, 8, 2]
        assert stored["published_wins_losses_draws"] == [16, 33, 1]


def test_the_error_of_a_published_figure_counts_too() -> None:
    """Ours is 27 of 50, 54% (40.4 .. 67.0). A published 70% of 500 games differs; 70% of 50 games does not."""
    ours = score((27, 23, 0))
    assert ours.high is not None
    assert ours.high < 70
    by_games = {n: dataclasses.replace(ours, published=70.0, published_games=n) for n in (50, 500)}
    assert [by_games[n].agrees for n in (50, 500)] == [True, False]
    apart = by_games[50].difference
    assert apart is not None
    # By hand: Wilson gives 40.40 .. 67.03 and 56.25 .. 80.90; sqrt(13.60^2 + 10.90^2), sqrt(13.03^2 + 13.75^2).
    assert apart == pytest.approx((-16.0, -33.43, 2.94), abs=0.01)
    assert dataclasses.replace(ours, published=70.0).agrees is None, "a figure without games cannot be compared"


def test_a_published_accuracy_has_our_error_scaled_to_its_number_of_games() -> None:
    """Ours 60 +- 3 from 480 games; the paper's, from 120, would have +- 6. Together sqrt(45) = 6.7."""
    share = {"value": 0.60, "low": 0.57, "high": 0.63, "n": 9000, "games": 480}
    for printed, agrees in ((66.0, True), (67.0, False), (54.0, True), (53.0, False)):
        assert dataclasses.replace(percent(share, printed), published_games=120).agrees is agrees


def pairs_table(names: tuple[str, ...], columns: str) -> Table:
    """Every pair twice, from both sides; nothing agrees."""
    ours, theirs = (90, 10, 0), (10, 90, 0)
    rows = []
    for i, own in enumerate(names):
        cells = [
            Cell(None) if i == j else score(ours, theirs) if i < j else score(turned(ours), turned(theirs))
            for j in range(len(names))
        ]
        rows.append((Cell(own), *cells))
    return Table("pairs", "pairs", ("player", *(columns.format(name) for name in names)), tuple(rows))


@pytest.mark.parametrize("columns", ["vs {}", "against {}"])
def test_a_pair_is_counted_once(columns: str) -> None:
    table = pairs_table(("guided", "GA + policy", "GA", "MCTS"), columns)
    assert len(compared(table)) == 6
    said = agreement(table)
    assert said.startswith("0 of 6 published figures agree with ours; these differ: guided ")
    assert said.count("paper 10.0") == 6


def test_a_small_probability_is_not_shown_as_zero() -> None:
    assert number(0.00004, 3) == "<0.001"
    assert number(0.0408, 3) == "0.041"
    assert number(0.0, 1) == "0.0"
