"""Players that search simultaneous turns as they are, both choosing at once: `duct` and `regret`."""

from __future__ import annotations

import time
from typing import Any, ClassVar

from sandtable._core import DuctSettings, RegretSettings
from sandtable.analysis import SearchResult
from sandtable.errors import PlayerError
from sandtable.games import game_of
from sandtable.nets import turn_evaluator
from sandtable.players.networks import RUNTIME
from sandtable.players.seeding import GamesWith
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
    search_name: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._network = None if self.evaluator == "playouts" else turn_evaluator(self.evaluator, self.runtime)
        if self.sampled != 0 and self._network is None:
            raise PlayerError("sampled moves need a network, evaluator=NET: playouts do not weigh moves")

    def search(self, state: Any, side: int, seconds: float, seed: int) -> SearchResult:
        begin = time.perf_counter()
        moves = self.root_moves(state, side, seconds, seed)
        left, network = left_of(seconds, begin), self._network
        search = game_of(state).searches[self.search_name]
        found: SearchResult = search(
            state, side, self.settings, seconds=left, seed=seed, evaluator=network, moves=moves
        )[0]
        return found


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
    search_name = "duct"
    games = GamesWith("duct")


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
    search_name = "regret"
    games = GamesWith("regret")
