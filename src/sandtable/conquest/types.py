"""The vocabulary of Conquest: orders, and the tuples that states and lands return."""

from typing import NamedTuple

SIDES = ("red", "blue")


class Deploy(NamedTuple):
    """New armies on a territory that the player owns."""

    territory: int
    armies: int


class March(NamedTuple):
    """Armies that move along an edge: a transfer if the player then owns the target, otherwise an attack."""

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
    """Extra income for a player that owns all territories of the bonus."""

    name: str
    value: int
    territories: tuple[int, ...]


class Playouts(NamedTuple):
    """Results of random games: wins of each player, ties, and the total number of turns."""

    wins0: int
    wins1: int
    ties: int
    turns: int
