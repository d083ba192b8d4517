"""Evaluators of Conquest: the searches' interface to networks that evaluate positions, and weigh or propose moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from sandtable import _core
from sandtable.errors import CheckpointError
from sandtable.nets.architectures import TERRITORY_FEATURES, NativeNetwork, TurnEncoder
from sandtable.nets.caching import cached, shared
from sandtable.nets.checkpoints import read_card
from sandtable.nets.evaluators import Network, found, network_of, policy_network_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 64  # states; larger batches do not fit the processor's cache
CACHE = 1 << 18  # positions, 4 MB

Array: TypeAlias = "NDArray[np.float32]"


def turn_evaluator(net: str, runtime: str = "auto", *, dropout: bool = False) -> _core.conquest.Evaluator:
    """The evaluator of a net that weighs moves: a shipped one by its name, or a .safetensors file. A process has one
    per net.

    `dropout`: dropout stays active, as in training. This needs torch, and nothing is cached, since values vary.
    """
    path, card = found(net, runtime, "conquest")
    if card.known.encoder is TERRITORY_FEATURES:
        raise CheckpointError(f"{path.stem}: this net proposes moves and weighs none: use it with the player sandtable")
    if dropout and runtime == "onnx":
        raise CheckpointError(f"{path.stem}: dropout needs runtime=torch: onnxruntime runs networks without it")
    return _weighing(path, runtime, dropout, card.sha256, card.onnx_sha256)


def territory_evaluator(net: str, runtime: str = "auto") -> _core.conquest.TerritoryEvaluator:
    """The evaluator of a net that proposes moves; as turn_evaluator()."""
    path, card = found(net, runtime, "conquest")
    if card.known.encoder is not TERRITORY_FEATURES:
        raise CheckpointError(f"{path.stem}: this net weighs moves and proposes none: use it with the player guided")
    return _proposing(path, runtime, card.sha256, card.onnx_sha256)


@shared(16)
def _weighing(path: Path, runtime: str, dropout: bool, *_digests: str) -> _core.conquest.Evaluator:
    encoder = read_card(path).known.encoder
    assert isinstance(encoder, TurnEncoder)
    network = network_of(path, runtime, dropout=dropout)
    made = encoder.make()

    def evaluator(positions: int) -> _core.conquest.Evaluator:
        return _core.conquest.Evaluator(made, lambda *arrays: tuple(network(*arrays)), batch=BATCH, cache=positions)

    return evaluator(0) if dropout else cached(evaluator, CACHE)


def seed_torch(seed: int) -> None:
    """Seed torch's generator, from which dropout draws."""
    import torch

    torch.manual_seed(seed)


@shared(4)
def _proposing(path: Path, runtime: str, *_digests: str) -> _core.conquest.TerritoryEvaluator:
    network = policy_network_of(path, runtime)
    return cached(lambda positions: fresh_territory_evaluator(network, positions), CACHE)


def fresh_territory_evaluator(network: Network | NativeNetwork, cache: int) -> _core.conquest.TerritoryEvaluator:
    """A new evaluator with counters and a cache of its own."""
    if isinstance(network, _core.conquest.TerritoryNet):
        return _core.conquest.TerritoryEvaluator(network, batch=BATCH, cache=cache)
    assert not isinstance(network, _core.tubstap.TokenNet)
    by_arrays = network

    def forward(*arrays: NDArray[Any]) -> tuple[Array, Array, Array]:
        values, deploys, marches = by_arrays(*arrays)
        return values, deploys, marches

    return _core.conquest.TerritoryEvaluator(forward, batch=BATCH, cache=cache)
