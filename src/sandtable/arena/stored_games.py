"""The games of a file of records or of a store, with the numbers by which all commands and the page know them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sandtable.arena.record import MAX_BYTES, Record, summary
from sandtable.arena.store import Store, is_store
from sandtable.arena.tasks import Row
from sandtable.errors import RecordError
from sandtable.files import lines_of


class StoredGame(NamedTuple):
    """A game with its number, counted from 1. A game of a store that failed has a number too, but no record."""

    number: int
    line: str  # as it is stored; record() parses it
    row: Row | None = None  # None in a file of records

    @property
    def error(self) -> str | None:
        """Why the game failed; None if it did not."""
        return None if self.row is None else self.row.error

    def record(self) -> Record:
        """The record. RecordError if it cannot be read, or if it is not that of the row's game."""
        record = Record.from_line(self.line)
        self._check(record.players, record.winner, record.turns)
        return record

    def checked_line(self) -> str:
        """The line, even if its game has another version. RecordError if it is not the record of the row's game."""
        if self.row is not None:
            found = summary(self.line)
            self._check(found.get("players"), found.get("winner"), found.get("turns"))
        return self.line

    def _check(self, players: object, winner: object, turns: object) -> None:
        if self.row is not None and not self.row.may_have(players, winner, turns):
            said = f"{self.row.label:.100}"
            raise RecordError(f"the game {said} has the record of another game; the store was changed")


def stored_games(path: Path, tournament: str | None = None) -> Iterator[StoredGame]:
    """All games, or those of a store's tournaments whose names begin with `tournament`; failed games included."""
    if not is_store(path):
        if tournament is not None:
            raise RecordError(f"{path}: this is a file of records; only a store has tournaments")
        yield from (StoredGame(number, line) for number, line in enumerate(lines_of(path, MAX_BYTES), 1))
        return
    with Store(path, write=False) as store:
        yield from (StoredGame(number, row.record, row) for number, row in store.numbered(tournament))


def recorded_games(path: Path, tournament: str | None = None) -> Iterator[StoredGame]:
    """The games of stored_games() that have records. RecordError if there are none."""
    found = False
    for game in stored_games(path, tournament):
        if game.error is None:
            found = True
            yield game
    if not found:
        raise RecordError(f"{path} holds no records")


def stored_game(path: Path, number: int) -> StoredGame:
    """The game with this number. RecordError if there is none, or if it failed."""
    count = 0
    for game in stored_games(path):
        count = game.number
        if count == number:
            if game.error is not None:
                raise RecordError(f"{path}, game {number}: it failed, and has no record: {game.error}")
            return game
    raise RecordError(f"{path}: there is no game {number}; it holds {count}" if count else f"{path} holds no records")
