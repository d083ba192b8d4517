"""Games as a data set: Parquet tables for other tools, and a data card that describes them.

    games.parquet      a row for each game: the players, the result, the record
    positions.parquet  a row for each decision (each turn, if both sides decide at once): position, move, result
    results.parquet    a row for each pair of players on each map: games, wins, losses, draws
    analyses.parquet   a player's analysis of some of the positions, if it was asked for
    README.md          the card

The column `record` of games.parquet is the line of JSON that a store keeps, so that reading the data set back gives the
same records.
"""

from __future__ import annotations

import collections
import hashlib
import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandtable import json_fields
from sandtable.arena.record import Record
from sandtable.arena.stored_games import StoredGame, recorded_games
from sandtable.errors import RecordError, SandtableError
from sandtable.files import check_writable, write_whole
from sandtable.games import game_of
from sandtable.machine import commit
from sandtable.players.spec import PlayerSpec
from sandtable.rng import Rng
from sandtable.version import __version__

Tally = collections.Counter[tuple[Any, ...]]  # counts by game, map, both players and the result for side 0
CARD = "README.md"
BATCH = 4096  # rows of a table that are held as Python objects before they are written
READ = 16  # records that are read at a time: a small compressed file may hold many large ones

# Name, Arrow type and meaning of each column. Types are strings, so that only reading and writing need pyarrow.
GAMES = (
    ("game_id", "string", "the record's digest: the start with map and rules, and the moves"),
    ("game", "string", "the name of the game"),
    ("game_version", "int32", "the version of its rules' implementation"),
    ("map", "string", "the name of the map"),
    ("player0", "string", "the spec of side 0"),
    ("player1", "string", "the spec of side 1"),
    ("seed", "uint64", "the seed of the game"),
    ("winner", "int8", "0 or 1; null in a draw"),
    ("reason", "string", "why it ended; may be null"),
    ("turns", "int32", "turns played"),
    ("decisions", "int32", "rows of positions.parquet"),
    ("record", "string", "the whole record, one line of JSON (docs/formats.md)"),
)
POSITIONS = (
    ("game_id", "string", "the game_id in games.parquet"),
    ("ply", "int32", "number of decisions before this one"),
    ("turn", "int32", "number of turns played before"),
    ("side", "int8", "the side that decides; -1 if both decide at once"),
    ("position", "string", "the position as JSON, in the form that bots receive (docs/protocol.md)"),
    ("move", "string", "what was played, as JSON, in the form of records"),
    ("notation", "string", "the same in the game's notation"),
    ("result", "int8", "the result of the game for side 0: 1, 0 or -1"),
    ("hash", "uint64", "equal for equal positions of a map"),
)
RESULTS = (
    ("game", "string", "the name of the game"),
    ("map", "string", "the name of the map"),
    ("player0", "string", "the spec of side 0"),
    ("player1", "string", "the spec of side 1"),
    ("games", "int32", "games between them in these seats"),
    ("wins", "int32", "games that side 0 won"),
    ("losses", "int32", "games that side 0 lost"),
    ("draws", "int32", "games without a winner"),
)
ANALYSES = (
    ("game_id", "string", "the game_id in games.parquet"),
    ("ply", "int32", "the ply in positions.parquet"),
    ("side", "int8", "the side for which the position is analysed"),
    ("player", "string", "the spec of the player that analyses"),
    ("value", "float32", "the value of the position for the side, in [-1, 1]"),
    ("moves", "list<string>", "the moves that the player considered, as JSON, best first"),
    ("visits", "list<int64>", "the visits of each move"),
    ("values", "list<float>", "the value of each move for the side"),
    ("nodes", "int64", "nodes or positions searched"),
)
TABLES = {"games": GAMES, "positions": POSITIONS, "results": RESULTS, "analyses": ANALYSES}


@dataclass(frozen=True)
class Counts:
    """The numbers of rows that were written."""

    games: int
    positions: int
    analyses: int


def export(
    source: Path,
    folder: Path,
    *,
    tournament: str | None = None,
    analyse: str | None = None,
    every: int = 10,
    command: str = "",
) -> Counts:
    """Write the games of a store or of a file of records into a folder. `analyse`: the spec of a player that analyses
    every `every`-th position of each game. `command` is named on the card."""
    check_writable(folder / CARD if folder.exists() else folder)
    writers = {name: _Writer(columns) for name, columns in TABLES.items() if name != "analyses" or analyse}
    analyst = PlayerSpec.parse(analyse) if analyse else None
    tally: Tally = collections.Counter()
    for game in recorded_games(source, tournament):
        record = _read(source, game)
        _add_game(writers, record, game.line, tally)
        if analyst:
            _add_analyses(writers["analyses"], record, analyst, every)
    for row in _results(tally):
        writers["results"].add(row)
    folder.mkdir(exist_ok=True)
    digests = {}
    for name, writer in writers.items():
        data = writer.data()
        digests[name] = hashlib.sha256(data).hexdigest()
        write_whole(folder / f"{name}.parquet", data)
    if not analyse:
        (folder / "analyses.parquet").unlink(missing_ok=True)  # from an earlier export, of other games
    counts = Counts(writers["games"].rows, writers["positions"].rows, writers["analyses"].rows if analyse else 0)
    write_whole(folder / CARD, _card(writers, digests, tally, command).encode())
    return counts


def read(folder: Path) -> Iterator[Record]:
    """The records of a data set, in order. RecordError if it is damaged. They are not replayed (see Record.verify)."""
    for number, line in enumerate(lines(folder), 1):
        try:
            yield Record.from_line(line)
        except SandtableError as error:
            raise RecordError(f"{folder}, game {number}: {error}") from None


