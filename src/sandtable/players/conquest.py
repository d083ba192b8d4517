"""Players of Conquest that search: `mcts`, `guided` and `coevolution`, all of soares2025, and what its section 6.2
leaves as future work: CMA-ES, plans of several turns, tree search that begins with a coevolved population, and the
reverse."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

from sandtable import _core
from sandtable.conquest import State
from sandtable.errors import PlayerError
from sandtable.nets.conquest import conquest_evaluator, seed_torch
from sandtable.nets.evaluators import RUNTIMES
from sandtable.players.divided import Divided, Moves, Rooted, left_of
from sandtable.players.searching import Found
from sandtable.players.seeding import check_ranges, check_words

MAX_NODES = 1 << 22  # about 100 MB
CROSSOVER_KINDS = ("one_point", "two_point", "uniform")
SELECTIONS = ("random", "tournament")


@dataclass(kw_only=True)
class TreeSearch(Rooted):
    """What soares2025's tree searches share: a turn is two levels, with `candidates` moves a node."""

    c: float = 0.35
    stall: bool = False  # the authors' habit: a search that meets the end of the game stops there
    max_nodes: int = MAX_NODES
    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, c=(0, 1000), max_nodes=(self.candidates + 1, 2**31))


@dataclass(kw_only=True)
class Mcts(TreeSearch):
    """soares2025's vanilla search: two levels a turn, `candidates` sampled moves a node, an iteration plays one random
    game from each child of a leaf; a game counts 0 that is undecided `rollout_levels` below the root."""

    iterations: int | None = None  # 300, unless there is a clock
    rollout_levels: int = 20

    def __post_init__(self) -> None:
        check_ranges(self, rollout_levels=(2, 10**6), candidates=(1, 1000))
        super().__post_init__()
        self._iterations = self.count(self.iterations, 300, "iterations")
        if self.rollout_levels % 2:
            raise PlayerError(
                f"rollout_levels are whole turns of two levels: an even number, not {self.rollout_levels}"
            )

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
        begin = time.perf_counter()
        moves = self.root_moves(state, side, seconds, seed)
        return _core.conquest.mcts(
            state,
            side,
            iterations=self._iterations,
            seconds=left_of(seconds, begin),
            seed=seed,
            candidates=self.candidates,
            rollout_levels=self.rollout_levels,
            c=self.c,
            stall=self.stall,
            max_nodes=self.max_nodes,
            moves=moves,
        )


@dataclass(kw_only=True)
class Guided(TreeSearch):
    """soares2025's guided search: as mcts, but a network gives the values instead of playouts, and priors, which scale
    the exploration of moves as far as they are trusted."""

    net: str = "soares2025"  # a shipped net by its name, or a .safetensors file
    iterations: int | None = None  # 150, unless there is a clock
    trust: float = 0.75
    root_prior: bool = True  # the authors' habit was none for the root's own moves
    dropout: bool = False  # the authors' habit when they collected data: the network as in training
    runtime: str = "auto"  # onnx, torch, or the first of them that is installed

    def __post_init__(self) -> None:
        check_ranges(self, candidates=(1, 100), trust=(0, 1))
        super().__post_init__()
        self._iterations = self.count(self.iterations, 150, "iterations")
        check_words(self, runtime=RUNTIMES)
        self._network = conquest_evaluator(self.net, self.runtime, dropout=self.dropout)

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
        begin = time.perf_counter()
        moves = self.root_moves(state, side, seconds, seed)
        if self.dropout:
            seed_torch(seed)
        (best, candidates, *rest), priors = _core.conquest.guided(
            state,
            side,
            self._network,
            iterations=self._iterations,
            seconds=left_of(seconds, begin),
            seed=seed,
            candidates=self.candidates,
            c=self.c,
            trust=self.trust,
            root_prior=self.root_prior,
            stall=self.stall,
            max_nodes=self.max_nodes,
            moves=moves,
        )
        known = priors if self.root_prior else [None] * len(candidates)
        found: Any = (best, [(*one, prior) for one, prior in zip(candidates, known, strict=True)], *rest)
        return found  # type: ignore[no-any-return]


