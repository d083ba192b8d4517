"""Games that the core steps together, against one opponent: the core's own if it has this opponent, otherwise a Python
player for each game, which decides as it would in the arena."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.adapters.views import TubstapView, View
from sandtable.errors import ForfeitError, PlayerError, SandtableError
from sandtable.games import Game
from sandtable.players.protocol import Player
from sandtable.players.spec import PlayerSpec, player, spec_of

ENDED, ILLEGAL = 1, 2  # outcomes of a step; 0: the game goes on


class Group:
    """`opponent` is a spec or, for a single game only, a player object; `side` is the learner's, None to draw it for
    each game; `shaping` is the weight in the rewards of the changes of a hand-made evaluation."""

    def __init__(
        self, view: View, games: int, opponent: str | PlayerSpec | Player, side: int | None, shaping: float
    ) -> None:
        if not isinstance(opponent, str | PlayerSpec) and games > 1:
            raise PlayerError("a player object can play only one game: give the opponent as a spec")
        self.view = view
        if side not in (None, 0, 1):
            raise SandtableError(f"side must be 0, 1 or None, not {side!r:.40}")
        if not isinstance(shaping, float | int) or not math.isfinite(shaping):
            raise SandtableError(f"shaping must be a finite number, not {shaping!r:.40}")
        native = opponent in view.native_opponents if isinstance(opponent, str) else False
        self._opponents = [] if native else [_make_opponent(opponent, view.game) for _ in range(games)]
        self.native = view.group(games, str(opponent) if native else "elsewhere", side, float(shaping))
        self._started = [0] * games  # the number of the game that each opponent has started

    def reset(self, seeds: Sequence[int] | None) -> None:
        """Begin new games. Each slot draws its games from its seed; without seeds, the random streams continue."""
        for game in range(len(self.native)):
            if seeds is not None:
                self.native.reseed(game, int(seeds[game]))
            self.native.begin(game)
        self._answer()
        self.native.observe()

    def begin(self, games: NDArray[np.intp]) -> None:
        """Begin new games in these slots, and observe them."""
        for game in games:
            self.native.begin(int(game))
        self._answer()
        for game in games:
            self.native.observe(int(game))

    def step(self, actions: NDArray[Any]) -> None:
        """Play an action and the opponent's answer in every game; where the game has ended, begin a new one instead."""
        before = self._positions_before()
        if isinstance(self.view, TubstapView):
            self.native.act(actions)  # type: ignore[union-attr]
        elif self.view.actions == "genes":
            self.native.act_genes(actions)  # type: ignore[union-attr]
        else:
            self.native.act_shares(actions)  # type: ignore[union-attr]
        if not self._opponents:
            self.native.observe()
            return
        self._report_actions(before, actions)
        self._answer()
        self.native.observe()
        self._end()

    # Opponents in Python

    def _positions_before(self) -> dict[int, Any]:
        """The positions in which the learner decides, of games whose opponents want to be told of every move."""
        if self.view.game.simultaneous:
            return {}
        outcomes = self.native.outcomes
        return {
            game: self.native.state(game)
            for game, opponent in enumerate(self._opponents)
            if hasattr(opponent, "played") and not outcomes[game]
        }

    def _report_actions(self, before: dict[int, Any], actions: NDArray[Any]) -> None:
        assert not before or isinstance(self.view, TubstapView)
        for game, state in before.items():
            try:
                move = self.view.move(state, int(actions[game]))  # type: ignore[call-arg]
            except ValueError:
                continue  # an illegal action was not played
            opponent: Any = self._opponents[game]
            opponent.played(state, self.view.game.as_kept(move), self.native.state(game))

    def _answer(self) -> None:
        while self._opponents and (waiting := self.native.waiting()):
            for game in waiting:
                self._decide(game)

    def _decide(self, game: int) -> None:
        opponent: Any = self._opponents[game]
        side = 1 - int(self.native.sides[game])
        if self._started[game] != self.native.number(game):
            self._started[game] = self.native.number(game)
            if hasattr(opponent, "start"):
                opponent.start(self.view.map, side, self.native.opponent_seed(game))
        state = self.native.state(game)
        try:
            move = opponent.act(state.copy(), side)
            self._play(game, opponent, state, move)
        except ForfeitError:
            self.native.forfeit(game, side)

    def _play(self, game: int, opponent: Any, state: Any, move: Any) -> None:
        kept: Any
        try:
            if self.view.game.simultaneous:
                mine = self.native.orders(game)  # type: ignore[union-attr]
                first, seed = self.native.answer(game, move)  # type: ignore[misc]
                both = (mine, move) if self.native.sides[game] == 0 else (move, mine)
                kept = self.view.game.as_kept((*both, first, seed))
            else:
                self.native.answer(game, move)
                kept = self.view.game.as_kept(move)
        except ValueError as error:
            if hasattr(opponent, "lose"):
                raise opponent.lose(str(error)) from None
            raise PlayerError(f"{spec_of(opponent)}: {error}") from None
        if hasattr(opponent, "played"):
            opponent.played(state, kept, self.native.state(game))

    def _end(self) -> None:
        for game in np.flatnonzero(self.native.outcomes):
            opponent: Any = self._opponents[game]
            if hasattr(opponent, "end"):
                state = self.native.state(int(game))
                opponent.end(self.view.game.winner(state), self.view.game.reason(state))


def _make_opponent(opponent: str | PlayerSpec | Player, game: Game) -> Player:
    """Create the opponent; PlayerError now, and not in the first game, if it cannot play this game."""
    made = player(opponent)
    if game.name not in getattr(made, "games", (game.name,)):
        raise PlayerError(f"the opponent {opponent!s:.60} does not play {game.name}")
    if hasattr(made, "check_game"):
        made.check_game(game)
    return made
