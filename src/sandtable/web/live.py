"""A page's connection: JSON messages over a WebSocket. An invalid message is answered with a one-line error."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from time import monotonic as monotonic
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from sandtable import json_fields
from sandtable.errors import SandtableError, one_line
from sandtable.web.analysing import Analyser, hint, position_of
from sandtable.web.hub import Hub
from sandtable.web.playing import GameInPlay

MAX_MESSAGE = 64 * 1024  # bytes
MAX_GAMES = 60  # that one connection watches
MAX_RATE = 100  # messages per second
MAX_SLOW = 4  # requests of one connection that wait for a search
MAX_OUTBOX = 400  # messages that a slow client may leave unread before it is cut off
TOO_BIG, TOO_SLOW = 1009, 1013  # codes that close a WebSocket
CLOSING_SECONDS = 2.0  # time limit for closing the connection of a client that was cut off


class Connection:
    """One page."""

    def __init__(self, hub: Hub, socket: WebSocket) -> None:
        self._hub, self._socket = hub, socket
        self._outbox: asyncio.Queue[str] = asyncio.Queue(MAX_OUTBOX)
        self._watched: set[str] = set()
        self._analyser = Analyser(hub, self._send)
        self._tokens, self._refilled = float(MAX_RATE), monotonic()
        self._cut_off = asyncio.Event()
        self._slow_answers: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        await self._socket.accept()
        tasks = [asyncio.ensure_future(part) for part in (self._read(), self._write(), self._cut_off.wait())]
        try:
            ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
        finally:
            self._analyser.close()
            for id in self._watched:
                self._hub.unwatch(id, self._send)
            for task in (*tasks, *self._slow_answers):
                task.cancel()
            await asyncio.wait(tasks)
        if self._cut_off.is_set():
            with contextlib.suppress(TimeoutError, WebSocketDisconnect, RuntimeError):
                await asyncio.wait_for(self._socket.close(TOO_SLOW), CLOSING_SECONDS)

    def _send(self, message: dict[str, Any]) -> None:
        """Put a message into the outbox. A client that does not read its messages is cut off, and may reconnect."""
        try:
            self._outbox.put_nowait(json_fields.to_json(message))
        except asyncio.QueueFull:
            self._cut_off.set()

    async def _read(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, KeyError, RuntimeError):  # KeyError: bytes, not text
            while True:
                text = await self._socket.receive_text()
                if len(text.encode()) > MAX_MESSAGE:
                    await self._socket.close(TOO_BIG)
                    return
                await self._receive(text)

    async def _write(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._socket.send_text(await self._outbox.get())

    async def _receive(self, text: str) -> None:
        number: Any = None
        try:
            message = json_fields.read_object(text)
            number = message.pop("id", None)
            if number is not None and not isinstance(number, int | str):
                number = None
                raise SandtableError("id: must be a number or a string")
            if not self._within_rate():
                raise SandtableError(f"too many messages: at most {MAX_RATE} a second")
            name = message.pop("do", None)
            action = _ACTIONS.get(name) if isinstance(name, str) else None
            if action is None:
                raise SandtableError(f"do: {name!r:.40} is none of {', '.join(_ACTIONS)}")
            if name in _SLOW:
                if len(self._slow_answers) >= MAX_SLOW:
                    raise SandtableError("too many requests are pending; wait for an answer")
                task = asyncio.ensure_future(self._answer(number, action, message))
                self._slow_answers.add(task)
                task.add_done_callback(self._slow_answers.discard)
                return
        except SandtableError as error:
            self._send({"re": number, "error": str(error)})
            return
        await self._answer(number, action, message)

    async def _answer(self, number: Any, action: Action, message: dict[str, Any]) -> None:
        try:
            answer = await action(self, message)
        except SandtableError as error:
            self._send({"re": number, "error": str(error)})
        except Exception as error:  # a user's own game may raise any exception
            self._send({"re": number, "error": one_line(error)})
        else:
            self._send({"re": number, "ok": answer})

    def _within_rate(self) -> bool:
        now = monotonic()
        self._tokens = min(float(MAX_RATE), self._tokens + MAX_RATE * (now - self._refilled))
        self._refilled = now
        self._tokens -= 1
        if self._tokens < 0:
            self._tokens = 0.0
            return False
        return True

    def _watch(self, game: GameInPlay) -> None:
        if game.id not in self._watched:
            if len(self._watched) >= MAX_GAMES:
                raise SandtableError(f"a page has at most {MAX_GAMES} games open; close one first")
            self._watched.add(game.id)
        self._hub.watch(game, self._send)

    async def new_game(self, message: dict[str, Any]) -> Any:
        found = json_fields.fields("new_game", message, {"game": ..., "map": ..., "seed": 0, "sides": ...})
        if len(self._watched) >= MAX_GAMES:
            raise SandtableError(f"a page has at most {MAX_GAMES} games open; close one first")
        seed = json_fields.whole("seed", found["seed"], 0, 2**32 - 1)
        sides = json_fields.items("sides", found["sides"], 2)
        game = self._hub.new_game(found["game"], found["map"], seed, sides)
        self._watch(game)
        return {"game_id": game.id, "state": self._hub.show(game)}

    async def join(self, message: dict[str, Any]) -> Any:
        found = json_fields.fields("join", message, {"game_id": ...})
        game = self._hub.find(found["game_id"])
        self._watch(game)
        return {"state": self._hub.show(game)}

    async def unwatch(self, message: dict[str, Any]) -> Any:
        found = json_fields.fields("unwatch", message, {"game_id": ...})
        id = json_fields.text("game_id", found["game_id"])
        self._watched.discard(id)
        self._hub.unwatch(id, self._send)
        return {}

    async def move(self, message: dict[str, Any]) -> Any:
        found = json_fields.fields("move", message, {"game_id": ..., "ply": ..., "move": ..., "side": None})
        game = self._hub.find(found["game_id"])
        ply = json_fields.whole("ply", found["ply"], 0, 2**31)
        if ply != game.ply:
            raise SandtableError(f"the move is for ply {ply}, but the game is at ply {game.ply}")
        people = [side for side in game.deciding if game.seats[side].kind == "human"]
        if not people:
            raise SandtableError("the game is over" if game.end else "it is not your move")
        side = people[0] if found["side"] is None else json_fields.whole("side", found["side"], 0, 1)
        if side not in people:
            raise SandtableError(f"nobody at this screen is to move for {game.page.sides[side]}")
        self._hub.give(game, side, game.game.read_move(game.state, side, found["move"]))
        return {"ply": game.ply}

    async def undo(self, message: dict[str, Any]) -> Any:
        found = json_fields.fields("undo", message, {"game_id": ...})
        game = self._hub.find(found["game_id"])
        game.undo()
        self._hub.changed(game)
        return {"ply": game.ply}

    async def resign(self, message: dict[str, Any]) -> Any:
        found = json_fields.fields("resign", message, {"game_id": ..., "side": ...})
        game = self._hub.find(found["game_id"])
        game.resign(json_fields.whole("side", found["side"], 0, 1))
        self._hub.changed(game)
        return {}

    async def hint(self, message: dict[str, Any]) -> Any:
        found = json_fields.fields("hint", message, {"game_id": ..., "side": None})
        game = self._hub.find(found["game_id"])
        people = [side for side in game.deciding if game.seats[side].kind == "human"]
        if not people:
            raise SandtableError("hints are only for a person who is to move")
        side = people[0] if found["side"] is None else json_fields.whole("side", found["side"], 0, 1)
        if side not in people:
            raise SandtableError("hints are only for a person who is to move")
        return await hint(self._hub, game.game, game.state.copy(), side)

    async def analyse(self, message: dict[str, Any]) -> Any:
        self._analyser.begin(message)
        return {}

    async def stop(self, message: dict[str, Any]) -> Any:
        found = json_fields.fields("stop", message, {"analysis_id": ...})
        self._analyser.stop(found["analysis_id"])
        return {}

    async def line(self, message: dict[str, Any]) -> Any:
        found = json_fields.fields("line", message, {"position": ..., "line": [], "game": None})
        position = position_of(self._hub, found["position"], found["line"])
        return position.to_json()


Action = Callable[[Connection, dict[str, Any]], Awaitable[Any]]
_SLOW = ("hint",)
_ACTIONS: dict[str, Action] = {
    "new_game": Connection.new_game,
    "join": Connection.join,
    "watch": Connection.join,
    "unwatch": Connection.unwatch,
    "move": Connection.move,
    "undo": Connection.undo,
    "resign": Connection.resign,
    "hint": Connection.hint,
    "analyse": Connection.analyse,
    "stop": Connection.stop,
    "line": Connection.line,
}
