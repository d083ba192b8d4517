"""Stages `maps` to `dataset`: maps with terrain (section 5.1), games of M-UCT against itself, and their states. Stages
`short_games` to `short_dataset`: the same with a budget of M-UCT for which games are as long as the paper's."""

from __future__ import annotations

from sandtable.nets.architectures import COMBINED
from sandtable.papers.dataset import data_on, data_stages
from sandtable.papers.games import Games, Place
from sandtable.papers.takahashi.settings import KINDS, Settings
from sandtable.players.spec import PlayerSpec

SHORT = "short"  # the name of the data set whose games are as long as the paper's


def games(settings: Settings) -> Games:
    return _games(settings, settings.simulations)


def short_games(settings: Settings) -> Games:
    return _games(settings, settings.short_simulations)


def _games(settings: Settings, simulations: int) -> Games:
    return Games(
        "takahashi",
        "tubstap",
        settings.seed,
        tuple(Place("data", kind, number) for kind in KINDS for number in range(settings.maps)),
        player=str(PlayerSpec.of("muct", simulations=simulations)),
    )


# The data set has a part for each kind of maps. Its inputs combine the graph, the image and the units' cells, of which
# each model reads those that it needs.
make_maps, play_games, check_records, make_dataset = data_stages(
    games, ("seed", "maps"), ("simulations",), KINDS, lambda place: place.kind, lambda _: (COMBINED,)
)
_, play_short_games, check_short_records, make_short_dataset = data_on(
    make_maps,
    short_games,
    ("short_simulations",),
    KINDS,
    lambda place: place.kind,
    lambda _: (COMBINED,),
    data=SHORT,
    when=lambda settings: settings.short_simulations,
)
