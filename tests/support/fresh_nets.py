"""Networks that were never trained, saved as checkpoints."""

from pathlib import Path

import torch

from sandtable.nets import checkpoints
from sandtable.nets.architectures import POLICIES, PROPOSERS

RUNTIMES = ("onnx", "torch")


def save_fresh(path: Path, architecture: str, seed: int) -> Path:
    """A policy network or a proposer with the weights that a seed gives it."""
    torch.manual_seed(seed)
    checkpoints.save(path, (POLICIES | PROPOSERS)[architecture].build(), architecture, "", {})
    return path
