"""Generators follow their papers, and the shipped maps are valid."""

import dataclasses
import hashlib
import inspect
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable.tubstap import KINDS, TERRAINS, Scenario, maps
from sandtable.tubstap.solver import Solution, Solver
from support.strategies import GENERATORS

SEEDS = range(200)


def army(scenario: Scenario, side: int) -> list[str]:
    return sorted(unit.kind for unit in scenario.units if unit.side == side)


def playable(scenario: Scenario) -> list[int]:
    return [cell for row in scenario.terrain[1:-1] for cell in row[1:-1]]


@given(s.sampled_from(sorted(GENERATORS)), s.integers(0, 2**64 - 1))
@settings(max_examples=60, deadline=None)
def test_a_seed_gives_one_map(generator: str, seed: int) -> None:
    make = GENERATORS[generator]
    assert make(seed) == make(seed)
    assert make(seed) != make(seed ^ 1)
    assert make(seed, rules="original").rules.name == "original"


def test_random_has_three_infantry_a_side_with_uniform_hp() -> None:
    hp: tuple[Counter[float], Counter[float]] = (Counter(), Counter())
    for seed in SEEDS:
        scenario = maps.random(seed)
        assert scenario.rules.name == "li2022"
        assert army(scenario, 0) == army(scenario, 1) == ["infantry"] * 3
        assert playable(scenario) == [1] * 64
        for unit in scenario.units:
            hp[unit.side][unit.hp] += 1
    assert set(hp[0]) == set(range(1, 11))
    assert set(hp[1]) == set(range(1, 10))
    assert max(hp[0].values()) < 2 * 60
    assert min(hp[0].values()) > 60 / 2


def test_symmetric_gives_blue_the_rotated_units_of_red() -> None:
    for seed in SEEDS:
        scenario = maps.symmetric(seed, size=8 + 2 * (seed % 2))
        red, blue = scenario.units[:3], scenario.units[3:]
        edge = scenario.width - 1
        assert [(u.kind, u.hp) for u in red] == [("infantry", 10), ("infantry", 10), ("panzer", 5)]
        assert all(2 * u.y <= edge for u in red)
        assert [(u.kind, u.hp, edge - u.x, edge - u.y) for u in red] == [(u.kind, u.hp, u.x, u.y) for u in blue]


def test_the_maps_of_the_local_search_stay_the_same() -> None:
    """Records and reports name maps by their seeds, so a seed must always give the same map."""
    made = "".join(st.tubstap.jsonmap.format(maps.local_search(seed, rollouts=50)) for seed in range(30))
    assert hashlib.sha256(made.encode()).hexdigest()[:16] == "b210bd7bafc2bb01"


@pytest.mark.parametrize("quiet_limit", [20, 40])
def test_the_last_game_of_a_local_search_ended_it(quiet_limit: int) -> None:
    rules = st.tubstap.rules("li2022").replace(quiet_limit=quiet_limit)
    ties = 0
    for seed in range(10):
        played = maps.local_search_with_game(seed, rollouts=20, rules=rules)
        assert played.scenario == maps.local_search(seed, rollouts=20, rules=rules)
        state = played.scenario.start()
        for move in played.moves:
            assert not state.over
            state.play(move)
        assert state.over
        assert state.hash() == played.end.hash()
        if state.winner is None:
            ties += 1
            assert state.quiet == quiet_limit
        else:  # the first map has HP 10 and 5 only: the game whose win ends the search is not the first
            assert sorted(unit.hp for unit in played.scenario.units) != [5, 5, 10, 10, 10, 10]
    assert 0 < ties < 10


def test_skirmish_has_all_sizes_of_armies() -> None:
    sizes = Counter((len(army(maps.skirmish(seed), 0)), len(army(maps.skirmish(seed), 1))) for seed in SEEDS)
    assert set(sizes) == {(1, 1), (1, 2), (2, 1), (2, 2)}
    assert army(maps.skirmish(1, red=4, blue=3), 0) == ["infantry"] * 4
    assert maps.skirmish(1).rules.name == "kimura2020"
    with pytest.raises(st.SandtableError, match="do not fit"):
        maps.skirmish(1, red=20, blue=20)


