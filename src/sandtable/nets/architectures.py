"""The architectures by name: what each reads, and how it is built."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sandtable import _core

if TYPE_CHECKING:
    from torch import nn

    TubstapEncoder = (
        _core.tubstap.AttackGraphEncoder
        | _core.tubstap.UnitImageEncoder
        | _core.tubstap.DamageGraphEncoder
        | _core.tubstap.TerrainImageEncoder
        | _core.tubstap.CombinedEncoder
    )


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
    build: Callable[..., nn.Module]  # with fresh weights; imports torch. Some take `dropout`, for training


ATTACK_GRAPH = Encoder("tubstap-attack-graph", 1, (6, 6, 6), lambda: _core.tubstap.AttackGraphEncoder(side_rows=3))
UNIT_IMAGE = Encoder("tubstap-unit-image", 1, (5, 8, 8), lambda: _core.tubstap.UnitImageEncoder(width=8, height=8))
DAMAGE_GRAPH = Encoder("tubstap-damage-graph", 1, (360,), lambda: _core.tubstap.DamageGraphEncoder(rows=8))
TERRAIN_IMAGE = Encoder(
    "tubstap-terrain-image", 1, (20, 8, 8), lambda: _core.tubstap.TerrainImageEncoder(width=8, height=8)
)
COMBINED = Encoder("tubstap-combined", 1, (1648,), lambda: _core.tubstap.CombinedEncoder(rows=8, width=8, height=8))


def _built(module: str, kind: str, *arguments: int, **options: float) -> nn.Module:
    made: nn.Module = getattr(importlib.import_module(f"sandtable.nets.{module}"), kind)(*arguments, **options)
    return made


def _architecture(name: str, encoder: Encoder, module: str, kind: str, *arguments: int) -> Architecture:
    return Architecture(name, "tubstap", encoder, functools.partial(_built, module, kind, *arguments))


ARCHITECTURES = {
    one.name: one
    for one in (
        _architecture("cnn_i", UNIT_IMAGE, "li2022", "Cnn", 5, 8),
        _architecture("cnn_g", ATTACK_GRAPH, "li2022", "Cnn", 6, 6),
        _architecture("gcn_4", ATTACK_GRAPH, "li2022", "Gcn", 4),
        _architecture("gcn_32", ATTACK_GRAPH, "li2022", "Gcn", 32),
        _architecture("takahashi_gcn", DAMAGE_GRAPH, "takahashi", "Gcn"),
        _architecture("takahashi_cnn", TERRAIN_IMAGE, "takahashi", "Cnn"),
        _architecture("takahashi_a", COMBINED, "takahashi", "CombinedA"),
        _architecture("takahashi_b", COMBINED, "takahashi", "CombinedB"),
        _architecture("takahashi_c", COMBINED, "takahashi", "CombinedC"),
    )
}
