"""`pvmcts`, a tree search with a policy/value network."""

from __future__ import annotations

from typing import Any, ClassVar

from sandtable import _core
from sandtable._core.tubstap import PuctSettings
from sandtable.analysis import SearchResult
from sandtable.errors import PlayerError
from sandtable.nets.evaluators import policy_evaluator
from sandtable.players.networks import RUNTIME
from sandtable.players.timing import Timed
from sandtable.settings import declares, setting
from sandtable.tubstap import State


@declares(PuctSettings)
class Pvmcts(Timed):
    """kimura2020's PV-MCTS (section 3.2): PUCT over units and operations with a policy/value network, no playouts."""

    net: str = setting("sandtable", "name of a shipped network, or a .safetensors file", names="network")
    keep: bool
    runtime: str = RUNTIME
    max_nodes: int
    games: ClassVar[tuple[str, ...]] = ("tubstap",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._policy = policy_evaluator(self.net, self.runtime)
        self._tree = _core.tubstap.PolicyTree()

    def start(self, map: Any, side: int, seed: int) -> None:
        super().start(map, side, seed)
        self._tree = _core.tubstap.PolicyTree()

    def search(self, state: State, side: int, seconds: float, seed: int) -> SearchResult:
        try:
            return self._tree.search(state, self._policy, self.settings, seconds=seconds, seed=seed)
        except ValueError as error:
            raise PlayerError(f"{self.net}: {error}") from None
