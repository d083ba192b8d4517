"""One game between two players."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sandtable import conquest, tubstap
from sandtable.arena.early_end import EarlyEnd
from sandtable.arena.record import Record
from sandtable.errors import PlayerError, SandtableError
from sandtable.players.protocol import Analysis, Player, Start, State, ask, play_move
from sandtable.players.registry import player, spec_of
from sandtable.players.timing import overran
from sandtable.rng import Rng, checked_seed


@dataclass
class Clock:
    """What one player's decisions took."""

    seconds: float = 0.0
    decisions: int = 0
    overruns: int = 0  # of a setting `seconds`


@dataclass(frozen=True)
class Game:
    """A game as it was played: what can be replayed, and what cannot."""

    record: Record
    clocks: tuple[Clock, Clock]


# Told what a player thought when it decided: the state, its side, and the analysis, whose first candidate it plays.
Watch = Callable[[conquest.State, int, Analysis], None]


def play(
    start: Start | State,
    first: str | Player,
    second: str | Player,
    seed: int = 0,
    *,
    early_end: EarlyEnd | None = None,
) -> Record:
    """Play a game: red against blue on a scenario, player 0 against player 1 on a land, or on from any state.

    Players are spec strings or players. All that is random, the start position of a land among it, comes from the seed.
    `early_end`: in Conquest, when the players agree how it will end, it does.
    """
    return play_timed(start, first, second, seed, early_end=early_end).record


def play_timed(
    start: Start | State,
    first: str | Player,
    second: str | Player,
    seed: int = 0,
    *,
    early_end: EarlyEnd | None = None,
    watch: Watch | None = None,
) -> Game:
    """The same, with what the players' decisions took. `watch`, of Conquest's, needs players that analyse."""
    if not isinstance(start, Start | State):
        raise SandtableError(f"a game begins with a scenario, a land or a state, not {start!r:.60}")
    if (early_end or watch) and isinstance(start, tubstap.Scenario | tubstap.State):
        raise SandtableError("an early end by agreement, and watching decisions, are Conquest's")
    seed = checked_seed(seed)
    rng = Rng(seed, "play")
    players = [player(first), player(second)]
    if isinstance(start, conquest.Land):
        state: State = start.start(seed)
    else:
        state = start.start() if isinstance(start, tubstap.Scenario) else start.copy()
    beginning = state.copy()
    for side, one in enumerate(players):
        begin = getattr(one, "start", None)
        own_seed = rng.below(2**32 - 1)
        if begin is not None:
            begin(state.scenario if isinstance(state, tubstap.State) else state.land, side, own_seed)
    clocks = (Clock(), Clock())
    moves: list[Any] = []
    agreed: tuple[int | None, str] | None = None
    while not state.over and agreed is None:
        if isinstance(state, tubstap.State):
            moves.append(_tubstap_move(state, players, clocks))
            continue
        orders, sureness = _conquest_orders(state, players, clocks, watch, thinking=bool(early_end or watch))
        agreed = early_end.ending(state.turn, sureness) if early_end else None
        if agreed is None:
            moves.append(_conquest_turn(state, players, orders, rng))
    winner, reason = agreed or (state.winner, state.reason if isinstance(state, tubstap.State) else None)
    record = Record(
        start=beginning,
        players=(spec_of(players[0]), spec_of(players[1])),
        seed=seed,
        moves=tuple(moves),
        winner=winner,
        reason=reason,
        turns=state.turn,
    )
    return Game(record, clocks)


def _decided(one: Player, state: State, side: int, clock: Clock, decide: Callable[..., Any] = ask) -> Any:
    begin = time.perf_counter()
    decision = decide(one, state.copy(), side)
    taken = time.perf_counter() - begin
    clock.seconds += taken
    clock.decisions += 1
    limit = getattr(one, "seconds", None)
    clock.overruns += limit is not None and overran(taken, limit)
    return decision


def _tubstap_move(state: tubstap.State, players: list[Player], clocks: tuple[Clock, Clock]) -> list[int] | None:
    side = state.side
    move = _decided(players[side], state, side, clocks[side])
    try:
        play_move(state, move)
    except ValueError as error:
        raise PlayerError(f"{spec_of(players[side])}: {error}") from None
    return None if move is None else [-1 if part is None else int(part) for part in move]


def _conquest_orders(
    state: conquest.State, players: list[Player], clocks: tuple[Clock, Clock], watch: Watch | None, *, thinking: bool
) -> tuple[list[Any], list[float | None]]:
    """Both players' orders; and how sure they are to win, if that is asked for by `thinking` and they say."""
    orders: list[Any] = []
    sureness: list[float | None] = []
    for side, one in enumerate(players):
        if not thinking or not hasattr(one, "analyse"):
            if watch:
                raise PlayerError(f"{spec_of(one)}: it does not say what it thinks: it has no analyse(state, side)")
            orders.append(_decided(one, state, side, clocks[side]))
            sureness.append(None)
            continue
        analysis: Analysis = _decided(one, state, side, clocks[side], lambda own, *asked: own.analyse(*asked))
        if not analysis.candidates:
            raise PlayerError(f"{spec_of(one)}: analyse() gives no candidates")
        orders.append(analysis.candidates[0].move)
        sureness.append((analysis.value + 1) / 2)
        if watch:
            watch(state, side, analysis)
    return orders, sureness


def _conquest_turn(state: conquest.State, players: list[Player], orders: list[Any], rng: Rng) -> list[Any]:
    first, seed = rng.below(2), rng.below(2**32 - 1)
    try:
        state.resolve(orders[0], orders[1], first=first, seed=seed)
    except ValueError as error:
        at_fault = spec_of(players["player 1" in str(error)])
        raise PlayerError(f"{at_fault}: {error}") from None
    return [[[int(part) for part in order] for order in own] for own in orders] + [first, seed]
