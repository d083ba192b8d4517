"""Generators draw what their papers say, and the shipped maps are what they should be."""

import dataclasses
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable.tubstap import KINDS, TERRAINS, Scenario, maps
from strategies import GENERATORS

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


def test_symmetric_is_red_turned_by_half() -> None:
    for seed in SEEDS:
        scenario = maps.symmetric(seed, size=8 + 2 * (seed % 2))
        red, blue = scenario.units[:3], scenario.units[3:]
        edge = scenario.width - 1
        assert [(u.kind, u.hp) for u in red] == [("infantry", 10), ("infantry", 10), ("panzer", 5)]
        assert all(2 * u.y <= edge for u in red)
        assert [(u.kind, u.hp, edge - u.x, edge - u.y) for u in red] == [(u.kind, u.hp, u.x, u.y) for u in blue]


def test_skirmish_has_all_sizes_of_armies() -> None:
    sizes = Counter((len(army(maps.skirmish(seed), 0)), len(army(maps.skirmish(seed), 1))) for seed in SEEDS)
    assert set(sizes) == {(1, 1), (1, 2), (2, 1), (2, 2)}
    assert army(maps.skirmish(1, red=4, blue=3), 0) == ["infantry"] * 4
    assert maps.skirmish(1).rules.name == "kimura2020"
    with pytest.raises(st.SandtableError, match="do not fit"):
        maps.skirmish(1, red=20, blue=20)


@pytest.mark.parametrize(
    ("generator", "kinds", "shares"),
    [
        (maps.simple, ["infantry"] * 3 + ["panzer"], {1: 0.3, 3: 0.7}),
        (maps.complex, ["cannon", "infantry", "infantry", "panzer"], {1: 0.4, 3: 0.3, 4: 0.3}),
    ],
)
def test_takahashi_maps(generator: object, kinds: list[str], shares: dict[int, float]) -> None:
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


def test_mixed_looks_the_same_from_both_ends() -> None:
    seen: set[int] = set()
    for seed in SEEDS:
        scenario = maps.mixed(seed)
        cells = playable(scenario)
        assert cells == cells[::-1]
        assert army(scenario, 0) == army(scenario, 1)
        assert set(army(scenario, 0)) == set(KINDS)
        seen.update(cells)
    assert seen == set(range(len(TERRAINS)))


@pytest.mark.parametrize("size", [-1, 1, 33, 10**9])
def test_sizes_that_no_map_has(size: int) -> None:
    for generator in GENERATORS.values():
        with pytest.raises(st.SandtableError):
            generator(1, size=size)


def test_maps_too_small_for_their_units() -> None:
    for generator in (maps.random, maps.symmetric, maps.simple, maps.complex, maps.mixed):
        with pytest.raises(st.SandtableError, match="do not fit"):
            generator(1, size=2)


def test_shipped_maps() -> None:
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


def test_kimura_maps() -> None:
    for name, units in (("kimura-map01", 2), ("kimura-map02", 4)):
        scenario = st.tubstap.load(name)
        assert scenario.rules.name == "kimura2020"
        assert (scenario.width, scenario.height) == (8, 8)
        assert army(scenario, 0) == army(scenario, 1) == ["infantry"] * units
        assert all(unit.hp == 10 for unit in scenario.units)


def test_a_dead_unit_is_not_remarked() -> None:
    scenario = maps.random(1)
    units = (scenario.units[0]._replace(x=50, y=50, hp=0), *scenario.units[1:])
    assert st.tubstap.remarks(dataclasses.replace(scenario, units=units)) == []


def test_a_unit_where_it_could_not_go_is_remarked() -> None:
    text = """SIZEX[4];SIZEY[3];TURNLIMIT[9];HPTHRESHOLD[0];UNITNUMRED[1];UNITNUMBLUE[1];
    MAP[0,0,0,0];MAP[0,4,1,0];MAP[0,0,0,0];UNIT[1,1,cannon,0,9,0];UNIT[2,1,infantry,1,9,0];"""
    (remark,) = st.tubstap.remarks(st.tubstap.parse(text))
    assert "cannon" in remark
    assert "mountain" in remark
