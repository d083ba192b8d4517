"""Stored results: a written report is read back, and anything else gets a one-line error."""

import dataclasses
import json
import random
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sandtable import papers
from sandtable.cli import app
from sandtable.errors import SandtableError
from sandtable.papers import stored
from sandtable.papers.report import render
from sandtable.papers.settings import restored
from sandtable.papers.tables import Cell, Table, TableError
from support.report_rendering import check_orders, files
from support.small_reports import ABOUT, curves, table, written

RESULTS = Path(__file__).parent.parent / "results"
REPORTS = tuple(sorted(path.parent.relative_to(RESULTS).as_posix() for path in RESULTS.rglob("report.md")))


def within(folder: str, names: list[str]) -> list[str]:
    """The folders of other reports within a report's folder."""
    return [name for name in names if (Path(folder) / name / "report.md").exists()]


def change(path: Path, work: Callable[[Any], object]) -> None:
    content = json.loads(path.read_text())
    work(content)
    path.write_text(json.dumps(content))


def test_there_are_reports_of_every_paper() -> None:
    assert {report.partition("/")[0] for report in REPORTS} == set(papers.PAPERS)


@pytest.fixture(scope="module")
def report_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report whose pictures are drawn once."""
    made = tmp_path_factory.mktemp("report")
    written(made, "a", "b")
    return made


@pytest.fixture
def folder(report_folder: Path, tmp_path: Path) -> Path:
    """A copy of that report."""
    shutil.copytree(report_folder, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_a_written_report_is_read_back(folder: Path) -> None:
    found = stored.read(folder, "li2022")
    assert found.tables == {name: table(name) for name in ("a", "b")}
    assert {name: one.draw() for name, one in found.figures.items()} == {name: curves(name).draw() for name in "ab"}
    assert found.about == ABOUT
    assert found.kept == frozenset()


@pytest.mark.parametrize("report", REPORTS)
def test_the_reports_in_the_repository_match_their_tables(report: str, tmp_path: Path) -> None:
    """After a change of a report's text: sandtable reproduce PAPER --render results/PAPER. Pictures are not compared:
    they depend on the version of the drawing library."""
    paper = report.partition("/")[0]
    shutil.copytree(RESULTS / report, tmp_path / paper, ignore=within)
    before = files(tmp_path / paper)
    render(tmp_path / paper, paper, papers.paper(paper).compose)
    after = files(tmp_path / paper)
    assert before.keys() == after.keys()
    assert [name for name in before if before[name] != after[name] and not name.endswith(".png")] == []
    check_orders(after["report.md"].decode())
    check_orders(after["report.html"].decode())


BAD_TABLES: dict[str, tuple[Callable[[Any], object], str]] = {
    "format": (lambda one: one.update(format=3), "format 3 is not known; this version reads 1 and 2"),
    "no title": (lambda one: one.pop("title"), "title must be a string, not None"),
    "lines in a title": (lambda one: one.update(title="a\nb"), "title must be one line of at most 1000 characters"),
    "long title": (lambda one: one.update(title="a" * 1001), "title must be one line"),
    "columns": (lambda one: one.update(columns="what"), "columns must be a list, not 'what'"),
    "column": (lambda one: one.update(columns=["what", 7]), "a column must be a string, not 7"),
    "rows": (lambda one: one.pop("rows"), "rows must be a list, not None"),
    "row": (lambda one: one.update(rows=[[{"value": 1}]]), "row 1 has 1 cells for 2 columns"),
    "empty rows": (lambda one: one.update(rows=[[]], columns=[]), "row 1 has 0 cells for 0 columns"),
    "cell": (lambda one: one["rows"][0].__setitem__(1, 5), "row 1, figure must be an object, not 5"),
    "key": (lambda one: one["rows"][0][1].update(colour=1), "row 1, figure: a cell has no key 'colour'"),
    "value": (lambda one: one["rows"][0][1].update(value=[1]), "row 1, figure: value must be a number, not [1]"),
    "boolean": (lambda one: one["rows"][0][1].update(value=True), "value must be a number, not True"),
    "not finite": (lambda one: one["rows"][0][1].update(value=float("nan")), "must be a number that is not too large"),
    "huge": (lambda one: one["rows"][0][1].update(value=10**400), "must be a number that is not too large"),
    "half an interval": (lambda one: one["rows"][0][1].update(low=0), "an interval needs both ends"),
    "interval without the figure": (
        lambda one: one["rows"][0][1].update(low=2, high=3),
        "row 1, figure: the interval does not contain the figure",
    ),
    "interval of a text": (lambda one: one["rows"][0][0].update(low=2, high=3), "does not contain the figure"),
    "counts": (lambda one: one["rows"][0][1].update(wins_losses_draws=[1, 2]), "must be three numbers"),
    "negative counts": (lambda one: one["rows"][0][1].update(wins_losses_draws=[1, -2, 0]), "must not be negative"),
    "other counts": (
        lambda one: one["rows"][0][1].update(wins_losses_draws=[1, 2, 3], n=7),
        "wins, losses and draws do not add up to n",
    ),
    "games": (lambda one: one["rows"][0][1].update(games=8, n=7), "there must be at least as many states as games"),
    "digits": (lambda one: one.update(digits=[1]), "digits must be at most 9, for all columns or for each"),
    "facts": (lambda one: one.update(facts=[]), "facts must be an object, not []"),
    "fact": (lambda one: one.update(facts={"a": [1]}), "a fact must be a number, not [1]"),
    "no provenance": (lambda one: one.pop("provenance"), "provenance must be an object, not None"),
    "scale": (lambda one: one["provenance"].update(scale="large"), "no scale is called 'large'"),
    "paper": (lambda one: one["provenance"].update(paper="takahashi"), "belongs to 'takahashi', not to li2022"),
    "seeds": (lambda one: one["provenance"].update(seeds=[]), "provenance: seeds must be a list, not None"),
    "setting": (lambda one: one["provenance"]["settings"].update(x={}), "provenance: x must be a number, not {}"),
    "stage": (lambda one: one["provenance"]["stages"].update(x={}), "provenance: x: seconds must be a number"),
    "another run": (lambda one: one["provenance"].update(commit="other"), "belongs to another run than"),
}


@pytest.mark.parametrize("what", BAD_TABLES)
def test_a_bad_table_gets_a_one_line_error(what: str, folder: Path) -> None:
    work, message = BAD_TABLES[what]
    change(folder / "a.json", work)
    with pytest.raises(TableError) as caught:
        stored.read(folder, "li2022")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert ".json: " in str(caught.value)


def test_an_endless_file_is_refused(folder: Path) -> None:
    (folder / "endless.json").symlink_to("/dev/zero")
    with pytest.raises(SandtableError, match=r"endless.json: larger than the 67,108,864 bytes"):
        stored.read(folder, "li2022")


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, "\x00", '"text'])
def test_invalid_json_gets_a_one_line_error(content: str, folder: Path) -> None:
    (folder / "a.json").write_text(content)
    with pytest.raises(TableError, match=r"a\.json: not JSON$"):
        stored.read(folder, "li2022")


BAD_FIGURES: dict[str, tuple[Callable[[Any], object], str]] = {
    "lines": (lambda one: one.update(lines={}), "lines must be a list, not {}"),
    "line": (lambda one: one.update(lines=[1]), "a line must be an object, not 1"),
    "name": (lambda one: one["lines"][0].update(name=1), "a line's name must be a string, not 1"),
    "x": (lambda one: one["lines"][0].update(x=[0]), "line: x and y differ in length"),
    "y": (lambda one: one["lines"][0].update(y=[0, "1"]), "line: y must be a number, not '1'"),
    "label": (lambda one: one.pop("x"), "x must be a string, not None"),
    "scale": (lambda one: one.update(log_x=1), "log_x must be true or false, not 1"),
    "provenance": (lambda one: one.pop("provenance"), "provenance must be an object"),
}


@pytest.mark.parametrize("what", BAD_FIGURES)
def test_bad_data_of_a_figure_get_a_one_line_error(what: str, folder: Path) -> None:
    work, message = BAD_FIGURES[what]
    change(folder / "figures/b.json", work)
    with pytest.raises(TableError) as caught:
        stored.read(folder, "li2022")
    assert str(caught.value).endswith(message) or message in str(caught.value)
    assert "figures/b.json: " in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["li2022", "--render", "{here}/nowhere"], "nowhere: contains no tables of a report"),
        (["li2022", "--render", "{here}"], "table_4.json: not among the stored tables"),
        (["takahashi", "--render", "{here}"], "a.json: belongs to 'li2022', not to takahashi"),
        (["li2022", "--render", "{here}", "--set", "batch=3"], "it takes no setting, stage or folder"),
        (["li2022", "--render", "{here}", "--until", "maps"], "it takes no setting, stage or folder"),
    ],
)
def test_errors_of_the_command_are_one_line_and_change_no_file(
    folder: Path, arguments: list[str], message: str
) -> None:
    before = files(folder)
    done = CliRunner().invoke(app, ["reproduce", *(one.format(here=folder) for one in arguments)])
    assert isinstance(done.exception, SandtableError)
    assert message in str(done.exception)
    assert "\n" not in str(done.exception)
    assert files(folder) == before, "no file is changed"


def nodes(content: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON tree: its container and its key."""
    found = []
    for key in list(content) if isinstance(content, dict) else range(len(content)):
        found.append((content, key))
        if isinstance(content[key], dict | list):
            found += nodes(content[key])
    return found


