"""Fixtures of the long robustness tests."""

from pathlib import Path

import pytest

from support import kill_points


@pytest.fixture(scope="session")
def kill_shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that kills a program at a chosen change of a file."""
    return kill_points.compiled(tmp_path_factory.mktemp("shim"))
