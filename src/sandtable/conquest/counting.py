"""Random playouts from Python."""

from sandtable import _core
from sandtable.conquest.land import State
from sandtable.conquest.types import Playouts
from sandtable.games import check_position
from sandtable.pieces import summed
from sandtable.rng import checked_seed


def playouts(state: State, n: int, seed: int = 0) -> Playouts:
    """Play n random games from a state to their ends: the sums of their results and of the turns resolved.

    Playout i of a seed is the same in every call, on every machine, whatever n is.
    """
    check_position("conquest", state)
    seed = checked_seed(seed)
    return Playouts(*summed(lambda first, last: _core.conquest.playouts(state, first, last, seed), n))
