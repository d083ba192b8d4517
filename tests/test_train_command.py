"""The command `train`."""

import multiprocessing
import os
import resource
import sys
from pathlib import Path

import pytest

from sandtable import cli
from sandtable.learn import recipe, self_play_training
from support import small_training
from support.commands import sandtable
from support.tiny_trainings import training_state

TOML = small_training.TOML.replace("games = 8", "games = 4")


def train_on_a_full_disk(folder: Path) -> None:
    """Run the command with a limit on the size of files, which acts like a full disk."""
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    sys.argv = ["sandtable", "train", "small.toml", "--workers", "1"]
    with open("errors.txt", "w") as sys.stderr:  # noqa: PTH123
        cli.main()


def test_the_command_trains_resumes_and_prints_the_path_of_the_network(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(TOML)
    child = multiprocessing.get_context("fork").Process(target=train_on_a_full_disk, args=(tmp_path,))
    child.start()
    child.join()
    assert child.exitcode == 2
    assert (tmp_path / "errors.txt").read_text() == "sandtable: runs/small/resume: File too large\n"
    assert not list((tmp_path / "runs/small").glob(".*"))
    done = sandtable("train", "small.toml", "--workers", 1, cwd=tmp_path)
    assert done.stdout == "runs/small/net.safetensors\n"
    assert "50% of 4 games" in done.stderr
    assert "games 2" in done.stderr
    assert "100% of 4 games, 0:00:00 left" in done.stderr.splitlines()[-1]  # printed however soon after the line before
    again = sandtable("train", "small.toml", "--workers", 1, cwd=tmp_path)
    assert again.stdout == done.stdout
    assert "more games or minutes in its recipe extend it" in again.stderr
    self_play_training.train(recipe.load(tmp_path / "small.toml"), tmp_path / "here")
    assert training_state(tmp_path / "here")["net"] == training_state(tmp_path / "runs/small")["net"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "recipe.toml: there is no such file"),
        (TOML.replace("games = 4", "gamse = 4"), "there is no key 'gamse' (did you mean 'games'?)"),
    ],
)
def test_bad_input_of_the_command_gets_a_one_line_error(text: str | None, words: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "recipe.toml").write_text(text)
    done = sandtable("train", "recipe.toml", "--workers", 1, cwd=tmp_path, code=2)
    assert done.stderr.startswith("sandtable: recipe.toml: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()
