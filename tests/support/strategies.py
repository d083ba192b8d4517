"""Random rules, scenarios and games for hypothesis."""

import dataclasses
import functools

from hypothesis import strategies as s

import sandtable as st
from sandtable.conquest import Bonus, Land
from sandtable.tubstap import KINDS, Rules, Scenario, State, Unit

# All generators; the one that plays games to make its maps has few rollouts.
GENERATORS = st.tubstap.maps.GENERATORS | {"local_search": functools.partial(st.tubstap.maps.local_search, rollouts=5)}

presets = s.sampled_from(sorted(st.tubstap.PRESETS))


@s.composite
def rule_sets(draw: s.DrawFn) -> Rules:
    """A preset, or tables of every shape that the engine has a path for."""
    base = st.tubstap.rules(draw(presets))
    if draw(s.booleans()):
        return base
    top_cost = draw(s.sampled_from((1, 2, 4)))
    costs = s.tuples(s.just(0), *[s.integers(0, top_cost)] * 6)
    ranges = s.sampled_from(((1, 1), (1, 1), (1, 1), (2, 3), (1, 2), (2, 4), (3, 3)))
    return base.replace(
        power=draw(s.tuples(*[s.tuples(*[s.sampled_from((0, 3, 40, 75, 115))] * 6)] * 6)),
        movement=draw(s.tuples(*[s.integers(0, 9)] * 6)),
        air=draw(s.tuples(*[s.booleans()] * 6)),
        range=draw(s.tuples(*[ranges] * 6)),
        defence=draw(s.tuples(*[s.integers(0, 5)] * 7)),
        cost=draw(s.tuples(*[costs] * 6)),
        hp=draw(s.sampled_from(("integer", "real"))),
        turn_limit=draw(s.sampled_from(("map", 1, 7, 16))),
        hp_threshold=draw(s.sampled_from(("map", None, 0, 3))),
        quiet_limit=draw(s.sampled_from((None, 1, 3, 20))),
        harmless_attacks=draw(s.booleans()),
    )


@s.composite
def scenarios(draw: s.DrawFn, max_size: int = 9, max_units: int = 20) -> Scenario:
    """A playable position of random shape: any terrain, acted flags, dead units, turns already played."""
    rules = draw(rule_sets())
    width, height = draw(s.integers(1, max_size)), draw(s.integers(2, max_size))
    cells = [(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]
    terrain_of = s.sampled_from((0, 1, 1, 1, 2, 3, 3, 4, 5, 6))
    terrain = {cell: draw(terrain_of) for cell in cells}
    places = draw(s.permutations(cells))[: draw(s.integers(2, min(max_units, len(cells))))]
    hp = s.integers(1, 10) if rules.hp == "integer" else s.integers(1, 100).map(lambda n: n / 10)
    units = []
    for i, (x, y) in enumerate(places):
        terrain[x, y] = terrain[x, y] or 1
        units.append(Unit(i, draw(s.sampled_from(KINDS)), i % 2, x, y, draw(hp), draw(s.integers(0, 5)) == 0))
        if i > 1 and draw(s.integers(0, 9)) == 0:
            units[-1] = units[-1]._replace(x=0, y=0, hp=0, acted=False)
    rows = [[terrain.get((x, y), 0) for x in range(width + 2)] for y in range(height + 2)]
    return Scenario(
        name="random",
        terrain=tuple(tuple(row) for row in rows),
        units=tuple(units),
        rules=rules,
        turn_limit=draw(s.integers(1, 30)),
        hp_threshold=draw(s.integers(0, 5)),
        turn=draw(s.integers(0, 3)),
        quiet=draw(s.integers(0, 3)),
        hp_lost=draw(s.booleans()),
    )


def rows(state: State) -> list[tuple[int, ...]]:
    """The moves as plain tuples, target -1 for a plain move."""
    return [tuple(int(n) for n in row) for row in state.moves_array()]


@s.composite
def lands(draw: s.DrawFn) -> Land:
    """A random map of Conquest, small or large, under random rules with the alternating order."""
    seed, size = draw(s.integers(0, 2**32)), draw(s.sampled_from((4, 5, 8, 12, 20, 70)))
    rules = st.conquest.rules("soares2025")
    if draw(s.booleans()):
        rules = rules.replace(
            attack_kills=draw(s.sampled_from((0.6, 0.5, 1.0, 0.35))),
            defence_kills=draw(s.sampled_from((0.7, 0.0, 1.0))),
            rounding=draw(s.sampled_from(("nearest", "down", "up"))),
            base_income=draw(s.integers(0, 9)),
            stand_guard=draw(s.booleans()),
            turn_limit=draw(s.integers(1, 30)),
            start_armies=draw(s.integers(0, 9)),
            start_lands=draw(s.integers(1, 2)),
        )
    land = st.conquest.maps.planar(seed, territories=size, rules=rules)
    extra = Bonus(
        "overlapping", draw(s.integers(0, 5)), tuple(draw(s.permutations(range(size)))[: draw(s.integers(1, 3))])
    )
    return dataclasses.replace(land, bonuses=(*land.bonuses, extra))


@s.composite
def small_boards(draw: s.DrawFn) -> Scenario:
    """6x6, any terrain, units that attack their neighbours only: what kimura2020's network can see."""
    rules: Rules = st.tubstap.rules(draw(presets)).replace(range=((1, 1),) * 6)
    cells = [(x, y) for y in range(1, 7) for x in range(1, 7)]
    terrain = {cell: draw(s.sampled_from((0, 1, 1, 1, 2, 3, 4, 5, 6))) for cell in cells}
    units = []
    for i, (x, y) in enumerate(draw(s.permutations(cells))[: draw(s.integers(2, 16))]):
        terrain[x, y] = terrain[x, y] or 1
        kind = draw(s.sampled_from(("infantry", "infantry", *KINDS)))
        units.append(Unit(i, kind, i % 2, x, y, draw(s.integers(1, 10)), draw(s.integers(0, 3)) == 0))
        if i > 1 and draw(s.integers(0, 9)) == 0:
            units[-1] = units[-1]._replace(x=0, y=0, hp=0, acted=False)
    grid = tuple(tuple(terrain.get((x, y), 0) for x in range(8)) for y in range(8))
    return Scenario("small", grid, tuple(units), rules, turn_limit=30, hp_threshold=0, turn=draw(s.integers(0, 3)))
