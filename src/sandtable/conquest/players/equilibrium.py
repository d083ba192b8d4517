"""A player of Conquest that solves its turn among moves that a network proposes: `equilibrium`."""

from __future__ import annotations

import time
from typing import ClassVar

from sandtable._core import SearchResult
from sandtable.conquest import State
from sandtable.conquest.flow import flow_plans
from sandtable.errors import PlayerError
from sandtable.nets.conquest import territory_evaluator
from sandtable.players.networks import RUNTIME
from sandtable.players.protocol import Candidate
from sandtable.players.timing import Timed
from sandtable.rng import Rng
from sandtable.settings import count, declares, setting

VISITS = 1000  # shares of a mixed strategy are shown as so many visits


@declares()
class Equilibrium(Timed):
    """Both players' candidate moves, proposed by a network, as a matrix of what it thinks of each pair; solved by
    regret matching, and improved round by round: new moves that do well against what the other side plays join. The
    move is drawn from the strategy found, or without `mixed` its most likely one is played."""

    net: str = setting("sandtable-conquest", "network, by its name if it is shipped or by its file", names="network")
    rounds: int | None = count(20, "rounds in which new candidates are tried")
    candidates: int = setting(16, "candidates of each player before the first round", low=1, high=1000)
    fresh: int = setting(24, "new moves of each player that a round tries", low=1, high=1000)
    joining: int = setting(4, "new moves that a round adds to the candidates, at most", low=1, high="fresh")
    most: int = setting(24, "candidates of each player at the end, at most", low="candidates", high=1000)
    opponents: int = setting(6, "moves of the other side that new ones are tried against, at most", low=1, high=1000)
    random: float = setting(0.2, "share of new moves that are random instead of proposed", low=0, high=1)
    uniform: float = setting(0.1, "share of the choices within a proposed move that are random", low=0, high=1)
    slack: float = setting(0.02, "accept moves within `slack` of the game value", low=0, high=2)
    least: float = setting(0.05, "moves with a smaller probability are not played", low=0, high=1)
    deepened: int = setting(0, "likeliest moves of each player whose pairs are searched a turn deeper", low=0, high=100)
    below: int = setting(6, "moves of each player in that turn", low=1, high=100)
    mixed: bool = setting(True, "draw the move from the strategy instead of playing the most likely one")
    plans: bool = setting(False, "add the plans of the player `flow` to the first candidates of both players")
    iterations: int = setting(200, "iterations of regret matching", low=1, high=10**6)
    runtime: str = RUNTIME
    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._rounds = self.counts()["rounds"]
        self._network = territory_evaluator(self.net, self.runtime)

    def search(self, state: State, side: int, seconds: float, seed: int) -> SearchResult:
        begin, rng = time.perf_counter(), Rng(seed, "plans")
        given = [flow_plans(state, player, rng) for player in (0, 1)] if self.plans else None
        left = max(seconds - (time.perf_counter() - begin), 1e-3) if seconds else 0.0
        try:
            *mixtures, value, _, states, rounds = self._network.equilibrium(
                state,
                side,
                rounds=self._rounds or -1,
                seconds=left,
                seed=seed,
                candidates=self.candidates,
                fresh=self.fresh,
                joining=self.joining,
                most=self.most,
                met=self.opponents,
                random=self.random,
                uniform=self.uniform,
                slack=self.slack,
                least=self.least,
                mixed=self.mixed,
                iterations=self.iterations,
                deepened=self.deepened,
                below=self.below,
                moves=given,
            )
        except ValueError as error:
            raise PlayerError(f"{self.net}: {error}") from None
        best, moves = mixtures[side]
        candidates = [Candidate(orders, round(VISITS * share), worth, pv=[orders]) for orders, share, worth in moves]
        own = value if side == 0 else -value
        return SearchResult(best=best, candidates=candidates, value=own, nodes=states, simulations=rounds)
