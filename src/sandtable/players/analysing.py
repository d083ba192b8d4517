"""Analysis for other tools, modelled on KataGo's analysis engine: queries with ids come in, answers go out when ready.

Every query and every answer is one line of JSON; the tables in docs/protocol.md are generated from the declarations
here. Values are in [-1, 1], for the side that decides.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from sandtable import json_fields
from sandtable.errors import PlayerError, SandtableError, one_line
from sandtable.games import Game, game, game_of
from sandtable.players.bots.messages import MessageError, read_fields
from sandtable.players.protocol import Analysis
from sandtable.players.spec import player, spec_of
from sandtable.rng import Rng
from sandtable.settings import declared

MAX_MOVES = 100_000  # per query
PARTS = (16, 4)  # a partial answer comes from a search with one of these fractions of the budget: 1/16, 1/4
MAX_WAITING = 10_000  # queries in the queue
MAX_PRIORITY = 2**31

Write = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Query:
    """A position to analyse: a map, and the moves played on it."""

    id: Annotated[str, "any text; the answers repeat it"]
    game: Annotated[str, "the game's name"]
    map: Annotated[Any, "the name of a shipped map, or a map in the form of a record"]
    start: Annotated[Any, "the first position, in the form of a record"] = None
    rules: Annotated[Any, "the rules, in the form of a record"] = None
    seed: Annotated[int, "seed of a random start, if the game has one, and of the search"] = 0
    moves: Annotated[list[Any], "the moves played, in the form of a record"] = dataclasses.field(default_factory=list)
    side: Annotated[int | None, "the side that decides; required if both sides decide at once"] = None
    maxVisits: Annotated[int | None, "budget, in the player's own count, such as simulations"] = None  # noqa: N815
    maxCandidates: Annotated[int | None, "maximal number of moveInfos"] = None  # noqa: N815
    priority: Annotated[int, "the waiting query with the highest priority is next"] = 0
    reportDuringSearch: Annotated[bool, "send partial answers, after a sixteenth and a quarter of the budget"] = False  # noqa: N815


@dataclass(frozen=True)
class Terminate:
    """Cancel a query: no further answers to it are sent."""

    id: Annotated[str, "any text; the answer repeats it"]
    action: Annotated[str, "`terminate`"]
    terminateId: Annotated[str, "the id of the query"]  # noqa: N815


@dataclass(frozen=True)
class MoveInfo:
    """A move that was considered."""

    move: Annotated[Any, "the move, in the form of a bot's move"]
    notation: Annotated[str, "the move in notation"]
    visits: Annotated[int, "simulations that began with this move, or the player's own count"]
    value: Annotated[float, "its value for the side that decides"]
    prior: Annotated[float | None, "its probability before the search; null without a policy"]
    order: Annotated[int, "its rank, 0 for the best"]
    pv: Annotated[list[Any], "the principal variation, this move first; in a simultaneous game this move alone"]


@dataclass(frozen=True)
class RootInfo:
    """The position as a whole."""

    side: Annotated[int, "the side that decides"]
    turn: Annotated[int, "turns played"]
    value: Annotated[float, "its value for that side"]
    visits: Annotated[int, "simulations"]
    nodes: Annotated[int, "positions in the tree"]
    seconds: Annotated[float, "time of the search"]


@dataclass(frozen=True)
class Answer:
    """An answer; the last to a query has isDuringSearch false."""

    id: Annotated[str, "the id of the query"]
    isDuringSearch: Annotated[bool, "whether a better answer will follow"]  # noqa: N815
    rootInfo: Annotated[RootInfo, "the position"]  # noqa: N815
    moveInfos: Annotated[list[MoveInfo], "the moves, best first"]  # noqa: N815


class Engine:
    """Answers queries on worker threads, each of which has its own player."""

    def __init__(self, spec: str, write: Write, threads: int = 1) -> None:
        self._spec, self._write_line, self._lock = spec, write, threading.Lock()
        if not hasattr(player(spec), "analyse"):
            raise PlayerError(f"{spec}: it cannot analyse positions: it has no analyse(state, side)")
        self._waiting: queue.PriorityQueue[tuple[int, int, Query | None]] = queue.PriorityQueue(MAX_WAITING)
        self._arrivals = itertools.count()
        self._terminated: set[str] = set()
        self._unanswered: set[str] = set()
        self._reader_gone = False
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def ask(self, line: bytes) -> None:
        """Queue a query, or cancel one. An invalid line is answered with an error that names the field. BrokenPipeError
        if nobody reads the answers any more."""
        self._check_reader()
        found: dict[str, Any] = {}
        try:
            found = _parse_object(line)
            if "action" in found:
                self._terminate(read_fields(Terminate, found))
                return
            query = read_fields(Query, found)
            json_fields.whole("priority", query.priority, -MAX_PRIORITY, MAX_PRIORITY)
            with self._lock:
                if query.id in self._unanswered:
                    raise MessageError(f"id: {query.id!r:.40} belongs to a query that is not answered yet")
                self._unanswered.add(query.id)
                self._terminated.discard(query.id)
        except SandtableError as error:
            self._write(error_answer(found.get("id"), error))
            return
        self._waiting.put((-query.priority, next(self._arrivals), query))

    @property
    def waiting(self) -> int:
        """The number of queries that no thread has started."""
        return self._waiting.qsize()

    def finish(self) -> None:
        """Answer the waiting queries, then stop the threads."""
        for _ in self._threads:
            self._waiting.put((MAX_PRIORITY + 1, next(self._arrivals), None))
        for thread in self._threads:
            thread.join()
        self._check_reader()

    def _check_reader(self) -> None:
        if self._reader_gone:
            raise BrokenPipeError

    def _terminate(self, message: Terminate) -> None:
        if message.action != "terminate":
            raise MessageError(f"action: must be 'terminate', not {message.action!r:.40}")
        with self._lock:
            if message.terminateId in self._unanswered:
                self._terminated.add(message.terminateId)
        self._write(dataclasses.asdict(message))

    def _work(self) -> None:
        own = player(self._spec)
        while (query := self._waiting.get()[2]) is not None:
            try:
                for answer in () if self._reader_gone else answers(own, query):
                    if query.id in self._terminated:
                        break
                    self._write(dataclasses.asdict(answer))
            except SandtableError as error:
                self._write(error_answer(query.id, error))
            except BaseException as error:  # a player may raise anything; Ctrl-C reaches only the main thread
                self._write(error_answer(query.id, SandtableError(one_line(error))))
            with self._lock:
                self._unanswered.discard(query.id)

    def _write(self, answer: dict[str, Any]) -> None:
        with self._lock:
            try:
                self._write_line(answer)
            except OSError:
                self._reader_gone = True


def error_answer(id: Any, error: SandtableError) -> dict[str, Any]:
    """The answer to a query that is invalid or failed."""
    return {"id": id if isinstance(id, str) else None, "error": str(error)}


def answers(one: Any, query: Query) -> Iterator[Answer]:
    """A player's answers to a query: partial ones if the query asks for them, then the final one."""
    state, side = position(query)
    if hasattr(one, "playing"):
        one = one.playing(game_of(state))
    parts = (*(PARTS if query.reportDuringSearch else ()), 1)
    for part in parts:
        budgeted = _with_budget(one, query.maxVisits, part)
        if budgeted is None:
            continue  # the player has no budget to divide
        if hasattr(budgeted, "start"):
            budgeted.start(game_of(state).map_of(state), side, query.seed)
        yield _answer(query, state, side, budgeted.analyse(state.copy(), side), during=part != 1)


