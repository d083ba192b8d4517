"""Stages `maps` to `dataset`: the maps of section 4.1, a game of two Monte-Carlo players on each, and its states."""

from __future__ import annotations

from typing import Any

from sandtable import tubstap
from sandtable.arena import Record
from sandtable.papers.dataset import data_stages
from sandtable.papers.games import Games, Place, as_json, generated_map
from sandtable.papers.li2022.settings import KINDS, NETWORKS, Maps, Settings
from sandtable.players.spec import PlayerSpec


def games(settings: Settings) -> Games:
    """The maps of a run, with a game on each. The local-search maps of the matches are among them, as all pairs share
    these; matches.py makes symmetric maps for every pair."""
    counts = {
        "train": settings.train,
        "test": settings.test,  # as in the paper
        "match": Maps(0, 0, settings.match_maps),
        "more": Maps(settings.more_random, settings.more_symmetric, 0),  # additional test maps
    }
    places = (
        Place(use, kind, number)
        for use, maps in counts.items()
        for kind, count in zip(KINDS, maps, strict=True)
        for number in range(count)
    )
    return Games(
        "li2022",
        "tubstap",
        settings.seed,
        tuple(places),
        player=str(PlayerSpec.of("uct", simulations=settings.data_rollouts)),
        options=generator_options(settings),
        make_played=map_with_last_game if settings.data_games == "last" else None,
    )


def rules(settings: Settings) -> tubstap.Rules:
    """The preset `li2022` with the tie rule of the settings; the preset itself if it has that rule."""
    preset = tubstap.rules("li2022")
    return preset if preset.quiet_limit == settings.quiet_limit else preset.replace(quiet_limit=settings.quiet_limit)


def generator_options(settings: Settings) -> dict[str, dict[str, Any]]:
    """The generators' options by kind of map."""
    common = {"rules": rules(settings)}
    return {kind: dict(common) for kind in KINDS} | {
        "local_search": common | {"rollouts": settings.local_search_rollouts}
    }


make_maps, play_games, check_records, make_dataset = data_stages(
    games,
    (
        *("seed", "train", "test", "more_random", "more_symmetric", "match_maps", "local_search_rollouts"),
        *("quiet_limit", "data_games"),
    ),
    ("data_rollouts",),
    ("train", "test"),
    lambda place: "train" if place.use == "train" else "test",
    lambda settings: (settings.architecture(network).encoder for network in NETWORKS),
)


def map_with_last_game(kind: str, seed: int, options: dict[str, Any]) -> dict[str, Any]:
    """A map with the generator's last game as a line of a record, or None if the generator plays no games."""
    if kind != "local_search":
        return {"map": generated_map("tubstap", kind, seed, options), "game": None}
    played = tubstap.maps.local_search_with_game(seed, **options)
    player = str(PlayerSpec.of("uct", simulations=options["rollouts"]))
    record = Record(
        start=played.scenario.start(),
        players=(player, player),
        seed=seed,
        moves=tuple(played.moves),
        winner=played.end.winner,
        reason=played.end.reason,
        turns=played.end.turn,
    )
    return {"map": as_json(played.scenario), "game": record.to_line()}
