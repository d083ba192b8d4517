"""A report: a summary, sections of text, tables and pictures, as Markdown and HTML; every table also as JSON.

A report is a function of its stored tables: a paper's `compose` writes it from a `Measured`, which comes from a run or
from the files of an earlier report.
"""

from __future__ import annotations

import contextlib
import html
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandtable.errors import SandtableError
from sandtable.files import read_at_most, remove_unfinished_of, write_whole
from sandtable.papers import stored
from sandtable.papers.findings import EXPLAINED, Finding, table_of
from sandtable.papers.measured import SCALES, Measured, provenance
from sandtable.papers.plots import Curves, Kept, Picture
from sandtable.papers.run import Run
from sandtable.papers.settings import PaperSettings
from sandtable.papers.stages import Needs, Stage
from sandtable.papers.tables import Table

READING = (
    "How to read the tables: a cell has our figure in bold, its 95% interval in parentheses, the games or states "
    "behind it, and the paper's figure; parts that do not exist are left out. W-L-D are the wins, losses and draws of "
    "the row's player, in this order. A published figure *agrees with* ours if the 95% interval of the difference "
    "contains 0, and *differs from* it otherwise; this interval includes the errors of both figures."
)

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0; font-size: 14px; }}
th, td {{ border-bottom: 1px solid #8886; padding: .3rem .7rem; text-align: left; vertical-align: top; }}
td i {{ display: block; color: #777; }}
td span {{ white-space: nowrap; }}
img {{ max-width: 100%; background: #fff; border-radius: 6px; }}
</style></head><body>
<h1>{title}</h1>
{body}</body></html>
"""


@dataclass(frozen=True)
class Section:
    """`text` consists of paragraphs with empty lines between them; a paragraph whose lines begin with `- ` is a
    list."""

    title: str
    text: str = ""
    table: Table | None = None
    picture: Picture | None = None
    picture_says: str = ""


def sections_of(
    measured: Measured, name: str, title: str, text: str = "", say: Callable[[Table], Table | str] = lambda table: ""
) -> list[Section]:
    """The section of a table; none if the run has no such table. `say` returns the sentence below the table, or the
    table with its sentence."""
    if name not in measured:
        return []
    said = say(measured[name])
    return [Section(title, text, measured[name].saying(said) if isinstance(said, str) else said)]


def findings_section(
    findings: Sequence[Finding],
    paper: str,
    figure: str,
    text: str = "",
    title: str = "What the paper found, one by one",
) -> Section:
    """`figure` is the heading of the column with our figures."""
    return Section(title, f"{text} {EXPLAINED}".strip(), table_of(findings, f"Findings of {paper}", figure))


@dataclass(frozen=True)
class Report:
    """`summary`: what is reproduced, what is not, and why, as paragraphs. `made`: how the figures were made, in
    addition to their provenance."""

    title: str
    summary: tuple[str, ...]
    sections: tuple[Section, ...]
    made: str = ""


Compose = Callable[[Measured], Report]


def made(about: Mapping[str, Any]) -> str:
    """The command, the seeds, the commit, the machine and the time of each stage, in words."""
    changed = "".join(f" --set {name}={_as_option(value)}" for name, value in about["changed"].items())
    stages = ", ".join(
        f"{name} {stage['seconds']:,.0f}" for name, stage in about["stages"].items() if stage["seconds"] >= 0.5
    )
    work = sum(stage["core_seconds"] for stage in about["stages"].values())
    seeds = f"Seed{'s' * (len(about['seeds']) > 1)} {', '.join(map(str, about['seeds']))}"
    return (
        f"Command: `sandtable reproduce {about['paper']} --scale {about['scale']}{changed}`. {seeds}; commit "
        f"{about['commit']}; {about['machine']}.\n\n"
        f"Wall-clock seconds by stage: {stages}. In total {work / 60:,.0f} minutes of one core."
    )


def _as_option(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def report_stage(
    paper: str,
    scales: Mapping[str, PaperSettings],
    needs: Needs,
    measure: Callable[[Run, Any, Mapping[str, Any]], tuple[Iterable[Table], Iterable[Curves]]],
    compose: Compose,
    *,
    name: str = "report",
    within: str = ".",
    seeds: Callable[[Any], list[int]] | None = None,
) -> Stage[Path]:
    """The stage that writes a report into the run's folder, and into `run.results` unless better results are there; it
    returns the last folder that it wrote. `measure` makes the tables and figures from the run, the settings and the
    results of the needed stages by name. `within`: a subfolder of both folders, for a report on a part of the run.
    `seeds` gives the seeds of the trainings, if they are not just the run's seed."""

    def write_report(run: Run, settings: Any, *made: Any) -> Path:
        names = (needed.name for needed in one.needed(settings))
        tables, figures = measure(run, settings, dict(zip(names, made, strict=True)))
        about = provenance(run, paper, settings, scales[run.scale])
        if seeds:
            about["seeds"] = seeds(settings)
        measured = Measured.of(tables, figures, about)
        report, folder = compose(measured), run.folder / "report" / within
        write(folder, report, measured)
        if run.results is not None and run.keep_as and within == ".":
            keep_earlier(run.results, run.keep_as)
        if run.results is not None and may_replace(run.results / within, about):
            folder = run.results / within
            write(folder, report, measured)
        return folder

    one = Stage(name, write_report, needs)
    return one


def render(folder: Path, paper: str, compose: Compose) -> Path:
    """Rewrites the report in a folder from the tables that are stored there."""
    measured = stored.read(folder, paper)
    write(folder, compose(measured), measured)
    return folder


def write(folder: Path, report: Report, measured: Measured) -> None:
    """Writes report.md, report.html, the pictures and their data, and a JSON file for each table; deletes the files of
    an earlier report that this one lacks."""
    shown = {one.table.name: one.table for one in report.sections if one.table}
    pictures = [one.picture for one in report.sections if one.picture]
    files = {f"{name}.json": table.to_json(measured.about) for name, table in ({**measured.tables} | shown).items()}
    files |= {f"{stored.FIGURES}/{name}.json": one.to_json(measured.about) for name, one in measured.figures.items()}
    data = {name: text.encode() for name, text in files.items()}
    data |= {f"{one.name}.png": one.draw() for one in pictures if not isinstance(one, Kept)}
    data |= {"report.md": _markdown(report, measured).encode(), "report.html": _html(report, measured).encode()}
    earlier = {*_tables(folder), *_tables(folder, stored.FIGURES), *_pictures(folder)}
    (folder / stored.FIGURES if measured.figures else folder).mkdir(parents=True, exist_ok=True)
    for name, content in data.items():
        remove_unfinished_of(folder / name)
        write_whole(folder / name, content)
    for name in earlier - data.keys() - {f"{one.name}.png" for one in pictures}:
        (folder / name).unlink(missing_ok=True)


def _tables(folder: Path, within: str = ".") -> dict[str, dict[str, Any]]:
    """The provenance of each table (or, within FIGURES, of each figure's data) of the report in a folder, by file."""
    found = {}
    for path in (folder / within).glob("*.json"):
        with contextlib.suppress(ValueError, KeyError, TypeError):  # not a table of a report
            about = json.loads(read_at_most(path, stored.MAX_BYTES))["provenance"]
            _rank(about)
            found[path.relative_to(folder).as_posix()] = about
    return found


def _pictures(folder: Path) -> list[str]:
    """The picture files of the report in a folder."""
    path = folder / "report.md"
    text = path.read_text(errors="replace") if path.is_file() else ""
    return re.findall(r"^!\[.*\]\(([\w-]+\.png)\)$", text, re.MULTILINE)


def keep_earlier(folder: Path, name: str) -> None:
    """Move the report in a folder into the subfolder of this name, unless that has a report already. The subfolder gets
    its name when all files have been moved; an interrupted move continues."""
    kept, moving = folder / name, folder / f".{name}.moving"
    if _tables(kept):
        return
    if kept.is_dir() and any(kept.iterdir()):
        raise SandtableError(f"{kept}: has files that are not a report; keep the earlier report under another name")
    # report.md is moved after the pictures, because it lists them.
    found = [*_tables(folder), *_tables(folder, stored.FIGURES), *_pictures(folder), "report.md", "report.html"]
    for file in found:
        if (folder / file).is_file():
            (moving / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).replace(moving / file)
    if moving.is_dir():
        moving.replace(kept)


def may_replace(folder: Path, about: Mapping[str, Any]) -> bool:
    """Whether results may replace those in a folder. They may not if a stored table is of a larger scale, or of the
    same scale with unchanged settings while some of theirs were changed."""
    return all(_rank(found) <= _rank(about) for found in _tables(folder).values())


def _rank(about: Mapping[str, Any]) -> tuple[int, bool]:
    return SCALES.index(about["scale"]), not about["changed"]


def _scale(about: Mapping[str, Any]) -> str:
    """A sentence on the scale of the run: how much the figures can say."""
    words = {
        "smoke": "the smoke scale (a test that every stage works; its figures mean nothing)",
        "quick": "the quick scale (short trainings and few games)",
        "paper": "the paper's scale",
    }
    names = ", ".join(f"`{name}`" for name in about["changed"])
    changed = f", with changed values of {names}" if names else ""
    return f"This report was made at {words[about['scale']]}{changed}."


def _all_sections(report: Report, measured: Measured) -> list[Section]:
    """The summary first, the provenance last."""
    how = "\n\n".join(filter(None, (made(measured.about), report.made)))
    return [
        Section("Summary", "\n\n".join((_scale(measured.about), *report.summary, READING))),
        *report.sections,
        Section("How these figures were made", how),
    ]


def _markdown(report: Report, measured: Measured) -> str:
    parts = [f"# {report.title}\n"]
    for section in _all_sections(report, measured):
        parts.append(f"## {section.title}\n")
        if section.text:
            parts.append(section.text + "\n")
        if section.table:
            parts.append(section.table.to_markdown())
            if section.table.said:
                parts.append(section.table.said + "\n")
        if section.picture:
            parts.append(f"![{section.picture_says}]({section.picture.name}.png)\n")
    return "\n".join(parts)


def _inline(text: str) -> str:
    """HTML of the Markdown that reports use: `code` and *emphasis*."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)


def _paragraph(text: str) -> str:
    if not text.startswith("- "):
        return f"<p>{_inline(text)}</p>\n"
    items = (f"<li>{_inline(line.removeprefix('- '))}</li>" for line in text.splitlines())
    return f"<ul>{''.join(items)}</ul>\n"


def _html(report: Report, measured: Measured) -> str:
    body = ""
    for section in _all_sections(report, measured):
        body += f"<h2>{html.escape(section.title)}</h2>\n"
        if section.text:
            body += "".join(map(_paragraph, section.text.split("\n\n")))
        if section.table:
            body += section.table.to_html()
            if section.table.said:
                body += f"<p>{_inline(section.table.said)}</p>\n"
        if section.picture:
            says = html.escape(section.picture_says, quote=True)
            body += f'<p><img src="{html.escape(section.picture.name, quote=True)}.png" alt="{says}"></p>\n'
    return _PAGE.format(title=html.escape(report.title), body=body)
