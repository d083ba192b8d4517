"""An oracle for the inputs of our network for Conquest, in plain Python: one territory at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.conquest import Land, State

Array = NDArray[Any]
FARTHEST = 6


def scale(number: float) -> float:
    return math.log1p(number) / 2


def map_arrays(land: Land) -> tuple[Array, Array]:
    """edges, kin."""
    n = len(land.territories)
    edges, kin = np.zeros((n, n)), np.zeros((n, n))
    for t in range(n):
        for other in land.neighbours(t):
            edges[t, other] = 1 / len(land.neighbours(t))
    for bonus in land.bonuses:
        for a in bonus.territories:
            for b in set(bonus.territories) - {a}:
                kin[a, b] += bonus.value / len(bonus.territories) / (len(bonus.territories) - 1) / 2
    return edges, kin


def steps(land: Land, sources: set[int]) -> list[int]:
    """Steps from the nearest source, at most FARTHEST."""
    found = dict.fromkeys(sources, 0)
    for distance in range(1, FARTHEST):
        for t in [t for t, at in found.items() if at == distance - 1]:
            for other in land.neighbours(t):
                found.setdefault(other, distance)
    return [found.get(t, FARTHEST) for t in range(len(land.territories))]


def nodes_of(state: State, player: int) -> Array:
    land, owner, armies = state.land, state.owner, state.armies
    sides = (player, 1 - player, -1)
    from_mine, from_theirs = (steps(land, {t for t, o in enumerate(owner) if o == side}) for side in sides[:2])
    rows = []
    for t in range(len(owner)):
        near = land.neighbours(t)
        next_to = [[armies[v] for v in near if owner[v] == side] for side in sides]
        row = [float(owner[t] == side) for side in sides]
        row += [scale(armies[t]) if owner[t] == side else 0.0 for side in sides]
        row += [
            scale(sum(next_to[0])),
            scale(sum(next_to[1])),
            scale(max(next_to[1], default=0)),
            scale(sum(next_to[2])),
        ]
        row += [float(bool(some)) for some in next_to]
        row += [len(near) / 4, from_mine[t] / 3, from_theirs[t] / 3]
        about = np.zeros(7)
        for bonus in land.bonuses:
            if t not in bonus.territories:
                continue
            value, size = bonus.value, len(bonus.territories)
            held = [sum(owner[v] == side for v in bonus.territories) for side in sides[:2]]
            about[0] += value / size / 2
            for i, count in enumerate(held):
                about[1 + i] += value * count / size / 4
                about[3 + i] += value / (1 + size - count) / 4
                about[5 + i] += value / 4 if count == size else 0
        rows.append([*row, *about])
    return np.array(rows)


def totals_of(state: State, player: int) -> Array:
    owner, armies = state.owner, state.armies
    sides = (player, 1 - player, -1)
    sums = [sum(a for o, a in zip(owner, armies, strict=True) if o == side) for side in sides]
    return np.array(
        [
            *(state.income(side) / 10 for side in sides[:2]),
            *(scale(total) for total in sums),
            *(owner.count(side) / len(owner) for side in sides[:2]),
            state.turn / state.land.rules.turn_limit,
            scale(len(owner)),
        ]
    )