@pytest.mark.parametrize("report", REPORTS)
def test_damage_anywhere_is_harmless_or_gets_a_one_line_error(report: str, tmp_path: Path) -> None:
    paper = report.partition("/")[0]
    compose = papers.paper(paper).compose
    folder = tmp_path / paper
    shutil.copytree(RESULTS / report, folder, ignore=within)
    rng = random.Random(report)
    junk: tuple[Any, ...] = (None, -1, 0, 1e300, "", "x|y", [], {}, True, [[]], float("inf"), "not run", [1, 2, 3])
    caught = 0
    for path in sorted(folder.glob("*.json")):
        whole = path.read_bytes()
        for _ in range(6):
            content = json.loads(whole)
            about = content.pop("provenance")
            holder, key = rng.choice(nodes(content))
            if rng.random() < 0.3:
                del holder[key]
            else:
                holder[key] = rng.choice(junk)
            path.write_text(json.dumps(content | {"provenance": about}))
            try:
                compose(stored.read(folder, paper))
            except SandtableError as error:
                caught += 1
                assert "\n" not in str(error)
        path.write_bytes(whole)
    assert caught


def shapes(whole: Table) -> Iterator[Table]:
    """Tables that are well formed, but not as the report needs them."""
    yield dataclasses.replace(whole, rows=())
    for i in range(len(whole.rows)):
        yield dataclasses.replace(whole, rows=whole.rows[:i] + whole.rows[i + 1 :])
    for i in range(1, len(whole.columns)):
        yield dataclasses.replace(whole, columns=whole.columns[:i], rows=tuple(row[:i] for row in whole.rows))
    for cell in (Cell(None), Cell(0.0, 0.0, 0.0), Cell("x")):
        yield dataclasses.replace(whole, rows=tuple((row[0], *(cell for _ in row[1:])) for row in whole.rows))


