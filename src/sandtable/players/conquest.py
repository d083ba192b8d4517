"""Players of Conquest that search: `mcts` and `coevolution`, both of soares2025."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sandtable import _core
from sandtable.conquest import State
from sandtable.errors import PlayerError
from sandtable.players.searching import Found
from sandtable.players.seeding import check_ranges, check_words
from sandtable.players.timing import Timed

MAX_NODES = 1 << 22  # about 100 MB


@dataclass(kw_only=True)
class Mcts(Timed):
    """soares2025's vanilla search: two levels a turn, `candidates` sampled moves a node, an iteration plays one random
    game from each child of a leaf; a game counts 0 that is undecided `rollout_levels` below the root."""

    iterations: int | None = None  # 300, unless there is a clock
    rollout_levels: int = 20
    candidates: int = 20
    c: float = 0.35
    max_nodes: int = MAX_NODES
    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._iterations = self.count(self.iterations, 300, "iterations")
        check_ranges(self, rollout_levels=(2, 10**6), candidates=(1, 1000), c=(0, 1000))
        check_ranges(self, max_nodes=(self.candidates + 1, 2**31))
        if self.rollout_levels % 2:
            raise PlayerError(
                f"rollout_levels are whole turns of two levels: an even number, not {self.rollout_levels}"
            )

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
        return _core.conquest.mcts(
            state,
            side,
            iterations=self._iterations,
            seconds=seconds,
            seed=seed,
            candidates=self.candidates,
            rollout_levels=self.rollout_levels,
            c=self.c,
            max_nodes=self.max_nodes,
        )


@dataclass(kw_only=True)
class Coevolution(Timed):
    """soares2025's competitive coevolution of both players' moves; fitness is the mean value over the other population.
    The evaluator `share` is the mean of the shares of armies and income."""

    generations: int | None = None  # 100, unless there is a clock
    population: int = 30
    elites: int = 5
    mutation: float = 0.2
    gene_mutation: float = 0.05
    evaluator: str = "share"
    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._generations = self.count(self.generations, 100, "generations")
        check_ranges(self, population=(2, 200), mutation=(0, 1), gene_mutation=(0, 1))
        check_ranges(self, elites=(0, self.population))
        check_words(self, evaluator=("share",))

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
        return _core.conquest.coevolution(
            state,
            side,
            generations=self._generations,
            seconds=seconds,
            seed=seed,
            population=self.population,
            elites=self.elites,
            mutation=self.mutation,
            gene_mutation=self.gene_mutation,
            evaluator=self.evaluator,
        )
