"""Players of Conquest that search: `mcts`, `guided` and `coevolution` of soares2025, and searches that its section 6.2
leaves as future work: CMA-ES, plans of several turns, tree search that begins with a coevolved population, and
coevolution that begins with a tree search."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any, ClassVar

from sandtable import _core
from sandtable._core.conquest import CmaesSettings, CoevolutionSettings, GuidedSettings, MctsSettings
from sandtable.analysis import SearchResult
from sandtable.conquest import State
from sandtable.errors import PlayerError
from sandtable.nets.conquest import seed_torch, turn_evaluator
from sandtable.players.networks import RUNTIME
from sandtable.players.two_stage import ROOT, CandidateTree, Moves, TwoStage, left_of
from sandtable.settings import declares, setting

EVALUATOR = setting(
    "share",
    "evaluates positions: share, the mean of the shares of armies and income, or a network, by its name or file",
    names="network",
    plain=("share",),
)
INITIALISE = setting(
    "random",
    "first populations: random, by the network's policy, or by mcts or guided, as in 'mcts(iterations=100)'",
    names="player",
    plain=("random", "policy"),
)

_SAMPLED = next(one for one in CoevolutionSettings.fields if one.name == "sampled")


@declares(MctsSettings)
class Mcts(CandidateTree):
    """soares2025's vanilla search: two tree levels per turn and `candidates` sampled moves per node; an iteration plays
    one random game from each child of a leaf."""

    candidates: int
    root: str = ROOT
    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def search(self, state: State, side: int, seconds: float, seed: int) -> SearchResult:
        begin = time.perf_counter()
        moves = self.root_moves(state, side, seconds, seed)
        return _core.conquest.mcts(state, side, self.settings, seconds=left_of(seconds, begin), seed=seed, moves=moves)


@declares(GuidedSettings)
class Guided(CandidateTree):
    """soares2025's guided search: like `mcts`, but a network gives the values instead of playouts, and its priors, with
    the weight `trust`, scale the exploration of moves."""

    candidates: int
    root: str = ROOT
    max_nodes: int
    net: str = setting("soares2025", "name of a shipped network, or a .safetensors file", names="network")
    root_prior: bool
    dropout: bool = setting(False, "reproduce the authors' data collection: the network with dropout, as in training")
    runtime: str = RUNTIME
    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._network = turn_evaluator(self.net, self.runtime, dropout=self.dropout)

    def search(self, state: State, side: int, seconds: float, seed: int) -> SearchResult:
        begin = time.perf_counter()
        moves = self.root_moves(state, side, seconds, seed)
        if self.dropout:
            seed_torch(seed)
        left = left_of(seconds, begin)
        return _core.conquest.guided(state, side, self._network, self.settings, seconds=left, seed=seed, moves=moves)


class Evolving(TwoStage):
    """The common part of searches that evolve a population of moves for each player. A move's fitness is its mean value
    against the other population. With `initialise=policy` a network also chooses the first populations among `sampled`
    moves. With `initialise=mcts` a search for each side fills its first population with moves in proportion to their
    visits."""

    population: int
    evaluator: str
    initialise: str
    sampled: int
    runtime: str
    games: ClassVar[tuple[str, ...]] = ("conquest",)
    core: ClassVar[Callable[..., tuple[SearchResult, Moves]]]  # the core's search

    def __post_init__(self) -> None:
        super().__post_init__()
        self._searched: Any = self.first_stage("initialise", ("random", "policy"), ("mcts", "guided"))
        self._network = None if self.evaluator == "share" else turn_evaluator(self.evaluator, self.runtime)
        if self.initialise == "policy":
            dataclasses.replace(_SAMPLED, low=self.population).checked(self.sampled)
            if self._network is None:
                raise PlayerError("initialise=policy needs a network (evaluator=NET): share does not weigh moves")

    def search(self, state: State, side: int, seconds: float, seed: int) -> SearchResult:
        return self.evolve(state, side, seconds, seed)[0]

    def evolve(self, state: State, side: int, seconds: float, seed: int) -> tuple[SearchResult, Moves]:
        """The result of one search, and the population of the other side, best first."""
        begin = time.perf_counter()
        moves = self._first_moves(state, seconds, seed)
        return type(self).core(
            state,
            side,
            self.settings,
            seconds=left_of(seconds, begin),
            seed=seed,
            evaluator=self._network,
            weigh=self.initialise == "policy",
            moves=moves,
        )

    def _first_moves(self, state: State, seconds: float, seed: int) -> tuple[Moves, Moves] | None:
        """First populations of both players, from one search for each; None if `initialise` names no search."""
        if self._searched is None:
            return None
        half = self.share * seconds / 2
        first, second = (
            in_proportion(self._searched.search(state, side, half, seed), self.population) for side in (0, 1)
        )
        return first, second


@declares(CoevolutionSettings)
class Coevolution(Evolving):
    """soares2025's competitive coevolution of both players' moves, with genetic operators. With a `horizon` above 1
    individuals are plans of several turns, of which only the first is played."""

    horizon: int
    evaluator: str = EVALUATOR
    initialise: str = INITIALISE
    sampled: int
    runtime: str = RUNTIME
    core = _core.conquest.coevolution


@declares(CmaesSettings)
class CmaEs(Evolving):
    """CMA-ES instead of coevolution's genetic operators (future work of soares2025, section 6.2): each side adapts a
    normal distribution over the genes of its move, with a diagonal covariance matrix, to what does well against the
    other side's population."""

    step: float
    evaluator: str = EVALUATOR
    initialise: str = INITIALISE
    sampled: int
    runtime: str = RUNTIME
    core = _core.conquest.cmaes


def in_proportion(found: SearchResult, size: int) -> Moves:
    """`size` moves: each is repeated in proportion to its visits (largest-remainder method), the most visited first."""
    candidates = sorted(found.candidates, key=lambda one: (-one.visits, -one.value))
    total = sum(one.visits for one in candidates)
    counts = [size * one.visits // total for one in candidates]
    rest = sorted(range(len(counts)), key=lambda i: -(size * candidates[i].visits % total))
    for i in rest[: size - sum(counts)]:
        counts[i] += 1
    return [one.move for one, count in zip(candidates, counts, strict=True) for _ in range(count)]
