"""The file from which an interrupted training continues: weights, the optimiser's moments, and a description as JSON.

Nothing is unpickled: the tensors are stored as safetensors, the JSON in the file's header.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import save as to_bytes
from torch import Tensor, nn

from sandtable.errors import CheckpointError, one_line
from sandtable.files import write_whole
from sandtable.texts import is_plain, shown_line

MAX_COUNT = 10**12  # upper limit for numbers of games, updates and so on

Tensors = dict[str, Tensor]
T = TypeVar("T")


def _differences(kept: Any, wanted: dict[str, Any], where: str = "") -> Iterator[str]:
    """The keys, such as recipe.learning.rate, in which two nested tables differ."""
    if not isinstance(kept, dict):
        yield where.rstrip(".") or next(iter(wanted))
        return
    for key in (*wanted, *(key for key in kept if where and key not in wanted)):
        if isinstance(wanted.get(key), dict):
            yield from _differences(kept.get(key), wanted[key], f"{where}{key}.")
        elif kept.get(key) != wanted.get(key):
            yield f"{where}{key}"


def keep(
    path: Path, parts: Mapping[str, Mapping[str, Tensor]], optimizer: torch.optim.Optimizer, about: dict[str, Any]
) -> None:
    """Write the file; `parts` has one or more sets of weights by name, such as `now` and `best`."""
    tensors = {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}
    for index, moments in optimizer.state_dict()["state"].items():
        tensors |= {f"moments.{index}.{name}": value for name, value in moments.items() if value is not None}
    on_cpu = {name: value.cpu().contiguous() for name, value in tensors.items()}
    data = to_bytes(on_cpu, {"training": json.dumps(about)})
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)


def restore(
    path: Path,
    module: nn.Module,
    optimizer: torch.optim.Optimizer,
    wanted: dict[str, Any],
    may_change: Collection[str] = (),
) -> tuple[dict[str, Any], dict[str, Tensors]]:
    """Restore the module (from the part `now`) and the optimiser. Returns the stored description of the training, and
    the parts. CheckpointError if the file is damaged, or if its description differs from `wanted` in any key except
    those of `may_change`, such as recipe.games."""
    from safetensors import safe_open

    try:
        with safe_open(path, framework="pt") as file:
            about = json.loads(file.metadata()["training"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise CheckpointError(f"{path}: this training cannot be resumed: {one_line(error):.120}") from None
    for key in _differences(about, wanted):
        if key not in may_change:
            only = f"; only {', '.join(may_change)} may change" if may_change else ""
            raise CheckpointError(
                f"{path}: the stored training differs in {shown_line(key):.120}{only}; delete the file to start over"
            )
    parts: dict[str, Tensors] = {}
    moments: dict[int, Tensors] = {}
    try:
        for name, value in tensors.items():
            part, _, rest = name.partition(".")
            if part == "moments":
                index, _, moment = rest.partition(".")
                moments.setdefault(int(index), {})[moment] = value
            else:
                parts.setdefault(part, {})[rest] = value
        module.load_state_dict(parts["now"])
        optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
    except (RuntimeError, ValueError, TypeError, KeyError):
        raise CheckpointError(
            f"{path}: the stored training is of another network; delete the file to start over"
        ) from None
    return about, parts


def kept_as(kind: type[T], found: Any) -> T:
    """A dataclass object rebuilt from the output of asdict(); TypeError unless every value fits its field."""
    hints = typing.get_type_hints(kind)
    if not isinstance(found, dict) or not all(name in hints and fits(hints[name], found[name]) for name in found):
        raise TypeError(f"no {kind.__name__}")
    return kind(**found)


def fits(wanted: Any, value: Any) -> bool:
    """Whether a stored value is of that type. Counts must not be negative, and names must be safe to print."""
    parts = typing.get_args(wanted)
    if typing.get_origin(wanted) is list:
        return isinstance(value, list) and all(fits(parts[0], one) for one in value)
    if typing.get_origin(wanted) is dict:
        return isinstance(value, dict) and all(is_plain(name) and fits(parts[1], value[name]) for name in value)
    if wanted is int:
        return type(value) is int and 0 <= value <= MAX_COUNT
    return type(value) in (int, float)
