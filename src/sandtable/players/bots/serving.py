"""The bot's side of the protocol: a player of this package as a bot, for any program that is a referee."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO

from sandtable.errors import PlayerError, SandtableError
from sandtable.games import Game, game
from sandtable.players.bots import messages
from sandtable.players.bots.messages import FROM_REFEREE, BotHello, BotMove, BotReady, MessageError
from sandtable.players.spec import player, spec_of


class ServedPlayer:
    """`answer` takes a message from the referee and returns the line to write, if the message needs an answer."""

    def __init__(self, spec: str) -> None:
        self._player: Any = player(spec)
        self._name = spec_of(self._player)
        self._game: Game | None = None
        self._state: Any = None
        self._side = 0
        self.over = False

    def answer(self, line: bytes) -> bytes | None:
        """The answer to a message. SandtableError if the message is invalid, or if the player cannot go on."""
        message = messages.decode(line, FROM_REFEREE, strict=False)
        if isinstance(message, messages.Hello):
            return self._hello(message)
        if isinstance(message, messages.Start):
            return self._start(message)
        if isinstance(message, messages.Error):
            raise PlayerError(f"the referee says: {message.message}")
        if isinstance(message, messages.End):
            self.over = True
            return None
        if self._game is None:
            raise MessageError("the first messages must be hello and start")
        if isinstance(message, messages.Move):
            move = self._player.act(self._state.copy(), self._side)
            return messages.encode(BotMove(message.id, self._game.write_move(self._state, self._side, move)))
        if isinstance(message, messages.Played):
            try:
                self._game.check_kept("played: record", message.record)
                self._game.replay(self._state, message.record)
            except (ValueError, TypeError, LookupError) as error:
                raise MessageError(f"played: record: {error}") from None
        return None

    def _hello(self, message: messages.Hello) -> bytes:
        if message.protocol != messages.PROTOCOL or message.version != messages.VERSION:
            given = f"{message.protocol!r:.40}, version {message.version}"
            raise MessageError(f"hello: {given}; this is {messages.PROTOCOL}, version {messages.VERSION}")
        return messages.encode(BotHello(messages.VERSION, self._name, list(getattr(self._player, "games", ()))))

    def _start(self, message: messages.Start) -> bytes:
        found = game(message.game)
        if message.game_version != found.version:
            raise MessageError(
                f"start: version {message.game_version} of {found.name}; this program plays {found.version}"
            )
        if message.side not in (0, 1):
            raise MessageError(f"start: side: must be 0 or 1, not {message.side}")
        if not 0 <= message.seed < 2**64:
            raise MessageError(f"start: seed: {message.seed!r:.40} is not within 0..2**64 - 1")
        self._state = found.read_start(message.map, message.start, message.rules)
        self._game, self._side = found, message.side
        if hasattr(self._player, "start"):
            self._player.start(found.map_of(self._state), message.side, message.seed)
        return messages.encode(BotReady())


def serve(spec: str, lines: Iterable[bytes], output: BinaryIO) -> None:
    """Answer the messages of a referee until the game or the input ends."""
    served = ServedPlayer(spec)
    for line in lines:
        try:
            answer = served.answer(line)
        except RecursionError:
            raise MessageError("the JSON is nested too deep") from None
        if answer is not None:
            output.write(answer + b"\n")
            output.flush()
        if served.over:
            return


def lines_within(stream: BinaryIO, limit: int) -> Iterable[bytes]:
    """The lines of a stream that are not blank; SandtableError if one is longer than the limit."""
    while line := stream.readline(limit + 1):
        if len(line) > limit:
            raise SandtableError(f"a line of more than {limit:,} bytes")
        if line.strip():
            yield line