def test_an_even_skirmish_begins_out_of_reach_and_is_fair() -> None:
    sizes: Counter[tuple[int, int]] = Counter()
    reached = 0
    for seed in SEEDS:
        scenario = maps.skirmish(seed, distance=5, hp_difference=2)
        sides = [[unit for unit in scenario.units if unit.side == side] for side in (0, 1)]
        sizes[len(sides[0]), len(sides[1])] += 1
        assert min(abs(a.x - b.x) + abs(a.y - b.y) for a in sides[0] for b in sides[1]) >= 5
        assert abs(sum(unit.hp for unit in sides[0]) - sum(unit.hp for unit in sides[1])) <= 2
        assert not any(move.target is not None for move in scenario.start().moves())
        reached += any(move.target is not None for move in maps.skirmish(seed).start().moves())
    assert set(sizes) == {(1, 1), (1, 2), (2, 1), (2, 2)}
    assert reached > len(SEEDS) / 2  # without the conditions most begin with an enemy in reach
    assert maps.skirmish(7) == maps.skirmish(7, distance=1, hp_difference=None)
    impossible: list[dict[str, Any]] = [{"distance": 11}, {"red": 1, "blue": 12, "hp_difference": 1}]
    for options in impossible:
        with pytest.raises(st.SandtableError, match="no map was found with"):
            maps.skirmish(1, **options)
    wrong: list[dict[str, Any]] = [{"distance": 0}, {"distance": "far"}, {"hp_difference": -1}]
    for options in wrong:
        with pytest.raises(st.SandtableError):
            maps.skirmish(1, **options)


@pytest.mark.parametrize(
    ("generator", "kinds", "shares"),
    [
        (maps.simple, ["infantry"] * 3 + ["panzer"], {1: 0.3, 3: 0.7}),
        (maps.complex, ["cannon", "infantry", "infantry", "panzer"], {1: 0.4, 3: 0.3, 4: 0.3}),
    ],
)
def test_takahashi_maps_have_the_paper_s_units_and_terrains(
    generator: object, kinds: list[str], shares: dict[int, float]
) -> None:
    cells: Counter[int] = Counter()
    for seed in SEEDS:
        scenario = generator(seed)  # type: ignore[operator]
        assert army(scenario, 0) == army(scenario, 1) == kinds
        assert all(
            (6 if unit.kind == "infantry" else 3) <= unit.hp <= (10 if unit.kind == "infantry" else 5)
            for unit in scenario.units
        )
        assert st.tubstap.remarks(scenario) == []
        cells.update(playable(scenario))
    for terrain, share in shares.items():
        assert cells[terrain] / cells.total() == pytest.approx(share, abs=0.02)
    assert set(cells) == set(shares)


def test_mixed_maps_are_symmetric_and_have_all_kinds_and_terrains() -> None:
    seen: set[int] = set()
    for seed in SEEDS:
        scenario = maps.mixed(seed)
        cells = playable(scenario)
        assert cells == cells[::-1]
        assert army(scenario, 0) == army(scenario, 1)
        assert set(army(scenario, 0)) == set(KINDS)
        seen.update(cells)
    assert seen == set(range(len(TERRAINS)))


def solved(scenario: Scenario, depth: int) -> Solution:
    """The scenario solved with the fewest turns left that contain `depth` and begin with the same side."""
    side = scenario.start().side
    turn = 16 - depth
    units = tuple(unit._replace(acted=False) for unit in scenario.units)
    return Solver().solve(dataclasses.replace(scenario, units=units, turn=turn - (turn + side) % 2).start())


def symmetric_forms(technique: maps.Technique) -> set[tuple[object, ...]]:
    """The position under all symmetries of the board."""
    return {
        tuple(
            tuple(sorted((*maps._turned((x, y), i, 6), hp) for x, y, hp in side))
            for side in (technique.red, technique.blue)
        )
        for i in range(8)
    }


def test_techniques_work_within_their_turns() -> None:
    assert len(maps.techniques()) >= 20
    assert Counter(t.motif for t in maps.techniques()).keys() == {"pinch", "chase", "finish", "retreat"}
    assert len({frozenset(symmetric_forms(technique)) for technique in maps.techniques()}) == len(maps.techniques())
    for technique in maps.techniques():
        sides = (technique.red, technique.blue)
        assert all(1 <= len(side) <= 2 for side in sides)
        units = [("infantry", side, (x, y), hp) for side in (0, 1) for x, y, hp in sides[side]]
        scenario = maps.pieces.scenario_of("technique", maps.pieces.plains(6), units, "kimura2020", turn_limit=16)
        found = solved(scenario, technique.depth)
        assert found.value == (technique.motif != "retreat"), technique
        assert len(found.moves) <= len(scenario.start().moves()) / 3, technique
        attacks = [move for move in found.moves if move.target is not None]
        assert not attacks or technique.motif in ("pinch", "finish"), technique


def test_technical_draws_every_technique_in_all_its_forms() -> None:
    forms: Counter[tuple[int, int]] = Counter()
    known = [symmetric_forms(technique) for technique in maps.techniques()]
    for seed in SEEDS:
        scenario = maps.technical(seed)
        state = scenario.start()
        assert scenario.rules.name == "kimura2020"
        assert playable(scenario) == [1] * 36
        assert state.turn == state.side
        assert not any(unit.acted for unit in state.units)
        sides = [tuple(sorted((u.x, u.y, u.hp) for u in state.units if u.side == side)) for side in (0, 1)]
        own = (sides[state.side], sides[1 - state.side])
        forms[next(i for i, all_squares in enumerate(known) if own in all_squares), state.side] += 1
        if seed < 40:
            motif, depth = scenario.comment.removesuffix(" turns").split(", ")
            assert solved(dataclasses.replace(scenario, turn=state.turn), int(depth)).value == (motif != "retreat")
    assert {technique for technique, _ in forms} == set(range(len(known)))
    assert {side for _, side in forms} == {0, 1}


