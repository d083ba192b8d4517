"""Map generators, each from a seed; the hand-made maps of the package lie beside this file.

Generated scenarios have the rules of their paper unless `rules=` gives others. For rules that take their limits from
the map, they also have a turn limit (40 where the paper has none) and an HP threshold of 0.
"""

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from sandtable import _core
from sandtable.errors import SandtableError
from sandtable.rng import Rng, checked_whole
from sandtable.tubstap.loading import shipped
from sandtable.tubstap.maps.pieces import (
    FOREST,
    FORTRESS,
    MOUNTAIN,
    NO_ENTRY,
    PLAIN,
    ROAD,
    SEA,
    Cell,
    Placed,
    can_reach_prey,
    cells_of,
    landscape,
    matched_armies,
    placed_on,
    plains,
    rows_of,
    scenario_of,
    weighted,
)
from sandtable.tubstap.maps.varied import varied
from sandtable.tubstap.ruleset import Rules
from sandtable.tubstap.scenario import MAX_HP, MAX_SIZE, MAX_UNITS, Scenario, State
from sandtable.tubstap.types import KINDS, Move

__all__ = [
    "GENERATORS",
    "PlayedMap",
    "Technique",
    "battle",
    "complex",
    "local_search",
    "local_search_with_game",
    "mixed",
    "random",
    "shipped",
    "simple",
    "skirmish",
    "symmetric",
    "technical",
    "techniques",
    "varied",
]

T = TypeVar("T")


