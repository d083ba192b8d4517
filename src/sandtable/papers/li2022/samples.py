"""Stages `records` and `dataset`: the games checked by replaying them, and their states encoded (section 3.2)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from sandtable.arena import Record
from sandtable.files import write_whole
from sandtable.learn import samples
from sandtable.nets.architectures import ATTACK_GRAPH, UNIT_IMAGE
from sandtable.papers.li2022.data import GAME_SETTINGS, places, play_games
from sandtable.papers.li2022.settings import Settings
from sandtable.papers.run import Run, RunError

ENCODERS = (ATTACK_GRAPH, UNIT_IMAGE)
LABELS = {1.0: "win", -1.0: "loss", 0.0: "tie"}
PARTS = {"train": ("train",), "test": ("test", "match", "more")}  # of the data set, by what its maps are for


def check_records(run: Run, settings: Settings) -> dict[str, Any]:
    """Replays every game; keeps the records as one file; counts states by part, kind of map and label (Table 2)."""
    lines = play_games(run, settings)

    def work() -> dict[str, Any]:
        states: Counter[str] = Counter()
        games: Counter[str] = Counter()
        for place, line in zip(places(settings), lines, strict=True):
            record = Record.from_line(line)
            record.verify()
            games[f"{place.use} {place.kind}"] += 1
            states.update(f"{place.use} {place.kind} {LABELS[value]}" for value in samples.positions(record)[1])
        write_whole(run.folder / "records.jsonl", "".join(f"{line}\n" for line in lines).encode())
        return {"games": dict(games), "states": dict(states)}

    found: dict[str, Any] = run.make("records", settings.only(*GAME_SETTINGS), work)
    return found


def make_dataset(run: Run, settings: Settings) -> dict[str, Any]:
    """Encodes the states, for each part and encoder, and says how many there are."""
    check_records(run, settings)
    versions = {encoder.name: encoder.version for encoder in ENCODERS}

    def work() -> dict[str, Any]:
        lines = play_games(run, settings)
        counts = {}
        for part, uses in PARTS.items():
            numbers = [i for i, place in enumerate(places(settings)) if place.use in uses]
            records = [Record.from_line(lines[i]) for i in numbers]
            for encoder in ENCODERS:
                made = samples.encoded(records, numbers, encoder)
                samples.save(made, folder(run, part, encoder.name))
                counts[part] = len(made)
        return counts

    found: dict[str, Any] = run.make("dataset", {**settings.only(*GAME_SETTINGS), "encoders": versions}, work)
    if not (run.folder / "data").is_dir():
        raise RunError(f"{run.folder / 'data'}: made, but gone; delete {run.folder / 'dataset.json'} to make it anew")
    return found


def folder(run: Run, part: str, encoder: str) -> Path:
    return run.folder / "data" / f"{part}-{encoder}"


def kind_of_game(settings: Settings) -> list[str]:
    """The kind of map of each game, by its number."""
    return [place.kind for place in places(settings)]
