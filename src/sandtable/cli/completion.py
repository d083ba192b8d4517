"""Shell completion: the names that arguments and options take. Nothing is loaded but lists of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sandtable.games import games
from sandtable.players.registry import known_names


def names(found: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """A function that completes the names in `found()`, which is called only when the shell asks."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in found() if name.startswith(incomplete)]

    return complete


def _maps() -> list[str]:
    return [name for game in games() for name in game.shipped()]


def _grounds() -> list[str]:
    """The grounds of a match: maps and generators."""
    return [*_maps(), *_generators()]


def _generators() -> list[str]:
    return [name for game in games() for name in game.generators]


def _rules() -> list[str]:
    return [name for game in games() for name in game.presets]


def _games() -> list[str]:
    return [game.name for game in games()]


def _recipes() -> list[str]:
    from sandtable.learn.recipe import shipped

    return list(shipped())


players, maps, grounds = names(known_names), names(_maps), names(_grounds)
generators, rules, game_names, recipes = names(_generators), names(_rules), names(_games), names(_recipes)
