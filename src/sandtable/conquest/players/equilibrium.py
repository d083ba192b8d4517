"""`equilibrium`, a player of Conquest that solves each turn as a matrix game among moves that a network proposes."""

from __future__ import annotations

import time
from typing import ClassVar

from sandtable._core import EquilibriumSettings
from sandtable.analysis import SearchResult
from sandtable.conquest import State
from sandtable.errors import PlayerError
from sandtable.nets.conquest import territory_evaluator
from sandtable.players.networks import RUNTIME
from sandtable.players.protocol import Candidate
from sandtable.players.timing import Timed
from sandtable.rng import Rng
from sandtable.settings import declares, field_from, setting

VISITS = 1000  # a share of 1 in a mixed strategy is shown as this many visits


@declares(EquilibriumSettings)
class Equilibrium(Timed):
    """Solves a turn as a matrix game: a network proposes candidate moves of both players and evaluates each pair, and
    regret matching solves the matrix. Each round adds new moves that do well against what the other side plays. The
    move is drawn from the resulting mixed strategy; without `mixed`, its most likely move is played."""

    net: str = setting("sandtable-conquest", "name of a shipped network, or a .safetensors file", names="network")
    rounds: int | None = field_from(EquilibriumSettings, "rounds", low=1)
    mixed: bool
    plans: bool = setting(False, "add the plans of the player `flow` to the first candidates of both players")
    iterations: int
    runtime: str = RUNTIME
    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._network = territory_evaluator(self.net, self.runtime)

    def search(self, state: State, side: int, seconds: float, seed: int) -> SearchResult:
        from sandtable.conquest.flow import flow_plans  # not needed to play TUBSTAP

        begin, rng = time.perf_counter(), Rng(seed, "plans")
        given = [flow_plans(state, player, rng) for player in (0, 1)] if self.plans else None
        left = max(seconds - (time.perf_counter() - begin), 1e-3) if seconds else 0.0
        try:
            found = self._network.equilibrium(state, side, self.settings, seconds=left, seed=seed, moves=given)
        except ValueError as error:
            raise PlayerError(f"{self.net}: {error}") from None
        own = found.players[side]
        candidates = [
            Candidate(orders, round(VISITS * share), worth, pv=[orders])
            for orders, share, worth in zip(own.moves, own.shares, own.values, strict=True)
        ]
        value = found.value if side == 0 else -found.value
        return SearchResult(
            best=own.best, candidates=candidates, value=value, nodes=found.states, simulations=found.rounds
        )
