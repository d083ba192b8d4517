"""What the page needs to know about a game beyond its `Game` object.

A game may have a part "page", an object with the attributes of `Page`. A game without one gets `MoveListPage`, which
shows positions as pictures and moves as a list.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from sandtable.errors import SandtableError
from sandtable.games import Game
from sandtable.players.levels import Level
from sandtable.players.registry import player_class
from sandtable.players.spec import PlayerSpec
from sandtable.settings import declared


class Option(NamedTuple):
    """A whole number that a generator of maps takes."""

    default: int
    low: int
    high: int


class Page(Protocol):
    """`about` describes the game in one sentence; `how` explains in a few sentences how it is played. `level_maps` are
    the maps, and positions of the suite `dev`, on which the levels are measured. `players` are the players that a
    visitor may choose besides the levels; only their count can be set. `generators` are the generators that are fast
    enough for the page, with the range of each option. `analysis_grows`: searching a position again with the same
    player continues the search. `has_board`: the page has a board for the game; `symbols` is an SVG file with the
    drawings of that board."""

    title: str
    about: str
    how: Sequence[str]
    sides: tuple[str, str]
    levels: Sequence[Level]
    level_maps: Sequence[str]
    players: Sequence[str]
    generators: Mapping[str, Mapping[str, Any]]
    analysis_grows: bool
    has_board: bool
    symbols: Path | None

    def ground(self, map: Any) -> dict[str, Any] | None:
        """The part of the game's own board that stays the same during a game; None if the game has no board of its own
        and positions are shown as pictures."""

    def board(self, state: Any) -> dict[str, Any]:
        """The part of the game's own board that depends on the position; only used if there is a ground."""

    def thumbnail(self, map: Any) -> str:
        """A small picture of a map, as SVG."""

    def choices(self, state: Any, side: int) -> dict[str, Any]:
        """The data from which the page lets a person choose a move."""

    def steps(self, before: Any, kept: Any) -> list[dict[str, Any]]:
        """A move, in the form that records keep, as steps that the board animates."""

    def analyst(self, simulations: int) -> str:
        """The spec of the player that analyses positions, with this budget."""


class MoveListPage:
    """The page of a game that has no part "page"."""

    about = ""
    how: Sequence[str] = ()
    sides = ("Red", "Blue")
    analysis_grows = False
    has_board = False
    symbols: Path | None = None

    def __init__(self, game: Game) -> None:
        self._game = game
        self.title = game.name.replace("_", " ").capitalize()
        self.generators: Mapping[str, Mapping[str, Option]] = {name: {} for name in game.generators}
        search = "regret" if game.simultaneous else "uct"
        searches = [name for name in ("duct", "pmc", "regret", "uct") if name in game.searches]
        self.players: Sequence[str] = ("random", *searches)
        self.level_maps: Sequence[str] = game.examples
        self.levels: Sequence[Level] = (
            Level("random", "Random", "random", "Moves at random."),
            *(
                Level(
                    f"{search}-{count}",
                    f"{count} simulations",
                    with_count(search, count),
                    f"Searches with {count:,} simulations a move.",
                )
                for count in (10, 50, 200, 1000, 4000)
            ),
        )

    def ground(self, map: Any) -> dict[str, Any] | None:
        return None

    def board(self, state: Any) -> dict[str, Any]:
        return {}

    def thumbnail(self, map: Any) -> str:
        return self._game.svg(map)

    def choices(self, state: Any, side: int) -> dict[str, Any]:
        moves = self._game.moves(state, side)
        return {
            "moves": [
                {
                    "index": index,
                    "sentence": self._game.describe(state, move),
                    "notation": self._game.notation(state, move),
                }
                for index, move in enumerate(moves)
            ]
        }

    def steps(self, before: Any, kept: Any) -> list[dict[str, Any]]:
        return []

    def analyst(self, simulations: int) -> str:
        return with_count(self._game.champion, simulations)


@functools.cache
def page_of(game: Game) -> Page:
    """The game's own page, or a MoveListPage if it has none."""
    if "page" not in game.parts:
        return MoveListPage(game)
    found: Page = game.part("page")
    return found


def count_of(name: str) -> str | None:
    """The name of the count that limits a player's search; None if it has none."""
    return next((one.name for one in declared(player_class(name)) if one.is_count), None)


def with_count(spec: str, count: int) -> str:
    """The spec with its count set to `count`."""
    parsed = PlayerSpec.parse(spec)
    name = count_of(parsed.name)
    if name is None:
        raise SandtableError(f"{parsed.name} has no count that limits its search")
    return str(parsed.replace(**{name: count}))
