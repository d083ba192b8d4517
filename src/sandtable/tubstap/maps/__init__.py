"""Map generators, each from a seed; the hand-made maps of the package lie beside this file.

Generated scenarios carry their paper's rules; `rules=` overrides. For rules that take their limits from the map
they also carry a turn limit (40 where the paper has none) and an HP threshold of 0.
"""

import dataclasses
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sandtable import _core
from sandtable.errors import SandtableError
from sandtable.rng import Rng, checked_whole
from sandtable.tubstap.loading import shipped
from sandtable.tubstap.ruleset import Rules
from sandtable.tubstap.ruleset import rules as find_rules
from sandtable.tubstap.scenario import MAX_HP, MAX_SIZE, MAX_UNITS, Scenario
from sandtable.tubstap.types import KINDS, TERRAINS, Unit

__all__ = [
    "GENERATORS",
    "Technique",
    "battle",
    "complex",
    "local_search",
    "mixed",
    "random",
    "shipped",
    "simple",
    "skirmish",
    "symmetric",
    "technical",
    "techniques",
]

NO_ENTRY, PLAIN, SEA, FOREST, MOUNTAIN, ROAD, FORTRESS = range(len(TERRAINS))

Cell = tuple[int, int]
Army = Sequence[tuple[str, int]]  # kind and HP
Placed = tuple[str, int, Cell, int]  # kind, side, cell, HP


