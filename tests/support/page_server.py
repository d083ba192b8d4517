"""The page's server in this process, with searches in threads, and a page that talks to it."""

from __future__ import annotations

import contextlib
import importlib
import json
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient, WebSocketTestSession

import sandtable as st
from sandtable.games import registry
from sandtable.web.app import make_app
from sandtable.web.guarding import Door
from sandtable.web.hub import Hub
from sandtable.web.keeping import GameStore
from sandtable.web.searches import Searches

ADDRESS = "http://127.0.0.1:8765"
LIVE = "ws://127.0.0.1:8765/api/live"
HUMAN = {"kind": "human"}


def level(name: str) -> dict[str, Any]:
    return {"kind": "player", "level": name}


def uct(count: int) -> dict[str, Any]:
    return {"kind": "player", "player": "uct", "count": count}


@contextlib.contextmanager
def serving(store: Path, *, workers: int = 1, door: Door | None = None, address: str = ADDRESS) -> Iterator[TestClient]:
    """Run a server, with a toy game besides the shipped ones; gives a client of it."""
    with _with_goofspiel(), GameStore(store) as games:
        hub = Hub(games, Searches(workers, lambda: ThreadPoolExecutor(1)))
        with TestClient(make_app(hub, door or Door()), base_url=address) as client:
            yield client


@contextlib.contextmanager
def _with_goofspiel() -> Iterator[None]:
    """Register the game Goofspiel for a while; other tests register a game of this name too."""
    registry.games()  # imports all shipped games: one that is first imported later would be removed below
    known = dict(registry._GAMES)
    registry._GAMES.pop("goofspiel", None)
    try:
        st.register_game(importlib.import_module("support.goofspiel").GAME)
        yield
    finally:
        registry._GAMES.clear()
        registry._GAMES.update(known)


class Live:
    """One page's connection."""

    def __init__(self, session: WebSocketTestSession) -> None:
        self.session = session
        self.events: deque[dict[str, Any]] = deque()
        self._number = 0

    def ask(self, do: str, **message: Any) -> Any:
        """The server's answer: the value, or the error as a text."""
        self._number += 1
        self.session.send_text(json.dumps({"id": self._number, "do": do, **message}))
        while True:
            found = json.loads(self.session.receive_text())
            if found.get("re") == self._number:
                return found["ok"] if "ok" in found else found["error"]
            self.events.append(found)

    def wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next event that satisfies `wanted`; those before it are dropped."""
        while True:
            event = self.events.popleft() if self.events else json.loads(self.session.receive_text())
            if wanted(event):
                return event

    def state_when(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next state of a game that satisfies `wanted`."""
        found: dict[str, Any] = self.wait(lambda event: event["event"] == "game" and wanted(event["state"]))["state"]
        return found

    def new(self, game: str, map: str, *sides: dict[str, Any], seed: int = 0) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("new_game", game=game, map=map, sides=list(sides), seed=seed)["state"]
        return found


@contextlib.contextmanager
def live(client: TestClient) -> Iterator[Live]:
    with client.websocket_connect(LIVE) as session:
        yield Live(session)
