"""TUBSTAP: states, encoders, evaluators and searches."""

from collections.abc import Callable, Sequence
from typing import Any, Final, overload

import numpy
import numpy.typing

import sandtable._core
import sandtable.analysis
import sandtable.settings
import sandtable.tubstap.scenario
import sandtable.tubstap.types


VERSION: int = 1

MAX_SIDE: int = 32

MAX_UNITS_PER_SIDE: int = 32

MAX_TURNS: int = 1000000

MAX_HP: int = 10

class Rules:
    """The rules as the engine reads them; made by sandtable.tubstap.Rules."""

    def __init__(self, *, power: Sequence[Sequence[int]], movement: Sequence[int], air: Sequence[bool], range: Sequence[Sequence[int]], defence: Sequence[int], cost: Sequence[Sequence[int]], real_hp: bool, turn_limit: int | None, hp_threshold: float | None, quiet_limit: int | None, harmless_attacks: bool) -> None: ...

class State:
    """A position of a game. Scenario.start() makes the first one."""

    def __init__(self, *, rules: Rules, width: int, height: int, terrain: Sequence[int], units: Sequence[tuple[int, int, int, int, float, bool]], turn: int, quiet: int, hp_lost: bool) -> None: ...

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

    def with_scenario(self, scenario: sandtable.tubstap.scenario.Scenario) -> State:
        """A copy with this scenario."""

    @property
    def scenario(self) -> sandtable.tubstap.scenario.Scenario:
        """The scenario that the game began with."""

    @property
    def side(self) -> int:
        """Whose turn it is: 0 red, 1 blue."""

    @property
    def quiet(self) -> int:
        """Turns in a row that ended without any loss of HP."""

    @property
    def hp_lost(self) -> bool:
        """Whether any unit has lost HP in the current turn."""

    @property
    def reason(self) -> str | None:
        """
        'annihilation', 'turn limit' or 'no progress'; None while the game goes on.
        """

    @property
    def units(self) -> list[sandtable.tubstap.types.Unit]:
        """The living units, by id."""

    def moves(self) -> list[sandtable.tubstap.types.Move]:
        """
        Every operation of the side to move, ascending by (unit, x, y, target), a plain move before the
        attacks from the same cell; empty when the game is over.
        """

    def moves_array(self) -> numpy.typing.NDArray[numpy.int16]:
        """The same as int16[n, 4]; target -1 for a plain move."""

    def random_move(self, seed: int) -> sandtable.tubstap.types.Move:
        """
        A random operation of a random unit that has not acted, as uniform playouts draw it.
        """

    def play(self, move: Sequence[int | None]) -> sandtable.tubstap.types.Combat | None:
        """
        Carry out one unit's operation, in place. Returns what an attack dealt and took. The turn changes by
        itself with the last unit. Raises ValueError with the reason if the move is illegal.
        """

    def combat(self, move: Sequence[int | None]) -> sandtable.tubstap.types.Combat | None:
        """What play() would return, without playing."""

    def end_turn(self) -> None:
        """End the turn early: the units that have not acted stay where they are."""

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

def playouts(state: State, first: int, last: int, seed: int, policy: str) -> tuple[int, int, int, int]:
    """
    The results of playouts first .. last-1 of the seed: (red, blue, draws, operations).
    """

def bare_loop(games: int, seed: int) -> int:
    """
    The number of operations in `games` random games of 3 v 3 on 8x8 plains, played by the bare loop.
    """

def perft(state: State, depth: int) -> int:
    """
    The number of sequences of exactly `depth` operations; games that end earlier count 0.
    """

class Observer:
    """
    Positions of one scenario as arrays of fixed sizes, and its moves as numbers.
    """

    def __init__(self, start: State, encoder: str) -> None:
        """`encoder` is graph, image or tokens."""

    @property
    def actions(self) -> int: ...

    @property
    def rows(self) -> int: ...

    def mask(self, state: State) -> numpy.typing.NDArray[numpy.uint8]:
        """1 for every legal action, 0 for the others."""

    def move(self, state: State, action: int) -> sandtable.tubstap.types.Move | None:
        """The move of a legal action; None is the end of the turn."""

    def action(self, state: State, move: sandtable.tubstap.types.Move | None) -> int:
        """The number of a legal move."""

    def encode(self, state: State) -> numpy.typing.NDArray[numpy.float32]:
        """The observation, from the perspective of the side to move."""

    def roster(self, state: State, side: int) -> numpy.typing.NDArray[numpy.float32]:
        """The units in the order of the actions, the side's own first."""

