"""The layouts of observations: how the core's flat rows become named arrays, and the spaces that describe these."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

Observation = dict[str, NDArray[np.float32]]


class Part(NamedTuple):
    """An array of an observation, and the bounds of its values."""

    name: str
    shape: tuple[int, ...]
    low: float
    high: float

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def box(self) -> spaces.Box:
        return spaces.Box(self.low, self.high, self.shape, np.float32)


class Layout:
    """The parts of a row, one after the other; a roster, if there is one, is a separate array."""

    def __init__(self, parts: list[Part], roster_rows: int | None = None) -> None:
        self.parts = parts
        roster = [] if roster_rows is None else [Part("roster", (roster_rows, 6), 0, 1)]
        self.space = spaces.Dict({part.name: part.box for part in (*parts, *roster)})

    def split(self, rows: NDArray[np.float32]) -> Observation:
        """Views of an array [..., all values], one for each part."""
        observation, begin = {}, 0
        for part in self.parts:
            piece = rows[..., begin : begin + part.size]
            observation[part.name] = piece.reshape(*rows.shape[:-1], *part.shape)
            begin += part.size
        return observation


def tubstap_layout(encoder: str, scenario: Any, rows: int) -> Layout:
    """The arrays of cpp/environments/tubstap_observer.h."""
    n = len(scenario.units)
    width, height = scenario.size
    parts = {
        "graph": [Part("nodes", (n, 13), 0, 1), Part("edges", (n, n, 4), 0, 1)],
        "image": [Part("planes", (20, height, width), 0, 1)],
        # The values are sums over units, so that no smaller bound holds on every map.
        "tokens": [
            Part("units", (n, 16), -64, 64),
            Part("pairs", (8, n, n), -64, 64),
            Part("globals", (12,), -64, 64),
        ],
    }
    return Layout(parts[encoder], 2 * rows)


def conquest_layout(land: Any, node_size: int, totals_size: int) -> Layout:
    """The arrays of cpp/environments/conquest.h. Values of bonuses and numbers of armies determine the bounds."""
    nodes = Part("nodes", (len(land.territories), node_size), -1e6, 1e6)
    return Layout([nodes, Part("totals", (totals_size,), -1e6, 1e6)])
