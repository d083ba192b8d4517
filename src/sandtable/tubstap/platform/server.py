"""A server of the platform's network protocol: it referees a game between two clients."""

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


class _Forfeit(SandtableError):  # noqa: N818 - a result
    """A client forfeits the game."""

    def __init__(self, side: int, reason: str) -> None:
        super().__init__(reason)
        self.side = side


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. SandtableError if the address cannot be used."""
    try:
        return socket.create_server((host, port))
    except CONNECTING as error:
        raise SandtableError(f"{host:.100}:{port}: {reason_of(error)}") from None


def accept_two(listening: socket.socket, seconds: float | None) -> tuple[Connection, Connection]:
    """Wait for two clients; the first to connect is red."""
    first, second = (Connection(listening.accept()[0], seconds) for _ in range(2))
    return first, second


def referee(scenario: Scenario, clients: Sequence[Connection]) -> Record:
    """Play a game between two clients, red first. A client that disconnects, breaks the protocol or sends an illegal
    operation forfeits, unless the game is already over."""
    state, moves = scenario.start(), list[Any]()
    start, names = state.copy(), ["red", "blue"]
    try:
        for side, client in enumerate(clients):
            names[side] = _request(client, side, "name")[:MAX_NAME] or names[side]
        one_line = "".join(tbsmap.format(scenario).splitlines())
        for side, client in enumerate(clients):
            _request(client, side, "opponent", names[1 - side])
            _request(client, side, "MAP", one_line)
            _request(client, side, "Color", str(side))
        while not state.over:
            side = state.side
            text = _request(clients[side], side, "Genmove")
            try:
                action = Action.parse(text)
                moves.append(GAME.advance(state, [action.move], Rng(0, "network")))
            except (IllegalMoveError, SandtableError) as error:
                raise _Forfeit(side, f"Genmove: {error}") from None
            _request(clients[1 - side], 1 - side, "play", str(action))
        winner, reason = state.winner, state.reason
    except _Forfeit as forfeit:
        winner, reason = (state.winner, state.reason) if state.over else (1 - forfeit.side, f"{FORFEIT}{forfeit}")
    return Record(
        start=start,
        players=(names[0], names[1]),
        seed=0,
        moves=tuple(map(GAME.as_moves, moves)),
        winner=winner,
        reason=reason,
        turns=state.turn,
    )


def _request(client: Connection, side: int, word: str, arguments: str = "") -> str:
    try:
        return client.request(word, arguments)
    except PeerError as error:
        raise _Forfeit(side, f"{word}: {error}") from None
