"""Lazy imports (PEP 562): a package's names are imported on first use, so that importing the package stays fast."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazily(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: `places` maps each name to its module. Submodules need no entry."""

    def find(name: str) -> Any:
        if name in places:
            value = getattr(importlib.import_module(places[name]), name)
        else:
            module = f"{package}.{name}"
            try:
                value = importlib.import_module(module)
            except ModuleNotFoundError as error:
                if error.name != module:
                    raise
                raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name) from None
        setattr(sys.modules[package], name, value)  # the next use finds it at once
        return value

    return find
