"""The parts of the site that are made from the code when it is built.

A page has a marker, `<!-- from the code: NAME -->`, in the place of each part. The parts are Markdown.
`<!-- pages: PATTERN -->` places other pages below this one in the site's navigation; it is a comment, so that the page
reads well in the repository too.
"""

import dataclasses
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import sandtable as st
from sandtable import cli
from sandtable.cli.app import GROUPS
from sandtable.papers import PAPERS, paper
from sandtable.papers.settings import OneOf, Within

MARKER = re.compile(r"^<!-- from the code: ([\w ]+) -->$", re.MULTILINE)
PAGES = re.compile(r"^<!-- pages: (.+) -->$", re.MULTILINE)
DOCS = Path(__file__).parent


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def commands() -> str:
    """Every command with its arguments and options, in the groups of `sandtable --help`."""
    found = list(_commands(typer.main.get_command(cli.app)))
    parts = [_about((), found[0][1])]
    for group in GROUPS:
        parts.append(f"## {group}\n")
        for words, command, panel in found[1:]:
            if panel == group:
                parts.append(f"{'#' * (2 + len(words))} {' '.join(words)}\n\n{_about(words, command)}")
    return "\n".join(parts)


def _commands(command: Any, words: tuple[str, ...] = (), panel: str = "") -> Iterator[tuple[tuple[str, ...], Any, str]]:
    panel = panel or getattr(command, "rich_help_panel", None) or ""
    command = command.loaded() if hasattr(command, "loaded") else command
    yield words, command, panel
    for name, below in getattr(command, "commands", {}).items():
        yield from _commands(below, (*words, name), panel)


def _about(words: tuple[str, ...], command: Any) -> str:
    """A command's usage, its help, and its arguments and options."""
    context = typer.Context(command, info_name=" ".join(("sandtable", *words)))
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    text, _, example = inspect.cleandoc(command.help or "").partition("Example: ")
    parts = [f"{text}\n\n```\n{usage}\n```\n"]
    if example:
        parts.append(f"Example:\n\n```console\n$ {' '.join(example.split())}\n```\n")
    rows = [
        (_name(one), " ".join((one.help or "").split()), _default(one))
        for one in command.get_params(context)
        if one.name != "help" and not one.hidden
    ]
    if rows:
        parts.append(table(("argument or option", "meaning", "default"), rows))
    return "\n".join(parts)


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    return ", ".join(f"`{name} {parameter.metavar or ''}".rstrip() + "`" for name in parameter.opts)


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    default = parameter.default
    if callable(default) or default in (None, False, (), []) or default == "":
        return ""
    return f"`{default}`"


def rules() -> str:
    """The fields of both games' rules, with their values in the first preset and where others differ from it."""
    parts = []
    for title, module in (("TUBSTAP", st.tubstap), ("Conquest", st.conquest)):
        first, *others = (module.rules(name) for name in module.PRESETS)
        rows = []
        for name in (field.name for field in dataclasses.fields(module.Rules) if field.name != "name"):
            usual, *values = (getattr(one, name) for one in (first, *others))
            rows.append((f"`{name}`", _rule(usual), *("" if value == usual else _rule(value) for value in values)))
        about = inspect.getdoc(module.Rules) or ""
        about += f"\n\nAn empty cell means the value of `{first.name}`."
        parts.append(f"### {title}\n\n{about}\n\n{table(('rule', *(f'`{name}`' for name in module.PRESETS)), rows)}")
    return "\n".join(parts)


def _rule(value: Any) -> str:
    """A rule's value as `--set-rule` takes it, a table row by row."""
    if value is None or isinstance(value, str):
        return f"`{value or 'none'}`"
    rows = json.dumps(value, separators=(",", ":")).replace("],", "],\n")
    return "<br>".join(f"`{row}`" for row in rows.split("\n"))


def papers() -> str:
    """The settings of every paper, with their values at each scale."""
    parts = []
    for name in PAPERS:
        scales = paper(name).SCALES
        kind = type(scales["paper"])
        hints = get_type_hints(kind, include_extras=True)
        rows = [
            (
                f"`{field.name}`",
                _values(hints[field.name]),
                *(f"`{_set(getattr(one, field.name))}`" for one in scales.values()),
            )
            for field in dataclasses.fields(kind)
        ]
        head = ("setting", "values", *(f"`{scale}`" for scale in scales))
        parts.append(f"### {name}\n\n{table(head, rows)}")
    return "\n".join(parts)


def _set(value: Any) -> str:
    """A paper's setting as `--set` takes it."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _values(hint: Any) -> str:
    if get_origin(hint) is Annotated:
        kind, *bounds = get_args(hint)
        parts = ", ".join(getattr(kind, "_fields", ()))
        for allowed in bounds:
            if isinstance(allowed, Within):
                return f"{parts and parts + ': '}{allowed.low:.15g}..{allowed.high:.15g}"
            if isinstance(allowed, OneOf):
                return " or ".join(allowed.words)
    return str(getattr(hint, "__name__", hint)).replace("NoneType", "none")


def other_pages() -> str:
    """Pages of docs that the index does not list: a new page is on the site without further ado."""
    listed = (DOCS / "index.md").read_text(encoding="utf-8")
    names = [page.stem for page in sorted(DOCS.glob("*.md")) if page.stem != "index"]
    return "\n".join(name for name in names if f"\n{name}\n" not in listed)


def navigation(patterns: list[str]) -> str:
    names = "\n".join(patterns)
    return f"```{{toctree}}\n:hidden:\n:glob:\n\n{names}\n```"


PARTS = {"commands": commands, "rules": rules, "papers": papers, "other pages": other_pages}


def drop_aliases(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """What Python says by itself of a named tuple's fields says nothing."""
    if lines and lines[0].startswith("Alias for field number"):
        lines.clear()


def fill(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = MARKER.sub(lambda marker: PARTS[marker[1]](), source[0])
    source[0] = PAGES.sub(lambda marker: navigation(marker[1].split()), source[0])


def made_from_code(app: Sphinx, env: BuildEnvironment, *pages: set[str]) -> list[str]:
    """Pages to read again in every build: the code may have changed though they have not."""
    return [page for page in env.found_docs if MARKER.search(Path(env.doc2path(page)).read_text(encoding="utf-8"))]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-get-outdated", made_from_code)
    app.connect("source-read", fill)
    app.connect("autodoc-process-docstring", drop_aliases)
    return {"parallel_read_safe": True}
