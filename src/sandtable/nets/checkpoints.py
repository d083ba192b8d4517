"""Checkpoints: NAME.safetensors holds the weights, NAME.json is their card, NAME.onnx the same network for onnxruntime.

Nothing is unpickled. The card has the digests of the other two files, so that files of different nets are detected.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandtable.errors import CheckpointError, nearest, one_line
from sandtable.files import read_at_most, write_whole
from sandtable.nets.architectures import ALL, Architecture, PolicyArchitecture

if TYPE_CHECKING:
    from torch import nn

FORMAT = "sandtable-net"
VERSION = 1
SUFFIXES = (".safetensors", ".onnx", ".json")  # of a net's three files
LICENCE = "Apache-2.0"
MAX_BYTES = 1 << 30


@dataclass(frozen=True)
class Card:
    """The description of a net, which can be read without its weights."""

    architecture: str
    encoder: str
    encoder_version: int
    game: str
    rules: str  # digest of the rules that it was trained with
    weights: int
    sha256: str  # of the .safetensors file
    onnx_sha256: str  # of the .onnx file
    training: dict[str, Any]  # how it was trained: data, seeds, commit, seconds
    licence: str = LICENCE
    format: str = FORMAT
    version: int = VERSION

    @property
    def known(self) -> Architecture | PolicyArchitecture:
        return ALL[self.architecture]


def save(path: Path, module: nn.Module, architecture: str, rules: str, training: dict[str, Any]) -> Card:
    """Write the three files of a net; `path` is that of the weights."""
    from safetensors.torch import save as to_bytes

    module.eval()
    known = ALL[architecture]
    weights = to_bytes({name: value.contiguous() for name, value in module.state_dict().items()})
    onnx = _onnx_of(module, known)
    card = Card(
        architecture=architecture,
        encoder=known.encoder.name,
        encoder_version=known.encoder.version,
        game=known.game,
        rules=rules,
        weights=sum(parameter.numel() for parameter in module.parameters()),
        sha256=hashlib.sha256(weights).hexdigest(),
        onnx_sha256=hashlib.sha256(onnx).hexdigest(),
        training=training,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, weights)
    write_whole(path.with_suffix(".onnx"), onnx)
    write_whole(path.with_suffix(".json"), text_of(card).encode())
    return card


def text_of(card: Card) -> str:
    """The card as it is written to its file."""
    return json.dumps(dataclasses.asdict(card), indent=1) + "\n"


def copy(source: Path, target: Path) -> None:
    """Copy the three files of a net, the card last: its presence shows that the others are complete."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for suffix in SUFFIXES:
        write_whole(target.with_suffix(suffix), source.with_suffix(suffix).read_bytes())


def read_card(path: Path) -> Card:
    """The card of the net whose weights are at `path`; CheckpointError if this program cannot use it."""
    where = path.with_suffix(".json")
    if not where.is_file():
        raise CheckpointError(f"{where}: there is no such file; every net needs a card")
    try:
        found = json.loads(read_at_most(where, 1 << 20))
    except (ValueError, RecursionError):
        raise CheckpointError(f"{where}: not a card: not JSON") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise CheckpointError(f"{where}: not a card of a net: its format is not {FORMAT!r}")
    if found.get("version") != VERSION:
        raise CheckpointError(f"{where}: a card of version {found.get('version')!r:.20}; this program reads {VERSION}")
    for field in dataclasses.fields(Card):
        kind = {"int": int, "str": str}.get(str(field.type), dict)
        if type(found.get(field.name)) is not kind:
            raise CheckpointError(f"{where}: {field.name} is missing or not of type {kind.__name__}")
    card = Card(**{field.name: found[field.name] for field in dataclasses.fields(Card)})
    if card.architecture not in ALL:
        hint = nearest(card.architecture, ALL)
        raise CheckpointError(f"{where}: no architecture is called {card.architecture!r:.40}{hint}")
    wanted = card.known.encoder
    if (card.encoder, card.encoder_version) != (wanted.name, wanted.version):
        made_for = f"made for the encoder {card.encoder!r:.40} version {card.encoder_version}"
        raise CheckpointError(
            f"{where}: {made_for}; {card.architecture} now reads {wanted.name} version {wanted.version}"
        )
    return card


def load(path: Path) -> nn.Module:
    """The net at `path`, ready to evaluate."""
    from safetensors import SafetensorError
    from safetensors.torch import load as from_bytes

    card = read_card(path)
    try:
        tensors = from_bytes(checked_bytes(path, card.sha256))
    except SafetensorError as error:
        raise CheckpointError(f"{path}: not a file of weights: {one_line(error)}") from None
    module = card.known.build()
    expected = {name: (tuple(value.shape), value.dtype) for name, value in module.state_dict().items()}
    if {name: (tuple(value.shape), value.dtype) for name, value in tensors.items()} != expected:
        raise CheckpointError(f"{path}: these are not the weights of {card.architecture}")
    if not all(bool(value.isfinite().all()) for value in tensors.values()):
        raise CheckpointError(f"{path}: some weights are not finite")
    module.load_state_dict(tensors)
    return module.eval()


def checked_bytes(path: Path, digest: str) -> bytes:
    """The bytes of a file of a net; CheckpointError unless they have the digest that the card gives."""
    if not path.is_file():
        raise CheckpointError(f"{path}: there is no such file")
    data = read_at_most(path, MAX_BYTES)
    if hashlib.sha256(data).hexdigest() != digest:
        raise CheckpointError(f"{path}: not the file that {path.with_suffix('.json').name} describes, or damaged")
    return data


def restore_onnx(path: Path) -> None:
    """Write a net's missing ONNX file again from its weights; stored runs take half the space without these files.
    CheckpointError if the file does not have the card's digest, as may happen with another version of PyTorch."""
    where = path.with_suffix(".onnx")
    if where.is_file() or not path.is_file():
        return
    card = read_card(path)
    data = _onnx_of(load(path), card.known)
    if hashlib.sha256(data).hexdigest() != card.onnx_sha256:
        raise CheckpointError(f"{where}: missing, and this version of PyTorch exports a different one from the weights")
    write_whole(where, data)


def _onnx_of(module: nn.Module, known: Architecture | PolicyArchitecture) -> bytes:
    import torch

    encoder = known.encoder
    inputs, outputs = encoder.signature
    example = tuple(torch.from_numpy(array) for array in encoder.example())
    axes = {
        name: {i: axis for i, axis in enumerate(shape) if isinstance(axis, str)}
        for name, shape in (inputs | outputs).items()
    }
    import tempfile  # slow to import

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        # The tracing exporter: the newer one needs a further package for the same graph.
        warnings.simplefilter("ignore")
        path = Path(folder) / "net.onnx"
        torch.onnx.export(
            module,
            example,
            path,
            dynamo=False,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes=axes,
        )
        return path.read_bytes()
