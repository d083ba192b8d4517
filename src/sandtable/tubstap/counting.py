"""Random playouts and perft, from Python.

Both hand work to the core in pieces, so that Ctrl-C can interrupt a long count.
"""

from sandtable import _core
from sandtable.errors import SandtableError
from sandtable.games import check_position
from sandtable.pieces import summed
from sandtable.rng import checked_seed, checked_whole
from sandtable.tubstap.scenario import State
from sandtable.tubstap.types import Move, Playouts

MAX_DEPTH = 500  # the count is recursive; far deeper than any count that finishes
PIECE_DEPTH = 2  # depth that the core counts in one call: tens of milliseconds on the largest boards
POLICIES = ("uniform", "flat", "attack80", "attack80_harmful")


def playouts(state: State, n: int, seed: int = 0, policy: str = "uniform") -> Playouts:
    """Play n random games from a state to their ends.

    Policies: uniform draws a random unit that has not acted, then one of its operations. flat draws one of all
    operations of all units. attack80 is M-UCT's: four times in five it draws one of all attacks, including those that
    do no damage, whatever the rules; otherwise, or if there is no attack, it draws a random unit's operation.
    attack80_harmful is the same without attacks that do no damage. Playout i of a seed is the same in every call, on
    every machine, whatever n is.
    """
    check_position("tubstap", state)
    if policy not in POLICIES:
        raise SandtableError(f"no playout policy is called {policy!r}; there are {', '.join(POLICIES)}")
    seed = checked_seed(seed)
    return Playouts(*summed(lambda first, last: _core.tubstap.playouts(state, first, last, seed, policy), n))


def perft(state: State, depth: int) -> int:
    """The number of sequences of exactly `depth` operations; games that end earlier are not counted."""
    check_position("tubstap", state)
    checked_whole("the depth", depth, 0, MAX_DEPTH)
    return sum(perft_by_move(state, depth).values()) if depth > PIECE_DEPTH else _core.tubstap.perft(state, depth)


def perft_by_move(state: State, depth: int) -> dict[Move, int]:
    """perft of depth - 1 after each move (perft divide), to locate a difference between two engines."""
    check_position("tubstap", state)
    checked_whole("the depth", depth, 1, MAX_DEPTH)
    counts = {}
    for move in state.moves():
        after = state.copy()
        after.play(move)
        counts[move] = perft(after, depth - 1)
    return counts
