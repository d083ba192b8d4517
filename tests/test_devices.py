"""The device that networks are trained on. The tests of the losses check on PyTorch's device `meta`, which has shapes
but no numbers, that a loss is computed entirely on the network's device."""

from pathlib import Path

import pytest
import torch

from sandtable.errors import SandtableError
from sandtable.learn import self_play_training
from sandtable.learn.devices import check_device, device, training_on
from support import commands
from support.small_training import TOML
from support.tiny_trainings import digests, with_options


def set_available(monkeypatch: pytest.MonkeyPatch, *there: str) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: "cuda" in there)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: "mps" in there)


@pytest.mark.parametrize(
    ("there", "auto"), [((), "cpu"), (("cuda",), "cuda"), (("mps",), "mps"), (("cuda", "mps"), "cuda")]
)
def test_auto_selects_a_gpu_if_there_is_one(there: tuple[str, ...], auto: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_available(monkeypatch, *there)
    assert device().type == auto
    for name in ("cpu", *there):
        with training_on(name):
            assert device().type == name
    assert device().type == auto


def test_a_missing_device_gets_a_one_line_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    set_available(monkeypatch, "mps")
    with pytest.raises(SandtableError, match=r"^device cuda: PyTorch finds none here, only mps and cpu$"):
        check_device("cuda")
    with pytest.raises(
        SandtableError, match=r"^a device is one of auto, cpu, cuda, mps, not 'cdua' \(did you mean 'cuda'\?\)$"
    ):
        check_device("cdua")
    set_available(monkeypatch)
    (tmp_path / "small.toml").write_text(TOML)
    for command in (("train", "small.toml"), ("reproduce", "li2022", "--scale", "smoke")):
        found = commands.sandtable(*command, "--device", "cuda", cwd=tmp_path, code=2)
        assert found.stderr == "sandtable: device cuda: PyTorch finds none here, only cpu\n"
    assert not (tmp_path / "runs").exists()


def test_auto_without_a_gpu_trains_as_on_the_cpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    set_available(monkeypatch)
    recipe = with_options(games=6)
    self_play_training.train(recipe, tmp_path / "auto")
    with training_on("cpu"):
        self_play_training.train(recipe, tmp_path / "cpu")
    assert digests(tmp_path / "auto") == digests(tmp_path / "cpu")
    (tmp_path / "small.toml").write_text(TOML)
    commands.sandtable("train", "small.toml", "--device", "cpu", "--workers", 1, cwd=tmp_path)