@pytest.mark.parametrize("report", REPORTS)
def test_a_table_of_another_shape_is_harmless_or_gets_a_one_line_error(report: str) -> None:
    paper = report.partition("/")[0]
    compose = papers.paper(paper).compose
    good = stored.read(RESULTS / report, paper)
    caught = 0
    for name, whole in good.tables.items():
        for one in shapes(whole):
            try:
                compose(dataclasses.replace(good, tables={**good.tables, name: one}))
            except SandtableError as error:
                caught += 1
                assert "\n" not in str(error)
    assert caught


def first_format(folder: Path, name: str, title: str, said: str, **cell: Any) -> None:
    content = {
        "title": title,
        "columns": ["what", "figure"],
        "rows": [[{"value": "x"}, {"low": None, "high": None, "n": None, "published": None} | cell]],
        "said": said,
        "provenance": {key: value for key, value in ABOUT.items() if key != "paper"},
    }
    (folder / f"{name}.json").write_text(json.dumps(content))


def test_the_first_format_is_read(tmp_path: Path) -> None:
    """It has counts as text, in kimura2020's tables with draws second, and facts in sentences only."""
    scored = {"value": 80.0, "low": 67.0, "high": 88.8, "n": 50, "published": 32.0}
    old = scored | {"detail": "40-2-8", "published_detail": "16-1-33"}
    first_format(tmp_path, "table_1", "wins, % (wins-draws-losses)", "", **old)
    first_format(tmp_path, "table_5", "score, %", "", **scored | {"detail": "40-8-2", "published_detail": "16-33-1"})
    first_format(tmp_path, "table_4", "accuracy, %", "", **scored | {"detail": "50 states, 12 games"})
    first_format(
        tmp_path, "ceiling", "t", "The results' own variance, below which no squared error falls, is 0.16.", value=1
    )
    first_format(tmp_path, "longer", "t", "", value=1.234)
    first_format(tmp_path, "records", "t", "How they ended: 3 by tie. The file's sha256 begins with 0a1b.", value=1)
    found, other = stored.read(tmp_path, "li2022"), stored.read(tmp_path, "soares2025")
    for name in ("table_1", "table_5"):
        cell = found[name].cell("x", "figure")
        assert (cell.counts, cell.published_counts, cell.published_games) == ((40, 8, 2), (16, 33, 1), 50)
    assert found["table_1"].title == "wins, % (W-L-D)"
    assert (found["table_4"].cell("x", "figure").n, found["table_4"].cell("x", "figure").games) == (50, 12)
    assert found["ceiling"].facts == {"variance": 0.16}
    assert other["records"].facts == {"ends": "3 by tie", "sha256": "0a1b"}
    assert (found["longer"].digits, other["longer"].digits) == (2, 1)
    first_format(tmp_path, "table_4", "accuracy, %", "", **scored | {"detail": "many"})
    with pytest.raises(TableError, match=r"table_4\.json: 'many' is not known as the detail of a cell"):
        stored.read(tmp_path, "li2022")