def position(query: Query) -> tuple[Any, int]:
    """The state that a query asks about, and the side that decides there. SandtableError names the field."""
    found = game(query.game)
    if not 0 <= query.seed < 2**64:
        raise MessageError(f"seed: {query.seed!r:.40} is not within 0..2**64 - 1")
    if query.maxCandidates is not None and query.maxCandidates < 1:
        raise MessageError(f"maxCandidates: must be 1 or more, not {query.maxCandidates!r:.40}")
    if len(query.moves) > MAX_MOVES:
        raise MessageError(f"moves: there must be at most {MAX_MOVES:,}")
    state = _first_state(found, query)
    for number, kept in enumerate(query.moves):
        try:
            found.check_kept(f"moves[{number}]", kept)
            found.replay(state, kept)
        except (ValueError, TypeError, LookupError) as error:
            raise MessageError(f"moves[{number}]: {str(error).removeprefix(f'record: moves[{number}]: ')}") from None
    movers = found.movers(state)
    if not movers:
        raise MessageError("moves: the game is over: there is nothing to decide")
    if query.side is None and len(movers) > 1:
        raise MessageError("side: both sides decide at once: give 0 or 1")
    side = movers[0] if query.side is None else query.side
    if side not in movers:
        raise MessageError(f"side: must be {movers[0]}, the side to move, not {side!r:.20}")
    return state, side


