"""Players of TUBSTAP that search with a policy/value network: `pvmcts`, `sandtable`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sandtable import _core
from sandtable.errors import PlayerError
from sandtable.nets.evaluators import RUNTIMES, policy_evaluator
from sandtable.players.protocol import Start
from sandtable.players.searching import Found
from sandtable.players.seeding import check_ranges, check_words
from sandtable.players.timing import Timed
from sandtable.tubstap import State

MAX_NODES = 1 << 22  # about 180 MB


@dataclass(kw_only=True)
class Pvmcts(Timed):
    """kimura2020's PV-MCTS (section 3.3): PUCT over units and operations with a policy/value network, no playouts. The
    network is a shipped one by its name, or a .safetensors file."""

    net: str = "sandtable"
    simulations: int | None = None  # 500, unless there is a clock
    c: float = 0.8
    attack_bonus: float = 3.7
    unvisited: str = "zero"  # the value of an operation that was never tried: the paper's, or `parent`
    root: str = "puct"  # or gumbel, which needs a number of simulations and makes the most of few
    considered: int = 16  # moves at a Gumbel root
    batch: int = 8  # descents that the network judges together
    keep: bool = True  # the subtree, for the next decision
    runtime: str = "auto"
    max_nodes: int = MAX_NODES
    games: ClassVar[tuple[str, ...]] = ("tubstap",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._simulations = self.count(self.simulations, 500, "simulations")
        check_ranges(
            self, c=(0, 1000), attack_bonus=(0, 1000), considered=(1, 1000), batch=(1, 4096), max_nodes=(1, 2**31)
        )
        check_words(self, runtime=RUNTIMES, root=("puct", "gumbel"), unvisited=("zero", "parent"))
        if self.root == "gumbel" and self.simulations is None and self._simulations == 0:
            raise PlayerError("a gumbel root shares out a number of simulations: give it, beside the clock if need be")
        self._policy = policy_evaluator(self.net, self.runtime)
        self._tree = _core.tubstap.PolicyTree()

    def start(self, scenario: Start, side: int, seed: int) -> None:
        super().start(scenario, side, seed)
        self._tree = _core.tubstap.PolicyTree()

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
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
        return found  # type: ignore[no-any-return]


@dataclass(kw_only=True)
class Sandtable(Pvmcts):
    """PUCT with the network of ours that plays every map, and the search settings that suit it."""

    c: float = 1.5
    attack_bonus: float = 0.0
    unvisited: str = "parent"
    batch: int = 16
