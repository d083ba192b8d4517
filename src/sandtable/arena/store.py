"""The store: one SQLite file with a row for each finished game. One process writes; others may read at the same time.

A game is stored completely or not at all: if the writer is killed at any point, the next one continues with the games
that are missing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from sandtable.arena.record import summary
from sandtable.arena.tasks import Row
from sandtable.errors import SandtableError, StoreError, nearest
from sandtable.files import Lock, is_stream
from sandtable.texts import is_plain

if TYPE_CHECKING:
    import sqlite3  # imported in the functions that use it, because most commands have no store

APPLICATION_ID = 0x53414E44  # "SAND": tells our files from other SQLite files
PAGE_APPLICATION_ID = 0x53545047  # "STPG": a store of the page, which has other tables
_MAGIC = b"SQLite format 3\0"  # the first bytes of any SQLite file
MAX_COUNT = 10**9  # of turns, decisions and such in a game
MAX_SECONDS = 1e9  # thirty years
VERSION = 3  # a task's id is the digest of its content, which includes maps since 2, networks since 3

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
# The standard error of bots that wrote to it; `player` is 0 for the task's first player. Stores without this table are
# valid, and programs that do not know it ignore it, so that VERSION does not depend on it.
_STDERR_SCHEMA = """
CREATE TABLE IF NOT EXISTS stderr (
  tournament TEXT NOT NULL,
  task TEXT NOT NULL,
  player INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (tournament, task, player)
) WITHOUT ROWID
"""
# The digests of a tournament's players, which depend on the content of networks. Stores without this table are valid.
_PLAYERS_SCHEMA = """
CREATE TABLE IF NOT EXISTS players (
  tournament TEXT NOT NULL,
  player TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (tournament, player)
) WITHOUT ROWID
"""
_COLUMNS = (
    "task, first, second, ground, number, winner, first_seat_won, turns, error, {record}, seconds0, seconds1, "
    "decisions0, decisions1, overruns0, overruns1, {stderr0}, {stderr1}, record"
)
_STDERR = (
    "coalesce((SELECT text FROM stderr WHERE stderr.tournament = games.tournament AND stderr.task = games.task "
    "AND player = {player}), '')"
)
_ORDER = "tournament, number, first, second, ground"
# All columns but the records, which are most of a store: with this index progress is counted without reading them.
_INDEX = f"""
CREATE INDEX IF NOT EXISTS games_without_records ON games (
  {_ORDER}, winner, first_seat_won, turns, error, seconds0, seconds1, decisions0, decisions1, overruns0, overruns1
)
"""

# Reading a table runs no SQL from the file; views and triggers would.
_COUNT_VIEWS_AND_TRIGGERS = "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index')"


def check_own_schema(database: sqlite3.Connection, path: Path | None) -> None:
    """StoreError if the file has views or triggers, which would run SQL from the file."""
    if database.execute(_COUNT_VIEWS_AND_TRIGGERS).fetchone()[0]:
        raise StoreError(f"{path}: it has views or triggers, which a store of this program never has")


def check_own_file(path: Path) -> None:
    """StoreError if the path is a device, a pipe or a stream: SQLite would leave its own files beside it."""
    if is_stream(path):
        raise StoreError(f"{path}: a device, a pipe or an open file of a process; a store must be a regular file")


def is_store(path: Path) -> bool:
    """Whether a file is an SQLite file; opening it as a Store checks that it is a store."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


