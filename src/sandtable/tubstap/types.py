"""The vocabulary of TUBSTAP: kinds, terrains, sides, and the tuples that states return."""

from typing import NamedTuple

# The index of a kind or terrain is its number in rule tables and map files.
KINDS = ("fighter", "attacker", "panzer", "cannon", "antiair", "infantry")
KIND_LETTERS = "FAPURI"
TERRAINS = ("no-entry", "plain", "sea", "forest", "mountain", "road", "fortress")
SIDES = ("red", "blue")


class Move(NamedTuple):
    """One unit's operation: `unit` goes to (x, y), perhaps its own cell, and may attack unit `target` from there."""

    unit: int
    x: int
    y: int
    target: int | None = None


class Combat(NamedTuple):
    """The HP that an attack takes from its target, and that the counterattack takes from the attacker."""

    dealt: float
    taken: float


class Unit(NamedTuple):
    """A living unit of a state. HP is an int under rules with integer HP, a float otherwise."""

    id: int
    kind: str
    side: int
    x: int
    y: int
    hp: float
    acted: bool


class Playouts(NamedTuple):
    """Results of random games: wins of each side, draws, and the total number of operations."""

    red: int
    blue: int
    draws: int
    operations: int
