"""A scenario: terrain, units, rules and the limits of the map. `start()` gives the state to play from.

A scenario can be any position, not only the start of a game: units may be dead or have acted, and turns may have been
played. One format therefore serves maps, puzzles and saved games.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from sandtable import _core
from sandtable.errors import MapError
from sandtable.games.native_states import complete
from sandtable.json_fields import real, whole
from sandtable.texts import check_text
from sandtable.tubstap.ruleset import Rules
from sandtable.tubstap.types import KINDS, SIDES, TERRAINS, Unit

State = _core.tubstap.State

MAX_SIZE = _core.tubstap.MAX_SIDE  # playable cells along an edge
MAX_UNITS = _core.tubstap.MAX_UNITS_PER_SIDE
MAX_TURNS = _core.tubstap.MAX_TURNS
MAX_HP = _core.tubstap.MAX_HP

Terrain = tuple[tuple[int, ...], ...]


@dataclasses.dataclass(frozen=True)
class Scenario:
    """Coordinates are those of the map files: `terrain[y][x]`, a ring of no-entry cells around the playable ones.

    `units` are in the order of their ids; a dead one has HP 0. `turn_limit` and `hp_threshold` are the map's; they
    apply where `rules` say "map".
    """

    name: str
    terrain: Terrain
    units: tuple[Unit, ...]
    rules: Rules
    turn_limit: int | None = None
    hp_threshold: float | None = None
    author: str = ""
    comment: str = ""
    turn: int = 0
    quiet: int = 0
    hp_lost: bool = False

    def __post_init__(self) -> None:
        check_text("name", self.name, one_line=True)
        check_text("author", self.author)
        check_text("comment", self.comment)
        if not isinstance(self.rules, Rules):
            raise MapError(f"rules: must be Rules, not {self.rules!r:.40}")
        check_terrain(self.terrain)
        check_units(self.terrain, self.units, self.rules)
        if self.rules.turn_limit == "map" and self.turn_limit is None:
            raise MapError(f"rules {self.rules.name!r} take the turn limit from the map, and it has none")
        if self.turn_limit is not None:
            whole("turn_limit", self.turn_limit, 1, MAX_TURNS)
        if self.hp_threshold is not None:
            real("hp_threshold", self.hp_threshold, 0, MAX_TURNS)
        whole("turn", self.turn, 0, MAX_TURNS)
        whole("quiet", self.quiet, 0, MAX_TURNS)
        _ = self._start_state

    def __getstate__(self) -> dict[str, Any]:
        """The fields, without the cached start state, for pickling."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @property
    def size(self) -> tuple[int, int]:
        """The size of the map: the numbers of playable cells in a row and in a column."""
        return self.width - 2, self.height - 2

    @property
    def width(self) -> int:
        """Cells in a row of `terrain`, including the ring."""
        return len(self.terrain[0])

    @property
    def height(self) -> int:
        return len(self.terrain)

    def start(self) -> State:
        """A new state at this position."""
        return self._start_state.with_scenario(self)

    def at(self, state: State) -> Scenario:
        """A copy of this scenario that begins with one of its states."""
        living = {unit.id: unit for unit in state.units}
        units = tuple(living.get(unit.id, unit._replace(x=0, y=0, hp=0, acted=False)) for unit in self.units)
        return dataclasses.replace(self, units=units, turn=state.turn, quiet=state.quiet, hp_lost=state.hp_lost)

    def with_rules(self, rules: Rules) -> Scenario:
        return dataclasses.replace(self, rules=rules)

    @property
    def limits(self) -> tuple[int | None, float | None]:
        """The turn limit and the HP threshold in force: the rules', or the map's where the rules say "map"."""
        turn_limit, hp_threshold = self.rules.turn_limit, self.rules.hp_threshold
        return (
            self.turn_limit if turn_limit == "map" else turn_limit,
            self.hp_threshold if hp_threshold == "map" else hp_threshold,
        )

    def __repr__(self) -> str:
        return f"<Scenario {self.name}: {self.in_words()}, rules {self.rules.name}>"

    def in_words(self) -> str:
        """The size and the numbers of units, as in "8x8, 4 v 5"."""
        sides = " v ".join(str(sum(unit.side == side for unit in self.units)) for side in (0, 1))
        return f"{self.size[0]}x{self.size[1]}, {sides}"

    @cached_property
    def _start_state(self) -> State:
        turn_limit, hp_threshold = self.limits
        try:
            return State(
                rules=self.rules.compiled(turn_limit=turn_limit, hp_threshold=hp_threshold),
                width=self.size[0],
                height=self.size[1],
                terrain=[t for row in self.terrain[1:-1] for t in row[1:-1]],
                units=[(KINDS.index(u.kind), u.side, u.x, u.y, float(u.hp), u.acted) for u in self.units],
                turn=self.turn,
                quiet=self.quiet,
                hp_lost=self.hp_lost,
            )
        except ValueError as error:
            raise MapError(f"{self.name}: {error}") from None


