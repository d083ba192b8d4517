"""The architectures by name: what each reads, and how it is built."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sandtable import _core

if TYPE_CHECKING:
    from torch import nn

    TubstapEncoder = _core.tubstap.AttackGraphEncoder | _core.tubstap.UnitImageEncoder


@dataclass(frozen=True)
class Encoder:
    """How a state becomes numbers. A change of what it writes is a new version: nets of the old one are refused."""

    name: str
    version: int
    shape: tuple[int, ...]  # of one encoded state
    make: Callable[[], TubstapEncoder]


@dataclass(frozen=True)
class Architecture:
    name: str
    game: str
    encoder: Encoder
    build: Callable[[], nn.Module]  # with fresh weights; imports torch


GRAPH = Encoder("tubstap-attack-graph", 1, (6, 6, 6), lambda: _core.tubstap.AttackGraphEncoder(side_rows=3))
IMAGE = Encoder("tubstap-unit-image", 1, (5, 8, 8), lambda: _core.tubstap.UnitImageEncoder(width=8, height=8))


def _gcn(outputs: int) -> nn.Module:
    from sandtable.nets.li2022 import Gcn

    return Gcn(outputs)


def _cnn(planes: int, size: int) -> nn.Module:
    from sandtable.nets.li2022 import Cnn

    return Cnn(planes, size)


ARCHITECTURES = {
    one.name: one
    for one in (
        Architecture("cnn_i", "tubstap", IMAGE, functools.partial(_cnn, 5, 8)),
        Architecture("cnn_g", "tubstap", GRAPH, functools.partial(_cnn, 6, 6)),
        Architecture("gcn_4", "tubstap", GRAPH, functools.partial(_gcn, 4)),
        Architecture("gcn_32", "tubstap", GRAPH, functools.partial(_gcn, 32)),
    )
}
