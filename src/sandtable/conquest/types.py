"""The words of Conquest: the orders, and the small tuples that states and lands hand out."""

from typing import NamedTuple

SIDES = ("red", "blue")


class Deploy(NamedTuple):
    """New armies on a territory of one's own."""

    territory: int
    armies: int


class March(NamedTuple):
    """Armies along an edge: a transfer if the target is one's own when it is carried out, an attack otherwise."""

    source: int
    target: int
    armies: int


Order = Deploy | March


class Turn(NamedTuple):
    """A turn as a record keeps it: both players' orders, who marched first, the seed that resolved it."""

    orders0: list[Order]
    orders1: list[Order]
    first: int
    seed: int


class Bonus(NamedTuple):
    """Income for whoever owns all of some territories."""

    name: str
    value: int
    territories: tuple[int, ...]


class Playouts(NamedTuple):
    """Results of random games: wins of each player, ties, turns resolved in all."""

    wins0: int
    wins1: int
    ties: int
    turns: int
