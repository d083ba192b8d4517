"""Building blocks that the map generators share: cells, terrain, armies, and the scenario made from them."""

from collections.abc import Sequence

from sandtable.rng import Rng, checked_whole
from sandtable.tubstap.ruleset import Rules
from sandtable.tubstap.ruleset import rules as find_rules
from sandtable.tubstap.scenario import MAX_SIZE, Scenario
from sandtable.tubstap.types import KINDS, TERRAINS, Unit

NO_ENTRY, PLAIN, SEA, FOREST, MOUNTAIN, ROAD, FORTRESS = range(len(TERRAINS))

Cell = tuple[int, int]
Army = Sequence[tuple[str, int]]  # kind and HP
Placed = tuple[str, int, Cell, int]  # kind, side, cell, HP


def cells_of(size: int) -> list[Cell]:
    size = checked_whole("size", size, 2, MAX_SIZE)
    return [(x, y) for y in range(1, size + 1) for x in range(1, size + 1)]


def plains(size: int) -> tuple[tuple[int, ...], ...]:
    return rows_of(size, dict.fromkeys(cells_of(size), PLAIN))


def rows_of(size: int, terrain: dict[Cell, int]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(terrain.get((x, y), NO_ENTRY) for x in range(size + 2)) for y in range(size + 2))


def weighted(rng: Rng, weights: dict[int, int]) -> int:
    at = rng.below(sum(weights.values()))
    for value, weight in weights.items():
        if at < weight:
            return value
        at -= weight
    raise AssertionError("the weights add up to more than their sum")


def placed_on(rng: Rng, cells: Sequence[Cell], terrain: dict[Cell, int], army: Army) -> list[Cell] | None:
    """A different random cell for each unit, on terrain that its kind can enter; None if the cells run out."""
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


def scenario_of(
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


def matched_armies(rng: Rng, red: int, blue: int) -> tuple[Army, Army]:
    power = find_rules("original").power

    def harm(army: Army, other: Army) -> float:
        """The mean of power times HP over all pairs of an attacker in `army` and a target in `other`."""
        pairs = [power[KINDS.index(kind)][KINDS.index(target)] * hp for kind, hp in army for target, _ in other]
        return sum(pairs) / len(pairs)

    while True:
        kinds = [rng.choice(KINDS) for _ in range(max(red, blue))]
        others = kinds if rng.below(2) else [rng.choice(KINDS) for _ in kinds]
        first, second = ([(kind, rng.between(5, 10)) for kind in drawn] for drawn in (kinds[:red], others[:blue]))
        less, more = sorted((harm(first, second), harm(second, first)))
        if 0 < more <= 2 * less:
            return first, second


def landscape(rng: Rng, size: int) -> dict[Cell, int]:
    """Random terrain with random weights: drawn cell by cell, or in patches around some of the cells."""
    most = {FOREST: 80, ROAD: 60, MOUNTAIN: 40, SEA: 30, FORTRESS: 20, NO_ENTRY: 15}
    richness = rng.between(0, 3)
    weights = {PLAIN: 100} | {terrain: rng.between(0, weight * richness // 3) for terrain, weight in most.items()}
    cells = cells_of(size)
    if rng.below(2):
        return {cell: weighted(rng, weights) for cell in cells}
    middles = {cell: weighted(rng, weights) for cell in rng.sample(cells, max(1, len(cells) // 4))}

    def nearest(cell: Cell) -> Cell:
        return min(middles, key=lambda middle: abs(middle[0] - cell[0]) + abs(middle[1] - cell[1]))

    return {cell: middles[nearest(cell)] for cell in cells}


def can_reach_prey(units: Sequence[Placed], side: int, terrain: dict[Cell, int]) -> bool:
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
