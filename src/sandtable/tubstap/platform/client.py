"""A client of the platform's network protocol, with which any player can play there."""

from __future__ import annotations

from typing import Any

from sandtable.arena.record import Record
from sandtable.errors import SandtableError
from sandtable.games import IllegalMoveError
from sandtable.players.spec import player, spec_of
from sandtable.rng import Rng
from sandtable.tubstap import tbsmap
from sandtable.tubstap.game import GAME
from sandtable.tubstap.platform.actions import Action
from sandtable.tubstap.platform.connection import Command, Connection, PeerError
from sandtable.tubstap.ruleset import rules
from sandtable.tubstap.scenario import State

RULES = "platform"  # the platform's referee also accepts attacks that do no damage


class Client:
    """A player on a connection. `play` answers the server's commands until the game is over."""

    def __init__(self, connection: Connection, spec: str, seed: int = 0) -> None:
        self._connection, self._seed = connection, seed
        self._player: Any = player(spec)
        self._name = spec_of(self._player)
        self._opponent = "opponent"
        self._side: int | None = None
        self._start: State | None = None
        self._state: State | None = None
        self._moves: list[Any] = []

    def play(self) -> Record:
        """Play the game and return its record. No message ends a game: both ends apply the rules."""
        while not (self._state is not None and self._state.over):
            command = self._connection.next_command()
            if command is None:
                raise PeerError("the server closed the connection before the game was over")
            self._connection.answer(self._answer(command))
        assert self._start is not None
        own, other = self._name, self._opponent
        state = self._state
        return Record(
            start=self._start,
            players=(own, other) if self._side == 0 else (other, own),
            seed=self._seed,
            moves=tuple(map(GAME.as_moves, self._moves)),
            winner=state.winner,
            reason=state.reason,
            turns=state.turn,
        )

    def _answer(self, command: Command) -> str:
        if command.word == "name":
            return self._name
        if command.word == "opponent":
            self._opponent = command.arguments[:200] or self._opponent
        elif command.word == "MAP":
            self._begin(command.arguments)
        elif command.word == "Color":
            self._take_side(command.arguments)
        elif command.word == "Genmove":
            return str(self._decide())
        elif command.word == "play":
            self._played(command.arguments)
        else:
            raise PeerError(f"the server sent the unknown command {command.word!r:.40}")
        return ""

    def _begin(self, text: str) -> None:
        try:
            self._start = tbsmap.parse(text, rules(RULES), "network").start()
        except SandtableError as error:
            raise PeerError(f"the server sent a damaged map: {error}") from None
        self._state, self._moves = self._start.copy(), []

    def _take_side(self, text: str) -> None:
        if text not in ("0", "1"):
            raise PeerError(f"the server sent Color {text!r:.20}, which must be 0 or 1")
        self._side = int(text)
        if hasattr(self._player, "start"):
            self._player.start(self._known().scenario, self._side, self._seed)

    def _known(self) -> State:
        if self._state is None:
            raise PeerError("the server sent no MAP before its command")
        return self._state

    def _decide(self) -> Action:
        state = self._known()
        if self._side is None or state.side != self._side:
            raise PeerError("the server asked for an operation in the other side's turn")
        move = self._player.act(state.copy(), self._side)
        action = Action.of(state, move)
        self._advance(action)
        return action

    def _played(self, text: str) -> None:
        state = self._known()
        try:
            action = Action.parse(text)
            if self._side is None or state.side == self._side:
                raise SandtableError("it is not the opponent's turn")
            self._advance(action)
        except SandtableError as error:
            raise PeerError(f"the server sent play {text!s:.60}: {error}") from None

    def _advance(self, action: Action) -> None:
        try:
            self._moves.append(GAME.advance(self._known(), [action.move], Rng(0, "network")))
        except IllegalMoveError as error:
            raise SandtableError(str(error)) from None
