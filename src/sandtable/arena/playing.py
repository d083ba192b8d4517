"""One game between two players."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sandtable import _core
from sandtable.arena.early_end import EarlyEnd
from sandtable.arena.record import FORFEIT, Record
from sandtable.errors import ForfeitError, PlayerError
from sandtable.games import Game, IllegalMoveError, game_of
from sandtable.players.protocol import Analysis, Player
from sandtable.players.spec import networks_of, player, spec_of
from sandtable.players.timing import overran
from sandtable.rng import Rng, checked_seed


@dataclass
class Clock:
    """The time of one player's decisions."""

    seconds: float = 0.0
    decisions: int = 0
    overruns: int = 0  # decisions that took longer than the player's setting `seconds`


@dataclass(frozen=True)
class PlayedGame:
    """A game as it was played: the record, and what a replay cannot reproduce."""

    record: Record
    clocks: tuple[Clock, Clock]
    stderr: tuple[str, str]  # the end of what bots wrote to their standard error


# Called at each decision with the state, the side and its player's analysis, whose first candidate is played.
Watch = Callable[[Any, int, Analysis], None]


def play(
    start: Any,
    first: str | Player,
    second: str | Player,
    seed: int = 0,
    *,
    early_end: EarlyEnd | None = None,
) -> Record:
    """Play a game from a map or from any state; `first` plays side 0 (red), `second` side 1 (blue).

    `first` and `second` are spec strings or player objects. All randomness comes from the seed, including that of a
    drawn start position. `early_end`: the game ends when the players agree how it will end.
    """
    return play_timed(start, first, second, seed, early_end=early_end).record


def play_timed(
    start: Any,
    first: str | Player,
    second: str | Player,
    seed: int = 0,
    *,
    early_end: EarlyEnd | None = None,
    watch: Watch | None = None,
) -> PlayedGame:
    """Play a game like play(), and return the times of the decisions too. `watch` needs players that have analyse()."""
    game = game_of(start)
    seed = checked_seed(seed)
    rng = Rng(seed, "play")
    state: Any = start.copy() if isinstance(start, game.state_types) else game.start(start, seed)
    beginning = state.copy()
    seats = _Seats(game, [player(first), player(second)], watch, thinking=bool(early_end or watch))
    moves: list[Any] = []
    ended: tuple[int | None, str | None] | None = None
    try:
        seats.begin(state, rng)
        while ended is None and (movers := game.movers(state)):
            chosen = [seats.decide(state, side) for side in movers]
            ended = early_end.ending(game.turn(state), seats.sureness) if early_end else None
            if ended is None:
                seats.advance(state, chosen, rng, moves)
        winner, reason = ended = ended or (game.winner(state), game.reason(state))
    except ForfeitError as error:
        over = not game.movers(state)  # a forfeit after the end does not change the result
        winner, reason = ended = (
            (game.winner(state), game.reason(state)) if over else (1 - error.side, f"{FORFEIT}{error}")
        )
    finally:
        seats.end(*(ended or (None, "broken off")))
    record = Record(
        start=beginning,
        players=(spec_of(seats.players[0]), spec_of(seats.players[1])),
        seed=seed,
        moves=tuple(map(game.as_moves, moves)),
        winner=winner,
        reason=reason,
        turns=game.turn(state),
        instruction_set=_core.instruction_sets()[0] if any(map(networks_of, seats.players)) else None,
    )
    return PlayedGame(record, seats.clocks, seats.stderr)


@dataclass
class _Seats:
    """The two players of a game, with their clocks, and how sure of winning each was in its last decision."""

    game: Game
    players: list[Player]
    watch: Watch | None
    thinking: bool  # ask players that have analyse() for their values
    clocks: tuple[Clock, Clock] = field(default_factory=lambda: (Clock(), Clock()))
    sureness: list[float | None] = field(default_factory=lambda: [None, None])

    def begin(self, state: Any, rng: Rng) -> None:
        for side, one in enumerate(self.players):
            begin = getattr(one, "start", None)
            own_seed = rng.below(2**32 - 1)
            if begin is not None:
                begin(self.game.map_of(state), side, own_seed)

    def decide(self, state: Any, side: int) -> Any:
        one: Any = self.players[side]
        estimates = getattr(one, "estimates", True)
        if not hasattr(one, "analyse") or not (self.watch or (self.thinking and estimates)):
            if self.watch:
                raise PlayerError(f"{spec_of(one)}: it cannot analyse positions: it has no analyse(state, side)")
            self.sureness[side] = None
            return self._timed(one.act, state, side)
        analysis: Analysis = self._timed(one.analyse, state, side)
        if not analysis.candidates:
            raise PlayerError(f"{spec_of(one)}: analyse() gives no candidates")
        self.sureness[side] = (analysis.value + 1) / 2 if estimates else None
        if self.watch:
            self.watch(state, side, analysis)
        return analysis.candidates[0].move

    def advance(self, state: Any, chosen: list[Any], rng: Rng, moves: list[Any]) -> None:
        """Carry out the chosen moves, add them to `moves`, and call `played` of the players that have it."""
        watching = [one for one in self.players if hasattr(one, "played")]
        before = state.copy() if watching else None
        try:
            moves.append(self.game.advance(state, chosen, rng))
        except IllegalMoveError as error:
            one: Any = self.players[error.side]
            if hasattr(one, "lose"):
                raise one.lose(f"illegal move: {str(error).removeprefix('illegal move: ')}") from None
            raise PlayerError(f"{spec_of(one)}: {error}") from None
        for one in watching:
            one.played(before, moves[-1], state)

    def end(self, winner: int | None, reason: str | None) -> None:
        for one in self.players:
            if hasattr(one, "end"):
                one.end(winner, reason)

    @property
    def stderr(self) -> tuple[str, str]:
        first, second = (getattr(one, "stderr", "") for one in self.players)
        return first if isinstance(first, str) else "", second if isinstance(second, str) else ""

    def _timed(self, decide: Callable[[Any, int], Any], state: Any, side: int) -> Any:
        begin = time.perf_counter()
        decision = decide(state.copy(), side)
        taken = time.perf_counter() - begin
        clock = self.clocks[side]
        clock.seconds += taken
        clock.decisions += 1
        limit = getattr(self.players[side], "seconds", None)
        clock.overruns += limit is not None and overran(taken, limit)
        return decision