def random(seed: int = 0, *, size: int = 8, rules: str | Rules = "li2022") -> Scenario:
    """li2022, section 4.1: three infantry a side on random cells; HP 1..10 for red, which begins, 1..9 for blue."""
    rng = Rng(seed, "tubstap map random")
    cells = rng.sample(_cells(size), 6)
    hp = [rng.between(1, 10 if i < 3 else 9) for i in range(6)]
    units = [("infantry", i // 3, cell, hp[i]) for i, cell in enumerate(cells)]
    return _scenario(f"random-{seed}", _plains(size), units, rules, turn_limit=40)


def symmetric(seed: int = 0, *, size: int = 8, rules: str | Rules = "li2022") -> Scenario:
    """li2022, section 4.1: two infantry (HP 10) and a panzer (HP 5), red in the upper half, blue turned by 180°."""
    rng = Rng(seed, "tubstap map symmetric")
    upper = [(x, y) for x, y in _cells(size) if y <= size // 2]
    red = list(zip((("infantry", 10), ("infantry", 10), ("panzer", 5)), rng.sample(upper, 3), strict=True))
    units = [(kind, 0, cell, hp) for (kind, hp), cell in red]
    units += [(kind, 1, (size + 1 - x, size + 1 - y), hp) for (kind, hp), (x, y) in red]
    return _scenario(f"symmetric-{seed}", _plains(size), units, rules, turn_limit=40)


def local_search(seed: int = 0, *, rollouts: int = 6400, size: int = 8, rules: str | Rules = "li2022") -> Scenario:
    """li2022, section 4.1: a random map of two infantry (HP 10) and a panzer (HP 5) a side, made fair by play.

    Two MCTS players play it; the winner loses 1 HP or the loser gains 1 (a fair coin, HP kept within 1..10) until a
    game is tied or won by the other side. That map is kept.
    """
    rollouts = checked_whole("rollouts", rollouts, 1, 10**9)
    rng = Rng(seed, "tubstap map local search")
    cells = rng.sample(_cells(size), 6)
    army = (("infantry", 10), ("infantry", 10), ("panzer", 5))
    units = [(kind, i // 3, cells[i], hp) for i, (kind, hp) in enumerate(army * 2)]
    earlier: int | None = None
    while True:
        scenario = _scenario(f"local-search-{seed}", _plains(size), units, rules, turn_limit=40)
        winner = _winner_of_a_game(scenario, rollouts, rng)
        if winner is None or earlier not in (None, winner):
            return scenario
        earlier = winner
        units = _nudged(units, winner, rng)


def _winner_of_a_game(scenario: Scenario, rollouts: int, rng: Rng) -> int | None:
    """Between two players of li2022's MCTS (section 4.3)."""
    state = scenario.start()
    while not state.over:
        best, candidates, *_ = _core.tubstap.uct(
            state,
            simulations=rollouts,
            seconds=0,
            seed=rng.below(2**32 - 1),
            c=2**0.5,
            expand_after=0,
            log_of_total=False,
            root_view=False,
            play_best_mean=False,
            policy="uniform",
            lead_wins_at_threshold=False,
            max_nodes=1 << 22,
        )
        state.play(candidates[best][0])
    return state.winner


def _nudged(units: Sequence[Placed], winner: int, rng: Rng) -> list[Placed]:
    """1 HP less for a unit of the winner or more for one of the loser: as the coin says and the range allows.

    Something is always left to do: a side with 1 HP on every unit does not go on winning against one with 10.
    """
    weaker = [i for i, (_, side, _, hp) in enumerate(units) if side == winner and hp > 1]
    stronger = [i for i, (_, side, _, hp) in enumerate(units) if side != winner and hp < MAX_HP]
    heads = rng.below(2) == 0
    step, choices = (-1, weaker) if (heads and weaker) or not stronger else (1, stronger)
    chosen = rng.choice(choices)
    return [(kind, side, cell, hp + step * (i == chosen)) for i, (kind, side, cell, hp) in enumerate(units)]


def skirmish(
    seed: int = 0, *, red: int | None = None, blue: int | None = None, size: int = 6, rules: str | Rules = "kimura2020"
) -> Scenario:
    """kimura2020, section 4.1: one or two infantry a side on a 6x6 plain, cells and HP random."""
    rng = Rng(seed, "tubstap map skirmish")
    drawn = rng.between(1, 2), rng.between(1, 2)
    count = [drawn[side] if given is None else given for side, given in enumerate((red, blue))]
    if min(count) < 1 or sum(count) > size * size:
        raise SandtableError(f"{count[0]} v {count[1]} units do not fit on {size}x{size} cells")
    cells = rng.sample(_cells(size), sum(count))
    units = [("infantry", int(i >= count[0]), cell, rng.between(1, 10)) for i, cell in enumerate(cells)]
    return _scenario(f"skirmish-{seed}", _plains(size), units, rules, turn_limit=16)


class Technique(NamedTuple):
    """A technical position: red, to move, does what the motif says within `depth` player turns. Units are x, y, HP."""

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
    """kimura2020's technical training maps: one of `techniques()`, turned or mirrored, sides exchanged or not.

    The side that has the technique is to move. Where that is blue, red's units have acted, and red passes.
    """
    rng = Rng(seed, "tubstap map technical")
    drawn, symmetry, exchanged = rng.choice(techniques()), rng.below(8), rng.below(2)
    sides = (drawn.red, drawn.blue) if not exchanged else (drawn.blue, drawn.red)
    units = [("infantry", side, _turned((x, y), symmetry, 6), hp) for side in (0, 1) for x, y, hp in sides[side]]
    scenario = _scenario(f"technical-{seed}", _plains(6), units, rules, turn_limit=16)
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

    The kinds are drawn by turns from the six, so that no kind leads by more than one; blue is red turned by 180°.
    """
    rng = Rng(seed, "tubstap map mixed")
    weights = {PLAIN: 45, FOREST: 18, MOUNTAIN: 10, ROAD: 12, SEA: 8, FORTRESS: 4, NO_ENTRY: 3}
    kinds = rng.sample(KINDS, len(KINDS))
    army = [(kinds[i % len(kinds)], 10) for i in range(units)]
    turned = size + 1
    for _ in range(1000):
        drawn = {cell: _weighted(rng, weights) for cell in _cells(size)}
        terrain = {(x, y): drawn[min((x, y), (turned - x, turned - y))] for x, y in _cells(size)}
        near = [(x, y) for x, y in _cells(size) if 3 * y <= size]
        placed = _placed(rng, near, terrain, army)
        if placed:
            red = [(kind, 0, cell, hp) for (kind, hp), cell in zip(army, placed, strict=True)]
            blue = [(kind, 1, (turned - x, turned - y), hp) for kind, _, (x, y), hp in red]
            return _scenario(f"mixed-{seed}", _rows(size, terrain), red + blue, rules, turn_limit=60)
    raise SandtableError(f"{units} units a side do not fit on {size}x{size} cells")


def battle(seed: int = 0, *, size: int = 8, red: int = 4, blue: int = 4, rules: str | Rules = "original") -> Scenario:
    """All kinds and terrains, no two maps alike: from plains to rich ground, units of HP 5..10 anywhere, 16..40 turns.

    Both sides have the same kinds, or each draws its own; each can get at the other, and neither does twice the harm.
    """
    for colour, count in (("red", red), ("blue", blue)):
        checked_whole(f"{colour}'s number of units", count, 1, MAX_UNITS)
    rng = Rng(seed, "tubstap map battle")
    turn_limit = rng.between(16, 40)
    for _ in range(1000):
        armies = _armies(rng, red, blue)
        terrain = _landscape(rng, size)
        placed = _placed(rng, list(terrain), terrain, [*armies[0], *armies[1]])
        if not placed:
            continue
        units = [(kind, side, placed.pop(0), hp) for side in (0, 1) for kind, hp in armies[side]]
        if all(_gets_at(units, side, terrain) for side in (0, 1)):
            return _scenario(f"battle-{seed}", _rows(size, terrain), units, rules, turn_limit)
    raise SandtableError(f"{red} v {blue} units do not fit on {size}x{size} cells")


def _armies(rng: Rng, red: int, blue: int) -> tuple[Army, Army]:
    power = find_rules("original").power

    def harm(army: Army, other: Army) -> float:
        """What a unit does to one of the other side, on average."""
        pairs = [power[KINDS.index(kind)][KINDS.index(target)] * hp for kind, hp in army for target, _ in other]
        return sum(pairs) / len(pairs)

    while True:
        kinds = [rng.choice(KINDS) for _ in range(max(red, blue))]
        others = kinds if rng.below(2) else [rng.choice(KINDS) for _ in kinds]
        first, second = ([(kind, rng.between(5, 10)) for kind in drawn] for drawn in (kinds[:red], others[:blue]))
        less, more = sorted((harm(first, second), harm(second, first)))
        if 0 < more <= 2 * less:
            return first, second


def _landscape(rng: Rng, size: int) -> dict[Cell, int]:
    """Terrain by weights that are drawn too; cell by cell, or in clumps around some cells."""
    most = {FOREST: 80, ROAD: 60, MOUNTAIN: 40, SEA: 30, FORTRESS: 20, NO_ENTRY: 15}
    richness = rng.between(0, 3)
    weights = {PLAIN: 100} | {terrain: rng.between(0, weight * richness // 3) for terrain, weight in most.items()}
    cells = _cells(size)
    if rng.below(2):
        return {cell: _weighted(rng, weights) for cell in cells}
    middles = {cell: _weighted(rng, weights) for cell in rng.sample(cells, max(1, len(cells) // 4))}

    def nearest(cell: Cell) -> Cell:
        return min(middles, key=lambda middle: abs(middle[0] - cell[0]) + abs(middle[1] - cell[1]))

    return {cell: middles[nearest(cell)] for cell in cells}


def _gets_at(units: Sequence[Placed], side: int, terrain: dict[Cell, int]) -> bool:
    """Whether a unit of the side has a way to an enemy that it can harm."""
    rules = find_rules("original")
    for kind, own, cell, _ in units:
        number = KINDS.index(kind)
        prey = {c for other, s, c, _ in units if own == side != s and rules.power[number][KINDS.index(other)]}
        seen, queue = {cell}, [cell]
        while queue and prey:
            x, y = queue.pop()
            for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if near in prey:
                    return True
                if near not in seen and rules.cost[number][terrain.get(near, NO_ENTRY)]:
                    seen.add(near)
                    queue.append(near)
    return False


GENERATORS: dict[str, Callable[..., Scenario]] = {
    generator.__name__: generator
    for generator in (random, symmetric, local_search, skirmish, technical, simple, complex, mixed, battle)
}


def _cells(size: int) -> list[Cell]:
    if not 2 <= size <= MAX_SIZE:
        raise SandtableError(f"a generated map is 2 to {MAX_SIZE} cells wide, not {size}")
    return [(x, y) for y in range(1, size + 1) for x in range(1, size + 1)]


def _plains(size: int) -> tuple[tuple[int, ...], ...]:
    return _rows(size, dict.fromkeys(_cells(size), PLAIN))


def _rows(size: int, terrain: dict[Cell, int]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(terrain.get((x, y), NO_ENTRY) for x in range(size + 2)) for y in range(size + 2))


def _weighted(rng: Rng, weights: dict[int, int]) -> int:
    at = rng.below(sum(weights.values()))
    for value, weight in weights.items():
        if at < weight:
            return value
        at -= weight
    raise AssertionError("the weights add up to more than their sum")


def _placed(rng: Rng, cells: Sequence[Cell], terrain: dict[Cell, int], army: Army) -> list[Cell] | None:
    """Different random cells for the units, each where its kind could go; None if they run out."""
    cost = find_rules("original").cost
    free = rng.sample(cells, len(cells))
    placed = []
    for kind, _ in army:
        fitting = [cell for cell in free if cost[KINDS.index(kind)][terrain[cell]]]
        if not fitting:
            return None
        placed.append(fitting[0])
        free.remove(fitting[0])
    return placed


def _scattered(
    name: str,
    seed: int,
    size: int,
    rules: str | Rules,
    weights: dict[int, int],
    army: Sequence[tuple[str, int, int]],
) -> Scenario:
    """takahashi's maps: every cell's terrain and every unit's place and HP drawn alone."""
    rng = Rng(seed, f"tubstap map {name}")
    both = [(kind, rng.between(low, high)) for _ in range(2) for kind, low, high in army]
    for _ in range(1000):
        terrain = {cell: _weighted(rng, weights) for cell in _cells(size)}
        placed = _placed(rng, list(terrain), terrain, both)
        if placed:
            units = [(kind, int(i >= len(army)), placed[i], hp) for i, (kind, hp) in enumerate(both)]
            return _scenario(f"{name}-{seed}", _rows(size, terrain), units, rules, turn_limit=16)
    raise SandtableError(f"{len(both)} units do not fit on {size}x{size} cells")


def _scenario(
    name: str,
    terrain: tuple[tuple[int, ...], ...],
    units: Sequence[Placed],
    rules: str | Rules,
    turn_limit: int,
) -> Scenario:
    return Scenario(
        name=name,
        terrain=terrain,
        units=tuple(Unit(i, kind, side, x, y, hp, False) for i, (kind, side, (x, y), hp) in enumerate(units)),
        rules=find_rules(rules),
        turn_limit=turn_limit,
        hp_threshold=0,
        author="sandtable",
    )
