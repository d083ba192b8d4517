"""Evaluators: networks as the searches see them, in the native core's batches and behind its cache.

A net runs through onnxruntime, which people who only play have, or through torch; both give the same values to 1e-5.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable import _core
from sandtable.errors import CheckpointError, nearest
from sandtable.nets.checkpoints import checked_bytes, load, read_card

RUNTIMES = ("auto", "onnx", "torch")
BATCH = 512  # larger ones leave the processor's cache, smaller ones pay for more calls
CACHE = 1 << 20  # positions, 16 MB

WEIGHTS = Path(__file__).parent.parent / "weights"

Forward = Callable[[NDArray[np.float32]], NDArray[np.float32]]


def shipped() -> list[str]:
    """The names of the nets that come with the package."""
    return sorted(path.stem for path in WEIGHTS.glob("*.safetensors"))


def locate(net: str) -> Path:
    """The weights of a net: a shipped one by its name, or a .safetensors file."""
    if net in shipped():
        return WEIGHTS / f"{net}.safetensors"
    if not net.endswith(".safetensors"):
        known = shipped()
        there = f"; there are {', '.join(known)}" if known else ""
        raise CheckpointError(
            f"no net is called {net!r:.60}{nearest(net, known)}{there}, and the file of one ends in .safetensors"
        )
    if not Path(net).is_file():
        raise CheckpointError(f"{' '.join(net.split())}: there is no such file")
    return Path(net)


def evaluator(net: str, runtime: str = "auto") -> _core.tubstap.Evaluator:
    """The evaluator of a net, a shipped one by its name or a .safetensors file. A process has one of each."""
    if runtime not in RUNTIMES:
        raise CheckpointError(f"no runtime is called {runtime!r:.40}; there are {', '.join(RUNTIMES)}")
    path = locate(net).resolve()
    card = read_card(path)
    return _made(path, runtime, card.sha256, card.onnx_sha256)


@functools.lru_cache(maxsize=16)
def _made(path: Path, runtime: str, *_digests: str) -> _core.tubstap.Evaluator:
    card = read_card(path)
    forward = forward_of(path, runtime)
    return _core.tubstap.Evaluator(card.known.encoder.make(), forward, batch=BATCH, cache=CACHE)


def forward_of(path: Path, runtime: str) -> Forward:
    """The net as a function from encoded states, each flat, to values."""
    if runtime == "auto":
        installed = [name for name, module in (("onnx", "onnxruntime"), ("torch", "torch")) if find_spec(module)]
        if not installed:
            raise CheckpointError(f"{path.stem}: networks need onnxruntime or torch: pip install 'sandtable[play]'")
        runtime = installed[0]
    return _onnx_forward(path) if runtime == "onnx" else _torch_forward(path)


def _onnx_forward(path: Path) -> Forward:
    try:
        import onnxruntime
    except ImportError:
        raise CheckpointError(f"{path.stem}: onnxruntime is not installed: pip install 'sandtable[play]'") from None
    card = read_card(path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    data = checked_bytes(path.with_suffix(".onnx"), card.onnx_sha256)
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # of onnxruntime's own kinds
        raise CheckpointError(f"{path.with_suffix('.onnx')}: {str(error).splitlines()[0]:.200}") from None
    shape = card.known.encoder.shape

    def forward(inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        values: NDArray[np.float32] = session.run(None, {"inputs": inputs.reshape(-1, *shape)})[0]
        return values

    try:
        fits = bool(np.isfinite(forward(np.zeros((2, *shape), np.float32))).all())
    except Exception:  # of onnxruntime's own kinds: other inputs or outputs
        fits = False
    if not fits:
        raise CheckpointError(f"{path.with_suffix('.onnx')}: this is not a network of the kind {card.architecture}")
    return forward


def _torch_forward(path: Path) -> Forward:
    try:
        import safetensors  # noqa: F401
        import torch
    except ImportError as error:
        raise CheckpointError(f"{path.stem}: {error.name} is not installed: pip install 'sandtable[learn]'") from None
    torch.set_num_threads(1)  # a process a core: two threads on a busy machine are many times slower than one
    net = load(path)
    shape = read_card(path).known.encoder.shape

    def forward(inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        with torch.inference_mode():
            values: NDArray[np.float32] = net(torch.from_numpy(inputs).view(-1, *shape)).numpy()
        return values

    return forward
