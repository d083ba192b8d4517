"""The player that knows nothing: a random unit, then one of its operations, as in uniform playouts."""

from sandtable.rng import Rng
from sandtable.tubstap import Move, State


class Random:
    def __init__(self, seed: int = 0) -> None:
        self._rng = Rng(seed, "player random")

    def act(self, state: State) -> Move:
        moves = state.moves()
        unit = self._rng.choice(sorted({move.unit for move in moves}))
        return self._rng.choice([move for move in moves if move.unit == unit])
