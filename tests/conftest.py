"""Fixtures shared by several test files. Each imports what it needs itself, because not every test file needs torch or
the page's server."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from support.page_server import Live


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_interrupts() -> Iterator[None]:
    """Ctrl-C interrupts this process and programs that tests start, even where a shell runs them in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def fresh_net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of soares2025's network with untrained weights."""
    from sandtable.nets import checkpoints
    from support.soares2025_nets import network

    path = tmp_path_factory.mktemp("nets") / "fresh.safetensors"
    checkpoints.save(path, network(), "soares2025", "digest of rules", {"seed": 5})
    return path


@pytest.fixture(scope="session")
def territory_net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of a territory network with untrained weights."""
    from support.fresh_nets import save_fresh

    return save_fresh(tmp_path_factory.mktemp("nets") / "territories.safetensors", "territories_32", seed=5)


@pytest.fixture(scope="session")
def tiny_nets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Checkpoints with untrained weights for the tiny trainings."""
    from support.fresh_nets import save_fresh
    from support.tiny_trainings import TINY

    folder = tmp_path_factory.mktemp("nets")
    return {name: save_fresh(folder / f"{name}.safetensors", name, seed=2) for name in TINY}


@pytest.fixture(scope="session")
def value_nets(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Checkpoints of value networks by architecture."""
    from support.value_nets import SavedNets

    return SavedNets(tmp_path_factory.mktemp("nets"))


@pytest.fixture
def no_unpickling(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the test runs, unpickling anything in this process is an error."""
    import pickle

    import torch

    class Refusing:
        """A class rather than a function, because libraries derive classes from Unpickler."""

        def __init__(self, *_: object, **__: object) -> None:
            raise AssertionError("something was unpickled")

    for owner, words in ((pickle, ("load", "loads", "Unpickler")), (torch, ("load",))):
        for word in words:
            monkeypatch.setattr(owner, word, Refusing)


@pytest.fixture(scope="session")
def kill_shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that kills a program at a chosen change of a file."""
    from support import kill_points

    return kill_points.compiled(tmp_path_factory.mktemp("shim"))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of the page's server."""
    from support.page_server import serving

    with serving(tmp_path_factory.mktemp("store") / "games.sqlite") as client:
        yield client


@pytest.fixture
def page(client: TestClient) -> Iterator[Live]:
    """A page that is connected to the server."""
    from support.page_server import live

    with live(client) as page:
        yield page


@pytest.fixture(scope="session")
def li2022_stages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """For each stage, a folder with a small run of li2022 that stopped after this stage."""
    from support.li2022_runs import run_stages

    return run_stages(tmp_path_factory.mktemp("stages"))