def test_a_picture_without_its_data_is_kept(tmp_path: Path) -> None:
    shutil.copytree(RESULTS / "li2022", tmp_path / "li2022")
    shutil.rmtree(tmp_path / "li2022/figures", ignore_errors=True)
    (tmp_path / "li2022/losses.png").write_bytes(b"drawn long ago")
    render(tmp_path / "li2022", "li2022", papers.paper("li2022").compose)
    assert (tmp_path / "li2022/losses.png").read_bytes() == b"drawn long ago"
    assert "(losses.png)" in (tmp_path / "li2022/report.md").read_text()


def test_figures_of_networks_that_were_not_run_are_not_drawn(tmp_path: Path) -> None:
    """kimura2020's Figures 6 to 9 compare networks; with one of them alone there is nothing to compare."""
    shutil.copytree(RESULTS / "kimura2020", tmp_path / "kimura2020")
    found = stored.read(tmp_path / "kimura2020", "kimura2020")
    trained = [name for name, _ in found["trainings"].named_rows()]
    for number in (6, 7, 8, 9):
        (tmp_path / f"kimura2020/figure_{number}_x.png").write_bytes(b"")
    render(tmp_path / "kimura2020", "kimura2020", papers.paper("kimura2020").compose)
    text = (tmp_path / "kimura2020/report.md").read_text()
    for network in ("short-sep-4", "short-sep-6", "short-conv-6"):
        not_drawn = re.search(rf"^Not drawn: .*\b{network}\b.* not trained in this run\.$", text, re.MULTILINE)
        assert (network in trained) == (not_drawn is None), network


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"train": [1, 2]}, "stored setting train is not 3 numbers: [1, 2]"),
        ({"train": [1, 2, "3"]}, "stored setting train is not 3 numbers"),
        ({"batch": "many"}, "stored setting batch must have the type of 256, not 'many'"),
        ({"best_by": 3}, "stored setting best_by must have the type of 'held_out_loss', not 3"),
        ({"batch": 0}, "batch must be within"),
    ],
)
def test_bad_stored_settings_get_a_one_line_error(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SandtableError) as caught:
        restored(papers.paper("li2022").SCALES["paper"], change)
    assert message in str(caught.value)


