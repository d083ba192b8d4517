"""Stage `records`: all games of a run, replayed and checked, in one file: `records.jsonl`, a record a line.

First the games of the data, then those of the matches. Networks are named as in the run, without their folders.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from sandtable.arena import Record
from sandtable.arena.store import Store
from sandtable.files import write_whole
from sandtable.papers.matches import store_of
from sandtable.papers.run import Run, RunError
from sandtable.papers.soares2025 import searched_games
from sandtable.papers.soares2025.data import File, check_games, without_places
from sandtable.papers.soares2025.played import all_data, played
from sandtable.papers.soares2025.settings import Settings
from sandtable.papers.stages import stage

FILE = "records.jsonl"


@stage("records", needs=lambda settings: [*played(settings), *all_data(settings)])
def write_records(run: Run, settings: Settings, *made: Any) -> dict[str, Any]:
    """The number of games of each kind, in the file's order, the number by how they ended, and the file's digest."""
    files = [file for data in made[-len(all_data(settings)) :] for file in data.files]
    for file in files:
        check_games(file)  # even if this stage is done already
    with Store(store_of(run)) as store:
        matches = [(row.task, row.record) for row in store.rows() if row.error is None]
    content = hashlib.sha256("".join(f"{task}\n{line}\n" for task, line in matches).encode())
    content.update("".join(file.sha256 for file in files).encode())

    def work() -> dict[str, Any]:
        kinds, ends, lines = Counter[str](), Counter[str](), []
        for kind, record in (*_of_data(files), *(("matches", Record.from_line(line)) for _, line in matches)):
            record.verify()
            kinds[kind] += 1
            ends[record.reason or ("tie" if record.winner is None else "conquest")] += 1
            lines.append(f"{without_places(record).to_line()}\n")
        data = "".join(lines).encode()
        write_whole(run.folder / FILE, data)
        return {"games": dict(kinds), "ends": dict(ends), "sha256": hashlib.sha256(data).hexdigest()}

    found: dict[str, Any] = run.make("records", {"games": content.hexdigest()}, work, renew=True)
    path = run.folder / FILE
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != found["sha256"]:
        log = run.folder / "records.json"
        raise RunError(f"{path}: missing, or not the records that were written; delete {log} to write it again")
    return found


def _of_data(files: list[File]) -> Iterator[tuple[str, Record]]:
    for file in files:
        for game in searched_games.load(file.path):
            yield file.path.stem.rpartition("-")[0], game.record
