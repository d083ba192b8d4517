"""Players of Conquest that search turns as they are, both choosing at once: `duct` and `regret`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from sandtable import _core
from sandtable._core import SearchResult
from sandtable._core.conquest import DuctSettings, RegretSettings
from sandtable.conquest import State
from sandtable.errors import PlayerError
from sandtable.nets.conquest import conquest_evaluator
from sandtable.players.networks import RUNTIME
from sandtable.players.two_stage import ROOT, CandidateTree, left_of
from sandtable.settings import declares, setting

EVALUATOR = setting(
    "playouts",
    "evaluates new positions: playouts, or a network, by its name or file",
    names="network",
    plain=("playouts",),
)


class Simultaneous(CandidateTree):
    """A tree in which each player has `candidates` moves at a node, and neither knows which the other chooses."""

    evaluator: str
    sampled: int
    runtime: str
    games: ClassVar[tuple[str, ...]] = ("conquest",)
    core: ClassVar[Callable[..., tuple[SearchResult, list[float], list[float]]]]  # the search

    def __post_init__(self) -> None:
        super().__post_init__()
        self._network = None if self.evaluator == "playouts" else conquest_evaluator(self.evaluator, self.runtime)
        if self.sampled != 0 and self._network is None:
            raise PlayerError("sampled moves need a network, evaluator=NET: playouts do not weigh moves")

    def search(self, state: State, side: int, seconds: float, seed: int) -> SearchResult:
        begin = time.perf_counter()
        moves = self.root_moves(state, side, seconds, seed)
        left, network = left_of(seconds, begin), self._network
        return type(self).core(state, side, self.settings, seconds=left, seed=seed, evaluator=network, moves=moves)[0]


@declares(DuctSettings)
class Duct(Simultaneous):
    """Decoupled UCT: each player has a bandit of its own at a node. The move that it chose most often is played, or
    with `mixed` one drawn as often as it was chosen."""

    candidates: int
    root: str = ROOT
    simulations: int | None
    evaluator: str = EVALUATOR
    batch: int
    runtime: str = RUNTIME
    core = _core.conquest.duct


@declares(RegretSettings)
class Regret(Simultaneous):
    """Regret matching: the average strategies at a node come to an equilibrium. A move is drawn from the average, or
    without `mixed` its most likely one is played."""

    candidates: int
    root: str = ROOT
    simulations: int | None
    evaluator: str = EVALUATOR
    batch: int
    runtime: str = RUNTIME
    core = _core.conquest.regret