def test_settings_that_were_not_stored_are_those_of_the_scale() -> None:
    usual = papers.paper("li2022").SCALES["quick"]
    found = restored(usual, {"batch": 64, "gone": 3, "train": [1, 2, 3]})
    assert (found.batch, found.train, found.patience) == (64, (1, 2, 3), usual.patience)


def test_takahashi_states_its_training_steps() -> None:
    """Six epochs of our longer games are not as many steps as the paper's fifty: the report states both numbers."""
    found = stored.read(RESULTS / "takahashi", "takahashi")
    settings = found.about["settings"]
    text = "\n".join(papers.paper("takahashi").compose(found).summary)
    for kind, theirs in (("simple", "2,349"), ("complex", "3,511")):
        learnt = found["table_1_game"].cell("GCN", f"{kind} train").n or 0
        steps = settings["epochs"] * -(-learnt // settings["batch"])
        assert f"{steps:,} steps (paper about {theirs}) on {kind} maps" in text


def test_reports_name_the_maps_that_players_were_tuned_on() -> None:
    for paper, section, words in (
        ("kimura2020", "At equal seconds a turn", ("crossroads, ford, hills", "no test on unseen maps")),
        ("kimura2020", "The recipe tubstap-fast on the paper's maps", ("Map01 were looked at",)),
        ("soares2025", "The player sandtable", ("chosen by games on the thesis's four maps",)),
    ):
        report = papers.paper(paper).compose(stored.read(RESULTS / paper, paper))
        text = next(one.text for one in report.sections if one.title == section)
        assert all(word in text for word in words)


def test_li2022_says_how_often_the_tree_search_scores_less_than_printed() -> None:
    found = stored.read(RESULTS / "li2022", "li2022")
    sections = papers.paper("li2022").compose(found).sections
    text = next(one.text for one in sections if one.title == "What remains unexplained")
    tables, networks = (found["table_5"], found["table_6"]), ("GCN", "CNN_g", "CNN_i")
    apart = [table.cell("MCTS-200", f"vs {network}").difference for table in tables for network in networks]
    lower = [gap for gap in apart if gap is not None and gap.high < 0]
    assert f"In {len(lower)} of 6 matches with a network MCTS-200 scores less" in text


def trains(report: str) -> bool:
    return any("training" in stage for stage in papers.paper(report.partition("/")[0]).STAGES)


@pytest.mark.parametrize("report", [report for report in REPORTS if trains(report)])
def test_the_number_of_training_seeds_is_stated(report: str) -> None:
    paper = report.partition("/")[0]
    found = stored.read(RESULTS / report, paper)
    for seeds, words in (([7], "one training seed"), ([7, 8, 9], "3 training seeds")):
        again = dataclasses.replace(found, about={**found.about, "seeds": seeds})
        assert words in "\n".join(papers.paper(paper).compose(again).summary)
