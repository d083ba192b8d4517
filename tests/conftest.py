"""What several files of tests share."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def fresh_net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """soares2025's network with fresh weights, saved."""
    from sandtable.nets import checkpoints  # importing torch is not for every file of tests
    from test_soares2025_nets import network

    path = tmp_path_factory.mktemp("nets") / "fresh.safetensors"
    checkpoints.save(path, network(), "soares2025", "digest of rules", {"seed": 5})
    return path
