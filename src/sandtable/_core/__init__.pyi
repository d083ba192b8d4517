"""The native core of sandtable. Private: use the packages built on it."""

from typing import Final

from sandtable._core import (
    conquest as conquest,
    python_game as python_game,
    tubstap as tubstap
)
import sandtable.settings


class Rng:
    """A stream of random numbers that is the same on every machine."""

    def __init__(self, seed: int, stream: str) -> None: ...

    def below(self, n: int) -> int:
        """A uniform integer in 0 .. n-1; n must be positive."""

    def uniform(self) -> float:
        """A uniform real number in [0, 1)."""

def set_type_attribute(type: type, name: str, value: object) -> None: ...

def instruction_sets() -> list[str]:
    """
    The instruction sets that networks of the core can use on this processor, the best first.
    """

class UctSettings:
    """Settings of uct()."""

    def __init__(self, *, simulations: int | None = ..., c: float = ..., expand_after: int = ..., policy: str = ..., max_nodes: int = ..., opponent: str = ..., order: str = ..., log_of_total: bool = ..., play_best_mean: bool = ...) -> None: ...

    @property
    def simulations(self, /) -> int | None:
        """simulations for a move"""

    @property
    def c(self, /) -> float:
        """exploration constant of UCB1"""

    @property
    def expand_after(self, /) -> int:
        """visits that a leaf needs before it gets children"""

    @property
    def policy(self, /) -> str:
        """
        how playouts choose: uniform, any move of a random unit; flat, any move; attack80, an attack in 80% of cases
        """

    @property
    def max_nodes(self, /) -> int:
        """
        nodes beyond which the tree stops growing; the root's children are always made
        """

    @property
    def opponent(self, /) -> str:
        """
        adversarial: the other side plays for itself; original: for the searching side, as in M-UCT
        """

    @property
    def order(self, /) -> str:
        """
        order in which children are first tried: random, or M-UCT's original, unit by unit, attacks first
        """

    @property
    def log_of_total(self, /) -> bool:
        """use the logarithm of all simulations, not of the parent's visits"""

    @property
    def play_best_mean(self, /) -> bool:
        """play the move with the best mean, not the most visited one"""

    def replace(self, *, simulations: int | None = ..., c: float = ..., expand_after: int = ..., policy: str = ..., max_nodes: int = ..., opponent: str = ..., order: str = ..., log_of_total: bool = ..., play_best_mean: bool = ...) -> UctSettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""

class PmcSettings:
    """Settings of pmc()."""

    def __init__(self, *, playouts: int | None = ..., policy: str = ...) -> None: ...

    @property
    def playouts(self, /) -> int | None:
        """playouts after each move"""

    @property
    def policy(self, /) -> str:
        """
        how playouts choose: uniform, any move of a random unit; flat, any move; attack80, an attack in 80% of cases
        """

    def replace(self, *, playouts: int | None = ..., policy: str = ...) -> PmcSettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""

class MinimaxSettings:
    """Settings of minimax()."""

    def __init__(self, *, depth: int = ..., max_nodes: int = ...) -> None: ...

    @property
    def depth(self, /) -> int:
        """moves to look ahead"""

    @property
    def max_nodes(self, /) -> int:
        """positions beyond which the search gives up"""

    def replace(self, *, depth: int = ..., max_nodes: int = ...) -> MinimaxSettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""

class PrunedMinimaxSettings:
    """Settings of pruned_minimax()."""

    def __init__(self, *, depth: int = ..., max_nodes: int = ..., width: int = ...) -> None: ...

    @property
    def depth(self, /) -> int:
        """moves to look ahead"""

    @property
    def max_nodes(self, /) -> int:
        """positions beyond which the search gives up"""

    @property
    def width(self, /) -> int:
        """
        number of likeliest operations searched in each position below the root
        """

    def replace(self, *, depth: int = ..., max_nodes: int = ..., width: int = ...) -> PrunedMinimaxSettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""

class DuctSettings:
    """Settings of duct()."""

    def __init__(self, *, candidates: int = ..., simulations: int | None = ..., sampled: int = ..., depth: int = ..., rollout_turns: int = ..., batch: int = ..., max_nodes: int = ..., c: float = ..., mixed: bool = ...) -> None: ...

    @property
    def candidates(self, /) -> int:
        """candidate moves of each player in a position, with duplicates"""

    @property
    def simulations(self, /) -> int | None:
        """simulations for a move"""

    @property
    def sampled(self, /) -> int:
        """
        random moves from which the network's policy draws the candidates; 0: the candidates are random
        """

    @property
    def depth(self, /) -> int:
        """
        turns after which a simulation stops and evaluates its position; 0: no limit
        """

    @property
    def rollout_turns(self, /) -> int:
        """turns after which an undecided playout counts 0"""

    @property
    def batch(self, /) -> int:
        """positions that the network evaluates together"""

    @property
    def max_nodes(self, /) -> int:
        """positions beyond which the tree stops growing"""

    @property
    def c(self, /) -> float:
        """exploration constant of UCB1"""

    @property
    def mixed(self, /) -> bool:
        """draw the move from the strategy instead of playing the most likely one"""

    def replace(self, *, candidates: int = ..., simulations: int | None = ..., sampled: int = ..., depth: int = ..., rollout_turns: int = ..., batch: int = ..., max_nodes: int = ..., c: float = ..., mixed: bool = ...) -> DuctSettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""

