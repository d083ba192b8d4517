"""What most players share: a stream of random numbers, refusing the other game, checking settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sandtable import tubstap
from sandtable.errors import PlayerError, nearest
from sandtable.players.protocol import Start, State, game_of
from sandtable.rng import Rng, checked_seed


@dataclass(kw_only=True)
class Seeded:
    """A player with random numbers: `start` gives it a stream; without one its setting `seed` does."""

    seed: int = 0
    games: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        self._rng = Rng(checked_seed(self.seed), "player")

    def start(self, scenario: Start, side: int, seed: int) -> None:
        self._rng = Rng(seed, f"player {side}")

    def next_seed(self) -> int:
        """A seed for one decision."""
        return self._rng.below(2**32 - 1)

    def check_position(self, state: State, side: int | None) -> int:
        """Whose move it is; PlayerError if the state is of a game that this player does not know, or over."""
        if not isinstance(state, State):
            raise PlayerError(f"act() needs a state, not {state!r:.40}")
        game = game_of(state)
        if game not in self.games:
            raise PlayerError(f"{type(self).__name__.lower()} plays {' and '.join(self.games)}, not {game}")
        if state.over:
            raise PlayerError("there is no move: the game is over")
        if isinstance(state, tubstap.State):
            return state.side
        if type(side) is not int or side not in (0, 1):
            raise PlayerError("in conquest both move at once: give act(state, side) the side, 0 or 1")
        return side


def check_ranges(player: object, **ranges: tuple[float, float]) -> None:
    """PlayerError unless each setting lies within its range."""
    for name, (low, high) in ranges.items():
        value = getattr(player, name)
        if not low <= value <= high:
            raise PlayerError(f"{name} must be within {low}..{high}, not {value!r:.40}")


def check_words(player: object, **words: tuple[str, ...]) -> None:
    """PlayerError unless each setting is one of its words."""
    for name, known in words.items():
        if getattr(player, name) not in known:
            word = getattr(player, name)
            raise PlayerError(f"{name} must be {' or '.join(known)}, not {word!r:.40}{nearest(str(word), known)}")
