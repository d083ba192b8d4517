"""Conquest: states and what is computed on them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import numpy.typing

import sandtable.conquest.land
import sandtable.conquest.types


VERSION: int = 1

MAX_TERRITORIES: int = 256

MAX_BONUSES: int = 1000

MAX_INCOME: int = 10000

class Rules:
    """The rules as the engine reads them; made by sandtable.conquest.Rules."""

    def __init__(self, *, attack_kills: float, defence_kills: float, rounding: str, base_income: int, stand_guard: bool, order: str, turn_limit: int, start_armies: int, start_lands: int) -> None: ...

class State:
    """A position of a game. Land.start() and Land.state() make them."""

    def __init__(self, *, rules: Rules, territories: int, edges: Sequence[tuple[int, int]], bonuses: Sequence[tuple[int, Sequence[int]]]) -> None: ...

    def begun(self, land: sandtable.conquest.land.Land, seed: int) -> State:
        """A random start of the land."""

    def placed(self, land: sandtable.conquest.land.Land, owner: Sequence[int], armies: Sequence[int], turn: int) -> State:
        """A position of the land."""

    @property
    def land(self) -> sandtable.conquest.land.Land:
        """The map that the game is played on."""

    @property
    def owner(self) -> list[int]:
        """Of each territory: -1 neutral, 0 or 1."""

    @property
    def armies(self) -> list[int]:
        """On each territory."""

    @property
    def turn(self) -> int:
        """Turns resolved so far."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""

    @property
    def winner(self) -> int | None:
        """0, 1, or None in a tie and while the game goes on."""

    def income(self, player: int) -> int:
        """Armies that the player may deploy this turn."""

    def random_move(self, player: int, seed: int) -> list[sandtable.conquest.types.Order]:
        """A random move as the Monte-Carlo players sample it."""

    def resolve(self, orders0: Sequence[Sequence[int]], orders1: Sequence[Sequence[int]], first: int = 0, seed: int = 0) -> None:
        """
        Carry out the orders of both players, in place; `first` marches first. `seed` counts only under rules
        whose order is random, each turn of a seed having a shuffle of its own. Raises ValueError with the reason if an order is illegal.
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
        Genes near these that are a legal move of the player, its whole income deployed.
        """

    def copy(self) -> State:
        """An independent state of the same position."""

    def __copy__(self) -> State: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __deepcopy__(self, memo: object) -> State: ...

    def hash(self) -> int:
        """
        64 bits, equal for equal positions whatever led to them, on every machine.
        """

    def __sizeof__(self) -> int: ...

    def __repr__(self) -> str: ...

def playouts(state: State, first: int, last: int, seed: int) -> tuple[int, int, int, int]:
    """Playouts first .. last-1 of the seed: (wins0, wins1, ties, turns)."""

class TerritoryGraphEncoder:
    """
    soares2025's graph of territories, and candidate moves on it; armies by log(1 + n), or raw.
    With `text_inputs_of`, a state, the inputs are the text's, and no other map is read.
    """

    def __init__(self, *, scaled: bool = True, text_inputs_of: State | None = None) -> None: ...

    def encode(self, states: Sequence[State], players: Sequence[int], moves: Sequence[Sequence[Sequence[Sequence[int]]] | None] | None = None) -> tuple[numpy.typing.NDArray[Any], ...]:
        """
        What the network reads: edges, members, cliques, shares, nodes, totals, asked, sources, targets, orders, moves.
        All states are of one map; each is seen by its player, and `moves` are that player's candidates.
        """

class Evaluator:
    """
    An encoder and a network from what it writes to values and logits, with a cache.
    """

    def __init__(self, encoder: TerritoryGraphEncoder, forward: Callable[..., tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]], *, batch: int, cache: int) -> None:
        """
        `forward` is given what the encoder writes and returns the values of the states and the logits of the moves.
        """

    def evaluate(self, states: Sequence[State], players: Sequence[int]) -> numpy.typing.NDArray[numpy.float32]:
        """
        float32[n]: the value of each state for its player. All states are of one map.
        """

    def priors(self, state: State, player: int, moves: Sequence[Sequence[Sequence[int]]]) -> numpy.typing.NDArray[numpy.float64]:
        """float64[n]: the probabilities of the player's candidate moves."""

    @property
    def weighed(self) -> int:
        """Moves that the network has weighed."""

    @property
    def evaluated(self) -> int:
        """Positions that the network has evaluated."""

    @property
    def hits(self) -> int:
        """Positions that the cache knew."""

    @property
    def batches(self) -> int:
        """Calls of `forward`."""

    @property
    def forward_seconds(self) -> float:
        """Time inside `forward`."""

def encode_territories(states: Sequence[State], players: Sequence[int]) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]:
    """
    (edges, kin, nodes, totals) of states of any maps, each seen by its player; padded to the largest map.
    """

def shares(state: State, player: int, moves: Sequence[Sequence[Sequence[int]]], weights: Sequence[float]) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]:
    """
    What a mixture of moves does: (the share of the income that each territory gets, the shares of the armies of each
    that go to each other one, with those that stay on the diagonal).
    """

