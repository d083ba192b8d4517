"""Where networks learn. That a loss leaves nothing behind on the processor is tested beside the losses themselves, on
PyTorch's device `meta`, which has shapes and no numbers."""

from pathlib import Path

import pytest
import torch

from sandtable.errors import SandtableError
from sandtable.learn import self_play_training
from sandtable.learn.devices import check_device, device, training_on
from support import commands
from support.small_training import TOML
from support.tiny_trainings import digests, with_options


def seen(monkeypatch: pytest.MonkeyPatch, *there: str) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: "cuda" in there)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: "mps" in there)


@pytest.mark.parametrize(
    ("there", "auto"), [((), "cpu"), (("cuda",), "cuda"), (("mps",), "mps"), (("cuda", "mps"), "cuda")]
)
def test_auto_is_a_gpu_if_there_is_one(there: tuple[str, ...], auto: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen(monkeypatch, *there)
    assert device().type == auto
    for name in ("cpu", *there):
        with training_on(name):
            assert device().type == name
    assert device().type == auto


def test_a_device_that_is_not_there_gets_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen(monkeypatch, "mps")
    with pytest.raises(SandtableError, match=r"^device cuda: PyTorch sees none here, only mps and cpu$"):
        check_device("cuda")
    with pytest.raises(
        SandtableError, match=r"^a device is auto, cpu, cuda, mps, not 'cdua' \(did you mean 'cuda'\?\)$"
    ):
        check_device("cdua")
    seen(monkeypatch)
    (tmp_path / "small.toml").write_text(TOML)
    for command in (("train", "small.toml"), ("reproduce", "li2022", "--scale", "smoke")):
        found = commands.sandtable(*command, "--device", "cuda", cwd=tmp_path, code=2)
        assert found.stderr == "sandtable: device cuda: PyTorch sees none here, only cpu\n"
    assert not (tmp_path / "runs").exists()


def test_a_training_is_the_same_without_a_gpu_and_on_the_processor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen(monkeypatch)
    recipe = with_options(games=6)
    self_play_training.train(recipe, tmp_path / "auto")
    with training_on("cpu"):
        self_play_training.train(recipe, tmp_path / "cpu")
    assert digests(tmp_path / "auto") == digests(tmp_path / "cpu")
    (tmp_path / "small.toml").write_text(TOML)
    commands.sandtable("train", "small.toml", "--device", "cpu", "--workers", 1, cwd=tmp_path)
