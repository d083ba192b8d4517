"""A training by self-play that is killed at any change of a file continues, and counts no game twice."""

from pathlib import Path

import pytest

from support import commands
from support.kill_sweep import sweep
from support.small_training import TOML, check_training
from support.torture import size


@pytest.mark.parametrize("whom", ["group", "one"])
def test_a_killed_training_continues(whom: str, kill_shim: Path, tmp_path: Path) -> None:
    start = tmp_path / "training"
    start.mkdir()
    (start / "small.toml").write_text(TOML)
    command = commands.command("train", "small.toml", "--workers", 2)
    sweep(*(kill_shim, start, command, lambda folder: check_training(folder / "runs/small")), most=size(25), whom=whom)
