"""Commands on a disk that fills up: they report it in one line, and continue when there is space."""

import functools
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import commands
from support.full_disk import small_disk, sweep
from support.li2022_runs import POINTS, check_same, command
from support.small_training import TOML as TRAINING
from support.small_training import check_training
from support.stored_games import games
from support.torture import size

CUP = """
players = ["random", "greedy"]
maps = ["duel", "ford"]
games = 60
"""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as folder:
        yield folder


@pytest.mark.parametrize("workers", [1, 2])
def test_a_tournament_continues_when_there_is_space(workers: int, disk: Path, tmp_path: Path) -> None:
    start, undisturbed = tmp_path / f"tournament-{workers}", tmp_path / "undisturbed"
    for folder in (start, undisturbed):
        folder.mkdir()
        (folder / "cup.toml").write_text(CUP)
    outputs = ("--csv", "pairs.csv", "--svg", "table.svg")
    commands.sandtable("tournament", "cup.toml", "--workers", 1, *outputs, cwd=undisturbed)
    expected = games(undisturbed / "cup.sqlite")

    def check(folder: Path) -> None:
        assert games(folder / "cup.sqlite") == expected
        for name in ("pairs.csv", "table.svg"):
            assert (folder / name).read_bytes() == (undisturbed / name).read_bytes()

    words = commands.command("tournament", "cup.toml", "--workers", workers, *outputs)
    sweep(disk, start, words, check, most=size(30))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_training_continues_when_there_is_space(workers: int, disk: Path, tmp_path: Path) -> None:
    start = tmp_path / f"training-{workers}"
    start.mkdir()
    (start / "small.toml").write_text(TRAINING)
    words = commands.command("train", "small.toml", "--workers", workers)
    sweep(disk, start, words, lambda folder: check_training(folder / "runs/small"), most=size(20))


@pytest.mark.parametrize(("before", "until"), list(itertools.pairwise(POINTS)))
def test_a_run_continues_when_there_is_space(
    before: str, until: str, disk: Path, li2022_stages: dict[str, Path]
) -> None:
    check = functools.partial(check_same, li2022_stages[until])
    sweep(disk, li2022_stages[before], command(until), check, most=size(15))
