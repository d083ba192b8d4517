"""Players of TUBSTAP that search: `pmc`, `uct`, `muct`, `minimax`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from sandtable import _core
from sandtable.errors import PlayerError
from sandtable.nets.evaluators import RUNTIMES, evaluator, policy_evaluator
from sandtable.players.searching import Found, Searching
from sandtable.players.seeding import check_ranges, check_words
from sandtable.players.timing import Timed
from sandtable.tubstap import State
from sandtable.tubstap.counting import POLICIES

MAX_NODES = 1 << 22  # about 150 MB


@dataclass(kw_only=True)
class Pmc(Timed):
    """Pure Monte Carlo (kimura2020, section 4.2): `playouts` after every operation, the best mean is played."""

    playouts: int | None = None  # 100, unless there is a clock
    policy: str = "uniform"
    games: ClassVar[tuple[str, ...]] = ("tubstap",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._playouts = self.count(self.playouts, 100, "playouts")
        check_words(self, policy=POLICIES)

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
        return _core.tubstap.pmc(state, playouts=self._playouts, seconds=seconds, seed=seed, policy=self.policy)


@dataclass(kw_only=True)
class Uct(Timed):
    """Monte-Carlo tree search over operations: li2022's MCTS-n is `uct(simulations=n)`, kimura2020's
    `uct(simulations=2000, c=1, expand_after=10)`."""

    simulations: int | None = None  # 200, unless there is a clock
    c: float = math.sqrt(2)
    expand_after: int = 0  # a leaf gets children with its first visit after so many
    policy: str = "uniform"
    max_nodes: int = MAX_NODES  # the root's children are always made
    games: ClassVar[tuple[str, ...]] = ("tubstap",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._simulations = self.count(self.simulations, 200, "simulations")
        check_ranges(self, c=(0, 1000), expand_after=(0, 10**9), max_nodes=(1, 2**31))
        check_words(self, policy=POLICIES)

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
        return self._uct(state, seconds, seed)

    def _uct(self, state: State, seconds: float, seed: int, **habits: Any) -> Found:
        plain = dict.fromkeys(
            ("log_of_total", "root_view", "play_best_mean", "attacks_first", "lead_wins_at_threshold"), False
        )
        return _core.tubstap.uct(
            state,
            simulations=self._simulations,
            seconds=seconds,
            seed=seed,
            c=self.c,
            expand_after=self.expand_after,
            policy=self.policy,
            max_nodes=self.max_nodes,
            **(plain | habits),
        )


@dataclass(kw_only=True)
class Muct(Uct):
    """The platform's M-UCT, winner of its 2016 competition, with its habits: a small constant, the logarithm of all
    simulations, playouts that attack four times in five, the best mean played, and every side maximising the result of
    the root's. `opponent="adversarial"` lets the other side play for itself.

    Four fifths of its playouts' operations are drawn from attacks on every enemy within reach, those that do no damage
    among them; `policy="attack80_harmful"` leaves these out. The children in its tree are the legal operations. The
    platform's never has a child that attacks without damage, which is the same under all rules but those with
    `harmless_attacks`. It tries children in the order in which it lists them, unit by unit and attacks first, so that
    with few simulations it sees the first units' only; `order="random"` tries them in random order."""

    c: float = 0.15
    expand_after: int = 11  # it expands a child that has more than ten visits
    policy: str = "attack80"
    opponent: str = "original"
    order: str = "original"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._simulations = self.count(self.simulations, 5000, "simulations")
        check_words(self, opponent=("original", "adversarial"), order=("original", "random"))

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
        return self._uct(
            state,
            seconds,
            seed,
            log_of_total=True,
            root_view=self.opponent == "original",
            play_best_mean=True,
            attacks_first=self.order == "original",
            lead_wins_at_threshold=self.opponent == "original",
        )


@dataclass(kw_only=True)
class Minimax(Searching):
    """Minimax over operations to a fixed depth (li2022, section 3.3), leaves judged by an evaluator: `hp`, the share of
    all HP, or a network, by its name if it is shipped (`gcn_4`) or by its .safetensors file. With a `width`, which
    takes a network with a policy, only that many of the likeliest operations are followed below the root."""

    depth: int = 2
    evaluator: str = "hp"
    width: int | None = None
    runtime: str = "auto"  # of a network: onnx, torch, or the first of them that is installed
    max_nodes: int = MAX_NODES
    games: ClassVar[tuple[str, ...]] = ("tubstap",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, depth=(1, 8), max_nodes=(1, 2**31))
        check_words(self, runtime=RUNTIMES)
        self._network = self._policy = None
        if self.width is not None:
            check_ranges(self, width=(1, 10**6))
            if self.evaluator == "hp":
                raise PlayerError("a width needs an evaluator with a policy, which `hp` has not")
            self._policy = policy_evaluator(self.evaluator, self.runtime)
        elif self.evaluator != "hp":
            self._network = evaluator(self.evaluator, self.runtime)

    def search(self, state: State, side: int, seconds: float, seed: int) -> Found:
        try:
            if self._policy is not None and self.width is not None:
                found: Any = _core.tubstap.pruned_minimax(
                    state, self._policy, depth=self.depth, width=self.width, max_nodes=self.max_nodes
                )
                return found  # type: ignore[no-any-return]
            return _core.tubstap.minimax(
                state, depth=self.depth, max_nodes=self.max_nodes, seed=seed, evaluator=self._network
            )
        except ValueError as error:
            judged = "" if self.evaluator == "hp" else f"{self.evaluator}: "
            raise PlayerError(f"minimax: {judged}{error}") from None
