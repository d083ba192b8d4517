"""Stages `maps`, `games`, `records` and `dataset`, for every paper that learns from games. They generate maps, play a
game on each, check the games, and encode their states, divided into parts such as a training and a test set."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from sandtable.arena import Record
from sandtable.learn import samples
from sandtable.nets.architectures import Encoder
from sandtable.papers.games import Games, Place
from sandtable.papers.run import Run, RunError
from sandtable.papers.stages import Stage, stage


class DataStages(NamedTuple):
    make_maps: Stage[list[dict[str, Any]]]
    play_games: Stage[list[str]]
    check_records: Stage[dict[str, Any]]
    make_dataset: Stage[dict[str, Any]]


def data_stages(
    games: Callable[[Any], Games],
    map_settings: tuple[str, ...],
    game_settings: tuple[str, ...],
    parts: Iterable[str],
    part_of: Callable[[Place], str],
    encoders_of: Callable[[Any], Iterable[Encoder]],
) -> DataStages:
    """The stages of games(settings). The maps depend on `map_settings`; the games on them depend on `game_settings`
    too."""

    @stage("maps", settings=map_settings)
    def make_maps(run: Run, settings: Any) -> list[dict[str, Any]]:
        return games(settings).generate(run, make_maps.depends(settings))

    return data_on(make_maps, games, game_settings, parts, part_of, encoders_of)


def data_on(
    make_maps: Stage[list[dict[str, Any]]],
    games: Callable[[Any], Games],
    game_settings: tuple[str, ...],
    parts: Iterable[str],
    part_of: Callable[[Place], str],
    encoders_of: Callable[[Any], Iterable[Encoder]],
    *,
    data: str = "",
    when: Callable[[Any], object] = lambda settings: True,
) -> DataStages:
    """The stages after `maps`, on the maps that `make_maps` gives. `data` names a further data set of the run."""

    @stage(_stage_name("games", data), needs=(make_maps,), settings=game_settings, when=when)
    def play_games(run: Run, settings: Any, made: list[dict[str, Any]]) -> list[str]:
        return games(settings).play(run, play_games.name, play_games.depends(settings), made)

    @stage(_stage_name("records", data), needs=(play_games,), when=when)
    def check_records(run: Run, settings: Any, lines: list[str]) -> dict[str, Any]:
        return games(settings).check(run, check_records.name, check_records.depends(settings), lines)

    @stage(_stage_name("dataset", data), needs=(play_games, check_records), when=when)
    def make_dataset(run: Run, settings: Any, lines: list[str], records: dict[str, Any]) -> dict[str, Any]:
        """The number of states in each part."""
        encoders = {one.name: one for one in encoders_of(settings)}

        def work() -> dict[str, Any]:
            counts = {}
            for part in parts:
                numbers = [i for i, place in enumerate(games(settings).places) if part_of(place) == part]
                played = [Record.from_line(lines[i]) for i in numbers]
                for encoder in encoders.values():
                    made = samples.encoded(played, numbers, encoder)
                    samples.save(made, folder(run, part, encoder.name, data))
                    counts[part] = len(made)
            return counts

        versions = {name: one.version for name, one in encoders.items()}
        found = make_dataset.make(run, settings, work, records=records["digest"], encoders=versions)
        for where in (folder(run, part, name, data) for part in parts for name in encoders):
            if not where.is_dir():
                made = run.folder / f"{make_dataset.name}.json"
                raise RunError(f"{where}: missing, although it was made; delete {made} to make it again")
        return found

    return DataStages(make_maps, play_games, check_records, make_dataset)


def folder(run: Run, part: str, encoder: str, data: str = "") -> Path:
    return run.folder / "data" / "-".join(filter(None, (data, part, encoder)))


def _stage_name(what: str, data: str) -> str:
    return f"{data}_{what}" if data else what
