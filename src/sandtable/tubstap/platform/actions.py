"""An operation as the platform writes it, in its records and on the network: eleven numbers."""

from __future__ import annotations

import re
from typing import NamedTuple

from sandtable.errors import SandtableError
from sandtable.tubstap.scenario import State
from sandtable.tubstap.types import Move

MOVE, ATTACK, END = 1, 2, 3

_NUMBER = re.compile(r"[+-]?[0-9]{1,6}")


class Action(NamedTuple):
    """`kind` is MOVE, ATTACK or END. Without an attack the target is -1 and its place (0, 0); with END only `kind`
    matters."""

    unit: int
    x: int
    y: int
    from_x: int
    from_y: int
    target: int
    target_x: int
    target_y: int
    kind: int
    dealt: int
    taken: int

    @classmethod
    def of(cls, state: State, move: Move | None) -> Action:
        """The action of a move about to be played in a state. SandtableError for an impossible unit or attack."""
        if move is None:
            return cls(-1, 0, 0, 0, 0, -1, 0, 0, END, 0, 0)
        units = {unit.id: unit for unit in state.units}
        if move.unit not in units:
            raise SandtableError(f"there is no unit {move.unit}")
        unit = units[move.unit]
        if move.target is None:
            return cls(move.unit, move.x, move.y, unit.x, unit.y, -1, 0, 0, MOVE, 0, 0)
        try:
            combat = state.combat(move)
        except ValueError as error:
            raise SandtableError(str(error)) from None
        assert combat is not None
        at = units[move.target]
        places = (move.x, move.y, unit.x, unit.y, move.target, at.x, at.y)
        return cls(move.unit, *places, ATTACK, int(combat.dealt), int(combat.taken))

    @classmethod
    def parse(cls, text: str) -> Action:
        parts = [part.strip() for part in text.split(",")]
        if len(parts) != len(cls._fields):
            raise SandtableError(f"{text!r:.60} has {len(parts)} values where an operation has {len(cls._fields)}")
        for name, part in zip(cls._fields, parts, strict=True):
            if not _NUMBER.fullmatch(part):
                raise SandtableError(f"{name}: {part!r:.20} is not a whole number")
        found = cls(*map(int, parts))
        if found.kind not in (MOVE, ATTACK, END):
            raise SandtableError(f"kind: {found.kind} is not 1 (move), 2 (attack) or 3 (end of turn)")
        if (found.kind == ATTACK) != (found.target >= 0) and found.kind != END:
            raise SandtableError(f"kind {found.kind} with target {found.target}: only an attack has one")
        return found

    @property
    def move(self) -> Move | None:
        """None ends the turn."""
        return None if self.kind == END else Move(self.unit, self.x, self.y, None if self.target < 0 else self.target)

    def __str__(self) -> str:
        return ",".join(map(str, self))
