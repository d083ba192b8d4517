"""`bot`: a program in any language as a player of every game. docs/protocol.md is for its author."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping
from typing import Any

from sandtable.errors import ForfeitError, PlayerError, SandtableError
from sandtable.games import game_of
from sandtable.players.bots import messages
from sandtable.players.bots.messages import BotHello, BotMove, BotMoves, BotReady, MessageError
from sandtable.players.bots.process import EXIT_SECONDS, BotFailure, BotProcess, check_program
from sandtable.players.seeding import GamesWith, Seeded
from sandtable.settings import declares, setting
from sandtable.texts import shown

MAX_GAMES = 100  # in a bot's `hello`
MAX_SECONDS = 100_000
ERROR_SECONDS = 0.1  # for the program to read why it lost
MAX_QUESTIONS = 10_000  # requests for `moves` in one decision


@declares()
class Bot(Seeded):
    """A program in any language that speaks JSON lines (docs/protocol.md), started for each game and ended with it. It
    loses a game in which it crashes, is late, breaks the protocol or plays an illegal move."""

    games = GamesWith()
    runs_code = True

    command: str = setting("", "the program with its arguments, as in a shell, without a shell's expansions")
    seconds: float = setting(10.0, "time for a move", low=0, high=MAX_SECONDS, above=True)
    bank: float | None = setting(None, "time for all moves of a game", low=0, high=MAX_SECONDS, above=True, type=float)
    increment: float = setting(0.0, "time that the bank gains with every move", low=0, high=MAX_SECONDS)
    start_seconds: float = setting(
        30.0, "limit for the answers to `hello` and `start`", low=0, high=MAX_SECONDS, above=True
    )
    memory: int | None = setting(None, "limit of the address space in megabytes", low=1, high=2**40, type=int)

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            self._command = shlex.split(self.command)
        except ValueError as error:
            raise PlayerError(f"command: {error}") from None
        check_program(self._command)
        self.clock: Callable[[], float] = time.monotonic
        self.hello: BotHello | None = None
        self.stderr = ""  # the end of its standard error in the last game, set when the program has ended
        self._process: BotProcess | None = None
        self._side, self._seed = 0, self.seed % 2**32
        self._position_sent: tuple[Any, int] | None = None  # map and hash of the position that the bot has
        self._requests = 0
        self._bank_left = self.bank

    def start(self, map: Any, side: int, seed: int) -> None:
        """Start the program for a new game."""
        super().start(map, side, seed)
        self.stop()
        self._side, self._seed, self.stderr = side, seed, ""
        self._check_game(self.launch(), map)

    def act(self, state: Any, side: int | None = None) -> Any:
        mover = self.check_position(state, side)
        self._tell_position(state, mover)
        self._check_no_unasked_line()
        self._requests += 1
        if self._bank_left is not None and self._bank_left <= 0:
            raise self.lose(f"has used up its time, {self.bank:g} s plus {self.increment:g} s for every move")
        allowed = self.seconds if self._bank_left is None else min(self.seconds, self._bank_left)
        begin = self.clock()
        self._send(messages.Move(self._requests, allowed, self._bank_left, game_of(state).position(state)))
        answer = self._answer(state, mover, begin, allowed)
        if self._bank_left is not None:
            self._bank_left += self.increment - (self.clock() - begin)
        try:
            return game_of(state).read_move(state, mover, answer.move)
        except SandtableError as error:
            raise self.lose(shown(str(error))) from None

    def played(self, before: Any, kept: Any, after: Any) -> None:
        """Tell the program what was played, in the form of a record."""
        self._tell_position(before, self._side)
        self._position_sent = _identity(after)
        self._send(messages.Played(kept, game_of(after).position(after)))

    def end(self, winner: int | None, reason: str | None) -> None:
        """Tell the program how the game ended, and end it."""
        if self._process is not None:
            self._send(messages.End(winner, reason))
            self.stop(EXIT_SECONDS)

    def lose(self, reason: str) -> ForfeitError:
        """Tell the program what it did wrong, end it, and return the error that ends the game."""
        if self._process is not None:
            self._send(messages.Error(reason))
            if said := self._process.stderr_line:
                reason = f"{reason}; stderr: {said}"
            self.stop(ERROR_SECONDS)
        return ForfeitError(self._side, reason)

    def stop(self, grace: float = 0.0) -> bool:
        """End the program. Returns whether it ended by itself."""
        process, self._process, self._position_sent = self._process, None, None
        if process is None:
            return True
        by_itself = process.end(grace)
        self.stderr = process.stderr
        return by_itself

    def launch(self) -> BotHello:
        """Start the program, or start it again. Returns its `hello`."""
        self.stop()
        self._bank_left = self.bank
        try:
            self._process = BotProcess(self._command, memory_megabytes=self.memory, clock=self.clock)
        except BotFailure as error:
            raise ForfeitError(self._side, str(error)) from None
        self._send(messages.Hello())
        hello: BotHello = self._receive({"hello": BotHello}, self.start_seconds)
        if len(hello.games) > MAX_GAMES or not all(one.isprintable() and len(one) <= 100 for one in hello.games):
            raise self.lose(f"hello: games: at most {MAX_GAMES} names of at most 100 printable characters")
        if hello.version != messages.VERSION:
            raise self.lose(f"speaks version {hello.version} of the protocol; this is version {messages.VERSION}")
        self.hello = hello
        return self.hello

    def _tell_position(self, state: Any, side: int) -> None:
        """Send `start` unless the bot already has this position from earlier messages."""
        if self._process is None:
            self._side = side
            self._check_game(self.launch(), state)
        if self._position_sent == _identity(state) and self._side == side:
            return
        game, self._side = game_of(state), side
        fields = game.start_fields(state)
        self._send(messages.Start(game.name, game.version, side, self._seed, position=game.position(state), **fields))
        self._receive({"ready": BotReady}, self.start_seconds)
        self._position_sent = _identity(state)

    def _check_game(self, hello: BotHello, position: Any) -> None:
        name = game_of(position).name
        if name not in hello.games:
            raise self.lose(f"plays {', '.join(hello.games) or 'no game'}, not {name}")

    def _answer(self, state: Any, side: int, begin: float, allowed: float) -> BotMove:
        for _ in range(MAX_QUESTIONS):
            left = allowed - (self.clock() - begin)
            found = self._receive({"move": BotMove, "moves": BotMoves}, left, allowed)
            if isinstance(found, BotMove):
                if found.id != self._requests:
                    raise self.lose(f"answered request {found.id} instead of {self._requests}: late, or twice")
                return found
            assert isinstance(found, BotMoves)
            if not 1 <= found.count <= messages.MAX_CHOICES:
                raise self.lose(f"moves: count: {found.count} is not within 1..{messages.MAX_CHOICES}")
            choices = game_of(state).choices(state, side, found.count, self.next_seed())
            self._send(messages.Moves(*choices))
        raise self.lose(f"asked for moves {MAX_QUESTIONS:,} times without playing one")

    def _check_no_unasked_line(self) -> None:
        assert self._process is not None
        try:
            line = self._process.unasked()
        except BotFailure as error:
            raise self.lose(str(error)) from None
        if line is not None:
            raise self.lose(f"wrote a line that nobody asked for: {messages.quoted(line)}")

    def _send(self, message: Any) -> None:
        assert self._process is not None
        self._process.send(messages.encode(message))

    def _receive(self, kinds: Mapping[str, type[Any]], seconds: float, limit: float | None = None) -> Any:
        assert self._process is not None
        try:
            return messages.decode(self._process.receive(seconds, limit), kinds)
        except (BotFailure, MessageError) as error:
            raise self.lose(str(error)) from None


def _identity(state: Any) -> tuple[Any, int]:
    return game_of(state).map_of(state), state.hash()
