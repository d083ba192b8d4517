"""Conquest: states, encoders, evaluators and searches."""

from collections.abc import Callable, Sequence
from typing import Any, Final, overload

import numpy
import numpy.typing

import sandtable._core
import sandtable.analysis
import sandtable.conquest.land
import sandtable.conquest.types
import sandtable.settings


VERSION: int = 1

MAX_TERRITORIES: int = 1024

MAX_BONUSES: int = 1000

MAX_INCOME: int = 10000

MAX_ARMIES: int = 1000000

class Rules:
    """The rules as the engine reads them; made by sandtable.conquest.Rules."""

    def __init__(self, *, attack_kills: float = 0.6, defence_kills: float = 0.7, rounding: str = 'nearest', base_income: int = 5, stand_guard: bool = False, order: str = 'alternate', turn_limit: int = 100, start_armies: int = 4, start_lands: int = 2) -> None: ...

class State:
    """A position of a game. Land.start() and Land.state() make them."""

    def __init__(self, *, rules: Rules, territories: int, edges: Sequence[tuple[int, int]], bonuses: Sequence[tuple[int, Sequence[int]]]) -> None: ...

    @property
    def over(self) -> bool:
        """Whether the game has ended."""

    @property
    def winner(self) -> int | None:
        """0, 1, or None in a draw and while the game goes on."""

    @property
    def turn(self) -> int:
        """Turns played so far."""

    def copy(self) -> State:
        """An independent state of the same position."""

    def __copy__(self) -> State: ...

    def __deepcopy__(self, memo: object) -> State: ...

    def hash(self) -> int:
        """
        A 64-bit hash, equal for equal positions, however they arose, on every machine.
        """

    def __repr__(self) -> str: ...

    def __sizeof__(self) -> int: ...

    def begun(self, land: sandtable.conquest.land.Land, seed: int) -> State:
        """A random start on the land."""

    def placed(self, land: sandtable.conquest.land.Land, owner: Sequence[int], armies: Sequence[int], turn: int) -> State:
        """A position on the land."""

    @property
    def land(self) -> sandtable.conquest.land.Land:
        """The map that the game is played on."""

    @property
    def owner(self) -> list[int]:
        """The owner of each territory: -1 (neutral), 0 or 1."""

    @property
    def armies(self) -> list[int]:
        """The armies on each territory."""

    def income(self, player: int) -> int:
        """Armies that the player may deploy this turn."""

    def random_move(self, player: int, seed: int) -> list[sandtable.conquest.types.Order]:
        """A random move as the Monte-Carlo players sample it."""

    def resolve(self, orders0: Sequence[Sequence[int]], orders1: Sequence[Sequence[int]], first: int = 0, seed: int = 0) -> None:
        """
        Carry out the orders of both players, in place; `first` marches first. `seed` matters only under rules
        with a random order; every turn has its own shuffle. Raises ValueError with the reason if an order is illegal.
        """

    def encode(self, orders: Sequence[Sequence[int]]) -> numpy.typing.NDArray[numpy.int32]:
        """
        Orders as genes: armies deployed on each territory, then marching along each directed edge.
        """

    def decode(self, genes: numpy.typing.NDArray[numpy.int32]) -> list[sandtable.conquest.types.Order]:
        """
        Genes as orders in canonical form: deploys by territory, marches by edge.
        """

    def repair(self, genes: numpy.typing.NDArray[numpy.int32], player: int, seed: int) -> numpy.typing.NDArray[numpy.int32]:
        """
        Similar genes that are a legal move of the player and deploy its whole income.
        """

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

def playouts(state: State, first: int, last: int, seed: int) -> tuple[int, int, int, int]:
    """
    The results of playouts first .. last-1 of the seed: (wins0, wins1, ties, turns).
    """

class Observer:
    """Positions of one map as arrays of fixed sizes."""

    def __init__(self, start: State, encoder: str) -> None:
        """`encoder` is graph or soares2025."""

    @property
    def node_size(self) -> int: ...

    @property
    def totals_size(self) -> int: ...

    def encode(self, state: State, player: int) -> numpy.typing.NDArray[numpy.float32]:
        """The nodes and then the totals, from the player's perspective."""

    def genes_of_shares(self, state: State, player: int, shares: numpy.typing.NDArray[numpy.float32]) -> numpy.typing.NDArray[numpy.int32]:
        """Legal genes from shares of the income and of the armies."""

