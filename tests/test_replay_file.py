"""A recorded game as one HTML file."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import sandtable as st
from sandtable.arena import Record
from sandtable.arena.playing import play
from sandtable.web.replay_file import STATIC, bundle, position_values, replay_file
from support.commands import sandtable as run

FORM = r'import \{ [\w, ]+ \} from "\.[\w./-]+";$|export (async )?(function|class|const) \w'


class _Elements(HTMLParser):
    """The texts of the scripts by id, and all attributes that could load something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: dict[str | None, str] = {}
        self.addresses: list[str] = []
        self._id: str | None = None
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.addresses += [str(attributes[name]) for name in ("src", "href") if name in attributes]
        self._inside = tag == "script"
        self._id = attributes.get("id")

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts[self._id] = self.scripts.get(self._id, "") + data

    def handle_endtag(self, tag: str) -> None:
        self._inside = False


def _record(map: Any) -> Record:
    return play(map, "random", "random", seed=1)


@pytest.mark.parametrize("game", ["tubstap", "conquest"])
def test_a_file_holds_the_whole_game_and_loads_nothing(game: str) -> None:
    record = _record(st.tubstap.load("duel") if game == "tubstap" else st.conquest.load("simple"))
    found = _Elements(replay_file(record))
    shown = json.loads(found.scripts["replay"])
    assert shown["game"] == game
    assert len(shown["views"]) == len(record.moves) + 1
    assert found.addresses == []


@pytest.mark.parametrize("game", ["tubstap", "conquest"])
def test_the_values_of_positions_are_for_red(game: str) -> None:
    record = _record(st.tubstap.load("duel") if game == "tubstap" else st.conquest.load("simple"))
    done = []
    values = position_values(record, 4, lambda *counts: done.append(counts))
    assert len(values) == len(record.moves)
    assert all(-1 <= value <= 1 for value in values)
    assert done[-1] == (len(values), len(values))
    assert json.loads(_Elements(replay_file(record, values)).scripts["replay"])["values"][:-1] == values


def test_a_hostile_name_stays_text() -> None:
    text = st.tubstap.jsonmap.format(st.tubstap.load("duel")).replace(
        '"name": "duel"', '"name": "</script><img src=x>"'
    )
    found = _Elements(replay_file(_record(st.tubstap.parse(text))))
    assert json.loads(found.scripts["replay"])["map"] == "</script><img src=x>"
    assert found.addresses == []


def test_the_bundle_has_every_module_once_and_no_import_left() -> None:
    text = bundle("file.js")
    assert not re.search(r"^\s*(import|export) ", text, re.MULTILINE)
    modules = re.findall(r"^const (\w+_js) = ", text, re.MULTILINE)
    assert len(modules) == len(set(modules))
    for name in ("boards/tubstap.js", "boards/conquest.js", "pages/replay.js", "dom.js"):
        assert f"const {re.sub('[^a-z0-9]', '_', name)} = " in text


def test_imports_have_the_one_form_that_is_bundled() -> None:
    for path in STATIC.rglob("*.js"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.match(r"(import|export) ", line):
                assert re.match(FORM, line), (path, line)


def test_show_writes_a_replay_file(tmp_path: Path) -> None:
    records = tmp_path / "games.jsonl"
    records.write_text(_record(st.tubstap.load("duel")).to_line() + "\n")
    run("show", records, "--html", tmp_path / "game.html", "--simulations", "4")
    text = (tmp_path / "game.html").read_text()
    assert text.startswith("<!doctype html>")
    assert None not in json.loads(_Elements(text).scripts["replay"])["values"], "the value curve needs no server"
    run("show", records, "--html", tmp_path / "game.html", "--simulations", "0")
    values = json.loads(_Elements((tmp_path / "game.html").read_text()).scripts["replay"])["values"]
    assert set(values[:-1]) == {None}
    assert values[-1] is not None, "the result is known"
    refused = run("show", records, "--html", tmp_path / "game.txt", code=2)
    assert "must end in .html" in refused.stderr


def test_the_page_loads_all_its_modules_at_once() -> None:
    """Not one after the other, as the browser finds the imports."""
    preloaded = set(re.findall(r'rel="modulepreload" href="/static/([^"]+)"', (STATIC / "index.html").read_text()))
    modules = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js")}
    assert preloaded == modules - {"main.js", "file.js"}
