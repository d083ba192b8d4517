"""What most players share: a stream of random numbers, the games they play, checking settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sandtable.errors import PlayerError, SandtableError, nearest
from sandtable.games import game_of, games
from sandtable.rng import Rng, checked_seed


class GamesWith:
    """The `games` of a player that plays every game, or every game that has a native search of that name."""

    def __init__(self, search: str | None = None) -> None:
        self._search = search

    def __get__(self, player: object, kind: type) -> tuple[str, ...]:
        return tuple(one.name for one in games() if self._search is None or self._search in one.searches)


@dataclass(kw_only=True)
class Seeded:
    """A player with random numbers: `start` gives it a stream; without one its setting `seed` does."""

    seed: int = 0

    def __post_init__(self) -> None:
        self._rng = Rng(checked_seed(self.seed), "player")

    def start(self, map: Any, side: int, seed: int) -> None:
        self._rng = Rng(seed, f"player {side}")

    def next_seed(self) -> int:
        """A seed for one decision."""
        return self._rng.below(2**32 - 1)

    def check_position(self, state: Any, side: int | None) -> int:
        """Who decides: `side`, or whoever is to move. PlayerError if the state is of a game that this player does not
        know, or over, or if it is not that side's move."""
        try:
            game = game_of(state)
        except SandtableError:
            raise PlayerError(f"act() needs a state, not {state!r:.40}") from None
        known: tuple[str, ...] = getattr(self, "games", ())
        if game.name not in known:
            raise PlayerError(f"{type(self).__name__.lower()} plays {' and '.join(known)}, not {game.name}")
        movers = game.movers(state)
        if not movers:
            raise PlayerError("there is no move: the game is over")
        if side is None and len(movers) == 1:
            return movers[0]
        if type(side) is not int or side not in movers:
            if len(movers) > 1:
                raise PlayerError(f"in {game.name} both move at once: give act(state, side) the side, 0 or 1")
            raise PlayerError(f"it is not the move of side {side!r:.20}, but of {movers[0]}")
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
