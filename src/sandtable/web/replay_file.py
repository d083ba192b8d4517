"""A recorded game as one HTML file that needs no server: it contains the page's own modules, styles and drawings."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from sandtable.arena.record import Record
from sandtable.errors import RecordError, SandtableError
from sandtable.games import game_of
from sandtable.json_fields import to_json
from sandtable.web.pages import page_of
from sandtable.web.replays import replay
from sandtable.web.search_tasks import analyse

STATIC = Path(__file__).with_name("static")
ENTRY = "file.js"
# The file makes no requests, whatever the texts of a record contain.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def replay_file(record: Record, values: Sequence[float | None] | None = None) -> str:
    """The text of the file. `values` are the values of the positions before the moves, if they are known. RecordError
    if the record cannot be replayed."""
    shown = replay(record, values=values)
    game = game_of(record.start)
    page = page_of(game)
    symbols = getattr(page, "symbols", None)
    embedded = {
        "replay": shown,
        "games": [{"name": game.name, "sides": list(page.sides)}],
    }
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            f"<title>{escape(game.map_of(record.start).name)} – Sandtable</title>",
            f"<style>\n{(STATIC / 'page.css').read_text(encoding='utf-8')}</style>",
            "</head>\n<body>",
            *(
                f'<script type="application/json" id="{id}">{_inert(to_json(data))}</script>'
                for id, data in embedded.items()
            ),
            f'<template id="symbols">{escape(symbols.read_text(encoding="utf-8"))}</template>' if symbols else "",
            f'<script type="module">\n{bundle(ENTRY)}</script>\n</body>\n</html>\n',
        ]
    )


def position_values(record: Record, simulations: int, progress: Callable[[int, int], None]) -> list[float]:
    """The value for side 0 of the position before each move, searched by the page's analyst with this budget. They are
    computed in advance because a file cannot search. `progress(done, total)`."""
    game, total = game_of(record.start), len(record.moves)
    spec = page_of(game).analyst(simulations)
    found: list[float] = []
    for state in itertools.islice(record.states(), total):
        side = game.movers(state)[0]
        try:
            value = analyse(f"file {len(found)}", spec, state, side).value
        except SandtableError as error:
            raise RecordError(f"move {len(found)}: {error}; --simulations 0 leaves the values out") from None
        found.append(value if side == 0 else -value)
        progress(len(found), total)
    return found


def bundle(entry: str) -> str:
    """A module and everything that it imports, as one script. Each module becomes a function call that returns the
    module's exports."""
    modules: dict[str, str] = {}
    _add(Path(entry), modules)
    return "".join(modules.values())


def _add(path: Path, modules: dict[str, str]) -> None:
    """Add a module after those that it imports."""
    if path.as_posix() in modules:
        return
    text = (STATIC / path).read_text(encoding="utf-8")
    for _, imported in _IMPORT.findall(text):
        _add(_imported_path(path, imported), modules)
    text = _IMPORT.sub(lambda found: f"const {{{found[1]}}} = {_name(_imported_path(path, found[2]))};\n", text)
    exported = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", text)
    modules[path.as_posix()] = f"const {_name(path)} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def _imported_path(path: Path, imported: str) -> Path:
    """The path, relative to the static folder, of the module that `path` imports as "./x.js" or "../x.js"."""
    return (STATIC / path.parent / imported).resolve().relative_to(STATIC.resolve())


def _name(path: Path) -> str:
    return re.sub(r"\W", "_", path.as_posix())


def _inert(data: Any) -> str:
    """The JSON with every "<" escaped, so that it cannot close the HTML element that contains it."""
    return str(data).replace("<", "\\u003c")
