"""`random`, a player of every game."""

from __future__ import annotations

from typing import Any

from sandtable.games import game_of
from sandtable.players.seeding import GamesWith, Seeded
from sandtable.settings import declares


@declares()
class Random(Seeded):
    """Plays at random, as the game samples moves: a random unit and then one of its operations, or random orders."""

    games = GamesWith()

    def act(self, state: Any, side: int | None = None) -> Any:
        mover = self.check_position(state, side)
        return game_of(state).random_move(state, mover, self.next_seed())
