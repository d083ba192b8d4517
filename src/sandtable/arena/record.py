"""A record is a game, not what somebody made of it: the start, the rules, the seed and every move.

It is one JSON line each way, and it replays through the engine, which must come to the same end.
"""

from __future__ import annotations

import collections
import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sandtable import conquest, json_fields, tubstap
from sandtable.arena.early_end import AGREED_TIE, REASONS
from sandtable.errors import RecordError, SandtableError
from sandtable.players.protocol import GAMES, Start, State, play_move
from sandtable.texts import check_text

FORMAT = "sandtable-record"
VERSION = 1
MAX_MOVES = 1_000_000

_FIELDS = {
    "format": ...,
    "version": ...,
    "game": ...,
    "game_version": ...,
    "map": ...,
    "start": None,
    "rules": None,
    "players": ...,
    "seed": ...,
    "moves": ...,
    "winner": ...,
    "reason": None,
    "turns": ...,
}


@dataclass(frozen=True)
class Record:
    """`start` is the state that the game began with.

    TUBSTAP: a move is [unit, x, y, target or -1], or None for an early end of the turn. Conquest: a move is a turn,
    [orders of player 0, orders of player 1, who marched first, the seed that resolved it], an order [territory, armies]
    or [source, target, armies]. Its `reason` is None if it was played to its end, or how the players ended it early.
    """

    start: State
    players: tuple[str, str]
    seed: int
    moves: tuple[Any, ...]
    winner: int | None
    reason: str | None
    turns: int

    @property
    def game(self) -> str:
        return "tubstap" if isinstance(self.start, tubstap.State) else "conquest"

    def to_line(self) -> str:
        """The record as one line of JSON, without the line's end."""
        start = self.start
        place: dict[str, Any]
        if isinstance(start, tubstap.State):
            scenario = start.scenario
            if start.hash() != scenario.start().hash():
                scenario = scenario.at(start)
            place = {"map": _RawJson(_map_text(scenario)), "start": None, "rules": None}
            version = tubstap.VERSION
        else:
            position = {"owner": start.owner, "armies": start.armies, "turn": start.turn}
            place = {"map": _RawJson(_map_text(start.land)), "start": position, "rules": start.land.rules.to_json()}
            version = conquest.VERSION
        head = {"format": FORMAT, "version": VERSION, "game": self.game, "game_version": version}
        tail = {
            "players": self.players,
            "seed": self.seed,
            "winner": self.winner,
            "reason": self.reason,
            "turns": self.turns,
            "moves": self.moves,
        }
        return "{" + ",".join(f'"{key}":{_dump(value)}' for key, value in (head | place | tail).items()) + "}"

    @classmethod
    def from_line(cls, line: str) -> Record:
        """The record of a line of JSON. The moves are not replayed: see verify()."""
        try:
            return cls(**_read(line))
        except RecordError:
            raise
        except SandtableError as error:
            raise RecordError(f"record: {error}") from None

    def states(self) -> Iterator[State]:
        """The state before every move, and the last one. RecordError at a move that cannot be played."""
        state = self.start.copy()
        for number, move in enumerate(self.moves):
            yield state.copy()
            try:
                _play(state, move)
            except (ValueError, TypeError, LookupError) as error:
                raise RecordError(f"record: move {number}: {error}") from None
        yield state

    def verify(self) -> State:
        """Replay the game; RecordError unless it comes out as the record says. Returns the last state."""
        state = collections.deque(self.states(), maxlen=1)[0]
        if isinstance(state, tubstap.State):
            found = (state.over, state.winner, state.reason, state.turn)
        elif self.reason in REASONS and not state.over and (self.winner is None) == (self.reason == AGREED_TIE):
            found = (True, self.winner, self.reason, state.turn)
        else:
            found = (state.over, state.winner, None, state.turn)
        if found != (True, self.winner, self.reason, self.turns):
            said = f"winner {self.winner}, reason {self.reason}, {self.turns} turns"
            raise RecordError(f"record: says {said}; the game gives {found[1:]}" + ("" if found[0] else ", not ended"))
        return state


class _RawJson(str):
    """A text that is JSON already."""


def _dump(value: Any) -> str:
    if isinstance(value, _RawJson):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@functools.lru_cache(maxsize=32)
def _map_text(start: Start) -> str:
    """The map in one line. A tournament plays thousands of games on the same few."""
    text = conquest.mapfile.format(start) if isinstance(start, conquest.Land) else tubstap.jsonmap.format(start)
    return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))


@functools.lru_cache(maxsize=32)
def _land(text: str, rules: conquest.Rules) -> conquest.Land:
    """A map in one line and its rules: a file of records has thousands of games on the same few, which then are one."""
    return conquest.parse(text, rules=rules)


def _play(state: State, move: Any) -> None:
    if not isinstance(state, tubstap.State):
        orders0, orders1, first, seed = move
        state.resolve(orders0, orders1, first=first, seed=seed)
    else:
        play_move(state, move)


def _read(line: str) -> dict[str, Any]:
    found = json_fields.fields("the record", json_fields.read_object(line), _FIELDS)
    json_fields.header(found, FORMAT, VERSION)
    if found["game"] not in GAMES:
        raise RecordError(f"record: the game {found['game']!r:.40} is not one of {', '.join(GAMES)}")
    version = (tubstap if found["game"] == "tubstap" else conquest).VERSION
    if found["game_version"] != version or type(found["game_version"]) is not int:
        given = f"version {found['game_version']!r:.40} of {found['game']}"
        raise RecordError(f"record: {given}; this program plays version {version}")
    text = json.dumps(found["map"])
    start: State
    if found["game"] == "tubstap":
        if found["start"] is not None or found["rules"] is not None:
            raise RecordError("record: start and rules of a tubstap game are its map's: they must be null")
        start = tubstap.parse(text).start()
    else:
        land = _land(text, conquest.rules(found["rules"]))
        begin = json_fields.fields("start", found["start"], {"owner": ..., "armies": ..., "turn": ...})
        try:
            start = land.state(begin["owner"], begin["armies"], begin["turn"])
        except (ValueError, TypeError):
            raise RecordError("record: start: not a position of the map") from None
    players = json_fields.items("players", found["players"], 2)
    if len(players) != 2:
        raise RecordError("record: players: must be two")
    for name in players:
        check_text("players", name)
    moves = json_fields.items("moves", found["moves"], MAX_MOVES)
    if found["game"] == "conquest":
        for number, turn in enumerate(moves):
            _check_turn(f"moves[{number}]", turn)
    winner = found["winner"]
    return {
        "start": start,
        "players": tuple(players),
        "seed": json_fields.whole("seed", found["seed"], 0, 2**64 - 1),
        "moves": tuple(moves),
        "winner": None if winner is None else json_fields.whole("winner", winner, 0, 1),
        "reason": None if found["reason"] is None else json_fields.text("reason", found["reason"]),
        "turns": json_fields.whole("turns", found["turns"], 0, MAX_MOVES),
    }


def _check_turn(where: str, turn: Any) -> None:
    if not isinstance(turn, list) or len(turn) != 4:
        raise RecordError(f"record: {where}: a turn is [orders of 0, orders of 1, first, seed]")
    json_fields.whole(f"{where}: first", turn[2], 0, 1)
    json_fields.whole(f"{where}: seed", turn[3], 0, 2**64 - 1)
