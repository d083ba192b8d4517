"""Networks that were never trained, saved as checkpoints."""

from pathlib import Path

import torch

from sandtable.nets import checkpoints
from sandtable.nets.architectures import POLICIES, PROPOSERS

RUNTIMES = ("onnx", "torch")


def save_fresh(path: Path, architecture: str, seed: int) -> Path:
    """Save a policy network or a proposer with random weights."""
    torch.manual_seed(seed)
    checkpoints.save(path, (POLICIES | PROPOSERS)[architecture].build(), architecture, "", {})
    return path