class Games:
    """Many games on one map, against an opponent."""

    def __init__(self, start: State, *, games: int, encoder: str, opponent: str, side: int | None, shaping: float) -> None:
        """
        `opponent` is random or elsewhere; answer() takes the orders of one elsewhere.
        """

    def __len__(self) -> int: ...

    def reseed(self, game: int, seed: int) -> None:
        """Set the seed from which this slot draws its further games."""

    def begin(self, game: int) -> None:
        """Begin a new game in this slot."""

    def waiting(self) -> list[int]:
        """The games that wait for the opponent's move."""

    def forfeit(self, game: int, loser: int) -> None:
        """End a game as a loss of this side."""

    @overload
    def observe(self) -> None:
        """Write the results of the actions into the arrays."""

    @overload
    def observe(self, game: int) -> None:
        """The same for one game."""

    def opponent_seed(self, game: int) -> int:
        """The opponent's seed in the current game."""

    def number(self, game: int) -> int:
        """The number of games that this slot has begun."""

    def state(self, game: int) -> State:
        """The position of a game."""

    @property
    def observations(self) -> numpy.typing.NDArray[numpy.float32]: ...

    @property
    def rewards(self) -> numpy.typing.NDArray[numpy.float32]: ...

    @property
    def outcomes(self) -> numpy.typing.NDArray[numpy.uint8]:
        """
        0 where the game goes on, 1 where it has ended, 2 where the learner's illegal action ended it.
        """

    @property
    def sides(self) -> numpy.typing.NDArray[numpy.int8]:
        """The learner's side in each game."""

    def act_genes(self, actions: numpy.typing.NDArray[numpy.int32]) -> None:
        """
        Play a row of genes, repaired, in every game; where a game has ended, a new one begins.
        """

    def act_shares(self, actions: numpy.typing.NDArray[numpy.float32]) -> None:
        """The same with shares of the income and of the armies."""

    def answer(self, game: int, orders: Sequence[Sequence[int]]) -> tuple[int, int]:
        """
        Resolve the turn with the opponent's orders. Returns who marched first, and the seed of the random order.
        """

    def orders(self, game: int) -> list[sandtable.conquest.types.Order]:
        """The learner's orders in the current turn."""

    @property
    def genes(self) -> int: ...

class TerritoryGraphEncoder:
    """
    soares2025's graph of territories, with candidate moves; armies as log(1 + n) if `scaled`, else raw.
    With `text_inputs_of`, a state, the inputs are the text's, and other maps are refused.
    """

    def __init__(self, *, scaled: bool = True, text_inputs_of: State | None = None) -> None: ...

    def encode(self, states: Sequence[State], players: Sequence[int], moves: Sequence[Sequence[Sequence[Sequence[int]]] | None] | None = None) -> tuple[numpy.typing.NDArray[Any], ...]:
        """
        The network's inputs: edges, members, cliques, shares, nodes, totals, asked, sources, targets, orders, moves.
        All states must be on the same map; each is encoded for its player, with that player's candidate `moves`.
        """

class Evaluator:
    """
    An encoder and a network that maps its arrays to values and logits, with a cache.
    """

    def __init__(self, encoder: TerritoryGraphEncoder, forward: Callable[..., tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]], *, batch: int, cache: int) -> None:
        """
        `forward` maps the encoder's arrays to the values of the states and the logits of the moves.
        """

    def renew_cache(self, places: int) -> None:
        """Replace the cache by an empty one of at least `places` places."""

    @property
    def evaluated(self) -> int:
        """Positions that the network has evaluated."""

    @property
    def hits(self) -> int:
        """Positions that the cache answered."""

    @property
    def batches(self) -> int:
        """Calls of `forward`."""

    @property
    def forward_seconds(self) -> float:
        """Seconds spent in `forward`."""

    def evaluate(self, states: Sequence[State], players: Sequence[int]) -> numpy.typing.NDArray[numpy.float32]:
        """
        float32[n]: the value of each state for its player. All states must be on the same map.
        """

    def priors(self, state: State, player: int, moves: Sequence[Sequence[Sequence[int]]]) -> numpy.typing.NDArray[numpy.float64]:
        """float64[n]: the probabilities of the player's candidate moves."""

    @property
    def weighed(self) -> int:
        """Moves that the network has weighed."""

def encode_territories(states: Sequence[State], players: Sequence[int]) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]:
    """
    The inputs (edges, kin, nodes, totals) of states on any maps, each for its player; padded to the largest map.
    """

def shares(state: State, player: int, moves: Sequence[Sequence[Sequence[int]]], weights: Sequence[float]) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]:
    """
    The policy target of a mixture of moves: (deploys [T], the share of the income that each territory gets; marches [T, T],
    the share of each territory's armies that goes to each other territory, with the share that stays on the diagonal).
    """

class Mixture:
    """The mixed strategy of one player."""

    @property
    def best(self) -> int:
        """The index of the move to play."""

    @property
    def moves(self) -> list[list[sandtable.conquest.types.Order]]:
        """The candidate moves."""

    @property
    def shares(self) -> list[float]:
        """The probability of each move."""

    @property
    def values(self) -> list[float]:
        """
        The value of each move for the player against the other player's strategy.
        """

