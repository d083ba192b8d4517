"""Evaluators of Conquest: networks that judge positions and weigh candidate moves, as the searches see them."""

from __future__ import annotations

import functools
from pathlib import Path

from sandtable import _core
from sandtable.errors import CheckpointError
from sandtable.nets.architectures import PolicyEncoder
from sandtable.nets.checkpoints import read_card
from sandtable.nets.evaluators import found, network_of

BATCH = 64  # states; more of them leave the processor's cache
CACHE = 1 << 18  # positions, 4 MB


def conquest_evaluator(net: str, runtime: str = "auto", *, dropout: bool = False) -> _core.conquest.Evaluator:
    """The evaluator of a net, a shipped one by its name or a .safetensors file. A process has one of each.

    `dropout`: as in training, by torch; no position is remembered, since it would be judged otherwise the next time.
    """
    path, card = found(net, runtime, "conquest")
    if dropout and runtime == "onnx":
        raise CheckpointError(f"{path.stem}: dropout needs runtime=torch: a network for onnxruntime has none")
    return _made(path, runtime, dropout, card.sha256, card.onnx_sha256)


@functools.lru_cache(maxsize=16)
def _made(path: Path, runtime: str, dropout: bool, *_digests: str) -> _core.conquest.Evaluator:
    encoder = read_card(path).known.encoder
    assert isinstance(encoder, PolicyEncoder)
    network = network_of(path, runtime, dropout=dropout)
    made = getattr(_core.conquest, encoder.core)()
    return _core.conquest.Evaluator(
        made, lambda *arrays: tuple(network(*arrays)), batch=BATCH, cache=0 if dropout else CACHE
    )


def seed_torch(seed: int) -> None:
    """Of what dropout leaves out."""
    import torch

    torch.manual_seed(seed)
