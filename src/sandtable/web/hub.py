"""The state that all connections share: the open games, their watchers, and the players that are thinking."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from sandtable.errors import SandtableError, one_line
from sandtable.web.catalogue import Catalogue
from sandtable.web.keeping import GameStore
from sandtable.web.playing import GameInPlay
from sandtable.web.replays import Replays
from sandtable.web.search_tasks import Decision, decide
from sandtable.web.searches import Searches, Ticket

MAX_OPEN = 500  # games in memory; beyond that, games without watchers are dropped and reloaded from the store on demand
QUEUE_SECONDS = 0.5  # interval between reports of places in the queue

Watcher = Callable[[dict[str, Any]], None]  # takes an event; must not block


class Hub:
    """The players' decisions run in `searches`. A player thinks only while its game has a watcher."""

    def __init__(self, store: GameStore, searches: Searches) -> None:
        self.store, self.searches, self.catalogue, self.replays = store, searches, Catalogue(), Replays()
        self._games: OrderedDict[str, GameInPlay] = OrderedDict()
        self._watchers: dict[str, set[Watcher]] = {}
        self._thinking: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._tickets: dict[tuple[str, int], Ticket] = {}
        self._waiting: dict[Ticket, Callable[[int], None]] = {}  # told the search's place in the queue
        self._failed: dict[str, str] = {}  # by game id: why a player of the game could not move

    def new_game(self, game: Any, map: Any, seed: int, sides: list[Any]) -> GameInPlay:
        of = self.catalogue.game(game)
        if len(sides) != 2:
            raise SandtableError("sides: must have two entries")
        seats = [self.catalogue.seat(of, one) for one in sides]
        made = GameInPlay.begin(self.store, self.catalogue.map(of, map), seed, seats)
        self._games[made.id] = made
        self._forget_old()
        return made

    def find(self, id: Any) -> GameInPlay:
        """An open game, or one from the store."""
        if not isinstance(id, str):
            raise SandtableError("game_id: must be a string")
        if id not in self._games:
            kept = self.store.load(id)
            if kept is None:
                raise SandtableError(f"there is no game {id!r:.40}")
            of = self.catalogue.game(kept.game)
            try:
                self._games[id] = GameInPlay.again(self.store, of, kept)
            except (SandtableError, ValueError, TypeError, LookupError) as error:
                raise SandtableError(f"the game {id} cannot be read from the store: {error}") from None
        self._games.move_to_end(id)
        self._forget_old()
        return self._games[id]

    def remove(self, id: str) -> bool:
        """Delete a game, here and in the store. Returns whether the store had it."""
        self._stop_thinking(id)
        self._games.pop(id, None)
        self._failed.pop(id, None)
        return self.store.remove(id)

    def _forget_old(self) -> None:
        idle = [id for id in self._games if not self._watchers.get(id)]
        for id in idle[: max(0, len(self._games) - MAX_OPEN)]:
            del self._games[id]

    def watch(self, game: GameInPlay, watcher: Watcher) -> None:
        self._watchers.setdefault(game.id, set()).add(watcher)
        self.think(game)

    def unwatch(self, id: str, watcher: Watcher) -> None:
        watchers = self._watchers.get(id, set())
        watchers.discard(watcher)
        if not watchers:
            self._watchers.pop(id, None)
            self._stop_thinking(id)

    def show(self, game: GameInPlay, since: int | None = None) -> dict[str, Any]:
        """The game as JSON for the page: see GameInPlay.to_json."""
        sides = [side for side in game.deciding if (game.id, side) in self._thinking]
        thinking = None
        if sides:
            ticket = self._tickets.get((game.id, sides[0]))
            thinking = {"side": sides[0], "queue": ticket.place if ticket else 0}
        found = game.to_json(thinking, since)
        if game.id in self._failed:
            found["error"] = self._failed[game.id]
        return found

    def push(self, game: GameInPlay, plies: int = 0) -> None:
        """Send the watchers the game's state and its last `plies` plies, which have just been played. Earlier plies are
        not sent again, so that messages do not grow with the game."""
        watchers = self._watchers.get(game.id)
        if not watchers:
            return
        played = [one for number in range(game.ply - plies, game.ply) for one in game.played(number)]
        event = {"event": "game", "state": self.show(game, game.ply - plies), "played": played}
        for watcher in list(watchers):
            watcher(event)

    def give(self, game: GameInPlay, side: int, move: Any, value: float | None = None) -> None:
        """Play a move, start the players that decide next, and tell the watchers."""
        done = game.give(side, move, value)
        self.think(game)
        self.push(game, int(done))

    def changed(self, game: GameInPlay) -> None:
        """After an undo or a resignation: restart the players and tell the watchers."""
        self._stop_thinking(game.id)
        self.think(game)
        self.push(game)

    def think(self, game: GameInPlay) -> None:
        """Start the players whose move is missing, if the game has a watcher."""
        if not self._watchers.get(game.id):
            return
        for side in game.deciding:
            spec = game.seats[side].spec
            key = (game.id, side)
            if spec is not None and key not in self._thinking:
                self._failed.pop(game.id, None)
                task = asyncio.ensure_future(self._decide(game, side, spec))
                self._thinking[key] = task
                task.add_done_callback(functools.partial(self._thinking_ended, key))

    def _thinking_ended(self, key: tuple[str, int], task: asyncio.Task[None]) -> None:
        if self._thinking.get(key) is task:
            del self._thinking[key]
            self._tickets.pop(key, None)

    def _stop_thinking(self, id: str) -> None:
        for side in (0, 1):
            task = self._thinking.pop((id, side), None)
            self._tickets.pop((id, side), None)
            if task is not None:
                task.cancel()

    async def _decide(self, game: GameInPlay, side: int, spec: str) -> None:
        """One decision of a player. give() plays it and starts the next one."""
        key, ply = (game.id, side), game.ply
        try:
            ticket = self.searches.ticket(decide, spec, game.state.copy(), side, game.decision_seed(side))
            self._tickets[key] = ticket
            decision: Decision = (await self.result(ticket, functools.partial(self._tell_place, game.id)))[0]
            if game.ply == ply and side in game.deciding:
                self._thinking.pop(key, None)
                self._tickets.pop(key, None)
                self.give(game, side, decision.move, decision.value)
        except Exception as error:  # a user's own game or player may raise any exception
            reason = str(error) if isinstance(error, SandtableError) else one_line(error)
            self._failed[game.id] = f"{game.seats[side].title} cannot move: {reason}"
            self._thinking.pop(key, None)
            self.push(game)

    async def result(self, ticket: Ticket, tell: Callable[[int], None]) -> tuple[Any, int]:
        """The result of a search, and its worker. While the search waits, `tell` is called with its place in the queue
        whenever that changes, and with 0 when the search begins."""
        self._waiting[ticket] = tell
        try:
            return await self.searches.result(ticket)
        finally:
            del self._waiting[ticket]

    def _tell_place(self, id: str, place: int) -> None:
        for watcher in list(self._watchers.get(id, ())):
            watcher({"event": "queue", "game_id": id, "place": place})

    async def tell_places(self) -> None:
        """Report the place in the queue of every waiting search whenever it has changed."""
        told: dict[Ticket, int] = {}
        while True:
            await asyncio.sleep(QUEUE_SECONDS)
            places = {ticket: ticket.place for ticket in self._waiting}
            for ticket, tell in list(self._waiting.items()):
                if told.get(ticket, 0) != ticket.place:
                    tell(ticket.place)
            told = places

    async def close(self) -> None:
        tasks = list(self._thinking.values())
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self.searches.close()
