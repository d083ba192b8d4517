"""Positions of TUBSTAP: hand-made boards, boards transformed or with their units reordered, positions along games."""

import dataclasses

import sandtable as st
from sandtable.tubstap import Move, Rules, Scenario, State, Unit


def field(
    *units: tuple[str, int, int, int, float],
    rules: str | Rules = "original",
    terrain: dict[tuple[int, int], int] | None = None,
    acted: tuple[int, ...] = (),
    size: int = 8,
    turn_limit: int = 20,
    hp_threshold: int = 0,
) -> Scenario:
    """A plain board with units (kind, side, x, y, HP)."""
    rows = [
        [0 if 0 in (x, y) or size + 1 in (x, y) else (terrain or {}).get((x, y), 1) for x in range(size + 2)]
        for y in range(size + 2)
    ]
    return Scenario(
        name="field",
        terrain=tuple(tuple(row) for row in rows),
        units=tuple(Unit(i, *unit, i in acted) for i, unit in enumerate(units)),
        rules=st.tubstap.rules(rules),
        turn_limit=turn_limit,
        hp_threshold=hp_threshold,
    )


def after(state: State, move: Move) -> State:
    """The position after a move; the given one stays as it is."""
    state = state.copy()
    state.play(move)
    return state


def reordered(scenario: Scenario, order: list[int]) -> Scenario:
    """The same position, its units listed in another order."""
    units = tuple(scenario.units[old]._replace(id=new) for new, old in enumerate(order))
    return dataclasses.replace(scenario, units=units)


# Symmetries are numbered as in sandtable.learn.augmentation: 0..3 are quarter turns counterclockwise, 4..7 the same of
# the mirrored board.


def turned_place(place: tuple[int, int], width: int, height: int, number: int) -> tuple[int, int]:
    x, y = place
    if number >= 4:
        x = width + 1 - x
    for _ in range(number % 4):
        x, y, width, height = y, width + 1 - x, height, width
    return x, y


def turned_scenario(scenario: Scenario, number: int) -> Scenario:
    width, height = scenario.width - 2, scenario.height - 2
    terrain = {
        turned_place((x, y), width, height, number): scenario.terrain[y][x]
        for y in range(1, height + 1)
        for x in range(1, width + 1)
    }
    if number % 2:
        width, height = height, width
    grid = tuple(tuple(terrain.get((x, y), 0) for x in range(width + 2)) for y in range(height + 2))
    units = []
    for unit in scenario.units:
        x, y = turned_place((unit.x, unit.y), scenario.width - 2, scenario.height - 2, number)
        units.append(unit._replace(x=x, y=y) if unit.hp > 0 else unit)
    return dataclasses.replace(scenario, terrain=grid, units=tuple(units))


def turned_move(move: Move, scenario: Scenario, number: int) -> Move:
    x, y = turned_place((move.x, move.y), scenario.width - 2, scenario.height - 2, number)
    return move._replace(x=x, y=y)


def states_along_a_game(scenario: Scenario, count: int, seed: int) -> list[State]:
    """Positions along one game in which a unit attacks whenever one can."""
    state, states = scenario.start(), []
    for number in range(count):
        if state.over:
            break
        states.append(state.copy())
        attacks = [move for move in state.moves() if move.target is not None]
        state.play(attacks[number % len(attacks)] if attacks else state.random_move(seed + number))
    return states


def states_of_games(games: int = 6) -> list[State]:
    """All positions of games on takahashi's simple and complex maps, in which units die."""
    found: list[State] = []
    for seed in range(games):
        kind = st.tubstap.maps.simple if seed % 2 else st.tubstap.maps.complex
        record = st.play(kind(seed), "greedy", "random", seed=seed)
        found += [state for state in record.states() if isinstance(state, State) and not state.over]
    return found