class Games:
    """Many games on one scenario, against an opponent."""

    def __init__(self, start: State, *, games: int, encoder: str, opponent: str, side: int | None, shaping: float) -> None:
        """
        `opponent` is random, greedy or elsewhere; answer() takes the moves of one elsewhere.
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

    def act(self, actions: numpy.typing.NDArray[numpy.int64]) -> None:
        """
        Play an action in every game; where a game has ended, a new one begins.
        """

    def answer(self, game: int, move: Sequence[int | None] | None) -> None:
        """Play a move of the opponent."""

    @property
    def rosters(self) -> numpy.typing.NDArray[numpy.float32]: ...

    @property
    def masks(self) -> numpy.typing.NDArray[numpy.uint8]: ...

class TokenNet:
    """The network of sandtable.nets.tokens, run by the core."""

    def __init__(self, weights: bytes, *, hidden: int, rounds: int, instructions: str | None = None) -> None:
        """
        `weights` has the bytes of a safetensors file; `instructions` is one of `instruction_sets()`, by default the first.
        """

class AttackGraphEncoder:
    """
    li2022's graph of who can attack whom, [6, N, N]: adjacency, HP, type, mobility, ready, distance.
    """

    def __init__(self, *, side_rows: int = 3, first_type: int = 1, scaled: bool = True) -> None: ...

    def encode(self, states: Sequence[State]) -> numpy.typing.NDArray[numpy.float32]:
        """float32[states, ...]."""

class UnitImageEncoder:
    """
    li2022's image of the board, [5, height, width]: HP, type, side, mobility, ready; with planes="text": position, HP, attack, side, type.
    """

    def __init__(self, *, width: int = 8, height: int = 8, planes: str = 'first', scaled: bool = True) -> None: ...

    def encode(self, states: Sequence[State]) -> numpy.typing.NDArray[numpy.float32]:
        """float32[states, ...]."""

class DamageGraphEncoder:
    """
    takahashi's graph of the damage that units can do to each other, flat:
    nodes [N, 13], edges [N, N, 4].
    """

    def __init__(self, *, rows: int = 8) -> None: ...

    def encode(self, states: Sequence[State]) -> numpy.typing.NDArray[numpy.float32]:
        """float32[states, ...]."""

class TerrainImageEncoder:
    """
    takahashi's image of the board, [20, height, width]: units, terrain, can act.
    """

    def __init__(self, *, width: int = 8, height: int = 8) -> None: ...

    def encode(self, states: Sequence[State]) -> numpy.typing.NDArray[numpy.float32]:
        """float32[states, ...]."""

class CombinedEncoder:
    """
    takahashi's graph, image, and the cell of each of the graph's rows, flat.
    """

    def __init__(self, *, rows: int = 8, width: int = 8, height: int = 8) -> None: ...

    def encode(self, states: Sequence[State]) -> numpy.typing.NDArray[numpy.float32]:
        """float32[states, ...]."""

class Evaluator:
    """An encoder and a function from encoded states to values, with a cache."""

    def __init__(self, encoder: AttackGraphEncoder | UnitImageEncoder | DamageGraphEncoder | TerrainImageEncoder | CombinedEncoder, forward: Callable[[numpy.typing.NDArray[numpy.float32]], numpy.typing.NDArray[numpy.float32]], *, batch: int, cache: int) -> None:
        """
        `forward` maps encoded states, float32[n, size], to their values, float32[n].
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

    def evaluate(self, states: Sequence[State]) -> numpy.typing.NDArray[numpy.float32]:
        """float32[n]: the value of each state for its side to move."""

