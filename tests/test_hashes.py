"""The hash of a state: equal for equal positions, different if anything differs that the rest of the game depends on,
including the clock."""

import dataclasses
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as s

import sandtable as st
from sandtable.conquest import Land
from sandtable.rng import Rng
from support.boards import field
from support.examples import examples
from support.strategies import lands, scenarios


def conquest_position(state: Any) -> tuple[object, ...]:
    return state.owner, state.armies, state.turn


def tubstap_position(state: Any) -> tuple[object, ...]:
    return state.units, state.turn, state.quiet, state.hp_lost


def check_all_differ(found: Iterable[tuple[Any, object]]) -> int:
    """Check that no two positions among these states of one map have the same hash. Returns the number of positions."""
    positions: dict[int, object] = {}
    for state, position in found:
        assert positions.setdefault(state.hash(), position) == position
    return len(positions)


def test_all_small_positions_of_conquest_have_different_hashes() -> None:
    """The turn and the armies range over the same numbers."""
    rules = st.conquest.rules("soares2025")
    land = Land("pair", ("a", "b"), ((0.0, 0.0), (1.0, 0.0)), ((0, 1),), (), rules)
    territories = list(itertools.product((-1, 0, 1), range(5)))
    states = (
        land.state((one[0], two[0]), (one[1], two[1]), turn)
        for one, two, turn in itertools.product(territories, territories, range(5))
    )
    assert check_all_differ((state, conquest_position(state)) for state in states) == 15 * 15 * 5


def test_all_small_positions_of_tubstap_have_different_hashes() -> None:
    start = field(("infantry", 0, 1, 1, 10), ("infantry", 1, 2, 1, 10), size=3)
    red, blue = start.units
    clocks = itertools.product(range(4), range(3), (False, True))
    forces = itertools.product(itertools.permutations((1, 2, 3), 2), (1, 2), (1, 2), (False, True), (False, True))
    states = [
        dataclasses.replace(
            start,
            units=(red._replace(x=at[0], hp=hp0, acted=done0), blue._replace(x=at[1], hp=hp1, acted=done1)),
            turn=turn,
            quiet=quiet,
            hp_lost=hp_lost,
        ).start()
        for (turn, quiet, hp_lost), (at, hp0, hp1, done0, done1) in itertools.product(clocks, forces)
    ]
    # A side whose unit has acted passes at once, so some of these positions are equal.
    assert check_all_differ((state, tubstap_position(state)) for state in states) > len(states) / 2


def conquest_changes(state: Any) -> Iterator[Any]:
    """States that differ from this one in its turn or in the owner or the armies of one territory."""
    land, owner, armies = state.land, state.owner, state.armies
    yield land.state(owner, armies, state.turn + 1)
    for territory in range(len(owner)):
        for changed in (-1, 0, 1):
            yield land.state([*owner[:territory], changed, *owner[territory + 1 :]], armies, state.turn)
        for number in {state.turn, armies[territory] + 1, max(armies[territory] - 1, 0)}:
            yield land.state(owner, [*armies[:territory], number, *armies[territory + 1 :]], state.turn)


@given(land=lands(), seed=s.integers(0, 2**32), steps=s.integers(0, 8))
@examples(40)
def test_any_change_of_a_conquest_position_changes_its_hash(land: Land, seed: int, steps: int) -> None:
    state, rng = land.start(seed), Rng(seed, "hashes")
    for _ in range(steps):
        if not state.over:
            one, two = [state.random_move(player, rng.below(2**31)) for player in (0, 1)]
            state.resolve(one, two, first=rng.below(2))
    again = land.state(state.owner, state.armies, state.turn)
    assert again.hash() == state.hash()
    changed = [state, *conquest_changes(state)]
    # Two changes could cancel each other in the hash: combine a change of the turn with each of the others.
    turns = [land.state(one.owner, one.armies, turn) for one in changed for turn in {*range(3), *state.armies[:3]}]
    assert check_all_differ((one, conquest_position(one)) for one in [*changed, *turns]) > len(state.owner)


def tubstap_changes(state: Any) -> Iterator[Any]:
    """States that differ from this one in a part of its clock or in the HP, the place or the readiness of a unit."""
    scenario = state.scenario.at(state)
    taken = {(unit.x, unit.y) for unit in state.units}
    free = [
        (x, y) for y, row in enumerate(scenario.terrain) for x, kind in enumerate(row) if kind and (x, y) not in taken
    ]
    for change in (
        {"turn": state.turn + 1},
        {"turn": state.turn + 2},
        {"quiet": state.quiet + 1},
        {"hp_lost": not state.hp_lost},
    ):
        yield dataclasses.replace(scenario, **change).start()
    for unit in state.units:
        others = [unit._replace(hp=unit.hp - 1 if unit.hp > 1 else unit.hp + 1), unit._replace(acted=not unit.acted)]
        others += [unit._replace(x=x, y=y) for x, y in free[:3]]
        for other in others:
            units = tuple(other if one.id == unit.id else one for one in scenario.units)
            yield dataclasses.replace(scenario, units=units).start()


@given(scenario=scenarios(max_size=6, max_units=8), seed=s.integers(0, 2**32), steps=s.integers(0, 12))
@examples(40)
def test_any_change_of_a_tubstap_position_changes_its_hash(scenario: Any, seed: int, steps: int) -> None:
    state, rng = scenario.start(), Rng(seed, "hashes")
    for _ in range(steps):
        if not state.over:
            state.play(rng.choice(state.moves()))
    again = state.scenario.at(state).start()
    assert tubstap_position(again) == tubstap_position(state)
    assert again.hash() == state.hash()
    assert check_all_differ((one, tubstap_position(one)) for one in [state, *tubstap_changes(state)]) > 4
