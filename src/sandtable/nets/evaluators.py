"""Evaluators: the searches' interface to networks. The native core makes the batches and caches the answers.

The core runs our own architectures (tokens_*, territories_*) itself; the others run through onnxruntime or torch. All
runtimes give the same values to 1e-5.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from sandtable import _core
from sandtable.carried import here
from sandtable.errors import CheckpointError, nearest, one_line
from sandtable.nets.architectures import Encoder, NativeNetwork, PolicyArchitecture, PolicyEncoder, Signed, sized
from sandtable.nets.caching import cached, shared
from sandtable.nets.checkpoints import Card, checked_bytes, load, read_card

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import nn

RUNTIMES = ("auto", "native", "onnx", "torch")
BATCH = 512  # larger batches do not fit the processor's cache, smaller ones need more calls
CACHE = 1 << 20  # positions, 16 MB
POLICY_CACHE = 1 << 17  # positions with the priors of their moves, about 40 MB

WEIGHTS = Path(__file__).parent.parent / "weights"
# Our own nets are numbered, so that a name in a stored spec always means the same net; the plain name means the newest.
CURRENT = {"sandtable": "sandtable-1", "sandtable-conquest": "sandtable-conquest-1"}

# A function from the arrays of an encoder to the outputs of a network: values, and logits if it has a policy.
Network: TypeAlias = "Callable[..., list[NDArray[np.float32]]]"


def shipped(game: str | None = None) -> list[str]:
    """The names of the shipped nets, of one game or of all; the newest of our own nets are named without a number."""
    plain = {numbered: name for name, numbered in CURRENT.items()}
    paths = {plain.get(path.stem, path.stem): path for path in WEIGHTS.glob("*.safetensors")}
    return [name for name, path in sorted(paths.items()) if game is None or read_card(path).game == game]


def locate(net: str) -> Path:
    """The path of a net's weights; `net` is the name of a shipped net or a .safetensors file."""
    known = shipped()
    if net in known or net in CURRENT.values():
        return WEIGHTS / f"{CURRENT.get(net, net)}.safetensors"
    if not net.endswith(".safetensors"):
        there = f"; there are {', '.join(known)}" if known else ""
        raise CheckpointError(
            f"no net is called {net!r:.60}{nearest(net, known)}{there}; the file of a net ends in .safetensors"
        )
    path = here(net)
    if not path.is_file():
        raise CheckpointError(f"{' '.join(net.split())}: there is no such file")
    return path


def evaluator(net: str, runtime: str = "auto") -> _core.tubstap.Evaluator:
    """The evaluator of a value net: a shipped one by its name, or a .safetensors file. A process has one per net."""
    path, card = found(net, runtime, "tubstap")
    if not isinstance(card.known.encoder, Encoder):
        raise CheckpointError(f"{path.stem}: this is a policy net: use it with a tree search, not with minimax")
    return _value_evaluator(path, runtime, card.sha256, card.onnx_sha256)


def policy_evaluator(net: str, runtime: str = "auto") -> _core.tubstap.PolicyEvaluator:
    """The evaluator of a policy/value net; as evaluator()."""
    path, card = found(net, runtime, "tubstap")
    if not isinstance(card.known.encoder, PolicyEncoder):
        raise CheckpointError(f"{path.stem}: this is a value net without a policy: use it with minimax")
    return _policy_evaluator(path, runtime, card.sha256, card.onnx_sha256)


def found(net: str, runtime: str, game: str) -> tuple[Path, Card]:
    """The path and the card of a net; CheckpointError unless it is for this game."""
    if runtime not in RUNTIMES:
        raise CheckpointError(f"no runtime is called {runtime!r:.40}; there are {', '.join(RUNTIMES)}")
    path = locate(net).resolve()
    card = read_card(path)
    if card.game != game:
        raise CheckpointError(f"{path}: a net for {card.game}, not {game}")
    return path, card


