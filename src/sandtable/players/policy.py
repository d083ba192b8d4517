"""Players that search with a policy/value network: `pvmcts` for TUBSTAP, and `sandtable`, our own, for both games."""

from __future__ import annotations

from typing import Any, ClassVar

from sandtable import _core, tubstap
from sandtable._core import SearchResult
from sandtable.errors import PlayerError
from sandtable.games import game_of
from sandtable.nets.checkpoints import read_card
from sandtable.nets.evaluators import locate, policy_evaluator
from sandtable.players.equilibrium import Equilibrium
from sandtable.players.networks import RUNTIME, policy_result
from sandtable.players.timing import Timed
from sandtable.settings import count, declares, setting
from sandtable.tubstap import State

MAX_NODES = 1 << 22  # about 180 MB
SHIPPED = {"tubstap": "sandtable", "conquest": "sandtable-conquest"}  # the nets of `sandtable`


NET = "network, by its name if it is shipped or by its file"
C = "exploration constant of PUCT"
ATTACK_BONUS = "added to the score of an attack, divided by one more than its visits"
UNVISITED = "value of an operation that was never tried: zero, as in the paper, or its parent's"
BATCH = "simulations whose leaves the network evaluates together"
UNVISITED_VALUES = ("zero", "parent")


@declares()
class Pvmcts(Timed):
    """kimura2020's PV-MCTS (section 3.2): PUCT over units and operations with a policy/value network, no playouts."""

    net: str = setting("sandtable", NET, names="network")
    simulations: int | None = count(500, "simulations for a move")
    c: float = setting(0.8, C, low=0, high=1000)
    attack_bonus: float = setting(3.7, ATTACK_BONUS, low=0, high=1000)
    unvisited: str = setting("zero", UNVISITED, words=UNVISITED_VALUES)
    root: str = setting("puct", "selection at the root; gumbel suits few simulations", words=("puct", "gumbel"))
    considered: int = setting(16, "moves that a gumbel root considers", low=1, high=1000)
    batch: int = setting(8, BATCH, low=1, high=4096)
    keep: bool = setting(True, "keep the subtree of the move played for the next decision")
    runtime: str = RUNTIME
    max_nodes: int = setting(MAX_NODES, "nodes beyond which the tree stops growing", low=1, high=2**31)
    games: ClassVar[tuple[str, ...]] = ("tubstap",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._simulations = self.counts()["simulations"] or 0
        if self.root == "gumbel" and self._simulations == 0:
            raise PlayerError("a gumbel root shares out a number of simulations: give it, beside the clock if need be")
        self._policy: _core.tubstap.PolicyEvaluator | None = None
        self._load()
        self._tree = _core.tubstap.PolicyTree()

    def _load(self) -> None:
        self._policy = policy_evaluator(self.net, self.runtime)

    def start(self, scenario: Any, side: int, seed: int) -> None:
        super().start(scenario, side, seed)
        self._tree = _core.tubstap.PolicyTree()

    def search(self, state: State, side: int, seconds: float, seed: int) -> SearchResult:
        assert self._policy is not None
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


@declares()
class Sandtable(Pvmcts):
    """The networks of ours that play every map, with the search settings that suit them: PUCT in TUBSTAP, and in
    Conquest `equilibrium`, whose settings are `rounds`, `mixed` and `plans`."""

    c: float = setting(1.5, C, low=0, high=1000)
    attack_bonus: float = setting(0.0, ATTACK_BONUS, low=0, high=1000)
    unvisited: str = setting("parent", UNVISITED, words=UNVISITED_VALUES)
    batch: int = setting(16, BATCH, low=1, high=4096)
    rounds: int | None = count(20, "rounds of `equilibrium`, in Conquest")
    mixed: bool = setting(True, "of `equilibrium`: draw the move from the strategy")
    plans: bool = setting(True, "of `equilibrium`: add the plans of `flow` to the candidates")  # docs/fast-training.md
    games: ClassVar[tuple[str, ...]] = ("tubstap", "conquest")

    def __post_init__(self) -> None:
        self._turns: Equilibrium | None = None
        super().__post_init__()

    @staticmethod
    def networks_behind(net: str) -> tuple[str, ...]:
        """The networks that the setting `net` stands for."""
        return tuple(SHIPPED.values()) if net == SHIPPED["tubstap"] else (net,)

    def _load(self) -> None:
        """A net that is given says which game it plays; else both nets wait until they are asked."""
        if self.net != SHIPPED["tubstap"]:
            game = read_card(locate(self.net)).game
            self.games = (game,)  # type: ignore[misc]
            self._load_for(game)

    def _load_for(self, game: str) -> None:
        own, other = ("rounds", "simulations") if game == "conquest" else ("simulations", "rounds")
        timed = self.seconds is not None or self.seconds_per_turn is not None
        if getattr(self, own) is None and getattr(self, other) is not None and not timed:
            raise PlayerError(f"in {game} the count is {own}, not {other}: sandtable({own}={getattr(self, other)})?")
        if game == "tubstap" and self._policy is None:
            self._policy = policy_evaluator(self.net, self.runtime)
        elif game == "conquest" and self._turns is None:
            net = SHIPPED["conquest"] if self.net == SHIPPED["tubstap"] else self.net
            own_settings = ("seconds", "seconds_per_turn", "rounds", "mixed", "plans", "runtime")
            self._turns = Equilibrium(net=net, **{name: getattr(self, name) for name in own_settings})

    def start(self, scenario: Any, side: int, seed: int) -> None:
        super().start(scenario, side, seed)
        self._load_for(game_of(scenario).name)  # before its clock runs

    def search(self, state: Any, side: int, seconds: float, seed: int) -> SearchResult:
        self._load_for(game_of(state).name)
        if self._turns is not None and not isinstance(state, tubstap.State):
            return self._turns.search(state, side, seconds, seed)
        return super().search(state, side, seconds, seed)
