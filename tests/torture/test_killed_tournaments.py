"""A tournament that is killed at any change of a file ends, when it is run again, with the games of an undisturbed
one."""

from pathlib import Path

import pytest

from support import commands
from support.kill_sweep import sweep
from support.stored_games import games
from support.torture import size

TOML = """
players = ["random", "greedy"]
maps = ["duel", "ford"]
games = 4
"""


@pytest.mark.parametrize("whom", ["group", "one"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_tournament_gives_the_same_games(workers: int, whom: str, kill_shim: Path, tmp_path: Path) -> None:
    if workers == 1 and whom == "one":
        pytest.skip("one process is the whole group")
    start, undisturbed = tmp_path / f"tournament-{workers}", tmp_path / "undisturbed"
    for folder in (start, undisturbed):
        folder.mkdir()
        (folder / "cup.toml").write_text(TOML)
    commands.sandtable("tournament", "cup.toml", "--workers", 1, cwd=undisturbed)
    expected = games(undisturbed / "cup.sqlite")
    assert len(expected) == 8

    def check(folder: Path) -> None:
        assert games(folder / "cup.sqlite") == expected

    command = commands.command("tournament", "cup.toml", "--workers", workers)
    sweep(kill_shim, start, command, check, most=size(300 if whom == "group" else 40), whom=whom)