@shared(16)
def _value_evaluator(path: Path, runtime: str, *_digests: str) -> _core.tubstap.Evaluator:
    encoder = read_card(path).known.encoder
    assert isinstance(encoder, Encoder)
    network, shape = network_of(path, runtime), encoder.shape

    def forward(inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        return network(inputs.reshape(-1, *shape))[0]

    made = encoder.make()
    return cached(lambda positions: _core.tubstap.Evaluator(made, forward, batch=BATCH, cache=positions), CACHE)


@shared(4)
def _policy_evaluator(path: Path, runtime: str, *_digests: str) -> _core.tubstap.PolicyEvaluator:
    encoder = read_card(path).known.encoder
    assert isinstance(encoder, PolicyEncoder)
    network = policy_network_of(path, runtime)
    return cached(lambda positions: fresh_policy_evaluator(encoder, network, positions), POLICY_CACHE)


def fresh_policy_evaluator(
    encoder: PolicyEncoder, network: Network | NativeNetwork, cache: int
) -> _core.tubstap.PolicyEvaluator:
    """A new evaluator with counters and a cache of its own."""
    if isinstance(network, _core.tubstap.TokenNet):
        return _core.tubstap.PolicyEvaluator(encoder.core, network, cache=cache)
    assert not isinstance(network, _core.conquest.TerritoryNet)
    return _core.tubstap.PolicyEvaluator(encoder.core, lambda *arrays: tuple(network(*arrays)), cache=cache)


def policy_network_of(path: Path, runtime: str = "auto") -> Network | NativeNetwork:
    """The net as a network of the core if the core can run it, else as network_of() gives it."""
    card = read_card(path)
    if runtime not in ("auto", "native") or not isinstance(card.known, PolicyArchitecture) or card.known.native is None:
        return network_of(path, runtime)
    try:
        return card.known.native(checked_bytes(path, card.sha256))
    except ValueError as error:
        raise CheckpointError(f"{path}: {error}") from None


def network_of(path: Path, runtime: str = "auto", *, dropout: bool = False) -> Network:
    """The net as a function from the arrays of its encoder to its outputs.

    `dropout`: dropout stays active, as in training, which needs torch.
    """
    if runtime == "native":
        raise CheckpointError(f"{path.stem}: runtime=native runs only tokens_* and territories_*: use onnx or torch")
    if dropout:
        return _torch_network(path, dropout=True)
    if runtime == "auto":
        installed = [name for name, module in (("onnx", "onnxruntime"), ("torch", "torch")) if find_spec(module)]
        if not installed:
            raise CheckpointError(f"{path.stem}: networks need onnxruntime or torch: pip install 'sandtable[onnx]'")
        runtime = installed[0]
    return _onnx_network(path) if runtime == "onnx" else _torch_network(path)


def _onnx_network(path: Path) -> Network:
    try:
        import onnxruntime
    except ImportError:
        raise CheckpointError(f"{path.stem}: onnxruntime is not installed: pip install 'sandtable[onnx]'") from None
    card = read_card(path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    checked_bytes(path, card.sha256)  # not used here, but a net must have matching files
    data = checked_bytes(path.with_suffix(".onnx"), card.onnx_sha256)
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has its own exception types
        raise CheckpointError(f"{path.with_suffix('.onnx')}: {one_line(error)}") from None
    encoder = card.known.encoder
    names = list(encoder.signature[0])

    def network(*arrays: NDArray[Any]) -> list[NDArray[np.float32]]:
        found: list[NDArray[np.float32]] = session.run(None, dict(zip(names, arrays, strict=True)))
        return found

    if not _fits(encoder, network):
        raise CheckpointError(f"{path.with_suffix('.onnx')}: not a network of the architecture {card.architecture}")
    return network


def _fits(encoder: Signed, network: Network) -> bool:
    """Whether a network of unknown origin accepts its encoder's arrays and gives finite outputs of the right shapes."""
    import numpy as np  # slow to import, and not needed by networks that run in the core

    try:
        answers = network(*encoder.example())
    except Exception:  # of onnxruntime's own types: the inputs or outputs are others
        return False
    wanted = [sized(shape) for shape in encoder.signature[1].values()]
    return [one.shape for one in answers] == wanted and all(bool(np.isfinite(one).all()) for one in answers)


def _torch_network(path: Path, *, dropout: bool = False) -> Network:
    try:
        import safetensors  # noqa: F401
        import torch
    except ImportError as error:
        raise CheckpointError(f"{path.stem}: {error.name} is not installed: pip install 'sandtable[learn]'") from None
    torch.set_num_threads(1)  # one process per core: on a busy machine two threads are many times slower
    return torch_network(load(path).train(dropout))


def torch_network(module: nn.Module) -> Network:
    """A torch module as a function on arrays. The module should be in evaluation mode unless dropout is wanted."""
    import torch

    def network(*arrays: NDArray[Any]) -> list[NDArray[np.float32]]:
        with torch.inference_mode():
            answers = module(*(torch.from_numpy(array) for array in arrays))
        return [one.numpy() for one in (answers if isinstance(answers, tuple) else (answers,))]

    return network
