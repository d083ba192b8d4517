"""Live analysis of any position of a game or a replay, including positions that are reached by trying out moves."""

from __future__ import annotations

import asyncio
import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sandtable import json_fields
from sandtable.analysis import Analysis, Candidate
from sandtable.errors import SandtableError
from sandtable.games import Game, game_of
from sandtable.rng import Rng
from sandtable.web.hub import Hub
from sandtable.web.pages import page_of
from sandtable.web.search_tasks import analyse
from sandtable.web.views import last_moves, view

MAX_SIMULATIONS = 20_000
MAX_LINE = 200  # moves that are tried from a position
MAX_ANALYSES = 4  # that one connection runs at once
MAX_CANDIDATES = 12  # sent with each result
MAX_PV = 12  # moves of a principal variation
FIRST_PART = 64  # simulations of the first result; each further result has twice as many
GROWING_PART = 256  # most simulations between two results of a search that continues its tree
HINT_SIMULATIONS = 600

_numbers = itertools.count()


@dataclass(frozen=True)
class Position:
    """A position to show or to analyse."""

    game: Game
    state: Any
    ply: int
    last: list[Any]  # the last moves of the line that was tried; empty without a line
    said: tuple[str, ...] = ()  # the moves of that line, in words

    def to_json(self) -> dict[str, Any]:
        page, movers = page_of(self.game), self.game.movers(self.state)
        return {
            "game": self.game.name,
            "ground": page.ground(self.game.map_of(self.state)),
            "view": view(self.game, self.state, self.ply, self.last),
            "choices": page.choices(self.state, movers[0]) | {"side": movers[0]} if movers else None,
            "sentences": list(self.said),
        }


def position_of(hub: Hub, given: Any, line: Any) -> Position:
    """The position that a request names, after a line of moves that is tried from there. In a game of simultaneous
    turns each item of the line is a list of both sides' moves."""
    found = json_fields.fields("position", given, {"game_id": None, "replay_id": None, "ply": ...})
    if found["game_id"] is None and found["replay_id"] in hub.replays:
        state = hub.replays.position(found["replay_id"], found["ply"])
    else:  # a stored game can be replayed too, so `replay_id` may name one
        in_play = hub.find(found["replay_id"] if found["game_id"] is None else found["game_id"])
        state = in_play.position(found["ply"]).copy()
    game, ply = game_of(state), found["ply"]
    last: list[Any] = []
    said: list[str] = []
    for number, item in enumerate(json_fields.items("line", line, MAX_LINE)):
        movers = game.movers(state)
        items = [item] if len(movers) == 1 else json_fields.items(f"line: move {number + 1}", item, 2)
        if len(items) != len(movers) or not movers:
            wrong = "must have a move of each side" if movers else "the game is over"
            raise SandtableError(f"line: move {number + 1}: {wrong}")
        moves = [game.read_move(state, side, one) for side, one in zip(movers, items, strict=True)]
        before = state.copy()
        words = [game.describe(before, one) for one in moves]
        kept = game.advance(state, moves, Rng(0, f"page line {ply}"))
        if len(movers) > 1:
            words = [f"{page_of(game).sides[side]} {one}" for side, one in zip(movers, words, strict=True)]
        said.append("; ".join(words))
        last, ply = last_moves(game, before, kept), ply + 1
    return Position(game, state, ply, last, tuple(said))


