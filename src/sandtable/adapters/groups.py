"""Games that are stepped together in the core, against one opponent: native where the core has it, else a player of
Python for each game, which decides as it would in the arena."""

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
    """`opponent` is a spec string or a player, which can sit at one game only; `side` is the learner's, None to draw it
    for each game; `shaping` is the weight of a hand-made evaluation's changes in the rewards."""

    def __init__(
        self, view: View, games: int, opponent: str | PlayerSpec | Player, side: int | None, shaping: float
    ) -> None:
        if not isinstance(opponent, str | PlayerSpec) and games > 1:
            raise PlayerError(f"{games} games need {games} opponents: name the player by its spec")
        self.view = view
        if side not in (None, 0, 1):
            raise SandtableError(f"side must be 0, 1 or None, not {side!r:.40}")
        if not isinstance(shaping, float | int) or not math.isfinite(shaping):
            raise SandtableError(f"shaping must be a finite number, not {shaping!r:.40}")
        native = opponent in view.native_opponents if isinstance(opponent, str) else False
        self._opponents = [] if native else [_made(opponent, view.game) for _ in range(games)]
        self.native = view.group(games, str(opponent) if native else "elsewhere", side, float(shaping))
        self._numbers = [0] * games  # of the games that the opponents have been told of

    def reset(self, seeds: Sequence[int] | None) -> None:
        """Begin new games; each place draws its games from its seed, or goes on drawing without one."""
        for game in range(len(self.native)):
            if seeds is not None:
                self.native.reseed(game, int(seeds[game]))
            self.native.begin(game)
        self._answer()
        self.native.observe()

    def begin(self, games: NDArray[np.intp]) -> None:
        """Begin new games in these places, and observe them."""
        for game in games:
            self.native.begin(int(game))
        self._answer()
        for game in games:
            self.native.observe(int(game))

    def step(self, actions: NDArray[Any]) -> None:
        """Play an action in every game, and the opponents' answers; where a game has ended a new one begins."""
        before = self._watched()
        if isinstance(self.view, TubstapView):
            self.native.act(actions)  # type: ignore[union-attr]
        elif self.view.actions == "genes":
            self.native.act_genes(actions)  # type: ignore[union-attr]
        else:
            self.native.act_shares(actions)  # type: ignore[union-attr]
        if not self._opponents:
            self.native.observe()
            return
        self._tell_of_actions(before, actions)
        self._answer()
        self.native.observe()
        self._end()

    # Opponents in Python

    def _watched(self) -> dict[int, Any]:
        """Positions of games whose opponents want to be told of every move, where the learner decides."""
        if self.view.game.simultaneous:
            return {}
        outcomes = self.native.outcomes
        return {
            game: self.native.state(game)
            for game, one in enumerate(self._opponents)
            if hasattr(one, "played") and not outcomes[game]
        }

    def _tell_of_actions(self, before: dict[int, Any], actions: NDArray[Any]) -> None:
        assert not before or isinstance(self.view, TubstapView)
        for game, state in before.items():
            try:
                move = self.view.move(state, int(actions[game]))  # type: ignore[call-arg]
            except ValueError:
                continue  # an illegal action was not played
            one: Any = self._opponents[game]
            one.played(state, self.view.game.as_kept(move), self.native.state(game))

    def _answer(self) -> None:
        while self._opponents and (waiting := self.native.waiting()):
            for game in waiting:
                self._decide(game)

    def _decide(self, game: int) -> None:
        one: Any = self._opponents[game]
        side = 1 - int(self.native.sides[game])
        if self._numbers[game] != self.native.number(game):
            self._numbers[game] = self.native.number(game)
            if hasattr(one, "start"):
                one.start(self.view.map, side, self.native.opponent_seed(game))
        state = self.native.state(game)
        try:
            move = one.act(state.copy(), side)
            self._play(game, one, state, move)
        except ForfeitError:
            self.native.forfeit(game, side)

    def _play(self, game: int, one: Any, state: Any, move: Any) -> None:
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
            if hasattr(one, "lose"):
                raise one.lose(str(error)) from None
            raise PlayerError(f"{spec_of(one)}: {error}") from None
        if hasattr(one, "played"):
            one.played(state, kept, self.native.state(game))

    def _end(self) -> None:
        for game in np.flatnonzero(self.native.outcomes):
            one: Any = self._opponents[game]
            if hasattr(one, "end"):
                state = self.native.state(int(game))
                one.end(self.view.game.winner(state), self.view.game.reason(state))


def _made(opponent: str | PlayerSpec | Player, game: Game) -> Player:
    """PlayerError if it cannot play that game, before the first game."""
    made = player(opponent)
    if game.name not in getattr(made, "games", (game.name,)):
        raise PlayerError(f"the opponent {opponent!s:.60} does not play {game.name}")
    if hasattr(made, "check_game"):
        made.check_game(game)
    return made
