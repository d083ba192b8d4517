"""A report: sections of text, tables and pictures, as Markdown and as a page; every table also as JSON."""

from __future__ import annotations

import contextlib
import dataclasses
import html
import json
import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from sandtable.files import write_whole
from sandtable.machine import commit, machine
from sandtable.papers.run import Run
from sandtable.papers.tables import Table

SCALES = ("smoke", "quick", "paper")  # results of a larger one are never replaced by a smaller

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0; font-size: 14px; }}
th, td {{ border-bottom: 1px solid #8886; padding: .3rem .7rem; text-align: left; vertical-align: top; }}
td i {{ display: block; color: #777; }}
img {{ max-width: 100%; background: #fff; border-radius: 6px; }}
</style></head><body>
<h1>{title}</h1>
{body}</body></html>
"""


@dataclass(frozen=True)
class Section:
    title: str
    text: str = ""
    table: Table | None = None
    picture: str | None = None  # a file beside the report
    picture_says: str = ""


def provenance(run: Run, scale: str, settings: Any, usual: Any) -> dict[str, Any]:
    """Where the figures come from; `usual` are the scale's settings, of which the run may have changed some."""
    own, normal = dataclasses.asdict(settings), dataclasses.asdict(usual)
    stages = {
        name: {"seconds": round(cost.seconds, 1), "core_seconds": round(cost.core_seconds, 1), "commits": cost.commits}
        for name, cost in run.costs.items()
    }
    return {
        "scale": scale,
        "changed": {name: value for name, value in own.items() if value != normal[name]},
        "seeds": [settings.seed],
        "settings": own,
        "commit": commit(),
        "seconds": round(sum(cost.seconds for cost in run.costs.values()), 1),
        "stages": stages,
        "machine": machine(),
        "versions": {name: _version(name) for name in ("sandtable", "numpy", "torch", "onnxruntime")},
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def made(paper: str, about: dict[str, Any]) -> str:
    """The command, the circumstances, and what each stage took, in words."""
    changed = ", ".join(f"{name} = {value}" for name, value in about["changed"].items())
    stages = "; ".join(
        f"{name} {stage['seconds']:,.0f} s" for name, stage in about["stages"].items() if stage["seconds"] >= 0.5
    )
    work = sum(stage["core_seconds"] for stage in about["stages"].values())
    return (
        f"`sandtable reproduce {paper} --scale {about['scale']}`"
        + (f", changed: {changed}" if changed else "")
        + f"; seed {about['seeds'][0]}, commit {about['commit']}, {about['machine']}.\n\n"
        f"Time on the wall by stage: {stages}; {work / 60:,.0f} minutes of one core in all."
    )


def publish(run: Run, title: str, sections: list[Section], pictures: dict[str, bytes], about: dict[str, Any]) -> Path:
    """Writes the report into the run's folder, and into `run.results` unless better results lie there; says where."""
    write(run.folder / "report", title, sections, pictures, about)
    if run.results is None or not may_replace(run.results, about):
        return run.folder / "report"
    write(run.results, title, sections, pictures, about)
    return run.results


def write(folder: Path, title: str, sections: list[Section], pictures: dict[str, bytes], about: dict[str, Any]) -> None:
    """report.md, report.html, the pictures, and a JSON file for each table; those of an earlier report go."""
    folder.mkdir(parents=True, exist_ok=True)
    earlier = {*_tables(folder), *_pictures(folder)}
    tables = {f"{one.table.name}.json": one.table.to_json(about).encode() for one in sections if one.table}
    for name, data in (pictures | tables).items():
        write_whole(folder / name, data)
    write_whole(folder / "report.md", _markdown(title, sections).encode())
    write_whole(folder / "report.html", _html(title, sections).encode())
    for name in earlier - pictures.keys() - tables.keys():
        (folder / name).unlink(missing_ok=True)


def _tables(folder: Path) -> dict[str, dict[str, Any]]:
    """Where the tables of a report that lies there come from, by their files."""
    found = {}
    for path in folder.glob("*.json"):
        with contextlib.suppress(ValueError, KeyError, TypeError):  # not a table of ours
            about = json.loads(path.read_bytes())["provenance"]
            _rank(about)
            found[path.name] = about
    return found


def _pictures(folder: Path) -> list[str]:
    """The files of its pictures."""
    path = folder / "report.md"
    text = path.read_text(errors="replace") if path.is_file() else ""
    return re.findall(r"^!\[.*\]\(([\w-]+\.png)\)$", text, re.MULTILINE)


def may_replace(folder: Path, about: dict[str, Any]) -> bool:
    """Whether no results in a folder are of a larger scale, or of the same one with less of it changed."""
    return all(_rank(found) <= _rank(about) for found in _tables(folder).values())


def _rank(about: dict[str, Any]) -> tuple[int, bool]:
    return SCALES.index(about["scale"]), not about["changed"]


def _markdown(title: str, sections: list[Section]) -> str:
    parts = [f"# {title}\n"]
    for section in sections:
        parts.append(f"## {section.title}\n")
        if section.text:
            parts.append(section.text + "\n")
        if section.table:
            parts.append(section.table.to_markdown())
            if section.table.said:
                parts.append(section.table.said + "\n")
        if section.picture:
            parts.append(f"![{section.picture_says}]({section.picture})\n")
    return "\n".join(parts)


def _inline(text: str) -> str:
    """The little Markdown that texts of reports have: `code` and *emphasis*."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)


def _html(title: str, sections: list[Section]) -> str:
    body = ""
    for section in sections:
        body += f"<h2>{html.escape(section.title)}</h2>\n"
        if section.text:
            body += "".join(f"<p>{_inline(part)}</p>\n" for part in section.text.split("\n\n"))
        if section.table:
            body += section.table.to_html()
            if section.table.said:
                body += f"<p>{html.escape(section.table.said)}</p>\n"
        if section.picture:
            says = html.escape(section.picture_says, quote=True)
            body += f'<p><img src="{html.escape(section.picture, quote=True)}" alt="{says}"></p>\n'
    return _PAGE.format(title=html.escape(title), body=body)