class TerritoryEvaluator:
    """A network that evaluates positions and proposes moves, with a cache."""

    def __init__(self, forward: Callable[..., tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]], *, batch: int, cache: int) -> None:
        """
        `forward` is given edges, kin, nodes, totals and which states are asked about, and returns values, and the logits
        of deploys and marches of those.
        """

    def evaluate(self, states: Sequence[State], players: Sequence[int]) -> numpy.typing.NDArray[numpy.float32]:
        """
        float32[n]: the value of each state for its player. All states are of one map.
        """

    def policies(self, state: State) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]:
        """
        Of both players: logits of deploys [2, T], and of marches [2, T, T] with staying on the diagonal.
        """

    def proposed(self, state: State, player: int, count: int, *, seed: int, uniform: float) -> list[list[sandtable.conquest.types.Order]]:
        """
        Moves by the policy: one drawn, one crossed with the one before, one that is mutated too, and so on.
        """

    def equilibrium(self, state: State, player: int, *, rounds: int, seconds: float, seed: int, candidates: int, fresh: int, joining: int, most: int, met: int, random: float, uniform: float, slack: float, least: float, mixed: bool, iterations: int, deepened: int, below: int, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> tuple[tuple[int, list[tuple[list[sandtable.conquest.types.Order], float, float]]], tuple[int, list[tuple[list[sandtable.conquest.types.Order], float, float]]], float, float, int, int]:
        """
        The turn solved, positions judged as the player sees them: for both players (the place of the move to play, [(orders,
        how likely they are, their value)]); the value for player 0, the exploitability, states judged, rounds.
        `rounds` less than 0 and `seconds` 0 are no limit; `moves` of both players are among the first candidates.
        """

    @property
    def evaluated(self) -> int:
        """Positions that the network has evaluated."""

    @property
    def hits(self) -> int:
        """Positions that the cache knew."""

    @property
    def batches(self) -> int:
        """Calls of `forward`."""

    @property
    def forward_seconds(self) -> float:
        """Time inside `forward`."""

def mcts(state: State, player: int, *, iterations: int, seconds: float, seed: int, candidates: int, rollout_levels: int, c: float, stall: bool, max_nodes: int, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> tuple[int, list[tuple[list[sandtable.conquest.types.Order], int, float]], float, int, int]:
    """
    (index of the best candidate, [(orders, visits, value)], value, nodes, iterations); 0 is no limit. Moves of both
    players, best first, are the candidates of this turn; if they are too few the rest are sampled.
    """

def guided(state: State, player: int, evaluator: Evaluator, *, iterations: int, seconds: float, seed: int, candidates: int, c: float, trust: float, root_prior: bool, stall: bool, max_nodes: int, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> tuple[tuple[int, list[tuple[list[sandtable.conquest.types.Order], int, float]], float, int, int], list[float]]:
    """
    What mcts() gives, guided by a network, and the priors of the candidates, none without root_prior.
    """

def coevolution(state: State, player: int, *, generations: int, seconds: float, seed: int, population: int, elites: int, mutation: float, gene_mutation: float, crossover: float, crossover_kind: str, selection: str, tournament_size: int, horizon: int, sampled: int, evaluator: Evaluator | None, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> tuple[tuple[int, list[tuple[list[sandtable.conquest.types.Order], int, float]], float, int, int], list[list[sandtable.conquest.types.Order]]]:
    """
    What mcts() gives, and the other player's population; the candidates are the player's, best first, and `iterations`
    are generations. Positions are judged by the shares of armies and income if there is no evaluator; of `sampled` moves
    it chooses the first, if not 0. Given moves of both players come first in the first populations.
    """

def cmaes(state: State, player: int, *, generations: int, seconds: float, seed: int, population: int, elites: int, step: float, sampled: int, evaluator: Evaluator | None, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> tuple[tuple[int, list[tuple[list[sandtable.conquest.types.Order], int, float]], float, int, int], list[list[sandtable.conquest.types.Order]]]:
    """
    As coevolution(), with sep-CMA-ES over the genes instead of genetic operators.
    """

def duct(state: State, player: int, *, simulations: int, seconds: float, seed: int, c: float, candidates: int, sampled: int, depth: int, rollout_turns: int, batch: int, mixed: bool, max_nodes: int, evaluator: Evaluator | None, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> tuple[tuple[int, list[tuple[list[sandtable.conquest.types.Order], int, float]], float, int, int], list[float], list[float]]:
    """
    What mcts() gives, by decoupled UCT, and the strategies of both players over their candidates, which may be given.
    Without an evaluator there are playouts.
    """

def regret(state: State, player: int, *, simulations: int, seconds: float, seed: int, exploration: float, candidates: int, sampled: int, depth: int, rollout_turns: int, batch: int, mixed: bool, max_nodes: int, evaluator: Evaluator | None, moves: Sequence[Sequence[Sequence[Sequence[int]]]] | None = None) -> tuple[tuple[int, list[tuple[list[sandtable.conquest.types.Order], int, float]], float, int, int], list[float], list[float]]:
    """As duct(), by regret matching."""