def random(seed: int = 0, *, size: int = 8, rules: str | Rules = "li2022") -> Scenario:
    """li2022, section 4.1: three infantry a side on random cells; HP 1..10 for red, which begins, 1..9 for blue."""
    rng = Rng(seed, "tubstap map random")
    cells = rng.sample(cells_of(size), 6)
    hp = [rng.between(1, 10 if i < 3 else 9) for i in range(6)]
    units = [("infantry", i // 3, cell, hp[i]) for i, cell in enumerate(cells)]
    return scenario_of(f"random-{seed}", plains(size), units, rules, turn_limit=40)


def symmetric(seed: int = 0, *, size: int = 8, rules: str | Rules = "li2022") -> Scenario:
    """li2022, section 4.1: two infantry (HP 10) and a panzer (HP 5), red in the upper half, blue turned by 180°."""
    rng = Rng(seed, "tubstap map symmetric")
    upper = [(x, y) for x, y in cells_of(size) if y <= size // 2]
    red = list(zip((("infantry", 10), ("infantry", 10), ("panzer", 5)), rng.sample(upper, 3), strict=True))
    units = [(kind, 0, cell, hp) for (kind, hp), cell in red]
    units += [(kind, 1, (size + 1 - x, size + 1 - y), hp) for (kind, hp), (x, y) in red]
    return scenario_of(f"symmetric-{seed}", plains(size), units, rules, turn_limit=40)


class PlayedMap(NamedTuple):
    """A map and a game that was played on it."""

    scenario: Scenario
    moves: tuple[Move, ...]
    end: State


def local_search(seed: int = 0, *, rollouts: int = 6400, size: int = 8, rules: str | Rules = "li2022") -> Scenario:
    """li2022, section 4.1: a random map of two infantry (HP 10) and a panzer (HP 5) a side, made fair by play.

    Two MCTS players play it; the winner loses 1 HP or the loser gains 1 (a fair coin, HP kept within 1..10) until a
    game is a draw or won by the other side. That map is kept.
    """
    return local_search_with_game(seed, rollouts=rollouts, size=size, rules=rules).scenario


def local_search_with_game(
    seed: int = 0, *, rollouts: int = 6400, size: int = 8, rules: str | Rules = "li2022"
) -> PlayedMap:
    """The map of `local_search` and the search's last game, which was a draw or won by the other side."""
    rollouts = checked_whole("rollouts", rollouts, 1, 10**9)
    rng = Rng(seed, "tubstap map local search")
    cells = rng.sample(cells_of(size), 6)
    army = (("infantry", 10), ("infantry", 10), ("panzer", 5))
    units = [(kind, i // 3, cells[i], hp) for i, (kind, hp) in enumerate(army * 2)]
    earlier: int | None = None
    while True:
        scenario = scenario_of(f"local-search-{seed}", plains(size), units, rules, turn_limit=40)
        played = _mcts_game(scenario, rollouts, rng)
        winner = played.end.winner
        if winner is None or earlier not in (None, winner):
            return played
        earlier = winner
        units = _nudged(units, winner, rng)


def _mcts_game(scenario: Scenario, rollouts: int, rng: Rng) -> PlayedMap:
    """A game between two players of li2022's MCTS (its appendix)."""
    search = _core.UctSettings(simulations=rollouts)
    state = scenario.start()
    moves = []
    while not state.over:
        found = _core.tubstap.uct(state, search, seed=rng.below(2**32 - 1))
        moves.append(found.candidates[found.best].move)
        state.play(moves[-1])
    return PlayedMap(scenario, tuple(moves), state)


def _nudged(units: Sequence[Placed], winner: int, rng: Rng) -> list[Placed]:
    """Take 1 HP from a unit of the winner or add 1 to one of the loser: by a fair coin, if the range allows both.

    One of the two is always possible: a side whose units have 1 HP each does not keep winning against units with 10.
    """
    reducible = [i for i, (_, side, _, hp) in enumerate(units) if side == winner and hp > 1]
    raisable = [i for i, (_, side, _, hp) in enumerate(units) if side != winner and hp < MAX_HP]
    heads = rng.below(2) == 0
    step, choices = (-1, reducible) if (heads and reducible) or not raisable else (1, raisable)
    chosen = rng.choice(choices)
    return [(kind, side, cell, hp + step * (i == chosen)) for i, (kind, side, cell, hp) in enumerate(units)]


def skirmish(
    seed: int = 0,
    *,
    red: int | None = None,
    blue: int | None = None,
    size: int = 6,
    distance: int = 1,
    hp_difference: int | None = None,
    rules: str | Rules = "kimura2020",
) -> Scenario:
    """kimura2020, section 4.1.1: one or two infantry a side on a 6x6 plain, cells and HP random.

    Enemies start at least `distance` steps apart: from 5 on, none can attack in the first turn. The HP sums of the
    sides differ by at most `hp_difference`. Cells and HP are drawn until both hold.
    """
    checked_whole("distance", distance, 1, 2 * MAX_SIZE)
    if hp_difference is not None:
        checked_whole("hp_difference", hp_difference, 0, MAX_HP * MAX_UNITS)
    rng = Rng(seed, "tubstap map skirmish")
    drawn = rng.between(1, 2), rng.between(1, 2)
    count = list(drawn)
    for side, (colour, given) in enumerate((("red", red), ("blue", blue))):
        if given is not None:
            count[side] = checked_whole(f"{colour}'s number of units", given, 1, MAX_UNITS)
    if sum(count) > checked_whole("size", size, 2, MAX_SIZE) ** 2:
        raise SandtableError(f"{count[0]} v {count[1]} units do not fit on {size}x{size} cells")

    def far_apart(cells: list[Cell]) -> bool:
        pairs = itertools.product(cells[: count[0]], cells[count[0] :])
        return all(abs(x - u) + abs(y - v) >= distance for (x, y), (u, v) in pairs)

    def even(hp: list[int]) -> bool:
        return hp_difference is None or abs(sum(hp[: count[0]]) - sum(hp[count[0] :])) <= hp_difference

    cells = _drawn_until(far_apart, lambda: rng.sample(cells_of(size), sum(count)), f"distance {distance}")
    hp = _drawn_until(even, lambda: [rng.between(1, 10) for _ in cells], f"hp_difference {hp_difference}")
    units = [("infantry", int(i >= count[0]), cell, hp[i]) for i, cell in enumerate(cells)]
    return scenario_of(f"skirmish-{seed}", plains(size), units, rules, turn_limit=16)


def _drawn_until(accepted: Callable[[T], bool], draw: Callable[[], T], condition: str) -> T:
    for _ in range(20_000):
        found = draw()
        if accepted(found):
            return found
    raise SandtableError(f"no map was found with {condition}")


class Technique(NamedTuple):
    """A technical position: red is to move and achieves the motif within `depth` player turns. Units are x, y, HP."""

    motif: str
    depth: int
    red: tuple[tuple[int, int, int], ...]
    blue: tuple[tuple[int, int, int], ...]


@cache
def techniques() -> tuple[Technique, ...]:
    """The hand-made positions that `technical` draws from."""
    lines = Path(__file__).with_name("technical.txt").read_text(encoding="utf-8").splitlines()
    return tuple(_technique(line) for line in lines if not line.startswith("#"))


def _technique(line: str) -> Technique:
    motif, depth, *units = line.split()
    placed = [(int(x), int(y), int(hp)) for x, y, hp in (unit.split(",") for unit in units if unit != "v")]
    red = units.index("v")
    return Technique(motif, int(depth), tuple(placed[:red]), tuple(placed[red:]))


def technical(seed: int = 0, *, rules: str | Rules = "kimura2020") -> Scenario:
    """kimura2020, section 4.1.1, technical maps: one of `techniques()`, turned or mirrored, sides swapped or not.

    The side that has the technique is to move. If that is blue, red's units have already acted and red passes.
    """
    rng = Rng(seed, "tubstap map technical")
    drawn, symmetry, exchanged = rng.choice(techniques()), rng.below(8), rng.below(2)
    sides = (drawn.red, drawn.blue) if not exchanged else (drawn.blue, drawn.red)
    units = [("infantry", side, _turned((x, y), symmetry, 6), hp) for side in (0, 1) for x, y, hp in sides[side]]
    scenario = scenario_of(f"technical-{seed}", plains(6), units, rules, turn_limit=16)
    ready = tuple(unit._replace(acted=bool(exchanged) and unit.side == 0) for unit in scenario.units)
    return dataclasses.replace(scenario, units=ready, comment=f"{drawn.motif}, {drawn.depth} turns")


def _turned(cell: Cell, symmetry: int, size: int) -> Cell:
    """The cell after one of the eight symmetries of a square."""
    x, y = cell[::-1] if symmetry & 4 else cell
    return size + 1 - x if symmetry & 1 else x, size + 1 - y if symmetry & 2 else y


def simple(seed: int = 0, *, size: int = 8, rules: str | Rules = "takahashi") -> Scenario:
    """takahashi, section 5.1: three infantry and a panzer a side; 30% plain, 70% forest."""
    army = (("infantry", 6, 10), ("infantry", 6, 10), ("infantry", 6, 10), ("panzer", 3, 5))
    return _scattered("simple", seed, size, rules, {PLAIN: 30, FOREST: 70}, army)


def complex(seed: int = 0, *, size: int = 8, rules: str | Rules = "takahashi") -> Scenario:
    """takahashi, section 5.1: two infantry, a panzer and a cannon a side; 40% plain, 30% forest, 30% mountain."""
    army = (("infantry", 6, 10), ("infantry", 6, 10), ("panzer", 3, 5), ("cannon", 3, 5))
    return _scattered("complex", seed, size, rules, {PLAIN: 40, FOREST: 30, MOUNTAIN: 30}, army)


def mixed(seed: int = 0, *, size: int = 12, units: int = 10, rules: str | Rules = "original") -> Scenario:
    """All kinds and terrains: `units` a side, HP 10, on a board that looks the same from both ends.

    The kinds cycle through a random order of the six, so their numbers differ by at most one; blue is red turned by
    180°.
    """
    size, units = checked_whole("size", size, 2, MAX_SIZE), checked_whole("units", units, 1, MAX_UNITS)
    rng = Rng(seed, "tubstap map mixed")
    weights = {PLAIN: 45, FOREST: 18, MOUNTAIN: 10, ROAD: 12, SEA: 8, FORTRESS: 4, NO_ENTRY: 3}
    kinds = rng.sample(KINDS, len(KINDS))
    army = [(kinds[i % len(kinds)], 10) for i in range(units)]
    turned = size + 1
    for _ in range(1000):
        drawn = {cell: weighted(rng, weights) for cell in cells_of(size)}
        terrain = {(x, y): drawn[min((x, y), (turned - x, turned - y))] for x, y in cells_of(size)}
        near = [(x, y) for x, y in cells_of(size) if 3 * y <= size]
        placed = placed_on(rng, near, terrain, army)
        if placed:
            red = [(kind, 0, cell, hp) for (kind, hp), cell in zip(army, placed, strict=True)]
            blue = [(kind, 1, (turned - x, turned - y), hp) for kind, _, (x, y), hp in red]
            return scenario_of(f"mixed-{seed}", rows_of(size, terrain), red + blue, rules, turn_limit=60)
    raise SandtableError(f"{units} units a side do not fit on {size}x{size} cells")


def battle(seed: int = 0, *, size: int = 8, red: int = 4, blue: int = 4, rules: str | Rules = "original") -> Scenario:
    """All kinds and terrains: from plains to varied ground, units with HP 5..10 anywhere, a turn limit of 16..40.

    Both sides have the same kinds, or each draws its own. Each side has a way to an enemy that it can harm, and neither
    does more than twice the damage of the other on average.
    """
    for colour, count in (("red", red), ("blue", blue)):
        checked_whole(f"{colour}'s number of units", count, 1, MAX_UNITS)
    rng = Rng(seed, "tubstap map battle")
    turn_limit = rng.between(16, 40)
    for _ in range(1000):
        armies = matched_armies(rng, red, blue)
        terrain = landscape(rng, size)
        placed = placed_on(rng, list(terrain), terrain, [*armies[0], *armies[1]])
        if not placed:
            continue
        units = [(kind, side, placed.pop(0), hp) for side in (0, 1) for kind, hp in armies[side]]
        if all(can_reach_prey(units, side, terrain) for side in (0, 1)):
            return scenario_of(f"battle-{seed}", rows_of(size, terrain), units, rules, turn_limit)
    raise SandtableError(f"{red} v {blue} units do not fit on {size}x{size} cells")


GENERATORS: dict[str, Callable[..., Scenario]] = {
    generator.__name__: generator
    for generator in (random, symmetric, local_search, skirmish, technical, simple, complex, mixed, battle, varied)
}


def _scattered(
    name: str,
    seed: int,
    size: int,
    rules: str | Rules,
    weights: dict[int, int],
    army: Sequence[tuple[str, int, int]],
) -> Scenario:
    """takahashi's maps: the terrain of each cell and the place and HP of each unit are drawn independently."""
    rng = Rng(seed, f"tubstap map {name}")
    both = [(kind, rng.between(low, high)) for _ in range(2) for kind, low, high in army]
    for _ in range(1000):
        terrain = {cell: weighted(rng, weights) for cell in cells_of(size)}
        placed = placed_on(rng, list(terrain), terrain, both)
        if placed:
            units = [(kind, int(i >= len(army)), placed[i], hp) for i, (kind, hp) in enumerate(both)]
            return scenario_of(f"{name}-{seed}", rows_of(size, terrain), units, rules, turn_limit=16)
    raise SandtableError(f"{len(both)} units do not fit on {size}x{size} cells")