def _content(state: State) -> tuple[Any, ...]:
    scenario = state.scenario
    board = scenario.terrain, scenario.rules.digest, scenario.limits
    return board, state.units, state.turn, state.quiet, state.hp_lost


complete(State, _content)


def check_terrain(terrain: Sequence[Sequence[int]], where: Callable[[int], str] = "row {}".format) -> None:
    """MapError unless the terrain is a rectangle of known cells within the limits, in a ring of no-entry cells."""
    height = len(terrain)
    if not 3 <= height <= MAX_SIZE + 2:
        raise MapError(f"the map has {height} rows; with its ring it must have 3 to {MAX_SIZE + 2}")
    width = len(terrain[0])
    if not 3 <= width <= MAX_SIZE + 2:
        raise MapError(f"{where(0)} has {width} cells; with the ring it must have 3 to {MAX_SIZE + 2}")
    for y, row in enumerate(terrain):
        if len(row) != width:
            raise MapError(f"{where(y)} has {len(row)} cells where it should have {width}")
        for x, cell in enumerate(row):
            if not isinstance(cell, int) or not 0 <= cell < len(TERRAINS):
                raise MapError(f"{where(y)}, column {x}: terrain {cell!r:.40} is not one of 0..{len(TERRAINS) - 1}")
            if cell != 0 and (x in (0, width - 1) or y in (0, height - 1)):
                raise MapError(f"{where(y)}, column {x}: the border ring must be 0 (no-entry), not {cell}")


def check_units(
    terrain: Sequence[Sequence[int]],
    units: Sequence[Unit],
    rules: Rules,
    where: Callable[[int], str] = "unit {}".format,
) -> None:
    """MapError unless each unit has a known kind and side and valid HP, each living unit is alone on a playable cell,
    and each side has 1 to 32 units."""
    width, height = len(terrain[0]), len(terrain)
    holders: dict[tuple[int, int], str] = {}
    for i, unit in enumerate(units):
        if unit.kind not in KINDS:
            raise MapError(f"{where(i)}: unknown kind {unit.kind!r:.40}; the kinds are {', '.join(KINDS)}")
        if unit.side not in (0, 1):
            raise MapError(f"{where(i)}: side must be 0 (red) or 1 (blue), not {unit.side!r:.40}")
        kind = "a whole number" if rules.hp == "integer" else "a number"
        if not 0 <= unit.hp <= MAX_HP or (rules.hp == "integer" and unit.hp != int(unit.hp)):
            raise MapError(f"{where(i)}: HP {unit.hp!r:.40} is not {kind} within 0..{MAX_HP}")
        if unit.hp == 0:
            continue
        if not (1 <= unit.x <= width - 2 and 1 <= unit.y <= height - 2):
            playable = f"playable are x 1..{width - 2}, y 1..{height - 2}"
            raise MapError(f"{where(i)}: ({unit.x}, {unit.y}) is off the board; {playable}")
        cell = unit.x, unit.y
        if terrain[unit.y][unit.x] == 0:
            raise MapError(f"{where(i)}: {cell} is a no-entry cell; move the unit or change the terrain")
        if cell in holders:
            raise MapError(f"{where(i)}: {cell} is taken by {holders[cell]}; move one of the two")
        holders[cell] = where(i)
    for side, colour in enumerate(SIDES):
        count = sum(unit.side == side for unit in units)
        if not 1 <= count <= MAX_UNITS:
            raise MapError(f"{colour} has {count} units; a side has 1 to {MAX_UNITS}")


def remarks(scenario: Scenario) -> list[str]:
    """Warnings about legal but probably mistaken maps: units on terrain that their kind cannot enter."""
    found = []
    for unit in scenario.units:
        if unit.hp == 0:
            continue
        terrain = scenario.terrain[unit.y][unit.x]
        if scenario.rules.cost[KINDS.index(unit.kind)][terrain] == 0:
            found.append(
                f"unit {unit.id}, {SIDES[unit.side]} {unit.kind}, stands on {TERRAINS[terrain]}, which its kind"
                " cannot enter: it can leave but not come back"
            )
    return found