def lines(folder: Path) -> Iterator[str]:
    """The records' lines of JSON."""
    path = folder / "games.parquet"
    if not path.is_file():
        raise RecordError(f"{path}: there is no such file; a data set is a folder that contains it")
    arrow, parquet = _pyarrow()
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=READ, columns=["record"]):
                found = batch.column(0).to_pylist()
                if not all(isinstance(line, str) for line in found):
                    raise TypeError("a record is not text")
                yield from found
    except (arrow.ArrowException, OSError, KeyError, IndexError, TypeError, UnicodeDecodeError) as error:
        raise RecordError(
            f"{path}: not the table of games of a data set: {str(error).partition(chr(10))[0]:.150}"
        ) from None


def _read(source: Path, game: StoredGame) -> Record:
    try:
        record = game.record()
        record.verify()
    except SandtableError as error:
        raise RecordError(f"{source}, game {game.number}: {error}") from None
    return record


def _add_game(writers: dict[str, _Writer], record: Record, line: str, tally: Tally) -> None:
    game = game_of(record.start)
    name, digest = game.map_of(record.start).name, record.digest
    result = 0 if record.winner is None else 1 - 2 * record.winner
    writers["games"].add(
        (
            *(digest, game.name, game.version, name, *record.players),
            *(record.seed, record.winner, record.reason, record.turns, len(record.moves), line),
        )
    )
    tally[(game.name, name, *record.players, result)] += 1
    for ply, (before, kept) in enumerate(zip(record.states(), record.moves, strict=False)):
        movers = game.movers(before)
        said = " | ".join(game.notation(before, move) for move in game.moves_of(before, kept))
        side = movers[0] if len(movers) == 1 else -1
        position, move = json_fields.to_json(game.position(before)), json_fields.to_json(game.as_kept(kept))
        writers["positions"].add((digest, ply, game.turn(before), side, position, move, said, result, before.hash()))


def _add_analyses(writer: _Writer, record: Record, spec: PlayerSpec, every: int) -> None:
    game, digest = game_of(record.start), record.digest
    draws = Rng(int(digest, 16), "dataset")
    for ply, before in enumerate(record.states()):
        if ply % every or ply == len(record.moves):
            continue
        for side in game.movers(before):
            one: Any = spec.player()
            if hasattr(one, "start"):
                one.start(game.map_of(record.start), side, draws.below(2**32 - 1))
            found = one.analyse(before.copy(), side)
            moves = [json_fields.to_json(game.write_move(before, side, each.move)) for each in found.candidates]
            visits, values = [each.visits for each in found.candidates], [each.value for each in found.candidates]
            writer.add((digest, ply, side, str(spec), found.value, moves, visits, values, found.nodes))


def _results(tally: Tally) -> Iterable[tuple[Any, ...]]:
    for pair in sorted({key[:-1] for key in tally}):
        wins, losses, draws = (tally[(*pair, result)] for result in (1, -1, 0))
        yield (*pair, wins + losses + draws, wins, losses, draws)


class _Writer:
    """Builds a table in memory row by row, compressing it as it grows."""

    def __init__(self, columns: tuple[tuple[str, str, str], ...]) -> None:
        self._arrow, parquet = _pyarrow()
        types = {
            "list<string>": self._arrow.list_(self._arrow.string()),
            "list<int64>": self._arrow.list_(self._arrow.int64()),
            "list<float>": self._arrow.list_(self._arrow.float32()),
        }
        fields = [(name, types.get(kind) or getattr(self._arrow, kind)()) for name, kind, _ in columns]
        self._schema = self._arrow.schema(fields)
        self._sink = self._arrow.BufferOutputStream()
        self._writer = parquet.ParquetWriter(self._sink, self._schema, compression="zstd")
        self._held: list[tuple[Any, ...]] = []
        self.rows = 0

    def add(self, row: tuple[Any, ...]) -> None:
        self._held.append(row)
        self.rows += 1
        if len(self._held) >= BATCH:
            self._flush()

    def data(self) -> bytes:
        """The finished file."""
        self._flush()
        self._writer.close()
        return bytes(self._sink.getvalue().to_pybytes())

    def _flush(self) -> None:
        columns = list(zip(*self._held, strict=True)) or [()] * len(self._schema)
        arrays = [
            self._arrow.array(list(values), field.type) for values, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))
        self._held.clear()


def _card(writers: dict[str, _Writer], digests: dict[str, str], tally: Tally, command: str) -> str:
    games, maps, players = ({key[i] for key in tally} for i in (0, 1, 2))
    players |= {key[3] for key in tally}
    about = [
        "# Data card",
        "",
        f"Games of {' and '.join(sorted(games))}, played by programs, with every position and result.",
        "",
        f"- made by: Sandtable {__version__}, commit {commit()}" + (f", with `{command}`" if command else ""),
        f"- maps: {', '.join(sorted(maps))}",
        f"- players: {', '.join(f'`{one}`' for one in sorted(players))}",
        "- licence: Apache-2.0, that of Sandtable's own data, if the maps and players are Sandtable's own",
        "- personal data: none, except what names of maps and players may contain",
        "- every game was replayed by the engine before it was written; games that had failed are left out",
        "",
        "The games are a sample of these players' play alone: positions are as frequent as in their games, and a",
        "result says who won, not who had the better position. Positions of one game are not independent of each",
        "other: split by `game_id`, never by row.",
    ]
    for name, writer in writers.items():
        about += ["", f"## {name}.parquet: {writer.rows:,} rows", "", f"SHA-256 {digests[name]}", ""]
        about += ["| column | type | meaning |", "|---|---|---|"]
        about += [f"| `{column}` | {kind} | {meaning} |" for column, kind, meaning in TABLES[name]]
    return "\n".join(about) + "\n"


def _pyarrow() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise SandtableError("data sets need pyarrow: pip install 'sandtable[data]'") from None
