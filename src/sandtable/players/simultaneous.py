"""Players that search games with simultaneous turns, where both sides choose at once: `duct` and `regret`."""

from __future__ import annotations

import time
from typing import Any, ClassVar

from sandtable._core import DuctSettings, RegretSettings
from sandtable.analysis import SearchResult
from sandtable.errors import PlayerError
from sandtable.games import Game, game_of
from sandtable.nets import locate, read_card, turn_evaluator
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
    """A tree search in which each player has `candidates` moves at a node and does not know the other's choice."""

    evaluator: str
    sampled: int
    runtime: str
    search_name: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        named = self.evaluator != "playouts"
        self._network = turn_evaluator(self.evaluator, self.runtime) if named else None
        self._network_game = read_card(locate(self.evaluator)).game if named else None
        if self.sampled != 0 and self._network is None:
            raise PlayerError("sampled moves need a network (evaluator=NET) to weigh them")

    def check_game(self, of: Game) -> None:
        """PlayerError if its network or the search named by `root` is for another game."""
        if self._network_game not in (None, of.name):
            its = f"evaluator={self.evaluator} is a network for {self._network_game}"
            raise PlayerError(f"{its}, not {of.name}: leave it out to evaluate by playouts")
        if self._evolved is not None and of.name not in self._evolved.games:
            its = f"root={self.root} is a search of {' and '.join(self._evolved.games)}"
            raise PlayerError(f"{its}, not {of.name}: leave it out to sample moves")

    def search(self, state: Any, side: int, seconds: float, seed: int) -> SearchResult:
        self.check_game(game_of(state))
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
    """Decoupled UCT: at every node each player has its own bandit. Plays its most visited move, or with `mixed` a move
    drawn in proportion to the visits."""

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
    """Regret matching: the average strategies at a node approach an equilibrium. Plays a move drawn from its average
    strategy, or without `mixed` the most likely move."""

    candidates: int
    root: str = ROOT
    simulations: int | None
    evaluator: str = EVALUATOR
    batch: int
    runtime: str = RUNTIME
    search_name = "regret"
    games = GamesWith("regret")
