"""Players that search with a policy/value network: `pvmcts` for TUBSTAP, and `sandtable`, our own, for both games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sandtable import _core, tubstap
from sandtable.errors import PlayerError
from sandtable.games import game_of
from sandtable.nets.checkpoints import read_card
from sandtable.nets.evaluators import RUNTIMES, locate, policy_evaluator
from sandtable.players.equilibrium import Equilibrium
from sandtable.players.searching import Found
from sandtable.players.seeding import check_ranges, check_words
from sandtable.players.timing import Timed
from sandtable.tubstap import State

MAX_NODES = 1 << 22  # about 180 MB
SHIPPED = {"tubstap": "sandtable", "conquest": "sandtable-conquest"}  # the nets of `sandtable`


@dataclass(kw_only=True)
class Pvmcts(Timed):
    """kimura2020's PV-MCTS (section 3.2): PUCT over units and operations with a policy/value network, no playouts. The
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
        self._policy: _core.tubstap.PolicyEvaluator | None = None
        self._load()
        self._tree = _core.tubstap.PolicyTree()

    def _load(self) -> None:
        self._policy = policy_evaluator(self.net, self.runtime)

    def start(self, scenario: Any, side: int, seed: int) -> None:
        super().start(scenario, side, seed)
        self._tree = _core.tubstap.PolicyTree()

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
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
        return found  # type: ignore[no-any-return]


@dataclass(kw_only=True)
class Sandtable(Pvmcts):
    """The networks of ours that play every map, with the search settings that suit them: PUCT in TUBSTAP, and in
    Conquest `equilibrium`, whose settings are `rounds`, `mixed` and `plans`."""

    c: float = 1.5
    attack_bonus: float = 0.0
    unvisited: str = "parent"
    batch: int = 16
    rounds: int | None = None
    mixed: bool = True
    plans: bool = True  # cheap, and worth having (docs/fast-training.md)
    games: ClassVar[tuple[str, ...]] = ("tubstap", "conquest")

    def __post_init__(self) -> None:
        self._turns: Equilibrium | None = None
        super().__post_init__()
        self.count(self.rounds, 20, "rounds")

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

    def search(self, state: Any, side: int, seconds: float, seed: int) -> Found:
        self._load_for(game_of(state).name)
        if self._turns is not None and not isinstance(state, tubstap.State):
            return self._turns.search(state, side, seconds, seed)
        return super().search(state, side, seconds, seed)
