"""Stages `maps` to `dataset`: maps with terrain (section 5.1), games of M-UCT against itself, and their states."""

from __future__ import annotations

from sandtable.nets.architectures import COMBINED
from sandtable.papers.dataset import data_stages
from sandtable.papers.games import Games, Place
from sandtable.papers.takahashi.settings import KINDS, Settings
from sandtable.players.spec import PlayerSpec


def games(settings: Settings) -> Games:
    return Games(
        "takahashi",
        "tubstap",
        settings.seed,
        tuple(Place("data", kind, number) for kind in KINDS for number in range(settings.maps)),
        player=str(PlayerSpec.of("muct", simulations=settings.simulations)),
    )


# A part for each kind of maps; the graph, the image and the units' cells lie together, and models take theirs.
make_maps, play_games, check_records, make_dataset = data_stages(
    games, ("seed", "maps"), ("simulations",), KINDS, lambda place: place.kind, lambda _: (COMBINED,)
)