class Equilibrium:
    """The solution of a turn."""

    @property
    def players(self) -> tuple[Mixture, Mixture]:
        """The strategy of each player."""

    @property
    def value(self) -> float:
        """The value of the position for player 0."""

    @property
    def exploitability(self) -> float:
        """
        The sum of both players' gains from a best response among the candidates.
        """

    @property
    def states(self) -> int:
        """The number of positions evaluated."""

    @property
    def rounds(self) -> int:
        """The number of rounds."""

class TerritoryNet:
    """The network of sandtable.nets.territories, run by the core."""

    def __init__(self, weights: bytes, *, hidden: int, rounds: int, instructions: str | None = None) -> None:
        """
        `weights` has the bytes of a safetensors file; `instructions` is one of `instruction_sets()`, by default the first.
        """

class TerritoryEvaluator:
    """A network that evaluates positions and proposes moves, with a cache."""

    def __init__(self, forward: TerritoryNet | Callable[..., tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]], *, batch: int, cache: int) -> None:
        """
        `forward` is a network of the core, or a function from (edges, kin, nodes, totals, asked) to the values of all states
        and the logits of deploys and of marches of the states in `asked`.
        """

    def renew_cache(self, places: int) -> None:
        """Replace the cache by an empty one of at least `places` places."""

    @property
    def evaluated(self) -> int:
        """Positions that the network has evaluated."""

    @property
    def hits(self) -> int:
        """Positions that the cache answered."""

    @property
    def batches(self) -> int:
        """Calls of `forward`."""

    @property
    def forward_seconds(self) -> float:
        """Seconds spent in `forward`."""

    def evaluate(self, states: Sequence[State], players: Sequence[int]) -> numpy.typing.NDArray[numpy.float32]:
        """
        float32[n]: the value of each state for its player. All states must be on the same map.
        """

    def policies(self, state: State) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]:
        """
        The logits of both players: deploys [2, T], and marches [2, T, T] with staying on the diagonal.
        """

    def proposed(self, state: State, player: int, count: int, *, seed: int, uniform: float) -> list[list[sandtable.conquest.types.Order]]:
        """
        Moves from the policy, of three kinds in turn: drawn; crossed with the previous move; crossed and mutated.
        """

    def equilibrium(self, state: State, player: int, settings: sandtable._core.EquilibriumSettings, *, seconds: float = 0.0, seed: int, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> Equilibrium:
        """
        Solve the turn; positions are evaluated from the player's perspective. 0 seconds means no limit. `moves` of both
        players are among the first candidates.
        """

class MctsSettings:
    """Settings of mcts()."""

    def __init__(self, *, candidates: int = ..., c: float = ..., stall: bool = ..., max_nodes: int = ..., iterations: int | None = ..., rollout_levels: int = ...) -> None: ...

    @property
    def candidates(self, /) -> int:
        """candidate moves of each node"""

    @property
    def c(self, /) -> float:
        """exploration constant"""

    @property
    def stall(self, /) -> bool:
        """reproduce the authors' bug: a terminal leaf ends the search"""

    @property
    def max_nodes(self, /) -> int:
        """
        nodes beyond which the tree stops growing; the root's children are always made
        """

    @property
    def iterations(self, /) -> int | None:
        """iterations for a move; each plays a game from every candidate"""

    @property
    def rollout_levels(self, /) -> int:
        """
        levels below the root, two per turn, at which an undecided game counts 0
        """

    def replace(self, *, candidates: int = ..., c: float = ..., stall: bool = ..., max_nodes: int = ..., iterations: int | None = ..., rollout_levels: int = ...) -> MctsSettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""

def mcts(state: State, player: int, settings: MctsSettings, *, seconds: float = 0.0, seed: int, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> sandtable.analysis.SearchResult:
    """
    soares2025's vanilla search; 0 seconds means no limit. `moves` of both players, best first, are the candidates of
    this turn; if they are too few, the rest are sampled.
    """

class GuidedSettings:
    """Settings of guided()."""

    def __init__(self, *, candidates: int = ..., c: float = ..., stall: bool = ..., max_nodes: int = ..., iterations: int | None = ..., trust: float = ..., root_prior: bool = ...) -> None: ...

    @property
    def candidates(self, /) -> int:
        """candidate moves of each node"""

    @property
    def c(self, /) -> float:
        """exploration constant"""

    @property
    def stall(self, /) -> bool:
        """reproduce the authors' bug: a terminal leaf ends the search"""

    @property
    def max_nodes(self, /) -> int:
        """
        nodes beyond which the tree stops growing; the root's children are always made
        """

    @property
    def iterations(self, /) -> int | None:
        """iterations for a move; each evaluates every candidate of a leaf"""

    @property
    def trust(self, /) -> float:
        """weight of the priors in the exploration term"""

    @property
    def root_prior(self, /) -> bool:
        """use priors at the root too; the authors' code did not"""

    def replace(self, *, candidates: int = ..., c: float = ..., stall: bool = ..., max_nodes: int = ..., iterations: int | None = ..., trust: float = ..., root_prior: bool = ...) -> GuidedSettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""

def guided(state: State, player: int, evaluator: Evaluator, settings: GuidedSettings, *, seconds: float = 0.0, seed: int, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> sandtable.analysis.SearchResult:
    """As mcts(), guided by a network."""

class CoevolutionSettings:
    """Settings of coevolution()."""

    def __init__(self, *, generations: int | None = ..., population: int = ..., elites: int = ..., mutation: float = ..., gene_mutation: float = ..., crossover: float = ..., crossover_kind: str = ..., selection: str = ..., tournament_size: int = ..., horizon: int = ..., sampled: int = ...) -> None: ...

    @property
    def generations(self, /) -> int | None:
        """generations for a move"""

    @property
    def population(self, /) -> int:
        """moves of each player"""

    @property
    def elites(self, /) -> int:
        """moves that survive a generation unchanged, with their fitness"""

    @property
    def mutation(self, /) -> float:
        """share of the children that mutate; in effect 0 in the authors' code"""

    @property
    def gene_mutation(self, /) -> float:
        """share of the genes of a mutating child that change"""

    @property
    def crossover(self, /) -> float:
        """share of the pairs of children that are crossed; the others are copies"""

    @property
    def crossover_kind(self, /) -> str:
        """
        genes that two children exchange: all after a cut, those between two cuts, or each with probability 1/2
        """

    @property
    def selection(self, /) -> str:
        """
        how parents are chosen: uniformly, or as the fittest of tournament_size random individuals
        """

    @property
    def tournament_size(self, /) -> int:
        """individuals in a tournament"""

    @property
    def horizon(self, /) -> int:
        """turns of a plan, of which only the first is played"""

    @property
    def sampled(self, /) -> int:
        """
        random moves among which the network chooses the first populations, with initialise=policy
        """

    def replace(self, *, generations: int | None = ..., population: int = ..., elites: int = ..., mutation: float = ..., gene_mutation: float = ..., crossover: float = ..., crossover_kind: str = ..., selection: str = ..., tournament_size: int = ..., horizon: int = ..., sampled: int = ...) -> CoevolutionSettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""

def coevolution(state: State, player: int, settings: CoevolutionSettings, *, seconds: float = 0.0, seed: int, evaluator: Evaluator | None = None, weigh: bool = False, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> tuple[sandtable.analysis.SearchResult, list[list[sandtable.conquest.types.Order]]]:
    """
    Returns the search result and the other player's population. The candidates are the player's population, best first,
    and `simulations` counts generations. Without an evaluator, positions are evaluated by the shares of armies and income.
    With `weigh`, the evaluator also chooses the first populations. `moves` of both players come first in these.
    """

class CmaesSettings:
    """Settings of cmaes()."""

    def __init__(self, *, generations: int | None = ..., population: int = ..., elites: int = ..., step: float = ..., sampled: int = ...) -> None: ...

    @property
    def generations(self, /) -> int | None:
        """generations for a move"""

    @property
    def population(self, /) -> int:
        """moves of each player"""

    @property
    def elites(self, /) -> int:
        """moves that survive a generation unchanged, with their fitness"""

    @property
    def step(self, /) -> float:
        """
        initial standard deviation of a gene, as a multiple of its spread in the first population
        """

    @property
    def sampled(self, /) -> int:
        """
        random moves among which the network chooses the first populations, with initialise=policy
        """

    def replace(self, *, generations: int | None = ..., population: int = ..., elites: int = ..., step: float = ..., sampled: int = ...) -> CmaesSettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""

def cmaes(state: State, player: int, settings: CmaesSettings, *, seconds: float = 0.0, seed: int, evaluator: Evaluator | None = None, weigh: bool = False, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> tuple[sandtable.analysis.SearchResult, list[list[sandtable.conquest.types.Order]]]:
    """
    As coevolution(), with sep-CMA-ES over the genes instead of genetic operators.
    """

def duct(state: State, player: int, settings: sandtable._core.DuctSettings, *, seconds: float = 0.0, seed: int, evaluator: Evaluator | None = None, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> tuple[sandtable.analysis.SearchResult, list[float], list[float]]:
    """
    Decoupled UCT. Returns the search result and the strategies of both players over their candidates, which may be given
    as `moves`. Without an evaluator, positions are evaluated by playouts.
    """

def regret(state: State, player: int, settings: sandtable._core.RegretSettings, *, seconds: float = 0.0, seed: int, evaluator: Evaluator | None = None, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> tuple[sandtable.analysis.SearchResult, list[float], list[float]]:
    """As duct(), by regret matching."""