class RegretSettings:
    """Settings of regret()."""

    def __init__(self, *, candidates: int = ..., simulations: int | None = ..., sampled: int = ..., depth: int = ..., rollout_turns: int = ..., batch: int = ..., max_nodes: int = ..., exploration: float = ..., mixed: bool = ...) -> None: ...

    @property
    def candidates(self, /) -> int:
        """candidate moves of each player in a position, with duplicates"""

    @property
    def simulations(self, /) -> int | None:
        """simulations for a move"""

    @property
    def sampled(self, /) -> int:
        """
        random moves from which the network's policy draws the candidates; 0: the candidates are random
        """

    @property
    def depth(self, /) -> int:
        """
        turns after which a simulation stops and evaluates its position; 0: no limit
        """

    @property
    def rollout_turns(self, /) -> int:
        """turns after which an undecided playout counts 0"""

    @property
    def batch(self, /) -> int:
        """positions that the network evaluates together"""

    @property
    def max_nodes(self, /) -> int:
        """positions beyond which the tree stops growing"""

    @property
    def exploration(self, /) -> float:
        """share of simulations that choose uniformly at random"""

    @property
    def mixed(self, /) -> bool:
        """draw the move from the strategy instead of playing the most likely one"""

    def replace(self, *, candidates: int = ..., simulations: int | None = ..., sampled: int = ..., depth: int = ..., rollout_turns: int = ..., batch: int = ..., max_nodes: int = ..., exploration: float = ..., mixed: bool = ...) -> RegretSettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""

class SelfPlaySettings:
    """Settings of self-play in sequential games."""

    def __init__(self, *, root: str = ..., simulations: int = ..., quick_simulations: int = ..., full_share: float = ..., c: float = ..., attack_bonus: float = ..., noise_alpha: float = ..., noise_share: float = ..., considered: int = ..., temperature: float = ..., last_temperature: float = ..., falling: int = ..., lanes: int = ...) -> None: ...

    @property
    def root(self, /) -> str:
        """selection at the root; gumbel suits few simulations"""

    @property
    def simulations(self, /) -> int:
        """simulations of a decision"""

    @property
    def quick_simulations(self, /) -> int:
        """simulations of a decision that is not searched in full"""

    @property
    def full_share(self, /) -> float:
        """
        share of decisions that are searched in full; the policy learns from these only
        """

    @property
    def c(self, /) -> float:
        """exploration constant of PUCT"""

    @property
    def attack_bonus(self, /) -> float:
        """bonus on the score of an attack, divided by 1 + its visits"""

    @property
    def noise_alpha(self, /) -> float:
        """alpha of the Dirichlet noise on a PUCT root's priors"""

    @property
    def noise_share(self, /) -> float:
        """share of the Dirichlet noise in the priors"""

    @property
    def considered(self, /) -> int:
        """moves that a gumbel root considers"""

    @property
    def temperature(self, /) -> float:
        """temperature of the choice of a move at a PUCT root"""

    @property
    def last_temperature(self, /) -> float:
        """final temperature"""

    @property
    def falling(self, /) -> int:
        """decisions over which the temperature falls"""

    @property
    def lanes(self, /) -> int:
        """games played at the same time, evaluated in one batch"""

    def replace(self, *, root: str = ..., simulations: int = ..., quick_simulations: int = ..., full_share: float = ..., c: float = ..., attack_bonus: float = ..., noise_alpha: float = ..., noise_share: float = ..., considered: int = ..., temperature: float = ..., last_temperature: float = ..., falling: int = ..., lanes: int = ...) -> SelfPlaySettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""

class EquilibriumSettings:
    """Settings of the search that solves a simultaneous turn."""

    def __init__(self, *, rounds: int | None = ..., candidates: int = ..., fresh: int = ..., joining: int = ..., most: int = ..., opponents: int = ..., random: float = ..., uniform: float = ..., slack: float = ..., least: float = ..., deepened: int = ..., below: int = ..., progress: float = ..., mixed: bool = ..., iterations: int = ...) -> None: ...

    @property
    def rounds(self, /) -> int | None:
        """rounds in which new candidates are tried"""

    @property
    def candidates(self, /) -> int:
        """candidates of each player before the first round"""

    @property
    def fresh(self, /) -> int:
        """new moves of each player that a round tries"""

    @property
    def joining(self, /) -> int:
        """new moves that a round adds to the candidates, at most"""

    @property
    def most(self, /) -> int:
        """candidates of each player at the end, at most"""

    @property
    def opponents(self, /) -> int:
        """moves of the other side that new ones are tried against, at most"""

    @property
    def random(self, /) -> float:
        """
        share of random moves among the first candidates; half of it among the new moves of a round
        """

    @property
    def uniform(self, /) -> float:
        """share of the choices within a proposed move that are random"""

    @property
    def slack(self, /) -> float:
        """accept moves within `slack` of the game value"""

    @property
    def least(self, /) -> float:
        """moves with a smaller probability are left out of the strategy"""

    @property
    def deepened(self, /) -> int:
        """likeliest moves of each player whose pairs are searched a turn deeper"""

    @property
    def below(self, /) -> int:
        """moves of each player in that turn"""

    @property
    def progress(self, /) -> float:
        """
        share of its value that the side ahead loses while it is far from its win
        """

    @property
    def mixed(self, /) -> bool:
        """draw the move from the strategy instead of playing the most likely one"""

    @property
    def iterations(self, /) -> int:
        """iterations of regret matching"""

    def replace(self, *, rounds: int | None = ..., candidates: int = ..., fresh: int = ..., joining: int = ..., most: int = ..., opponents: int = ..., random: float = ..., uniform: float = ..., slack: float = ..., least: float = ..., deepened: int = ..., below: int = ..., progress: float = ..., mixed: bool = ..., iterations: int = ...) -> EquilibriumSettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""
