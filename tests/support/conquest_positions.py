"""Positions of Conquest along random games."""

import sandtable as st
from sandtable.conquest import Land, State
from sandtable.rng import Rng

MAPS = ("simple", "banana", "owl_island", "italy", "earth")


def after_three_turns(name: str = "italy") -> State:
    """A position of a random game after three turns."""
    state = st.conquest.load(name).start(3)
    for turn in range(3):
        state.resolve(state.random_move(0, turn), state.random_move(1, turn))
    return state


def states_along_a_game(land: Land, seed: int, turns: int = 8) -> list[State]:
    """The first positions of a random game, perhaps with its end."""
    rng, state = Rng(seed, "states"), land.start(seed)
    found = [state.copy()]
    while not state.over and len(found) < turns:
        state.resolve(state.random_move(0, rng.below(99)), state.random_move(1, rng.below(99)), rng.below(2))
        found.append(state.copy())
    return found


def positions(land: Land, count: int = 6) -> list[State]:
    """Positions of several random games at different turns; none is over."""
    found: list[State] = []
    seed = 0
    while len(found) < count:
        state = land.start(seed)
        for turn in range(seed % 12):
            if not state.over:
                state.resolve(state.random_move(0, turn), state.random_move(1, turn), first=turn % 2)
        found += [state] * (not state.over)
        seed += 1
    return found