class Store:
    """`Store(path)` to write, `Store(path, write=False)` to read, `Store(None)` for games that are not kept; a context
    manager."""

    def __init__(self, path: Path | None, *, write: bool = True) -> None:
        self.path = path
        self._lock: Lock | None = None
        if path is not None and path.is_dir():
            raise StoreError(f"{path}: a folder; a store is a file, such as {path / 'games.sqlite'}")
        if write and path is not None:
            check_own_file(path)
        if not write and (path is None or not path.is_file()):
            raise StoreError(f"{path}: there is no store")
        if write and path is not None:
            if not path.parent.is_dir():
                raise StoreError(f"{path}: there is no folder {path.parent}")
            self._lock = Lock(Path(f"{path}.lock"), StoreError(f"{path}: another process is writing to this store"))
        try:
            with self._clear_errors():
                self._database = _connected(path, write)
                try:
                    self._check(write)
                except BaseException:
                    self._database.close()
                    raise
        except BaseException:
            self._free_lock()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
        self._free_lock()

    def tournaments(self) -> list[str]:
        return list(self._sizes())

    def finished(self, tournament: str) -> Iterator[tuple[Row, object]]:
        """The games that need not be played again, without their records, each with the seed in its record. Failed
        games are left out, because they are played again. The games come unsorted, as they lie in the file."""
        found = self._rows(tournament, records=False, ordered=False)
        return ((row, seed) for row, seed in found if row.error is None)

    def _sizes(self) -> dict[str, int]:
        """The number of games of each tournament, failed games included."""
        with self._clear_errors():
            query = "SELECT tournament, count(*) FROM games GROUP BY tournament ORDER BY 1"
            found = dict(self._database.execute(query))
        for name in found:
            if not (isinstance(name, str) and is_plain(name)):
                raise StoreError(f"{self.path}: damaged: {name!r:.40} is not a tournament's name")
        return found

    def record_of_each_ground(self) -> list[str]:
        """The record of one of the first games on each ground of each tournament."""
        query = "SELECT record FROM games WHERE number < 2 AND error IS NULL GROUP BY tournament, ground"
        with self._clear_errors():
            return [record for (record,) in self._database.execute(query) if isinstance(record, str)]

    def scores(self, tournament: str, games: int) -> list[tuple[str, str, int | None, int]]:
        """The number of games of each pair with each winner, as (first, second, winner, count), among the games whose
        number is below `games`."""
        query = (
            "SELECT first, second, winner, count(*) FROM games WHERE tournament = ? AND number < ? AND error IS NULL "
            "GROUP BY first, second, winner"
        )
        with self._clear_errors():
            return self._database.execute(query, (tournament, games)).fetchall()

    def add(self, tournament: str, rows: Sequence[Row]) -> None:
        """Add finished games, all or none. Only a game that failed is ever replaced."""
        values = [(tournament, *row[:10], *row.seconds, *row.decisions, *row.overruns) for row in rows]
        said = [(tournament, row.task, player, text) for row in rows for player, text in enumerate(row.stderr) if text]
        with self._clear_errors():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._database.executemany(
                    "DELETE FROM games WHERE tournament = ? AND task = ? AND error IS NOT NULL",
                    [(tournament, row.task) for row in rows],
                )
                self._database.executemany(f"INSERT INTO games VALUES ({', '.join('?' * 17)})", values)
                self._database.executemany("INSERT INTO stderr VALUES (?, ?, ?, ?)", said)
                self._database.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(StoreError), self._clear_errors():
                    self._database.execute("ROLLBACK")
                raise

    def rows(self, tournament: str | None = None, *, records: bool = True) -> Iterator[Row]:
        """The games of one tournament or of all, in the order of the tasks. Without `records` the records and the
        standard error of bots are empty, but each stored record has been compared with its row."""
        return (row for row, _ in self._rows(tournament, records=records))

    def _rows(self, tournament: str | None, *, records: bool, ordered: bool = True) -> Iterator[tuple[Row, object]]:
        """The rows, each with the seed in its record; None instead if `records` are wanted or the game failed."""
        where = "" if tournament is None else "WHERE tournament = ?"
        with self._clear_errors():
            stderr = _STDERR if records and self._has_table("stderr") else "''"
            texts = {f"stderr{player}": stderr.format(player=player) for player in (0, 1)}
            columns = _COLUMNS.format(record="record" if records else "''", **texts)
            order = f"ORDER BY {_ORDER}, task" if ordered else ""
            query = f"SELECT {columns} FROM games {where} {order}"
            for found in self._database.execute(query, () if tournament is None else (tournament,)):
                row = self._checked(Row._make((*found[:10], *(found[i : i + 2] for i in range(10, 18, 2)))))
                yield row, None if records or row.error is not None else self._seed(row, found[18])

    def numbered(self, name: str | None = None, *, records: bool = True) -> Iterator[tuple[int, Row]]:
        """The games of the tournaments whose names begin with `name`, by default of all, with their numbers among all
        games of the store, counted from 1, failed games included. StoreError if there is no such tournament."""
        sizes = self._sizes()
        known = list(sizes)
        chosen = [key for key in known if name is None or key.startswith(name)]
        if name is not None and not chosen:
            raise StoreError(f"{self.path}: no tournament is called {name!r:.40}{nearest(name, known)}")
        before = 1
        for key in known:
            if key in chosen:
                yield from enumerate(self.rows(key, records=records), before)
            before += sizes[key]

    def note_players(self, tournament: str, digests: Mapping[str, str]) -> None:
        """Store the digests of a tournament's players. They never change, as the tournament's key is made from them."""
        values = [(tournament, player, digest) for player, digest in digests.items()]
        with self._clear_errors():
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany("INSERT OR REPLACE INTO players VALUES (?, ?, ?)", values)
            self._database.execute("COMMIT")

    def check_same_players(self, name: str | None = None) -> None:
        """StoreError if one name stands for different players in the tournaments whose names begin with `name`, because
        the file of a network was replaced between them."""
        if not self._has_table("players"):
            return
        first: dict[str, tuple[str, str]] = {}
        with self._clear_errors():
            query = "SELECT player, digest, tournament FROM players ORDER BY tournament"
            for player, digest, tournament in self._database.execute(query):
                if not all(isinstance(text, str) for text in (player, digest, tournament)):
                    raise StoreError(f"{self.path}: damaged: the players of its tournaments are not texts")
                if not tournament.startswith(name or ""):
                    continue
                known, other = first.setdefault(player, (digest, tournament))
                if digest != known:
                    raise StoreError(
                        f"{self.path}: {player:.100} has different networks in {other!r:.80} and {tournament!r:.80}: "
                        "choose one of them with --tournament"
                    )

    def games_with_stderr(self, tournament: str) -> int:
        """The number of games with a stored standard error of a bot."""
        with self._clear_errors():
            query = "SELECT count(DISTINCT task) FROM stderr WHERE tournament = ?"
            found: int = self._database.execute(query, (tournament,)).fetchone()[0] if self._has_table("stderr") else 0
        return found

    def _has_table(self, name: str) -> bool:
        query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
        return bool(self._database.execute(query, (name,)).fetchone()[0])

    def _checked(self, row: Row) -> Row:
        """The row; StoreError if no tournament can have written it, which means that somebody changed the file."""
        texts = (row.task, row.first, row.second, row.ground, row.error or "")
        whole = (row.number, row.turns, *row.decisions, *row.overruns)
        if not (
            all(isinstance(text, str) and is_plain(text) for text in texts)
            and all(isinstance(text, str) for text in (row.record, *row.stderr))
            and all(type(number) is int and 0 <= number <= MAX_COUNT for number in whole)
            and all(over <= all_of for over, all_of in zip(row.overruns, row.decisions, strict=True))
            and row.winner in (None, 0, 1)
            and row.first_seat_won == (None if row.winner is None else row.winner == row.number % 2)
            and (row.error is None or row.winner is None)
            and all(type(time) is float and 0 <= time <= MAX_SECONDS for time in row.seconds)
        ):
            raise StoreError(f"{self.path}: damaged: the game {row.task!r:.40} has values that no game can have")
        return row

    def _seed(self, row: Row, record: object) -> object:
        """The seed in the record; StoreError if it cannot be the record of that game."""
        try:
            said = summary(record) if isinstance(record, str) else {}
        except SandtableError:
            said = {}
        if not row.may_have(said.get("players"), said.get("winner"), said.get("turns")):
            raise StoreError(f"{self.path}: damaged: the game {row.label:.100} has the record of another game")
        return said.get("seed")

    def _check(self, write: bool) -> None:
        ours = self._database.execute("PRAGMA application_id").fetchone()[0]
        version = self._database.execute("PRAGMA user_version").fetchone()[0]
        empty = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if ours == PAGE_APPLICATION_ID:
            raise StoreError(
                f"{self.path}: the games of the page, not of a tournament: open it with `sandtable play --store "
                f"{self.path}`; finished games can be saved there as records"
            )
        if ours != APPLICATION_ID and not (empty and ours == 0 and write):
            raise StoreError(f"{self.path}: an SQLite file, but not a store of this program")
        check_own_schema(self._database, self.path)
        if version > VERSION:
            raise StoreError(f"{self.path}: written by a newer version ({version}); this one knows {VERSION}")
        if write and not empty and version < VERSION:
            raise StoreError(
                f"{self.path}: written by an earlier version, which identified maps or networks by name alone: it can "
                "be read, but not continued; play into a new file"
            )
        problem = self._database.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise StoreError(f"{self.path}: the file is damaged: {problem}")
        if not write:
            return
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        # One transaction, because a file with tables but without the application id would be rejected.
        self._database.execute("BEGIN IMMEDIATE")
        self._database.execute(_SCHEMA)
        self._database.execute(_STDERR_SCHEMA)
        self._database.execute(_PLAYERS_SCHEMA)
        self._database.execute(_INDEX)
        self._database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._database.execute(f"PRAGMA user_version = {VERSION}")
        self._database.execute("COMMIT")

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Turn SQLite's errors into StoreErrors that name the file."""
        import sqlite3

        try:
            yield
        except sqlite3.IntegrityError:
            raise StoreError(f"{self.path}: it already has one of these games") from None
        except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged file's text may not be UTF-8
            raise StoreError(f"{self.path}: {error}") from None

    def _free_lock(self) -> None:
        if self._lock is not None:
            self._lock.free()


def _connected(path: Path | None, write: bool) -> sqlite3.Connection:
    """Open a store. To be read, it may be in a folder where nothing can be written, not even SQLite's own files."""
    import sqlite3

    if path is None:
        return sqlite3.connect("", isolation_level=None)  # a temporary file without a name
    path = path.absolute()  # a relative path may have a special meaning to SQLite, such as :memory:
    if write:
        return sqlite3.connect(path, isolation_level=None)
    address = f"file:{quote(str(path))}"
    try:
        # The last reader deletes SQLite's own files beside the store only if it may write; the games are not changed.
        return _connected_to_read(f"{address}?mode=rw")
    except sqlite3.OperationalError:
        log = Path(f"{path}-wal")
        if log.is_file() and log.stat().st_size:
            raise  # the log has games that only a writer can move into the file
        return _connected_to_read(f"{address}?immutable=1")


def _connected_to_read(address: str) -> sqlite3.Connection:
    import sqlite3

    database = sqlite3.connect(address, uri=True, isolation_level=None)
    try:
        database.execute("PRAGMA query_only = 1")
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database
