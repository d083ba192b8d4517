"""A record is a whole game: the start, the rules, the seed and every move.

It is written and read as one line of JSON. Replaying it through the engine must give the same result.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sandtable import json_fields
from sandtable.arena.early_end import AGREED_TIE, REASONS
from sandtable.errors import RecordError, SandtableError
from sandtable.games import game, game_of
from sandtable.texts import check_text

FORMAT = "sandtable-record"
VERSION = 1
MAX_MOVES = 1_000_000
MAX_BYTES = 1 << 26  # per line
FORFEIT = "forfeit: "  # the prefix of the reason of a game that a player forfeited

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
    "instruction_set": None,
}


@dataclass(frozen=True)
class Record:
    """`start` is the state that the game began with. `moves` has one element for each decision or turn, as
    Game.as_moves() returns it: a move as the game's states take it, or a tuple of the moves of both sides and what
    resolved them. `reason` is why the game ended, if the game gives a reason, or how the players ended it early: by
    agreement, or by a forfeit and its cause. `instruction_set` is the processor's, if a player used a network: such a
    game can be reproduced only on machines that have it."""

    start: Any
    players: tuple[str, str]
    seed: int
    moves: tuple[Any, ...]
    winner: int | None
    reason: str | None
    turns: int
    instruction_set: str | None = None

    @property
    def game(self) -> str:
        return game_of(self.start).name

    def __repr__(self) -> str:
        result = "draw" if self.winner is None else f"side {self.winner} won"
        return f"<Record {self.game}: {self.players[0]} against {self.players[1]}, {result}, {self.turns} turns>"

    def _repr_svg_(self) -> str:
        """The last position, for notebooks."""
        return game_of(self.start).svg(self.last())

    @property
    def digest(self) -> str:
        """Sixteen hex digits that identify the game by its content: the start, with map and rules, and the moves."""
        played = game_of(self.start)
        content = f"{played.digest(self.start)} {json_fields.to_json(tuple(map(played.as_kept, self.moves)))}"
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def last(self) -> Any:
        """The last state."""
        return collections.deque(self.states(), maxlen=1)[0]

    def to_line(self) -> str:
        """The record as one line of JSON, without the newline."""
        played = game_of(self.start)
        found = {
            "format": FORMAT,
            "version": VERSION,
            "game": played.name,
            "game_version": played.version,
            **played.start_fields(self.start),
            "players": self.players,
            "seed": self.seed,
            "winner": self.winner,
            "reason": self.reason,
            "turns": self.turns,
            **({} if self.instruction_set is None else {"instruction_set": self.instruction_set}),
            "moves": [played.as_kept(move) for move in self.moves],
        }
        return json_fields.object_to_json(found)

    @classmethod
    def from_line(cls, line: str) -> Record:
        """The record in a line of JSON. The moves are not replayed: see verify()."""
        try:
            return cls(**_read(line))
        except RecordError:
            raise
        except SandtableError as error:
            raise RecordError(f"record: {error}") from None

    def states(self) -> Iterator[Any]:
        """The state before every move, and the last one. RecordError at a move that cannot be played."""
        state, played = self.start.copy(), game_of(self.start)
        for number, move in enumerate(self.moves):
            yield state.copy()
            try:
                played.replay(state, move)
            except (ValueError, TypeError, LookupError) as error:
                raise RecordError(f"record: move {number}: {error}") from None
        yield state

    def verify(self) -> Any:
        """Replay the game; RecordError unless it ends as the record says. Returns the last state."""
        state, played = self.last(), game_of(self.start)
        over, turns = not played.movers(state), played.turn(state)
        found: tuple[bool, int | None, str | None, int]
        early = self.reason in REASONS or (self.reason or "").startswith(FORFEIT)
        if early and not over and (self.winner is None) == (self.reason == AGREED_TIE):
            found = (True, self.winner, self.reason, turns)
        else:
            found = (over, played.winner(state), played.reason(state), turns)
        if found != (True, self.winner, self.reason, self.turns):
            said = f"winner {self.winner}, reason {self.reason}, {self.turns} turns"
            replayed = f"winner {found[1]}, reason {found[2]}, {found[3]} turns"
            unfinished = "" if found[0] else ", and is not over"
            raise RecordError(f"record: says {said}; the replayed game has {replayed}{unfinished}")
        return state


def summary(line: str) -> dict[str, Any]:
    """The fields of a record's line between the start and the moves: players, seed, winner, turns. The start and the
    moves, which are most of the line, are not parsed unless the line has another form than to_line()'s."""
    begin, end = line.find('"players":'), line.rfind(',"moves":')
    with contextlib.suppress(SandtableError):
        found = json_fields.read_object("{" + line[begin:end] + "}")
        if found.keys() >= {"players", "seed", "winner", "turns"}:
            return found
    return json_fields.read_object(line)


def _read(line: str) -> dict[str, Any]:
    found = json_fields.fields("the record", json_fields.read_object(line, "the record"), _FIELDS)
    json_fields.header(found, FORMAT, VERSION)
    played = game(json_fields.text("game", found["game"]))
    if found["game_version"] != played.version or type(found["game_version"]) is not int:
        given = f"version {found['game_version']!r:.40} of {played.name}"
        raise RecordError(f"record: {given}; this program plays version {played.version}")
    start = played.read_start(found["map"], found["start"], found["rules"])
    players = json_fields.items("players", found["players"], 2)
    if len(players) != 2:
        raise RecordError("record: players: there must be two")
    for name in players:
        check_text("players", name)
    moves = json_fields.items("moves", found["moves"], MAX_MOVES)
    for number, move in enumerate(moves):
        played.check_kept(f"moves[{number}]", move)
    winner, reason = found["winner"], found["reason"]
    if reason is not None:
        check_text("reason", reason)
    instruction_set = found["instruction_set"]
    if instruction_set is not None:
        check_text("instruction_set", instruction_set, one_line=True)
    return {
        "start": start,
        "players": tuple(players),
        "seed": json_fields.whole("seed", found["seed"], 0, 2**64 - 1),
        "moves": tuple(map(played.as_moves, moves)),
        "winner": None if winner is None else json_fields.whole("winner", winner, 0, 1),
        "reason": reason,
        "turns": json_fields.whole("turns", found["turns"], 0, MAX_MOVES),
        "instruction_set": instruction_set,
    }