class Analyser:
    """The analyses of one connection; `send` takes its events."""

    def __init__(self, hub: Hub, send: Callable[[dict[str, Any]], None]) -> None:
        self._hub, self._send = hub, send
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def begin(self, message: dict[str, Any]) -> None:
        """Start an analysis. It replaces a running one of the same id."""
        keys = {"analysis_id": ..., "position": ..., "line": [], "simulations": 2000}
        found = json_fields.fields("analyse", message, keys | {"game": None, "level": None, "side": None})
        id = json_fields.text("analysis_id", found["analysis_id"])
        if len(id) > 100:
            raise SandtableError("analysis_id: must have at most 100 characters")
        simulations = json_fields.whole("simulations", found["simulations"], 1, MAX_SIMULATIONS)
        position = position_of(self._hub, found["position"], found["line"])
        movers = position.game.movers(position.state)
        if not movers:
            raise SandtableError("the game is over: there is nothing to analyse")
        side = movers[0] if found["side"] is None else json_fields.whole("side", found["side"], 0, 1)
        if side not in movers:
            raise SandtableError(f"it is not side {side}'s move")
        level = None if found["level"] is None else self._hub.catalogue.level(position.game, found["level"])
        self.stop(id)
        if len(self._tasks) >= MAX_ANALYSES:
            raise SandtableError(f"a page runs at most {MAX_ANALYSES} analyses at once; stop one first")
        parts = self._run(id, position, side, simulations, None if level is None else level.spec)
        task = self._tasks[id] = asyncio.ensure_future(parts)
        task.add_done_callback(lambda done: self._ended(id, done))

    def stop(self, id: Any) -> None:
        task = self._tasks.pop(id, None) if isinstance(id, str) else None
        if task is not None:
            task.cancel()

    def close(self) -> None:
        for id in list(self._tasks):
            self.stop(id)

    def _ended(self, id: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(id) is task:
            del self._tasks[id]

    def _tell_place(self, id: str, place: int) -> None:
        self._send({"event": "analysis", "analysis_id": id, "done": False, "queue": place or None})

    async def _run(self, id: str, position: Position, side: int, simulations: int, spec: str | None) -> None:
        """Analyse in parts. If the player keeps its tree, each part continues the search of the previous one; otherwise
        each part searches again with twice the budget. Between two parts other searches may use the worker. A player of
        a given `spec` searches once, with its own budget."""
        page = page_of(position.game)
        grows = page.analysis_grows and spec is None
        key, done, seconds, worker = next(_numbers), 0, 0.0, None
        part = _even_part(simulations) if grows else min(FIRST_PART, simulations)
        try:
            while done < simulations:
                player = spec or page.analyst(part)
                name = f"{key}" if grows else f"{key} {part}"
                ticket = self._hub.searches.ticket(analyse, name, player, position.state, side, worker=worker)
                found, worker = await self._hub.result(ticket, functools.partial(self._tell_place, id))
                seconds += found.seconds
                done = simulations if spec else done + part if grows else part
                self._send(
                    {"event": "analysis", "analysis_id": id, "side": side, "queue": None, "seconds": seconds}
                    | {"done": done >= simulations, "simulations": done, "ply": position.ply}
                    | shown(position, side, found)
                )
                part = part if grows else min(2 * part, simulations)
        except SandtableError as error:
            self._send({"event": "analysis", "analysis_id": id, "done": True, "error": str(error)})


def _even_part(simulations: int) -> int:
    """The simulations of each part of a search that continues its tree: at most GROWING_PART, the same for all parts.
    The parts add up to `simulations`, or to a few more if no suitable number of parts divides it."""
    least = math.ceil(simulations / GROWING_PART)
    parts = next((count for count in range(least, 2 * least + 1) if simulations % count == 0), least)
    return math.ceil(simulations / parts)


async def hint(hub: Hub, game: Game, state: Any, side: int) -> dict[str, Any]:
    """The move that the analyst would play, with its value and principal variation."""
    page = page_of(game)
    spec = page.analyst(HINT_SIMULATIONS)
    found = await hub.searches.run(analyse, f"{next(_numbers)}", spec, state, side)
    best = shown(Position(game, state, 0, []), side, found)["candidates"][0]
    return {"side": side, **{key: best[key] for key in ("move", "sentence", "notation", "value", "pv")}}


def shown(position: Position, side: int, found: Analysis) -> dict[str, Any]:
    """An analysis as JSON for the page: `value` is for side 0, the candidates' values are for the side that moves. The
    first candidate is the move that would be played; of the others, those without a visit are left out."""
    value = found.value if side == 0 else -found.value
    searched = [one for rank, one in enumerate(found.candidates) if rank == 0 or one.visits]
    return {
        "value": value,
        "values": [value, -value],
        "nodes": found.nodes,
        "candidates": [_candidate(position, side, one) for one in searched[:MAX_CANDIDATES]],
    }


def _candidate(position: Position, side: int, one: Candidate) -> dict[str, Any]:
    game, state = position.game, position.state
    return {
        "move": game.write_move(state, side, one.move),
        "sentence": game.describe(state, one.move),
        "notation": game.notation(state, one.move),
        "visits": one.visits,
        "value": one.value,
        "prior": one.prior,
        "pv": _sentences(position, one) if not game.simultaneous else [game.describe(state, one.move)],
    }


def _sentences(position: Position, one: Candidate) -> list[str]:
    """A principal variation in words; each move is described in the position where it is played."""
    game, state = position.game, position.state.copy()
    said = []
    for number, move in enumerate(one.pv[:MAX_PV]):
        if not game.movers(state):
            break
        try:
            said.append(game.describe(state, move))
            game.advance(state, [move], Rng(0, f"page pv {number}"))
        except (SandtableError, LookupError):
            break  # the line may come from sampled play, and its moves need not be legal here
    return said
