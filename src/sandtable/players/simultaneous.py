"""Players of Conquest that search turns as they are, both choosing at once: `duct` and `regret`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

from sandtable import _core
from sandtable.conquest import State
from sandtable.errors import PlayerError
from sandtable.nets.conquest import conquest_evaluator
from sandtable.nets.evaluators import RUNTIMES
from sandtable.players.divided import Rooted, left_of
from sandtable.players.searching import Found
from sandtable.players.seeding import check_ranges, check_words

MAX_NODES = 1 << 14  # about 200 MB with 20 candidates


@dataclass(kw_only=True)
class Simultaneous(Rooted):
    """A tree in which each player has `candidates` moves at a node, and neither knows which the other chooses.

    New positions are judged by `playouts` or by a network, which with `sampled` also draws the candidates, each as
    likely as its policy says, from so many random moves.
    """

    simulations: int | None = None  # 6000, unless there is a clock
    evaluator: str = "playouts"
    sampled: int = 0  # 0: the candidates are random
    depth: int = 0  # turns after which a position is judged though it is known; 0: no limit
    rollout_turns: int = 10
    batch: int = 32  # positions that a network judges together
    runtime: str = "auto"  # of a network, as in guided
    max_nodes: int = MAX_NODES
    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._simulations = self.count(self.simulations, 6000, "simulations")
        check_ranges(self, candidates=(1, 100), depth=(0, 10**6), rollout_turns=(0, 10**6), batch=(1, 10**4))
        check_ranges(self, max_nodes=(1, 2**24))
        check_words(self, runtime=RUNTIMES)
        self._network = None if self.evaluator == "playouts" else conquest_evaluator(self.evaluator, self.runtime)
        if self.sampled != 0:
            check_ranges(self, sampled=(self.candidates, 100_000))
            if self._network is None:
                raise PlayerError("sampled moves need a network, evaluator=NET: playouts do not weigh moves")

    def _settings(self, state: State, side: int, seconds: float, seed: int) -> dict[str, Any]:
        begin = time.perf_counter()
        moves = self.root_moves(state, side, seconds, seed)
        return {
            "moves": moves,
            "simulations": self._simulations,
            "seconds": left_of(seconds, begin),
            "seed": seed,
            "candidates": self.candidates,
            "sampled": self.sampled,
            "depth": self.depth,
            "rollout_turns": self.rollout_turns,
            "batch": self.batch,
            "max_nodes": self.max_nodes,
            "evaluator": self._network,
        }


@dataclass(kw_only=True)
class Duct(Simultaneous):
    """Decoupled UCT: each player has a bandit of its own at a node. The move that it chose most often is played, or
    with `mixed` one drawn as often as it was chosen."""

    c: float = 0.5
    mixed: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, c=(0, 1000))

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
        settings = self._settings(state, side, seconds, seed)
        return _core.conquest.duct(state, side, c=self.c, mixed=self.mixed, **settings)[0]


@dataclass(kw_only=True)
class Regret(Simultaneous):
    """Regret matching: the average strategies at a node come to an equilibrium. A move is drawn from the average, or
    without `mixed` its most likely one is played."""

    exploration: float = 0.1
    mixed: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, exploration=(0, 1))

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
        settings = self._settings(state, side, seconds, seed)
        return _core.conquest.regret(state, side, exploration=self.exploration, mixed=self.mixed, **settings)[0]