class Evolving(Divided):
    """What searches share that evolve a population of moves for each player, whose fitness is the mean value over the
    other population. The evaluator `share` is the mean of the shares of armies and income; any other is a network,
    which with `initialise=policy` also chooses the first populations among `sampled` moves. With `initialise=mcts` a
    search of each side gives them: as many of a move as it has of the visits.

    The settings are fields of the subclasses, since spec_of() writes them in the order of the fields."""

    generations: int | None
    population: int
    elites: int
    evaluator: str
    initialise: str
    sampled: int
    runtime: str
    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._generations = self.count(self.generations, 100, "generations")
        check_ranges(self, population=(2, 200))
        check_ranges(self, elites=(0, self.population), sampled=(1, 100_000))
        check_words(self, runtime=RUNTIMES)
        self._searched: TreeSearch | None = self.first_part("initialise", ("random", "policy"), ("mcts", "guided"))
        self._network = None if self.evaluator == "share" else conquest_evaluator(self.evaluator, self.runtime)
        if self.initialise == "policy":
            check_ranges(self, sampled=(self.population, 100_000))
            if self._network is None:
                raise PlayerError("initialise=policy needs a network, evaluator=NET: share does not weigh moves")

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
        return self.evolve(state, side, seconds, seed)[0]

    def evolve(self, state: State, side: int, seconds: float, seed: int) -> tuple[Found, Moves]:
        """One search, and the population of the other side, best first."""
        begin = time.perf_counter()
        moves = self._first_moves(state, seconds, seed)
        return self._evolve(
            state,
            side,
            generations=self._generations,
            seconds=left_of(seconds, begin),
            seed=seed,
            population=self.population,
            elites=self.elites,
            sampled=self.sampled if self.initialise == "policy" else 0,
            evaluator=self._network,
            moves=moves,
        )

    def _evolve(self, state: State, side: int, **shared: Any) -> tuple[Found, Moves]:
        """Where a player calls the core, with its own settings beside the shared ones."""
        raise NotImplementedError

    def _first_moves(self, state: State, seconds: float, seed: int) -> tuple[Moves, Moves] | None:
        """A population of each player from a search of its own; None if there is none."""
        if self._searched is None:
            return None
        half = self.share * seconds / 2
        first, second = (
            in_proportion(self._searched.search(state, side, half, seed), self.population) for side in (0, 1)
        )
        return first, second


@dataclass(kw_only=True)
class Coevolution(Evolving):
    """soares2025's competitive coevolution of both players' moves, with genetic operators. `selection=tournament` makes
    the fittest of `tournament_size` random individuals a parent. With a `horizon` individuals are plans of several
    turns, of which only the first is played."""

    generations: int | None = None  # 100, unless there is a clock
    population: int = 30
    elites: int = 5
    mutation: float = 0.2  # it had no effect in the authors' code: 0
    gene_mutation: float = 0.05
    crossover: float = 1.0  # the share of children that are crossed: all, in the thesis; the others are copies
    crossover_kind: str = "one_point"  # or two_point, uniform
    selection: str = "random"  # of parents; or tournament
    tournament_size: int = 2
    horizon: int = 1  # turns
    evaluator: str = "share"
    initialise: str = "random"  # or policy, or mcts or guided, with settings as in 'mcts(iterations=100)'
    sampled: int = 90
    runtime: str = "auto"  # of a network, as in guided

    def __post_init__(self) -> None:
        check_ranges(self, mutation=(0, 1), gene_mutation=(0, 1), crossover=(0, 1))
        check_ranges(self, tournament_size=(1, 1000), horizon=(1, 20))
        check_words(self, crossover_kind=CROSSOVER_KINDS, selection=SELECTIONS)
        super().__post_init__()

    def _evolve(self, state: State, side: int, **shared: Any) -> tuple[Found, Moves]:
        return _core.conquest.coevolution(
            state,
            side,
            mutation=self.mutation,
            gene_mutation=self.gene_mutation,
            crossover=self.crossover,
            crossover_kind=self.crossover_kind,
            selection=self.selection,
            tournament_size=self.tournament_size,
            horizon=self.horizon,
            **shared,
        )


@dataclass(kw_only=True)
class CmaEs(Evolving):
    """CMA-ES instead of coevolution's genetic operators (future work of soares2025, section 6.2): each side adapts a
    normal distribution over the genes of its move, with a diagonal covariance matrix, to what does well against the
    other side's population."""

    generations: int | None = None  # 100, unless there is a clock
    population: int = 30
    elites: int = 5
    step: float = 0.5  # first standard deviation of a gene, as a multiple of its spread in the first population
    evaluator: str = "share"
    initialise: str = "random"  # or policy, or mcts or guided, with settings as in 'mcts(iterations=100)'
    sampled: int = 90
    runtime: str = "auto"  # of a network, as in guided

    def __post_init__(self) -> None:
        check_ranges(self, step=(0.01, 100))
        super().__post_init__()

    def _evolve(self, state: State, side: int, **shared: Any) -> tuple[Found, Moves]:
        return _core.conquest.cmaes(state, side, step=self.step, **shared)


def in_proportion(found: Found, size: int) -> Moves:
    """So many moves, as many of each as it has of a search's visits, the most visited first (largest remainders)."""
    candidates = sorted(found[1], key=lambda candidate: (-candidate[1], -candidate[2]))
    total = sum(visits for _, visits, *_ in candidates)
    counts = [size * visits // total for _, visits, *_ in candidates]
    rest = sorted(range(len(counts)), key=lambda i: -(size * candidates[i][1] % total))
    for i in rest[: size - sum(counts)]:
        counts[i] += 1
    return [move for (move, *_), count in zip(candidates, counts, strict=True) for _ in range(count)]
