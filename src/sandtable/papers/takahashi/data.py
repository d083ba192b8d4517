"""Stages `maps` to `dataset`: maps with terrain (section 5.1), games of M-UCT against itself, and their states."""

from __future__ import annotations

from typing import Any

from sandtable import tubstap
from sandtable.nets.architectures import COMBINED
from sandtable.papers import dataset
from sandtable.papers.games import Games, Place
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.takahashi.settings import KINDS, Settings
from sandtable.players.spec import PlayerSpec


def games(settings: Settings) -> Games:
    return Games(
        "takahashi",
        "tubstap",
        settings.seed,
        tuple(Place("data", kind, number) for kind in KINDS for number in range(settings.maps)),
        player=str(PlayerSpec.of("muct", simulations=settings.simulations)),
        map_settings=make_maps.depends(settings),
        game_settings=play_games.depends(settings),
    )


@stage("maps", settings=("seed", "maps"))
def make_maps(run: Run, settings: Settings) -> list[tubstap.Scenario]:
    return games(settings).maps(run)


@stage("games", needs=(make_maps,), settings=("simulations",))
def play_games(run: Run, settings: Settings, _: Any) -> list[str]:
    return games(settings).lines(run)


@stage("records", needs=(play_games,))
def check_records(run: Run, settings: Settings, _: Any) -> dict[str, Any]:
    return games(settings).check(run)


@stage("dataset", needs=(check_records,))
def make_dataset(run: Run, settings: Settings, _: Any) -> dict[str, Any]:
    """A part for each kind of maps; the graph, the image and the units' cells lie together, and models take theirs."""
    made = games(settings)
    parts = {kind: [i for i, place in enumerate(made.places) if place.kind == kind] for kind in KINDS}
    return dataset.encode(run, made, parts, (COMBINED,))
