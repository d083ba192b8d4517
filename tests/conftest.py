"""Fixtures that several files of tests share. Each imports torch itself: not every file of tests needs it."""

from collections.abc import Mapping
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def fresh_net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """soares2025's network with fresh weights, saved."""
    from sandtable.nets import checkpoints
    from support.soares2025_nets import network

    path = tmp_path_factory.mktemp("nets") / "fresh.safetensors"
    checkpoints.save(path, network(), "soares2025", "digest of rules", {"seed": 5})
    return path


@pytest.fixture(scope="session")
def territory_net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A territory network with fresh weights, saved."""
    from support.fresh_nets import save_fresh

    return save_fresh(tmp_path_factory.mktemp("nets") / "territories.safetensors", "territories_32", seed=5)


@pytest.fixture(scope="session")
def tiny_nets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Fresh weights for the tiny trainings, saved."""
    from support.fresh_nets import save_fresh
    from support.tiny_trainings import TINY

    folder = tmp_path_factory.mktemp("nets")
    return {name: save_fresh(folder / f"{name}.safetensors", name, seed=2) for name in TINY}


@pytest.fixture(scope="session")
def value_nets(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """A net of each architecture of value networks, saved."""
    from support.value_nets import SavedNets

    return SavedNets(tmp_path_factory.mktemp("nets"))


@pytest.fixture(scope="session")
def kill_shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that kills a program at a chosen change of a file."""
    from support import kill_points

    return kill_points.compiled(tmp_path_factory.mktemp("shim"))


@pytest.fixture(scope="session")
def li2022_stages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By stage: a folder with a small run of li2022 that was made up to there."""
    from support.li2022_runs import made_stages

    return made_stages(tmp_path_factory.mktemp("stages"))
