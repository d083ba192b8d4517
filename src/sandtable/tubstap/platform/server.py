"""A server of the platform's network protocol: two clients play a game."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any

from sandtable.arena.record import FORFEIT, Record
from sandtable.errors import CONNECTING, SandtableError, reason_of
from sandtable.games import IllegalMoveError
from sandtable.rng import Rng
from sandtable.tubstap import tbsmap
from sandtable.tubstap.game import GAME
from sandtable.tubstap.platform.actions import Action
from sandtable.tubstap.platform.connection import Connection, PeerError
from sandtable.tubstap.scenario import Scenario

MAX_NAME = 200


class _Lost(SandtableError):  # noqa: N818 - a result
    """A client that lost the game by what it did."""

    def __init__(self, side: int, reason: str) -> None:
        super().__init__(reason)
        self.side = side


def listen(host: str, port: int) -> socket.socket:
    """SandtableError if nothing can listen there."""
    try:
        return socket.create_server((host, port))
    except CONNECTING as error:
        raise SandtableError(f"{host:.100}:{port}: {reason_of(error)}") from None


def accept_two(listening: socket.socket, seconds: float | None) -> tuple[Connection, Connection]:
    """Whoever connects first is red."""
    first, second = (Connection(listening.accept()[0], seconds) for _ in range(2))
    return first, second


def referee(scenario: Scenario, clients: Sequence[Connection]) -> Record:
    """A game between two clients, red first. One that vanishes, sends rubbish or an illegal operation loses it."""
    state, moves = scenario.start(), list[Any]()
    start, names = state.copy(), ["red", "blue"]
    try:
        for side, client in enumerate(clients):
            names[side] = _asked(client, side, "name")[:MAX_NAME] or names[side]
        one_line = "".join(tbsmap.format(scenario).splitlines())
        for side, client in enumerate(clients):
            _asked(client, side, "opponent", names[1 - side])
            _asked(client, side, "MAP", one_line)
            _asked(client, side, "Color", str(side))
        while not state.over:
            side = state.side
            text = _asked(clients[side], side, "Genmove")
            try:
                action = Action.parse(text)
                moves.append(GAME.advance(state, [action.move], Rng(0, "network")))
            except (IllegalMoveError, SandtableError) as error:
                raise _Lost(side, f"Genmove: {error}") from None
            _asked(clients[1 - side], 1 - side, "play", str(action))
        winner, reason = state.winner, state.reason
    except _Lost as lost:
        winner, reason = (state.winner, state.reason) if state.over else (1 - lost.side, f"{FORFEIT}{lost}")
    return Record(
        start=start,
        players=(names[0], names[1]),
        seed=0,
        moves=tuple(map(GAME.as_moves, moves)),
        winner=winner,
        reason=reason,
        turns=state.turn,
    )


def _asked(client: Connection, side: int, word: str, arguments: str = "") -> str:
    try:
        return client.request(word, arguments)
    except PeerError as error:
        raise _Lost(side, f"{word}: {error}") from None
