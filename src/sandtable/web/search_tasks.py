"""The tasks of the worker processes: decide, analyse, generate maps. They are functions of a module, because a process
finds them by the module's name."""

from __future__ import annotations

import functools
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

from sandtable.games import Game, game_of
from sandtable.players.protocol import Analysis
from sandtable.players.spec import player

KEPT_ANALYSES = 4  # analyses whose search trees each worker keeps
PLAYERS = 16  # players whose networks each worker keeps loaded


class Decision(NamedTuple):
    """A player's move, and its value of the position for side 0; None if it gives no value."""

    move: Any
    value: float | None


def decide(spec: str, state: Any, side: int, seed: int) -> Decision:
    """A player's decision. It depends on nothing but the arguments, so that a restarted server plays the same move."""
    chosen = _player(spec)
    if hasattr(chosen, "start"):
        chosen.start(game_of(state).map_of(state), side, seed)
    if not hasattr(chosen, "analyse"):
        return Decision(chosen.act(state, side), None)
    found: Analysis = chosen.analyse(state, side)
    if not getattr(chosen, "estimates", True):
        return Decision(found.candidates[0].move, None)
    return Decision(found.candidates[0].move, found.value if side == 0 else -found.value)


_analyses: OrderedDict[str, tuple[Any, Any]] = OrderedDict()  # by key: a player and the position that it analyses


def analyse(key: str, spec: str, state: Any, side: int) -> Analysis:
    """One part of an analysis. Calls with the same key use the same player and the same state object, so that a search
    that keeps its tree continues: it recognises a position only with the map object that it began with."""
    if key not in _analyses:
        _analyses[key] = (player(spec), state)
        _analyses[key][0].start(game_of(state).map_of(state), side, 0)
        while len(_analyses) > KEPT_ANALYSES:
            _analyses.popitem(last=False)
    _analyses.move_to_end(key)
    analyst, position = _analyses[key]
    begin = time.perf_counter()
    found: Analysis = analyst.analyse(position, side)
    return Analysis(found.value, found.candidates, found.nodes, time.perf_counter() - begin, found.simulations)


def generate(game: Game, generator: str, seed: int, options: Mapping[str, int]) -> Any:
    """A map from a generator of the game."""
    return game.generators[generator](seed, **options)


@functools.lru_cache(maxsize=PLAYERS)
def _player(spec: str) -> Any:
    return player(spec)