def encode_policy(encoder: str, states: Sequence[State]) -> tuple[tuple[numpy.typing.NDArray[Any], ...], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
    """
    (the network's inputs, the index of the logit of every move of every state, the number of moves of each state).
    """

class PolicyEvaluator:
    """A policy/value network with a cache."""

    def __init__(self, encoder: str, forward: TokenNet | Callable[..., tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]], *, cache: int) -> None:
        """
        `forward` is a network of the core, or maps the encoder's arrays to values and logits.
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

    def evaluate(self, states: Sequence[State]) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]:
        """
        (the value of each state for its side to move, the priors of all moves of all states).
        """

    @property
    def rows(self) -> int:
        """Input rows that the network has evaluated."""

def uct(state: State, settings: sandtable._core.UctSettings, *, seconds: float = 0.0, seed: int) -> sandtable.analysis.SearchResult:
    """Monte-Carlo tree search over operations; 0 seconds means no limit."""

def pmc(state: State, settings: sandtable._core.PmcSettings, *, seconds: float = 0.0, seed: int) -> sandtable.analysis.SearchResult:
    """
    Pure Monte Carlo: as many playouts after each move as the settings and the seconds allow.
    """

def minimax(state: State, settings: sandtable._core.MinimaxSettings, *, seed: int, evaluator: Evaluator | None = None) -> sandtable.analysis.SearchResult:
    """
    Minimax over operations; `simulations` counts the evaluated leaves. Without an evaluator, leaves are evaluated by HP.
    """

class PuctSettings:
    """Settings of PolicyTree.search()."""

    def __init__(self, *, simulations: int | None = ..., c: float = ..., attack_bonus: float = ..., unvisited: str = ..., root: str = ..., choice: str = ..., considered: int = ..., batch: int = ..., keep: bool = ..., max_nodes: int = ...) -> None: ...

    @property
    def simulations(self, /) -> int | None:
        """simulations for a move"""

    @property
    def c(self, /) -> float:
        """exploration constant of PUCT"""

    @property
    def attack_bonus(self, /) -> float:
        """bonus on the score of an attack, divided by 1 + its visits"""

    @property
    def unvisited(self, /) -> str:
        """
        value of an operation that was never tried: zero, as in the paper, or its parent's
        """

    @property
    def root(self, /) -> str:
        """selection at the root; gumbel suits few simulations"""

    @property
    def choice(self, /) -> str:
        """
        how a puct root chooses its move: visits, as in the paper; bound, by a lower bound of the value, then by progress
        """

    @property
    def considered(self, /) -> int:
        """moves that a gumbel root considers"""

    @property
    def batch(self, /) -> int:
        """simulations whose leaves the network evaluates together"""

    @property
    def keep(self, /) -> bool:
        """keep the subtree of the move played for the next decision"""

    @property
    def max_nodes(self, /) -> int:
        """nodes beyond which the tree stops growing"""

    def replace(self, *, simulations: int | None = ..., c: float = ..., attack_bonus: float = ..., unvisited: str = ..., root: str = ..., choice: str = ..., considered: int = ..., batch: int = ..., keep: bool = ..., max_nodes: int = ...) -> PuctSettings:
        """The same with some settings changed."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    fields: Final[tuple[sandtable.settings.Setting, ...]] = ...
    """The declarations of all settings."""

class PolicyTree:
    """
    The tree of a search that a network guides, kept from one decision to the next.
    """

    def __init__(self) -> None: ...

    def search(self, state: State, policy: PolicyEvaluator, settings: PuctSettings, *, seconds: float = 0.0, seed: int) -> sandtable.analysis.SearchResult:
        """PUCT with a network's priors and values; 0 seconds means no limit."""

def pruned_minimax(state: State, policy: PolicyEvaluator, settings: sandtable._core.PrunedMinimaxSettings) -> sandtable.analysis.SearchResult:
    """
    As minimax(), but below the root only the `width` likeliest moves of every position are searched.
    """

def self_play(policy: PolicyEvaluator, starts: Sequence[State], seeds: Sequence[int], settings: sandtable._core.SelfPlaySettings) -> list[tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float32]]]:
    """
    Play a game from each start. Returns for each game, by decision: (the index of the move played, whether the search was
    full, the value, the number of moves, the policy); the policies are concatenated.
    """
