"""The device on which networks are trained: a GPU if PyTorch finds one, or the device that `training_on` names.
Self-play always runs on the CPU."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from sandtable.errors import SandtableError, nearest

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

DEVICES = ("auto", "cpu", "cuda", "mps")

_device_name: ContextVar[str] = ContextVar("device", default="auto")


@contextlib.contextmanager
def training_on(name: str) -> Iterator[None]:
    """Within this context networks are trained on this device, one of DEVICES."""
    token = _device_name.set(name)
    try:
        yield
    finally:
        _device_name.reset(token)


def check_device(name: str) -> None:
    """Raise SandtableError unless this is one of DEVICES and PyTorch finds it on this machine."""
    _device(name)


def device() -> torch.device:
    """The device for a training that begins now."""
    return _device(_device_name.get())


def tensors(module: torch.nn.Module, *arrays: NDArray[Any]) -> tuple[torch.Tensor, ...]:
    """The arrays as tensors on the module's device."""
    import torch

    return tuple(torch.from_numpy(array).to(device_of(module)) for array in arrays)


def device_of(module: torch.nn.Module) -> torch.device:
    import torch

    return next((one.device for one in module.parameters()), torch.device("cpu"))


def _device(name: str) -> torch.device:
    if name not in DEVICES:
        raise SandtableError(f"a device is one of {', '.join(DEVICES)}, not {name!r:.40}{nearest(name, DEVICES)}")
    import torch

    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        name = next(one for one, usable in available.items() if usable)
    if not available[name]:
        usable = " and ".join(one for one in available if available[one])
        raise SandtableError(f"device {name}: PyTorch finds none here, only {usable}")
    return torch.device(name)
