"""The page's games in one SQLite file, with a row for each game and a row for each move. A move is committed before it
is acknowledged, so that a server that is killed loses none."""

from __future__ import annotations

import contextlib
import math
import os
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sandtable.arena.store import APPLICATION_ID as TOURNAMENT_APPLICATION_ID
from sandtable.arena.store import PAGE_APPLICATION_ID as APPLICATION_ID
from sandtable.arena.store import check_own_file, check_own_schema
from sandtable.errors import SandtableError, StoreError
from sandtable.files import Lock
from sandtable.json_fields import object_to_json, read, read_object, to_json
from sandtable.texts import is_plain

VERSION = 1

_SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
  id TEXT PRIMARY KEY,
  game TEXT NOT NULL,
  version INTEGER NOT NULL,
  map_id TEXT,
  map_name TEXT NOT NULL,
  seed TEXT NOT NULL,
  sides TEXT NOT NULL,
  start TEXT NOT NULL,
  begun REAL NOT NULL,
  changed REAL NOT NULL,
  over INTEGER NOT NULL,
  winner INTEGER,
  reason TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS moves (
  game TEXT NOT NULL,
  ply INTEGER NOT NULL,
  kept TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (game, ply)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pending (
  game TEXT NOT NULL,
  side INTEGER NOT NULL,
  move TEXT NOT NULL,
  PRIMARY KEY (game, side)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS games_by_change ON games (changed);
"""

End = tuple[int | None, str | None]  # the winner and the reason


class KeptGame(NamedTuple):
    """A game as it is stored. `start` holds the fields of a record that describe the start. `moves` holds each move in
    the form that records keep, with the position's value for side 0. `pending` holds moves that wait for the other
    side's."""

    id: str
    game: str
    version: int
    map_id: str | None
    map_name: str
    seed: int
    sides: list[Any]
    start: dict[str, Any]
    begun: float
    over: bool
    winner: int | None
    reason: str | None
    moves: Sequence[tuple[Any, float | None]] = ()
    pending: Sequence[tuple[int, Any]] = ()


def default_store() -> Path:
    """Where the user's games are stored: in the operating system's folder for application data."""
    if sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    else:
        folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return folder / "sandtable" / "games.sqlite"


class GameStore:
    """`GameStore(path)`, a context manager. A lock admits one server at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            raise StoreError(f"{path}: this is a folder; the page's games are stored in a file")
        if not path.parent.is_dir():
            raise StoreError(f"{path}: there is no folder {path.parent}")
        check_own_file(path)
        taken = StoreError(f"{path}: another `sandtable play` has this store open; use its page, or give --store FILE")
        self._lock = Lock(Path(f"{path}.lock"), taken)
        try:
            with self._clear_errors():
                self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
                self._open()
        except BaseException:
            self._lock.free()
            raise

    def __enter__(self) -> GameStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
        self._lock.free()

    def _open(self) -> None:
        ours = self._database.execute("PRAGMA application_id").fetchone()[0]
        version = self._database.execute("PRAGMA user_version").fetchone()[0]
        empty = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if ours == TOURNAMENT_APPLICATION_ID:
            raise StoreError(f"{self.path}: this file holds the games of a tournament; the page needs a separate file")
        if ours != APPLICATION_ID and not (empty and ours == 0):
            raise StoreError(f"{self.path}: this is an SQLite file, but not a store of the page's games")
        check_own_schema(self._database, self.path)
        if version > VERSION:
            raise StoreError(f"{self.path}: written by a newer version ({version}); this one knows {VERSION}")
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        with self._transaction():
            for statement in _SCHEMA.split(";"):
                self._database.execute(statement)
            self._database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._database.execute(f"PRAGMA user_version = {VERSION}")

    def begin(self, kept: KeptGame) -> None:
        """Store a new game."""
        values = (
            *(kept.id, kept.game, kept.version, kept.map_id, kept.map_name, str(kept.seed)),
            *(to_json(kept.sides), object_to_json(kept.start), kept.begun, kept.begun, int(kept.over)),
            *(kept.winner, kept.reason),
        )
        with self._transaction():
            self._database.execute(f"INSERT INTO games VALUES ({', '.join('?' * 13)})", values)

    def add_move(
        self, game: str, ply: int, kept: Any, value: float | None, end: tuple[int | None, str | None] | None
    ) -> None:
        """Store a move; `end` is the winner and the reason if the move ends the game."""
        with self._transaction():
            self._database.execute("INSERT INTO moves VALUES (?, ?, ?, ?)", (game, ply, to_json(kept), value))
            self._database.execute("DELETE FROM pending WHERE game = ?", (game,))
            self._touch(game, end)

    def take_back(self, game: str, ply: int) -> None:
        """Delete the moves from `ply` on."""
        with self._transaction():
            self._database.execute("DELETE FROM moves WHERE game = ? AND ply >= ?", (game, ply))
            self._touch(game, None)

    def set_pending(self, game: str, side: int, move: Any) -> None:
        """Store a move (as JSON) that waits for the other side's; `...` deletes it."""
        with self._transaction():
            self._database.execute("DELETE FROM pending WHERE game = ? AND side = ?", (game, side))
            if move is not ...:
                self._database.execute("INSERT INTO pending VALUES (?, ?, ?)", (game, side, to_json(move)))
            self._touch(game, None)

    def end(self, game: str, winner: int | None, reason: str | None) -> None:
        with self._transaction():
            self._database.execute("DELETE FROM pending WHERE game = ?", (game,))
            self._touch(game, (winner, reason))

    def remove(self, game: str) -> bool:
        """Delete a game and its moves. Returns whether there was one."""
        with self._transaction():
            self._database.execute("DELETE FROM moves WHERE game = ?", (game,))
            self._database.execute("DELETE FROM pending WHERE game = ?", (game,))
            return self._database.execute("DELETE FROM games WHERE id = ?", (game,)).rowcount > 0

    def _touch(self, game: str, end: End | None) -> None:
        self._database.execute("UPDATE games SET changed = ? WHERE id = ?", (time.time(), game))
        if end is not None:
            self._database.execute("UPDATE games SET over = 1, winner = ?, reason = ? WHERE id = ?", (*end, game))

    def load(self, game: str) -> KeptGame | None:
        """A game with its moves; None if no game has that id."""
        with self._clear_errors():
            columns = "id, game, version, map_id, map_name, seed, sides, start, begun, over, winner, reason"
            row = self._database.execute(f"SELECT {columns} FROM games WHERE id = ?", (game,)).fetchone()
            if row is None:
                return None
            moves = self._database.execute("SELECT kept, value FROM moves WHERE game = ? ORDER BY ply", (game,))
            pending = self._database.execute("SELECT side, move FROM pending WHERE game = ?", (game,))
            id, of, version, map_id, map_name, seed, sides, start, begun, over, winner, reason = row
            found = KeptGame(
                id=id,
                game=of,
                version=version,
                map_id=map_id,
                map_name=map_name,
                seed=int(seed),
                sides=read(sides),
                start=read_object(start),
                begun=begun,
                over=bool(over),
                winner=winner,
                reason=reason,
                moves=[(read(kept), value) for kept, value in moves],
                pending=[(side, read(move)) for side, move in pending],
            )
            numbers = [value for _, value in found.moves if value is not None]
            if not (
                _can_be_listed(id, of, map_name, found.sides, over, winner, reason, begun)
                and type(version) is int
                and (map_id is None or isinstance(map_id, str))
                and all(isinstance(value, float) and math.isfinite(value) for value in numbers)
                and all(side in (0, 1) and type(side) is int for side, _ in found.pending)
            ):
                raise StoreError(f"{self.path}: damaged: the game {game:.40} has impossible values")
            return found

    def games(self, limit: int) -> list[dict[str, Any]]:
        """The games that were changed last, the latest first. Damaged ones are left out."""
        columns = "id, game, map_name, sides, over, winner, reason, changed"
        with self._clear_errors():
            rows = self._database.execute(f"SELECT {columns} FROM games ORDER BY changed DESC LIMIT ?", (limit,))
            return [found for row in rows if (found := _listed(*row)) is not None]

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._clear_errors():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except StoreError:
            raise
        except (sqlite3.Error, SandtableError, ValueError, TypeError) as error:  # a damaged file may hold anything
            raise StoreError(f"{self.path}: {error}") from None


def _listed(
    id: Any, game: Any, map: Any, sides: Any, over: Any, winner: Any, reason: Any, changed: Any
) -> dict[str, Any] | None:
    """A game for the page's list; None if its values are invalid."""
    with contextlib.suppress(SandtableError):
        seats = read(sides)
        if _can_be_listed(id, game, map, seats, over, winner, reason, changed):
            return {
                "id": id,
                "game": game,
                "map": map,
                "sides": seats,
                "over": bool(over),
                "winner": winner,
                "reason": reason,
                "when": changed,
            }
    return None


def _can_be_listed(id: Any, game: Any, map: Any, sides: Any, over: Any, winner: Any, reason: Any, time: Any) -> bool:
    return (
        all(isinstance(text, str) and is_plain(text) for text in (id, game, map, "" if reason is None else reason))
        and isinstance(sides, list)
        and len(sides) == 2
        and all(isinstance(seat, dict) and isinstance(seat.get("title"), str) for seat in sides)
        and all(value is None or isinstance(value, str) for seat in sides for value in seat.values())
        and over in (0, 1)
        and (winner is None or (type(winner) is int and winner in (0, 1)))
        and type(time) is float
        and math.isfinite(time)
    )
