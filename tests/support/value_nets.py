"""Value networks with random weights, those of li2022 in all readings, and positions for them."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

import sandtable as st
from sandtable.nets import ARCHITECTURES, checkpoints
from sandtable.tubstap import State

Floats = NDArray[np.float32]

# Table 3. The counts are the same in every reading.
PRINTED = {"cnn_i": 174_721, "cnn_g": 76_705, "gcn_4": 76_433, "gcn_32": 596_225}
READINGS = {
    "cnn_i": ("", "_raw", "_text", "_text_raw"),
    "cnn_g": ("", "_raw"),
    "gcn_4": ("", "_raw", "_kernel", "_kernel_raw"),
    "gcn_32": ("", "_raw", "_kernel", "_kernel_raw"),
}
COUNTS = {name + reading: count for name, count in PRINTED.items() for reading in READINGS[name]}


def net(architecture: str) -> nn.Module:
    """A network in which all weights are random, so that no 0 or 1 hides a mistake, and values differ."""
    torch.manual_seed(20)
    module = ARCHITECTURES[architecture].build()
    # Raw inputs are larger: no tanh should saturate. A deep image network's outputs hardly differ with factors near 1.
    factor = 1.3 if architecture.endswith("_raw") else 3 if architecture == "takahashi_cnn" else 2
    with torch.no_grad():
        for name, value in module.state_dict().items():
            if "running" in name:
                value.uniform_(0.1, 1)
            elif "bias" in name:
                value.uniform_(-0.2, 0.2)
            elif "weight" in name:
                value.mul_(factor)
    return module.eval()


def random_states(count: int, size: int = 8) -> list[State]:
    """States of random games, at any time of a turn, with dead units in the later ones."""
    states: list[State] = []
    seed = 0
    while len(states) < count:
        maps = st.tubstap.maps
        state = (maps.symmetric(seed, size=size) if seed % 2 else maps.random(seed, size=size)).start()
        for number in range(60):
            if state.over:
                break
            if number % 3 == seed % 3:
                states.append(state.copy())
            attacks = [move for move in state.moves() if move.target is not None]
            state.play(attacks[number % len(attacks)] if attacks and number % 2 else state.random_move(number))
        seed += 1
    assert any(len(state.units) < 5 for state in states)
    return states[:count]


class SavedNets(dict[str, Path]):
    """Checkpoints by architecture, each saved when it is first asked for, because an ONNX export is slow."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __missing__(self, name: str) -> Path:
        self[name] = self.folder / "deep" / f"{name}.safetensors"
        checkpoints.save(self[name], net(name), name, "digest of rules", {"seed": 20})
        return self[name]