def test_battle_draws_all_kinds_and_terrains() -> None:
    cells, plains, mirrored = Counter[int](), 0, 0
    kinds: set[str] = set()
    for seed in SEEDS:
        scenario = maps.battle(seed)
        assert scenario.rules.name == "original"
        assert 16 <= (scenario.turn_limit or 0) <= 40
        assert len(army(scenario, 0)) == len(army(scenario, 1)) == 4
        assert all(5 <= unit.hp <= 10 for unit in scenario.units)
        assert st.tubstap.remarks(scenario) == []
        kinds.update(army(scenario, 0))
        cells.update(playable(scenario))
        plains += set(playable(scenario)) == {1}
        mirrored += army(scenario, 0) == army(scenario, 1)
        assert st.tubstap.playouts(scenario.start(), 20, policy="attack80").operations
    assert kinds == set(KINDS)
    assert set(cells) == set(range(len(TERRAINS)))
    assert 20 < plains < 100
    assert 60 < mirrored < 140
    large = maps.battle(1, size=12, red=7, blue=9)
    assert (large.width, len(army(large, 0)), len(army(large, 1))) == (14, 7, 9)
    for count in (0, 33):
        with pytest.raises(st.SandtableError, match="red's number of units"):
            maps.battle(1, red=count)


@pytest.mark.parametrize("size", [-1, 1, 33, 10**9])
def test_bad_sizes_are_refused(size: int) -> None:
    for generator in GENERATORS.values():
        if "size" in inspect.signature(generator).parameters:
            with pytest.raises(st.SandtableError):
                generator(1, size=size)


def test_maps_too_small_for_their_units_are_refused() -> None:
    for generator in (maps.random, maps.symmetric, maps.simple, maps.complex, maps.mixed, maps.battle):
        with pytest.raises(st.SandtableError, match="do not fit"):
            generator(1, size=2)


def test_shipped_maps_are_valid_and_either_side_can_win() -> None:
    names = list(maps.shipped())
    assert len(names) >= 14
    kinds: set[str] = set()
    terrains: set[int] = set()
    for name in names:
        scenario = st.tubstap.load(name)
        assert scenario.name == name
        assert scenario.comment
        assert scenario.author == "sandtable"
        assert st.tubstap.remarks(scenario) == []
        results = st.tubstap.playouts(scenario.start(), 200, policy="attack80")
        assert results.red > 0
        assert results.blue > 0
        kinds.update(unit.kind for unit in scenario.units)
        terrains.update(playable(scenario))
    assert kinds == set(KINDS)
    assert terrains == set(range(len(TERRAINS)))


def test_kimura_maps_have_the_paper_s_units() -> None:
    for name, units in (("kimura-map01", 2), ("kimura-map02", 4)):
        scenario = st.tubstap.load(name)
        assert scenario.rules.name == "kimura2020"
        assert (scenario.width, scenario.height) == (8, 8)
        assert army(scenario, 0) == army(scenario, 1) == ["infantry"] * units
        assert all(unit.hp == 10 for unit in scenario.units)


def test_a_dead_unit_gets_no_remark() -> None:
    scenario = maps.random(1)
    units = (scenario.units[0]._replace(x=50, y=50, hp=0), *scenario.units[1:])
    assert st.tubstap.remarks(dataclasses.replace(scenario, units=units)) == []


def test_a_unit_on_terrain_that_it_cannot_enter_gets_a_remark() -> None:
    text = """SIZEX[4];SIZEY[3];TURNLIMIT[9];HPTHRESHOLD[0];UNITNUMRED[1];UNITNUMBLUE[1];
    MAP[0,0,0,0];MAP[0,4,1,0];MAP[0,0,0,0];UNIT[1,1,cannon,0,9,0];UNIT[2,1,infantry,1,9,0];"""
    (remark,) = st.tubstap.remarks(st.tubstap.parse(text))
    assert "cannon" in remark
    assert "mountain" in remark


def test_local_search_maps_depend_on_the_seed_alone() -> None:
    hp = set()
    for seed in range(5):
        scenario = st.tubstap.maps.local_search(seed, rollouts=30)
        assert scenario == st.tubstap.maps.local_search(seed, rollouts=30)
        assert [unit.kind for unit in scenario.units] == ["infantry", "infantry", "panzer"] * 2
        assert all(1 <= unit.hp <= 10 for unit in scenario.units)
        hp.add(tuple(unit.hp for unit in scenario.units))
    assert len(hp) > 1
    with pytest.raises(st.SandtableError, match="rollouts"):
        st.tubstap.maps.local_search(1, rollouts=0)
