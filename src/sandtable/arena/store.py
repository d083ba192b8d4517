"""The store: one SQLite file, a row a finished game. One process writes, others may read meanwhile.

A game is in it, whole, or it is not: kill the writer anywhere, and the next one goes on with what is missing.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from sandtable.arena.tasks import Row
from sandtable.errors import StoreError
from sandtable.files import Lock

APPLICATION_ID = 0x53414E44  # "SAND": tells our files from other SQLite files
VERSION = 2  # since 2 a task is known by the digest of its content, before by the names in it

_SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
  tournament TEXT NOT NULL,
  task TEXT NOT NULL,
  first TEXT NOT NULL,
  second TEXT NOT NULL,
  ground TEXT NOT NULL,
  number INTEGER NOT NULL,
  winner INTEGER,
  first_seat_won INTEGER,
  turns INTEGER NOT NULL,
  error TEXT,
  record TEXT NOT NULL,
  seconds0 REAL NOT NULL, seconds1 REAL NOT NULL,
  decisions0 INTEGER NOT NULL, decisions1 INTEGER NOT NULL,
  overruns0 INTEGER NOT NULL, overruns1 INTEGER NOT NULL,
  PRIMARY KEY (tournament, task)
) WITHOUT ROWID
"""
_COLUMNS = (
    "task, first, second, ground, number, winner, first_seat_won, turns, error, record, seconds0, seconds1, "
    "decisions0, decisions1, overruns0, overruns1"
)


class Store:
    """`Store(path)` to write, `Store(path, write=False)` to read; a context manager."""

    def __init__(self, path: Path, *, write: bool = True) -> None:
        self.path = path
        self._lock: Lock | None = None
        if not write and not path.is_file():
            raise StoreError(f"{path}: there is no store")
        if write:
            self._lock = Lock(Path(f"{path}.lock"), StoreError(f"{path}: another process is writing to this store"))
        try:
            with self._clear_errors():
                self._database = sqlite3.connect(path, isolation_level=None)
                self._check(write)
        except BaseException:
            self._free_lock()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
        self._free_lock()

    def tournaments(self) -> list[str]:
        with self._clear_errors():
            return [name for (name,) in self._database.execute("SELECT DISTINCT tournament FROM games ORDER BY 1")]

    def finished(self, tournament: str) -> set[str]:
        """The ids of the tasks that need not be played again. Games that failed are tried anew."""
        query = "SELECT task FROM games WHERE tournament = ? AND error IS NULL"
        with self._clear_errors():
            return {task for (task,) in self._database.execute(query, (tournament,))}

    def add(self, tournament: str, rows: Sequence[Row]) -> None:
        """Add finished games, all or none."""
        values = [(tournament, *row[:10], *row.seconds, *row.decisions, *row.overruns) for row in rows]
        with self._clear_errors():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                marks = ", ".join("?" * 17)
                self._database.executemany(f"INSERT OR REPLACE INTO games VALUES ({marks})", values)
                self._database.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")
                raise

    def rows(self, tournament: str | None = None) -> Iterator[Row]:
        """The games of one tournament or of all, in the order of the tasks."""
        where = "" if tournament is None else "WHERE tournament = ?"
        query = f"SELECT {_COLUMNS} FROM games {where} ORDER BY tournament, number, first, second, ground, task"
        with self._clear_errors():
            for row in self._database.execute(query, () if tournament is None else (tournament,)):
                yield Row._make((*row[:10], row[10:12], row[12:14], row[14:16]))

    def _check(self, write: bool) -> None:
        ours = self._database.execute("PRAGMA application_id").fetchone()[0]
        version = self._database.execute("PRAGMA user_version").fetchone()[0]
        empty = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if ours != APPLICATION_ID and not (empty and ours == 0 and write):
            raise StoreError(f"{self.path}: an SQLite file, but not a store of this program")
        if version > VERSION:
            raise StoreError(f"{self.path}: written by a newer version ({version}); this one knows {VERSION}")
        if write and not empty and version < VERSION:
            raise StoreError(
                f"{self.path}: written by an earlier version, which knew games by names alone: it can be read, but not "
                "continued; play into a new file"
            )
        problem = self._database.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise StoreError(f"{self.path}: the file is damaged: {problem}")
        if not write:
            return
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.execute(_SCHEMA)
        self._database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._database.execute(f"PRAGMA user_version = {VERSION}")

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from None

    def _free_lock(self) -> None:
        if self._lock is not None:
            self._lock.free()
