"""The examples in the README and the docs run, and their links have targets."""

import re
import sys
from pathlib import Path

import pytest

import sandtable as st
from sandtable.games import registry as games
from sandtable.players import registry
from support.pages import PAGES, ROOT, blocks, files, page_name


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_python_examples_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    st.games()  # registers the shipped games for all pages, not only in the copy of one page
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_PLAYERS", dict(registry._PLAYERS))  # a page may register players
    monkeypatch.setattr(games, "_GAMES", dict(games._GAMES))
    monkeypatch.syspath_prepend(tmp_path)
    for name, content in files(path):
        (tmp_path / name).write_text(content)
        sys.modules.pop(Path(name).stem, None)
    for folder in ("examples", "results"):  # folders that a reader has in the repository
        (tmp_path / folder).symlink_to(ROOT / folder)
    names: dict[str, object] = {}
    for block in blocks(path, "python"):
        if "import pyspiel" not in block:  # only `make ci` installs it: tests/ci/test_openspiel.py runs these
            exec(compile(block, str(path), "exec"), names)


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_json_examples_are_maps(path: Path) -> None:
    for block in blocks(path, "json"):
        if "territories" in block:
            assert st.conquest.parse(block).start(1).random_move(0, 1)
        else:
            assert st.tubstap.parse(block).start().moves()


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_relative_links_have_a_target(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
        assert link.startswith("https://") or (path.parent / link).exists(), link


def test_the_citation_names_this_version() -> None:
    assert f"\nversion: {st.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