def _first_state(found: Game, query: Query) -> Any:
    if not isinstance(query.map, str):
        return found.read_start(query.map, query.start, query.rules)
    if query.map not in found.shipped():  # only names, never files, because queries may come from strangers
        raise MessageError(f"map: {found.name} ships no map {query.map!r:.60}")
    if query.start is not None:
        raise MessageError("start: allowed only with a map that is given as an object")
    try:
        return found.start(found.load(query.map, query.rules), query.seed)
    except (TypeError, LookupError) as error:
        raise MessageError(f"rules: {error}") from None


def _with_budget(one: Any, visits: int | None, part: int) -> Any:
    """The player with 1 / `part` of its budget; None if it has no budget and `part` is not 1. `visits`, if given,
    replaces the player's count and its clock."""
    settings = {setting.name: setting for setting in declared(type(one))}
    counts = [name for name, setting in settings.items() if setting.is_count]
    clocks = [name for name in ("seconds", "seconds_per_turn") if getattr(one, name, None) is not None]
    if visits is not None:
        if not counts:
            raise MessageError(f"maxVisits: {spec_of(one)} has no count")
        if not 1 <= visits <= 2**31:
            raise MessageError(f"maxVisits: {visits!r:.40} is not within 1..2**31")
        return dataclasses.replace(one, **dict.fromkeys(clocks), **{counts[0]: max(1, visits // part)})
    if part == 1:
        return one
    if clocks:
        return dataclasses.replace(one, **{name: getattr(one, name) / part for name in clocks})
    if counts:
        given = getattr(one, counts[0]) or settings[counts[0]].default
        return dataclasses.replace(one, **{counts[0]: max(1, given // part)})
    return None


def _answer(query: Query, state: Any, side: int, analysis: Analysis, *, during: bool) -> Answer:
    found = game_of(state)
    infos = []
    for order, one in enumerate(analysis.candidates[: query.maxCandidates]):
        infos.append(
            MoveInfo(
                found.write_move(state, side, one.move),
                found.notation(state, one.move),
                one.visits,
                one.value,
                one.prior,
                order,
                _variation(found, state, side, one.pv or (one.move,)),
            )
        )
    visits = analysis.simulations or sum(one.visits for one in analysis.candidates)
    root = RootInfo(side, found.turn(state), analysis.value, visits, analysis.nodes, analysis.seconds)
    return Answer(query.id, during, root, infos)


def _variation(found: Game, state: Any, side: int, moves: Iterable[Any]) -> list[Any]:
    """A principal variation as JSON, each move written for the position that the moves before it lead to. In a
    simultaneous game it is the first move alone."""
    written, at = [], state.copy()
    for move in moves:
        movers = found.movers(at)
        written.append(found.write_move(at, side if found.simultaneous else movers[0], move))
        if found.simultaneous:
            break
        found.advance(at, [move], Rng(0, "variation"))
        if not found.movers(at):
            break
    return written


def _parse_object(line: bytes) -> dict[str, Any]:
    try:
        return json_fields.read_object(line.decode("utf-8"), "a query")
    except UnicodeDecodeError:
        raise MessageError("not UTF-8") from None
    except SandtableError as error:
        raise MessageError(str(error)) from None


def to_line(answer: dict[str, Any]) -> str:
    """An answer as a line of JSON."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
