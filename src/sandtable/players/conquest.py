"""Players of Conquest that search: `mcts`, `guided` and `coevolution`, all of soares2025."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sandtable import _core
from sandtable.conquest import State
from sandtable.errors import PlayerError
from sandtable.nets.conquest import conquest_evaluator, seed_torch
from sandtable.nets.evaluators import RUNTIMES
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
    stall: bool = False  # the authors' habit: a search that meets the end of the game stops there
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
            stall=self.stall,
            max_nodes=self.max_nodes,
        )


@dataclass(kw_only=True)
class Guided(Timed):
    """soares2025's guided search: as mcts, but a network gives the values instead of playouts, and priors, which scale
    the exploration of moves as far as they are trusted."""

    net: str = "soares2025"  # a shipped net by its name, or a .safetensors file
    iterations: int | None = None  # 150, unless there is a clock
    candidates: int = 20
    c: float = 0.35
    trust: float = 0.75
    root_prior: bool = True  # the authors' habit was none for the root's own moves
    stall: bool = False  # as in mcts
    dropout: bool = False  # the authors' habit when they collected data: the network as in training
    runtime: str = "auto"  # onnx, torch, or the first of them that is installed
    max_nodes: int = MAX_NODES
    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._iterations = self.count(self.iterations, 150, "iterations")
        check_ranges(self, candidates=(1, 100), c=(0, 1000), trust=(0, 1))
        check_ranges(self, max_nodes=(self.candidates + 1, 2**31))
        check_words(self, runtime=RUNTIMES)
        self._network = conquest_evaluator(self.net, self.runtime, dropout=self.dropout)

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
        if self.dropout:
            seed_torch(seed)
        (best, candidates, *rest), priors = _core.conquest.guided(
            state,
            side,
            self._network,
            iterations=self._iterations,
            seconds=seconds,
            seed=seed,
            candidates=self.candidates,
            c=self.c,
            trust=self.trust,
            root_prior=self.root_prior,
            stall=self.stall,
            max_nodes=self.max_nodes,
        )
        known = priors if self.root_prior else [None] * len(candidates)
        found: Any = (best, [(*one, prior) for one, prior in zip(candidates, known, strict=True)], *rest)
        return found  # type: ignore[no-any-return]


@dataclass(kw_only=True)
class Coevolution(Timed):
    """soares2025's competitive coevolution of both players' moves; fitness is the mean value over the other population.
    The evaluator `share` is the mean of the shares of armies and income; any other is a network, which with
    `initialise=policy` also chooses the first populations among `sampled` moves."""

    generations: int | None = None  # 100, unless there is a clock
    population: int = 30
    elites: int = 5
    mutation: float = 0.2  # it had no effect in the authors' code: 0
    gene_mutation: float = 0.05
    evaluator: str = "share"
    initialise: str = "random"
    sampled: int = 90
    runtime: str = "auto"  # of a network, as in guided
    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._generations = self.count(self.generations, 100, "generations")
        check_ranges(self, population=(2, 200), mutation=(0, 1), gene_mutation=(0, 1))
        check_ranges(self, elites=(0, self.population))
        check_words(self, initialise=("random", "policy"), runtime=RUNTIMES)
        self._network = None if self.evaluator == "share" else conquest_evaluator(self.evaluator, self.runtime)
        if self.initialise == "policy":
            check_ranges(self, sampled=(self.population, 100_000))
            if self._network is None:
                raise PlayerError("initialise=policy needs a network, evaluator=NET: share does not weigh moves")

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
            sampled=self.sampled if self.initialise == "policy" else 0,
            evaluator=self._network,
        )
