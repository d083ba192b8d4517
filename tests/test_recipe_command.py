"""Recipes by name, copies to edit, maps from files, and the progress of a training."""

from pathlib import Path

import pytest

import sandtable as st
from sandtable.cli.train import number, target
from sandtable.errors import RecipeError
from sandtable.learn import recipe
from sandtable.learn.map_sources import Maps
from sandtable.learn.recipe import Network, Recipe
from sandtable.learn.self_play_training import Progress
from support.commands import sandtable as run
from support.tiny_trainings import with_options


def test_recipes_are_listed_shown_and_copied(tmp_path: Path) -> None:
    listed = run("recipes", cwd=tmp_path).stdout
    assert all(name in listed for name in recipe.shipped())
    assert all(len(line) <= 80 for line in listed.splitlines())
    text = recipe.shipped()["tubstap-fast"].read_text()
    assert run("recipes", "show", "tubstap-fast").stdout == text
    done = run("recipes", "copy", "tubstap-fast", cwd=tmp_path)
    assert (tmp_path / "tubstap-fast.toml").read_text() == text
    assert "wrote tubstap-fast.toml" in done.stderr
    assert "sandtable train tubstap-fast.toml" in done.stdout
    run("recipes", "copy", "tubstap-fast", "mine.toml", cwd=tmp_path)
    assert (tmp_path / "mine.toml").read_text() == text.replace('name = "tubstap-fast"', 'name = "mine"')
    assert "it already exists" in run("recipes", "copy", "tubstap-fast", "mine.toml", cwd=tmp_path, code=2).stderr
    assert "must end in .toml" in run("recipes", "copy", "tubstap-fast", "mine", cwd=tmp_path, code=2).stderr
    for words in (("recipes", "show"), ("recipes", "copy"), ("train",)):
        assert "(did you mean 'tubstap-fast'?)" in run(*words, "tubstap-fsat", cwd=tmp_path, code=2).stderr


def test_a_recipe_is_found_by_its_name_in_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert recipe.locate("tubstap-fast") == recipe.shipped()["tubstap-fast"]
    Path("tubstap-fast").write_text("")  # a file of that name comes first
    assert recipe.locate("tubstap-fast") == Path("tubstap-fast")
    assert recipe.locate("mine.toml") == Path("mine.toml")


def test_map_files_are_identified_by_their_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    st.tubstap.save(st.tubstap.load("kimura-map01"), "mine.tbsmap")
    made = Recipe("x", Network("tokens_32"), (Maps("mine.tbsmap"),), games=1)
    about = made.about()
    monkeypatch.chdir("/")  # like a worker that was started in another folder
    assert made.start(0).units == st.tubstap.load("kimura-map01").units
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    Path("mine.tbsmap").rename("sub/mine.tbsmap")
    assert Recipe("x", Network("tokens_32"), (Maps("sub/mine.tbsmap"),), games=1).about() == about
    st.tubstap.save(st.tubstap.load("kimura-map02"), "sub/mine.tbsmap")
    assert Recipe("x", Network("tokens_32"), (Maps("sub/mine.tbsmap"),), games=1).about() != about


def test_files_that_are_no_maps_are_refused(tmp_path: Path) -> None:
    def message(name: str) -> str:
        with pytest.raises(RecipeError) as caught:
            Recipe("x", Network("tokens_32"), (Maps(str(tmp_path / name)),), games=1)
        return str(caught.value)

    assert message("none.tbsmap") == f"maps.source: {tmp_path / 'none.tbsmap'}: there is no such file"
    (tmp_path / "bad.tbsmap").write_text("SIZEX[3];")
    assert "SIZEY is missing" in message("bad.tbsmap")
    st.conquest.save(st.conquest.load("simple"), tmp_path / "land.json")
    assert "land.json" in message("land.json")


def test_the_progress_of_a_training_is_shown() -> None:
    by_games = with_options(games=200)
    assert target(by_games, Progress(games=50, seconds=30.0)) == {
        "target": "200 games",
        "done": "25%",
        "time left": "0:01:30",
    }
    assert target(by_games, Progress())["time left"] == "not known yet"
    by_clock = with_options(games=0, minutes=90.0)
    found = target(by_clock, Progress(games=50, seconds=1800.0))
    assert found == {"target": "90 minutes", "done": "33%", "time left": "1:00:00"}
    either = with_options(games=200, minutes=1.0)  # whichever comes first
    assert target(either, Progress(games=150, seconds=30.0)) == {
        "target": "200 games or 1 minutes",
        "done": "75%",
        "time left": "0:00:10",
    }
    assert target(by_clock, Progress(games=50, seconds=6000.0))["time left"] == "0:00:00"


def test_figures_are_written_without_exponents() -> None:
    texts = [number(value) for value in (17100, 17100.4, 0.00012, 2.5, 99.96, 0.0, 3.0)]
    assert texts == ["17,100", "17,100", "0.0001", "2.5", "99.96", "0", "3"]
