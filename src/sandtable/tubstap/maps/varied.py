"""The map generator of the suites: boards of 6..20 cells a side, all kinds and terrains, equal and unequal numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sandtable.errors import SandtableError
from sandtable.rng import Rng, checked_whole
from sandtable.tubstap.maps.pieces import (
    NO_ENTRY,
    Cell,
    can_reach_prey,
    landscape,
    matched_armies,
    placed_on,
    rows_of,
    scenario_of,
)
from sandtable.tubstap.ruleset import Rules
from sandtable.tubstap.scenario import Scenario

SIZES = range(6, 21)


def varied(
    seed: int = 0, *, size: int | None = None, hp: Sequence[int] | None = None, rules: str | Rules = "original"
) -> Scenario:
    """A battle in which everything is random: the size (unless it is given), terrain, walls with gaps, both armies (of
    equal or unequal numbers), whether they start apart, and the turn limit, which grows with the board. `hp` replaces
    the HP of all units, in the order of their ids."""
    rng = Rng(seed, "tubstap map varied")
    drawn = rng.between(SIZES[0], SIZES[-1])
    size = drawn if size is None else checked_whole("size", size, SIZES[0], SIZES[-1])
    turn_limit = rng.between(14, 18) + size // 2
    for _ in range(1000):
        red = rng.between(2 + size // 8, 2 + size // 4)
        blue = max(2, red + rng.choice((0, 0, -1, 1)))
        armies = matched_armies(rng, red, blue)
        terrain = landscape(rng, size)
        for _ in range(rng.choice((0, 0, 1, 2))):
            _build_wall(rng, size, terrain)
        areas = _start_areas(rng, size)
        placed = [placed_on(rng, areas[side], terrain, armies[side]) for side in (0, 1)]
        if placed[0] is None or placed[1] is None or set(placed[0]) & set(placed[1]):
            continue
        cells = (placed[0], placed[1])
        units = [
            (kind, side, cell, hp)
            for side in (0, 1)
            for (kind, hp), cell in zip(armies[side], cells[side], strict=True)
        ]
        if all(can_reach_prey(units, side, terrain) for side in (0, 1)):
            made = scenario_of(f"varied-{seed}", rows_of(size, terrain), units, rules, turn_limit)
            return made if hp is None else _with_hp(made, hp)
    raise SandtableError(f"no map of {size}x{size} cells fits its armies for seed {seed}")


def _with_hp(scenario: Scenario, hp: Sequence[int]) -> Scenario:
    if not isinstance(hp, Sequence):
        raise SandtableError(f"hp must be a list with the HP of each unit, not {hp!r:.40}")
    if len(hp) != len(scenario.units):
        raise SandtableError(f"{scenario.name} has {len(scenario.units)} units, but {len(hp)} values of HP are given")
    units = tuple(unit._replace(hp=value) for unit, value in zip(scenario.units, hp, strict=True))
    return dataclasses.replace(scenario, units=units)


def _build_wall(rng: Rng, size: int, terrain: dict[Cell, int]) -> None:
    """A straight line of cells that nobody can enter, at least half as long as the board, with one or two gaps."""
    length = rng.between(size // 2, size)
    begin = rng.between(1, size - length + 1)
    line = rng.between(2, size - 1)
    gaps = {rng.between(begin, begin + length - 1) for _ in range(rng.between(1, 2))}
    upright = rng.below(2)
    for at in range(begin, begin + length):
        if at not in gaps:
            terrain[(line, at) if upright else (at, line)] = NO_ENTRY


def _start_areas(rng: Rng, size: int) -> tuple[list[Cell], list[Cell]]:
    """The cells where red and blue may start: anywhere, or in opposite thirds of the board along a random axis."""
    everywhere = [(x, y) for y in range(1, size + 1) for x in range(1, size + 1)]
    if rng.below(2):
        return everywhere, everywhere
    third, axis, turned = max(2, size // 3), rng.below(2), rng.below(2)
    low = [cell for cell in everywhere if cell[axis] <= third]
    high = [cell for cell in everywhere if cell[axis] > size - third]
    return (high, low) if turned else (low, high)
