"""One game between two players."""

from __future__ import annotations

from typing import Any

from sandtable import conquest, tubstap
from sandtable.arena.record import Record
from sandtable.errors import PlayerError
from sandtable.players.protocol import Player, Start, State
from sandtable.players.registry import player, spec_of
from sandtable.rng import Rng, checked_seed


def play(start: Start | State, first: str | Player, second: str | Player, seed: int = 0) -> Record:
    """Play a game: red against blue on a scenario, player 0 against player 1 on a land, or on from any state.

    Players are spec strings or players. All that is random, the start position of a land among it, comes from the seed.
    """
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
    moves: list[Any] = []
    while not state.over:
        if isinstance(state, tubstap.State):
            moves.append(_tubstap_move(state, players))
        else:
            moves.append(_conquest_turn(state, players, rng))
    return Record(
        start=beginning,
        players=(spec_of(players[0]), spec_of(players[1])),
        seed=seed,
        moves=tuple(moves),
        winner=state.winner,
        reason=state.reason if isinstance(state, tubstap.State) else None,
        turns=state.turn,
    )


def _tubstap_move(state: tubstap.State, players: list[Player]) -> list[int] | None:
    one = players[state.side]
    move = one.act(state.copy())
    if move is None:
        state.end_turn()
        return None
    try:
        state.play(move)
    except ValueError as error:
        raise PlayerError(f"{spec_of(one)}: {error}") from None
    return [-1 if part is None else int(part) for part in move]


def _conquest_turn(state: conquest.State, players: list[Player], rng: Rng) -> list[Any]:
    orders = [one.act(state.copy(), side) for side, one in enumerate(players)]
    first, seed = rng.below(2), rng.below(2**32 - 1)
    try:
        state.resolve(orders[0], orders[1], first=first, seed=seed)
    except ValueError as error:
        at_fault = spec_of(players["player 1" in str(error)])
        raise PlayerError(f"{at_fault}: {error}") from None
    return [[[int(part) for part in order] for order in own] for own in orders] + [first, seed]
