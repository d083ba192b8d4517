"""Players that search games in which one side moves at a time: `pmc`, `uct`, `minimax`."""

from __future__ import annotations

from types import NoneType
from typing import Any, ClassVar

from sandtable._core import MinimaxSettings, PmcSettings, PrunedMinimaxSettings, UctSettings
from sandtable.analysis import SearchResult
from sandtable.errors import PlayerError
from sandtable.games import game_of
from sandtable.nets.evaluators import evaluator, policy_evaluator
from sandtable.players.networks import RUNTIME
from sandtable.players.searching import Searching
from sandtable.players.seeding import GamesWith
from sandtable.players.timing import Timed
from sandtable.settings import declares, field_from, setting


@declares(PmcSettings)
class Pmc(Timed):
    """Pure Monte Carlo (kimura2020, section 4.2): `playouts` after each operation; plays the one with the best mean."""

    games = GamesWith("pmc")

    def search(self, state: Any, side: int, seconds: float, seed: int) -> SearchResult:
        found: SearchResult = game_of(state).searches["pmc"](state, self.settings, seconds=seconds, seed=seed)
        return found


@declares(UctSettings)
class Uct(Timed):
    """Monte-Carlo tree search over operations: li2022's MCTS-n is `uct(simulations=n)`, kimura2020's
    `uct(simulations=2000, c=1, expand_after=10)`."""

    games: ClassVar[Any] = GamesWith("uct")

    def search(self, state: Any, side: int, seconds: float, seed: int) -> SearchResult:
        found: SearchResult = game_of(state).searches["uct"](state, self.settings, seconds=seconds, seed=seed)
        return found


@declares(MinimaxSettings)
class Minimax(Searching):
    """Minimax over operations to a fixed depth (li2022, section 3.3). With a `width`, which needs a network with a
    policy, only the `width` likeliest operations of each position below the root are searched."""

    depth: int
    evaluator: str = setting(
        "hp",
        "evaluates leaves: hp, the share of all HP, or a network, by its name or file",
        names="network",
        plain=("hp",),
    )
    width: int | None = field_from(
        PrunedMinimaxSettings,
        "width",
        types=(int, NoneType),
        default=None,
        sentence="number of likeliest operations searched in each position below the root; none: all",
    )
    runtime: str = RUNTIME
    max_nodes: int
    games = GamesWith("minimax")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._network = self._policy = None
        if self.width is not None:
            if self.evaluator == "hp":
                raise PlayerError("a width needs an evaluator with a policy; `hp` has none")
            self._policy = policy_evaluator(self.evaluator, self.runtime)
        elif self.evaluator != "hp":
            self._network = evaluator(self.evaluator, self.runtime)

    def search(self, state: Any, side: int, seconds: float, seed: int) -> SearchResult:
        try:
            if self._policy is not None and self.width is not None:
                pruned = PrunedMinimaxSettings(depth=self.depth, width=self.width, max_nodes=self.max_nodes)
                found: SearchResult = game_of(state).searches["pruned_minimax"](state, self._policy, pruned)
            else:
                search = game_of(state).searches["minimax"]
                found = search(state, self.settings, seed=seed, evaluator=self._network)
            return found
        except ValueError as error:
            judged = "" if self.evaluator == "hp" else f"{self.evaluator}: "
            raise PlayerError(f"minimax: {judged}{error}") from None
