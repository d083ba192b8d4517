"""A player of Conquest that solves its turn among moves that a network proposes: `equilibrium`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

from sandtable.conquest import State
from sandtable.conquest.flow import flow_plans
from sandtable.errors import PlayerError
from sandtable.nets.conquest import territory_evaluator
from sandtable.nets.evaluators import RUNTIMES
from sandtable.players.searching import Found
from sandtable.players.seeding import check_ranges, check_words
from sandtable.players.timing import Timed
from sandtable.rng import Rng

VISITS = 1000  # shares of a mixture are shown as so many visits


@dataclass(kw_only=True)
class Equilibrium(Timed):
    """Both players' candidate moves, proposed by a network, as a matrix of what it thinks of each pair; solved by
    regret matching, and improved round by round: new moves that do well against what the other side plays join. The
    move is drawn from the strategy found, or without `mixed` its most likely one is played."""

    net: str = "sandtable-conquest"  # a shipped net by its name, or a .safetensors file
    rounds: int | None = None  # 20, unless there is a clock
    candidates: int = 16  # of each player, before the first round
    fresh: int = 24  # new moves of each player that a round tries
    joining: int = 4  # of these, at most
    most: int = 24  # candidates of each player in the end
    met: int = 6  # moves of the other side, at most, that new ones are tried against
    random: float = 0.2  # the share of moves that the policy has no say in
    uniform: float = 0.1  # the share of each choice within a proposed move that is made blindly
    slack: float = 0.02  # how much less than the position's value a move may promise that joins
    least: float = 0.05  # moves that are less likely are not played
    deepened: int = 0  # moves of each player, the likeliest, whose pairs are looked at a turn further
    below: int = 6  # moves of each player there
    mixed: bool = True
    plans: bool = False  # the plans of `flow` for both players are among the first candidates
    iterations: int = 200  # of regret matching
    runtime: str = "auto"  # onnx, torch, or the first of them that is installed
    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._rounds = self.count(self.rounds, 20, "rounds")
        check_ranges(self, candidates=(1, 1000), fresh=(1, 1000), met=(1, 1000), iterations=(1, 10**6))
        check_ranges(self, deepened=(0, 100), below=(1, 100))
        check_ranges(self, joining=(1, self.fresh), most=(self.candidates, 1000))
        check_ranges(self, random=(0, 1), uniform=(0, 1), slack=(0, 2), least=(0, 1))
        check_words(self, runtime=RUNTIMES)
        self._network = territory_evaluator(self.net, self.runtime)

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
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
                met=self.met,
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
        candidates = [(orders, round(VISITS * share), worth) for orders, share, worth in moves]
        return best, candidates, value if side == 0 else -value, states, rounds
