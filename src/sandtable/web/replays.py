"""Records as the page replays them. Nothing here needs the server: `replay(record)` is a plain function."""

from __future__ import annotations

import itertools
import secrets
import tempfile
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sandtable import json_fields
from sandtable.arena.record import Record
from sandtable.arena.store import is_store
from sandtable.arena.stored_games import recorded_games
from sandtable.errors import RecordError, SandtableError
from sandtable.games import game_of
from sandtable.json_fields import to_json
from sandtable.web.pages import page_of
from sandtable.web.views import last_moves, outcome, sentences, view

MAX_RECORDS = 100  # in one upload
MAX_LINES = 10_000  # in one upload, empty ones included
MAX_KEPT = 300  # uploaded records; the oldest are forgotten
MAX_KEPT_CHARACTERS = 1 << 24  # of these records in total, as lines of JSON; more than any single upload has
MAX_PLIES = 5_000
MAX_CHARACTERS = 1 << 24  # of all positions of a replay, as JSON
OTHER_WAYS = "`sandtable games export` writes a selection of games, and `sandtable show --html` writes one as a page"


def replay(record: Record, titles: Sequence[str] | None = None, values: Sequence[float | None] | None = None) -> Any:
    """A record with all its positions, as JSON for the page. RecordError if a move cannot be played."""
    game = game_of(record.start)
    page = page_of(game)
    if len(record.moves) > MAX_PLIES:
        raise RecordError(f"the game has {len(record.moves):,} moves; the page shows games of up to {MAX_PLIES:,}")
    views: list[Any] = []
    moves: list[Any] = []
    last: list[Any] = []
    size = 0
    for ply, state in enumerate(record.states()):
        views.append(view(game, state, ply, last))
        size += len(to_json(views[-1]))
        if size > MAX_CHARACTERS:
            most = f"{MAX_CHARACTERS:,} characters"
            raise RecordError(f"the game's positions take more than the {most} that the page shows")
        if ply < len(record.moves):
            kept = record.moves[ply]
            try:
                said = sentences(game, state, ply, kept)
                last = last_moves(game, state, kept)
                steps = page.steps(state, kept)
            except (ValueError, TypeError, LookupError, StopIteration) as error:
                raise RecordError(f"record: move {ply}: {error}") from None
            moves += [one | {"steps": steps if i == 0 else []} for i, one in enumerate(said)]
    final = outcome(game, state)
    if record.reason is not None:  # the game may have ended off the board, for example by resignation
        views[-1] |= {"over": True, "movers": [], "winner": record.winner, "reason": record.reason}
    return {
        "game": game.name,
        "map": game.map_of(record.start).name,
        "sides": [{"title": title} for title in titles or record.players],
        "winner": record.winner,
        "reason": record.reason,
        "ground": page.ground(game.map_of(record.start)),
        "views": views,
        "moves": moves,
        "values": [*(values or [None] * len(record.moves)), final],
    }


def read_records(data: bytes) -> list[tuple[int, Record, int]]:
    """The records in a file's bytes (lines of JSON, or a store) with their numbers and sizes. RecordError if there are
    none or too many. SQLite only reads files, so the bytes are written to a temporary file in a folder that nobody else
    can read."""
    with tempfile.TemporaryDirectory(prefix="sandtable-") as folder:
        path = Path(folder) / "sent"
        path.write_bytes(data)
        if data.count(b"\n") > MAX_LINES and not is_store(path):
            raise RecordError(f"the file has more than the {MAX_LINES:,} lines that the page reads; {OTHER_WAYS}")
        try:
            games = list(itertools.islice(recorded_games(path), MAX_RECORDS + 1))
        except SandtableError as error:
            raise RecordError(str(error).replace(str(path), "the file")) from None
    if len(games) > MAX_RECORDS:
        raise RecordError(f"the file has more than the {MAX_RECORDS} records that the page accepts; {OTHER_WAYS}")
    return [(game.number, game.record(), len(game.line)) for game in games]


class Replays:
    """The records that visitors have sent, by id."""

    def __init__(self) -> None:
        self._records: OrderedDict[str, tuple[Record, int]] = OrderedDict()
        self._size = 0

    def add(self, record: Record, size: int) -> str:
        """Keep a record whose line has `size` characters. Returns its id."""
        id = secrets.token_hex(8)
        self._records[id] = record, size
        self._size += size
        while len(self._records) > MAX_KEPT or self._size > MAX_KEPT_CHARACTERS:
            _, (_, freed) = self._records.popitem(last=False)
            self._size -= freed
        return id

    def __contains__(self, id: Any) -> bool:
        return isinstance(id, str) and id in self._records

    def find(self, id: Any) -> Record:
        if id not in self:
            raise SandtableError(f"there is no replay {id!r:.40}")
        return self._records[id][0]

    def position(self, id: Any, ply: Any) -> Any:
        """The state of a record after `ply` moves."""
        record = self.find(id)
        number = json_fields.whole("ply", ply, 0, min(len(record.moves), MAX_PLIES))
        return next(itertools.islice(record.states(), number, None))
