"""The player that looks one combat ahead: most damage dealt minus taken, ties broken at random."""

from sandtable.rng import Rng
from sandtable.tubstap import Move, State


class Greedy:
    def __init__(self, seed: int = 0) -> None:
        self._rng = Rng(seed, "player greedy")

    def act(self, state: State) -> Move:
        gains = [(_gain(state, move), move) for move in state.moves()]
        best = max(gain for gain, _ in gains)
        return self._rng.choice([move for gain, move in gains if gain == best])


def _gain(state: State, move: Move) -> float:
    if move.target is None:
        return 0
    combat = state.combat(move)
    assert combat is not None  # it is an attack
    return combat.dealt - combat.taken
