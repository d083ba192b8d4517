"""Formats of records for people and for other programs. A store uses none of them: it keeps `Record.to_line`.

`text` and `json` have the moves in the game's notation; a game may add formats of its own in its part `record_formats`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sandtable.arena.record import Record
from sandtable.errors import RecordError, SandtableError
from sandtable.games import Game, game_of, games
from sandtable.texts import shown


class RecordFormat(NamedTuple):
    """`write` returns the bytes of a file. `read`, which is optional, takes these bytes and a name for the map."""

    name: str  # also the ending of its files
    write: Callable[[Record], bytes]
    read: Callable[[bytes, str], Record] | None = None


def turns(record: Record) -> Iterator[tuple[int, tuple[int, ...], list[str]]]:
    """The moves in the game's notation, each item being the turn, the sides that decided, and their moves. In a
    sequential game all moves of a side's turn are in one item."""
    game = game_of(record.start)
    last: tuple[int, tuple[int, ...], list[str]] | None = None
    for before, kept in zip(record.states(), record.moves, strict=False):
        turn, movers = game.turn(before), game.movers(before)
        said = " | ".join(game.notation(before, move) for move in game.moves_of(before, kept))
        if last is not None and last[:2] == (turn, movers):
            last[2].append(said)
            continue
        if last is not None:
            yield last
        last = (turn, movers, [said])
    if last is not None:
        yield last


def write_text(record: Record) -> bytes:
    game = game_of(record.start)
    outcome = "a draw" if record.winner is None else f"side {record.winner} wins"
    lines = [
        f"game     {record.digest}",
        f"rules    {game.name}, version {game.version}, {game.summary(game.map_of(record.start)).rules}",
        f"map      {game.map_of(record.start).name}",
        f"side 0   {record.players[0]}",
        f"side 1   {record.players[1]}",
        f"seed     {record.seed}",
        f"result   {outcome} after {record.turns} turns" + (f": {record.reason}" if record.reason else ""),
        "",
    ]
    for turn, movers, said in turns(record):
        who = f"side {movers[0]}" if len(movers) == 1 else "both"
        lines.append(f"{turn:>4} {who}: " + "  ".join(said))
    return ("\n".join(shown(line) for line in lines) + "\n").encode()


def write_json(record: Record) -> bytes:
    """The record with its digest and its moves in notation beside their numbers."""
    notation: list[Any] = [{"turn": turn, "sides": movers, "moves": said} for turn, movers, said in turns(record)]
    found = {"digest": record.digest, "record": json.loads(record.to_line()), "notation": notation}
    return (json.dumps(found, ensure_ascii=False, indent=1) + "\n").encode()


def read_json(data: bytes, name: str) -> Record:
    """A record from what write_json() wrote, or from a line as a store keeps it."""
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise RecordError("the JSON is nested too deep") from None
    except ValueError as error:
        raise RecordError(f"not JSON: {error}") from None
    if isinstance(found, dict) and "record" in found:
        record = Record.from_line(json.dumps(found["record"]))
        if found.get("digest") != record.digest:
            raise RecordError(f"digest: {found.get('digest')!r:.40} where the game has {record.digest}")
        return record
    return Record.from_line(json.dumps(found))


GENERAL = (RecordFormat("text", write_text), RecordFormat("json", write_json, read_json))


def formats_of(game: Game) -> dict[str, RecordFormat]:
    """The formats in which records of a game can be written."""
    own = game.part("record_formats") if "record_formats" in game.parts else ()
    return {one.name: one for one in (*GENERAL, *own)}


def readable() -> dict[str, RecordFormat]:
    """The formats of all games that can be read, by the ending of their files."""
    return {name: one for game in games() for name, one in formats_of(game).items() if one.read is not None}


def read(data: bytes, ending: str, name: str) -> Record:
    """The record of a file with that ending (without the dot), replayed. RecordError if it is damaged."""
    known = readable()
    if ending not in known:
        raise RecordError(
            f"records are read from {', '.join(f'.{one}' for one in known)} files, not from .{ending:.20}"
        )
    reader = known[ending].read
    assert reader is not None
    try:
        record = reader(data, name)
        record.verify()
    except RecordError:
        raise
    except SandtableError as error:
        raise RecordError(str(error)) from None
    return record
