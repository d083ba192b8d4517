"""`pvmcts`, a tree search with a policy/value network."""

from __future__ import annotations

from typing import Any, ClassVar

from sandtable import _core
from sandtable._core import SearchResult
from sandtable.errors import PlayerError
from sandtable.nets.evaluators import policy_evaluator
from sandtable.players.networks import RUNTIME, policy_result
from sandtable.players.timing import Timed
from sandtable.settings import count, declares, setting
from sandtable.tubstap import State

MAX_NODES = 1 << 22  # about 180 MB


@declares()
class Pvmcts(Timed):
    """kimura2020's PV-MCTS (section 3.2): PUCT over units and operations with a policy/value network, no playouts."""

    net: str = setting("sandtable", "network, by its name if it is shipped or by its file", names="network")
    simulations: int | None = count(500, "simulations for a move")
    c: float = setting(0.8, "exploration constant of PUCT", low=0, high=1000)
    attack_bonus: float = setting(
        3.7, "added to the score of an attack, divided by one more than its visits", low=0, high=1000
    )
    unvisited: str = setting(
        "zero",
        "value of an operation that was never tried: zero, as in the paper, or its parent's",
        words=("zero", "parent"),
    )
    root: str = setting("puct", "selection at the root; gumbel suits few simulations", words=("puct", "gumbel"))
    considered: int = setting(16, "moves that a gumbel root considers", low=1, high=1000)
    batch: int = setting(8, "simulations whose leaves the network evaluates together", low=1, high=4096)
    keep: bool = setting(True, "keep the subtree of the move played for the next decision")
    runtime: str = RUNTIME
    max_nodes: int = setting(MAX_NODES, "nodes beyond which the tree stops growing", low=1, high=2**31)
    games: ClassVar[tuple[str, ...]] = ("tubstap",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._simulations = self.counts()["simulations"] or 0
        if self.root == "gumbel" and self._simulations == 0:
            raise PlayerError("a gumbel root shares out a number of simulations: give it, beside the clock if need be")
        self._policy = policy_evaluator(self.net, self.runtime)
        self._tree = _core.tubstap.PolicyTree()

    def start(self, map: Any, side: int, seed: int) -> None:
        super().start(map, side, seed)
        self._tree = _core.tubstap.PolicyTree()

    def search(self, state: State, side: int, seconds: float, seed: int) -> SearchResult:
        try:
            found: Any = self._tree.search(
                state,
                self._policy,
                simulations=self._simulations,
                seconds=seconds,
                seed=seed,
                batch=self.batch,
                gumbel=self.root == "gumbel",
                c=self.c,
                attack_bonus=self.attack_bonus,
                from_parent=self.unvisited == "parent",
                considered=self.considered,
                max_nodes=self.max_nodes,
                keep=self.keep,
            )
        except ValueError as error:
            raise PlayerError(f"{self.net}: {error}") from None
        return policy_result(found)
