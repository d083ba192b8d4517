"""The rules as data, and the presets of the platform and of the papers.

A rule set is immutable and validated on construction; `rules.replace(turn_limit=16)` gives a changed copy. Records
carry `to_json()`; `digest` identifies the content without the name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

from sandtable import _core
from sandtable.errors import RulesError
from sandtable.ruleset import RuleSet, check_number, find_rules, optional
from sandtable.tubstap.types import KINDS, TERRAINS

Table = tuple[tuple[int, ...], ...]

HP_MODES = ("integer", "real")


@dataclasses.dataclass(frozen=True, repr=False)
class Rules(RuleSet):
    """Kinds and terrains are indexed as in `sandtable.tubstap.types`; a cost of 0 closes the terrain to the kind.

    `turn_limit`: "map" (the map's own), a number, or None for no limit. `hp_threshold`: a lead in HP greater than this
    wins at the turn limit; "map", a number, or None if the game is a draw there whatever the HP. `quiet_limit`: player
    turns in a row without loss of HP after which the game is a draw. `harmless_attacks`: attacks that do no damage are
    legal too.
    """

    power: Table
    movement: tuple[int, ...]
    air: tuple[bool, ...]
    range: Table
    defence: tuple[int, ...]
    cost: Table
    hp: Literal["integer", "real"] = "integer"
    turn_limit: int | Literal["map"] | None = "map"
    hp_threshold: float | Literal["map"] | None = "map"
    quiet_limit: int | None = None
    harmless_attacks: bool = optional(False)

    def __post_init__(self) -> None:
        super().__post_init__()
        kinds, terrains = len(KINDS), len(TERRAINS)
        coerced = {
            "power": _table("power", self.power, kinds, kinds),
            "movement": _row("movement", self.movement, kinds),
            "air": _flags("air", self.air, kinds),
            "range": _table("range", self.range, kinds, 2),
            "defence": _row("defence", self.defence, terrains),
            "cost": _table("cost", self.cost, kinds, terrains),
        }
        for field, value in coerced.items():
            object.__setattr__(self, field, value)
        if self.hp not in HP_MODES:
            raise RulesError(f"rules: hp must be 'integer' or 'real', not {self.hp!r}")
        check_number("turn_limit", self.turn_limit, whole=True, words=("map", None))
        check_number("hp_threshold", self.hp_threshold, whole=False, words=("map", None))
        check_number("quiet_limit", self.quiet_limit, whole=True, words=(None,))
        if not isinstance(self.harmless_attacks, bool):
            raise RulesError(f"rules: harmless_attacks must be true or false, not {self.harmless_attacks!r:.40}")
        # The engine checks the ranges of values. A valid number stands in for a limit that the map sets.
        self.compiled(
            turn_limit=1 if self.turn_limit == "map" else self.turn_limit,
            hp_threshold=0 if self.hp_threshold == "map" else self.hp_threshold,
        )

    def compiled(self, *, turn_limit: int | None, hp_threshold: float | None) -> _core.tubstap.Rules:
        """The rules as the engine reads them, with the limits of the map filled in."""
        try:
            return _core.tubstap.Rules(
                power=self.power,
                movement=self.movement,
                air=self.air,
                range=self.range,
                defence=self.defence,
                cost=self.cost,
                real_hp=self.hp == "real",
                turn_limit=turn_limit,
                hp_threshold=hp_threshold,
                quiet_limit=self.quiet_limit,
                harmless_attacks=self.harmless_attacks,
            )
        except ValueError as error:
            raise RulesError(f"rules: {error}") from None


def rules(value: str | Rules | Mapping[str, Any]) -> Rules:
    """Rules from a preset's name or from the result of `to_json()`; Rules are returned unchanged."""
    return find_rules(value, PRESETS)


def _flags(name: str, values: Any, length: int) -> tuple[bool, ...]:
    if not isinstance(values, list | tuple) or len(values) != length or not all(isinstance(v, bool) for v in values):
        raise RulesError(f"rules: {name} must have {length} values, true or false")
    return tuple(values)


def _row(name: str, values: Any, length: int) -> tuple[int, ...]:
    if not isinstance(values, list | tuple) or len(values) != length:
        raise RulesError(f"rules: {name} must have {length} numbers")
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool) or not -(10**6) <= value <= 10**6:
            raise RulesError(f"rules: {name} must hold whole numbers, not {value!r:.40}")
    return tuple(values)


def _table(name: str, values: Any, rows: int, columns: int) -> Table:
    if not isinstance(values, list | tuple) or len(values) != rows:
        raise RulesError(f"rules: {name} must have {rows} rows of {columns} numbers")
    return tuple(_row(name, row, columns) for row in values)


# The platform's tables, confirmed by running it.
ORIGINAL = Rules(
    name="original",
    #        F   A    P    U   R    I
    power=(
        (55, 65, 0, 0, 0, 0),
        (0, 0, 105, 105, 85, 115),
        (0, 0, 55, 70, 75, 75),
        (0, 0, 60, 75, 65, 90),
        (70, 70, 15, 50, 45, 105),
        (0, 0, 5, 10, 3, 55),
    ),
    movement=(9, 7, 6, 5, 6, 3),
    air=(True, True, False, False, False, False),
    range=((1, 1), (1, 1), (1, 1), (2, 3), (1, 1), (1, 1)),
    #      no-entry, plain, sea, forest, mountain, road, fortress
    defence=(0, 1, 0, 3, 4, 0, 4),
    cost=(
        (0, 1, 1, 1, 1, 1, 1),
        (0, 1, 1, 1, 1, 1, 1),
        (0, 1, 0, 2, 0, 1, 1),
        (0, 1, 0, 2, 0, 1, 1),
        (0, 1, 0, 2, 0, 1, 1),
        (0, 1, 0, 1, 2, 1, 1),
    ),
)


def _with(table: Table, row: str, column: str, value: int) -> Table:
    changed = [list(r) for r in table]
    changed[KINDS.index(row)][KINDS.index(column)] = value
    return tuple(tuple(r) for r in changed)


_presets = (
    ORIGINAL,
    # `original` allows the operations that the platform lists for a unit; attacks that would do no damage are not among
    # them. The platform's referee nevertheless accepts such attacks, and the target counterattacks.
    ORIGINAL.replace(name="platform", harmless_attacks=True),
    # li2022, sections 2.1 and 4: real-valued HP, no turn limit, a draw after 20 quiet turns (in our reading, player
    # turns); its Table 1 has 115 for antiair against infantry where the platform has 105.
    ORIGINAL.replace(
        name="li2022",
        power=_with(ORIGINAL.power, "antiair", "infantry", 115),
        hp="real",
        turn_limit=None,
        hp_threshold=None,
        quiet_limit=20,
    ),
    # kimura2020, section 4.2.1: 16 player turns, then a draw whatever the HP.
    ORIGINAL.replace(name="kimura2020", turn_limit=16, hp_threshold=None),
    # takahashi, sections 2.2.2 and 5.1: 16 player turns, then the larger HP sum; the cannon moves 6, not 5.
    ORIGINAL.replace(name="takahashi", turn_limit=16, hp_threshold=0, movement=(9, 7, 6, 6, 6, 3)),
)
PRESETS = {preset.name: preset for preset in _presets}
