"""Stage `dataset`: the states of a paper's games, encoded, in the parts that its networks learn and are tested on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sandtable.arena import Record
from sandtable.learn import samples
from sandtable.nets.architectures import Encoder
from sandtable.papers.games import Games
from sandtable.papers.run import Run, RunError


def encode(run: Run, games: Games, parts: Mapping[str, Sequence[int]], encoders: Sequence[Encoder]) -> dict[str, Any]:
    """Encodes the states of each part's games, given by their numbers, with each encoder; says how many there are."""
    digest = games.check(run)["digest"]
    versions = {encoder.name: encoder.version for encoder in encoders}

    def work() -> dict[str, Any]:
        lines = games.lines(run)
        counts = {}
        for part, numbers in parts.items():
            records = [Record.from_line(lines[i]) for i in numbers]
            for encoder in encoders:
                made = samples.encoded(records, numbers, encoder)
                samples.save(made, folder(run, part, encoder.name))
                counts[part] = len(made)
        return counts

    found: dict[str, Any] = run.make("dataset", {**games.game_settings, "records": digest, "encoders": versions}, work)
    if not (run.folder / "data").is_dir():
        raise RunError(f"{run.folder / 'data'}: made, but gone; delete {run.folder / 'dataset.json'} to make it anew")
    return found


def folder(run: Run, part: str, encoder: str) -> Path:
    return run.folder / "data" / f"{part}-{encoder}"
