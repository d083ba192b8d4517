"""Recipes: what a training by self-play consists of, as a TOML file. Its keys are the fields of these classes."""

from __future__ import annotations

import dataclasses
import re
import tomllib
import types
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandtable.errors import RecipeError, SandtableError, nearest
from sandtable.files import read_at_most
from sandtable.games import game
from sandtable.learn.map_sources import Maps
from sandtable.nets.architectures import TRAINABLE
from sandtable.players import player
from sandtable.rng import Rng


@dataclass(frozen=True)
class Network:
    architecture: str  # one of sandtable.nets.architectures.TRAINABLE; it says which game is played
    dropout: float = 0.0
    warm_start: str = ""  # a net of the same architecture to begin with: a shipped one or a .safetensors file


@dataclass(frozen=True)
class Search:
    """How games are played where one side moves at a time, see cpp/search/puct; else only `games` and `cache` count."""

    root: str = "puct"  # or gumbel
    simulations: int = 500
    quick_simulations: int = 1  # of decisions that are not searched in full
    full_share: float = 1.0
    c: float = 0.8
    attack_bonus: float = 3.7
    noise_alpha: float = 0.3
    noise_share: float = 0.25
    considered: int = 16  # moves at a Gumbel root
    temperature: float = 1.0
    last_temperature: float = 0.1
    falling: int = 10  # decisions until the last temperature
    lanes: int = 32  # games at a time, which fill a batch
    games: int = 32  # of one task of a worker, all with the same weights
    cache: int = 1 << 16  # positions


@dataclass(frozen=True)
class Turns:
    """How turns in which both sides decide at once are searched, and what is learnt from it; see
    cpp/search/equilibrium."""

    rounds: int = 3
    candidates: int = 12
    fresh: int = 12
    joining: int = 3
    most: int = 18
    met: int = 4
    random: float = 0.25
    uniform: float = 0.1
    slack: float = 0.02
    least: float = 0.02
    iterations: int = 100
    explore: float = 0.02  # how often any candidate is played, whatever it is worth
    search_value: float = 0.0  # the share of what the search expects in what the value learns; the result has the rest


@dataclass(frozen=True)
class Learning:
    optimiser: str = "sgd"  # with Nesterov momentum 0.9; or adam
    rate: float = 0.01
    half_life: int = 0  # updates in which the rate halves; 0: never
    weight_decay: float = 1e-4  # of the optimiser, for all weights
    l2: float = 0.0  # coefficient of the sum of squares of all kernels, as a term of the loss
    batch: int = 128  # positions
    memory: int = 50_000  # positions
    first_update: int = 1000  # positions that there must be
    updates_per_game: float = 10.0
    publish_every: int = 200  # updates after which self-play gets the new weights
    symmetries: bool = True  # of the board, for networks that see it as an image
    masked: bool = True  # the policy's softmax in the loss leaves out illegal moves, for kimura2020's networks
    average: float = 0.0  # decay of the mean of the weights that self-play gets; 0: the weights themselves
    value_weight: float = 1.0
    fate_weight: float = 0.0  # of the units' fates, for networks that foretell them


@dataclass(frozen=True)
class Strength:
    """Matches against fixed opponents now and then."""

    every: int = 0  # tasks of self-play between them; 0: never
    games: int = 10
    simulations: int = 100  # of the network's player, or its rounds if it has those
    opponents: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recipe:
    name: str
    network: Network
    maps: tuple[Maps, ...]
    seed: int = 0
    games: int = 0  # to play in all; 0: until the minutes are over
    minutes: float = 0.0  # on the clock, pauses left out; 0: until the games are played
    snapshots: tuple[float, ...] = ()  # minutes after which the network is kept
    search: Search = field(default_factory=Search)
    learning: Learning = field(default_factory=Learning)
    strength: Strength = field(default_factory=Strength)
    turns: Turns = field(default_factory=Turns)

    @property
    def game(self) -> str:
        return TRAINABLE[self.network.architecture].game

    def about(self) -> dict[str, Any]:
        """All that counts, as plain tables: what another training with this recipe must agree with."""
        found = dataclasses.asdict(self)
        if not game(self.game).simultaneous:
            del found["turns"]
        for name in _LATER_LEARNING:
            if found["learning"][name] == getattr(Learning, name):
                del found["learning"][name]
        return found

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\w[\w.+-]*", self.name):
            raise RecipeError(f"name: {self.name!r:.40} cannot be a folder's: letters, digits, _ . + and -")
        if self.network.architecture not in TRAINABLE:
            hint = nearest(self.network.architecture, TRAINABLE)
            known = ", ".join(TRAINABLE)
            raise RecipeError(f"network.architecture: {self.network.architecture!r:.40} is none of {known}{hint}")
        if self.network.architecture.endswith("_affine") and self.learning.batch < 2:
            raise RecipeError("learning.batch: an affine policy head normalises over a batch of 2 positions or more")
        if not self.games and not self.minutes:
            raise RecipeError("a recipe needs games or minutes, after which it ends")
        if not any(source.from_game == 0 and source.share > 0 for source in self.maps):
            raise RecipeError("maps: no source is used from the first game on")
        for source in self.maps:
            for start in source.extremes(self.game):
                self._check_fit("maps.source", source.source, start)
        for section, name, low, high in _RANGES:
            found = getattr(self, section) if section else self
            values = [getattr(one, name) for one in (found if isinstance(found, tuple) else (found,))]
            for value in values[0] if name == "snapshots" else values:
                if not low <= value <= high:
                    where = f"{section}.{name}" if section else name
                    raise RecipeError(f"{where} must be within {low:g}..{high:g}, not {value}")
        for section, name, words in (
            ("search", "root", ("puct", "gumbel")),
            ("learning", "optimiser", ("sgd", "adam")),
        ):
            if getattr(getattr(self, section), name) not in words:
                raise RecipeError(f"{section}.{name} must be {' or '.join(words)}")
        for name, low, high in (("joining", 1, self.turns.fresh), ("most", self.turns.candidates, 1000)):
            if not low <= getattr(self.turns, name) <= high:
                raise RecipeError(f"turns.{name} must be within {low}..{high}, not {getattr(self.turns, name)}")
        self._check_strength()

    def _check_strength(self) -> None:
        """Now, and not at the first match."""
        for key in ("opponents", "maps"):
            if self.strength.every and not getattr(self.strength, key):
                raise RecipeError(f"strength.{key}: matches need some")
        for spec in self.strength.opponents:
            try:
                games = getattr(player(spec), "games", ())
            except SandtableError as error:
                raise RecipeError(f"strength.opponents: {error}") from None
            if self.game not in games:
                raise RecipeError(f"strength.opponents: {spec} plays {' and '.join(games)}, not {self.game}")
        for map in self.strength.maps:
            try:
                start = game(self.game).load(map)
            except SandtableError as error:
                raise RecipeError(f"strength.maps: {error}") from None
            self._check_fit("strength.maps", map, start)

    def _check_fit(self, key: str, map: str, start: Any) -> None:
        """RecipeError unless the network can read the map."""
        try:
            game(self.game).part("check_training_map")(start, self.network.architecture)
        except ValueError as error:
            raise RecipeError(f"{key}: {map}: {error}") from None

    def start(self, number: int) -> Any:
        """The map of a game, by the game's number: it depends on nothing else."""
        rng = Rng(self.seed, f"self-play map {number}")
        sources = [one for one in self.maps if one.from_game <= number < one.until_game] or list(self.maps)
        at = rng.uniform() * sum(one.share for one in sources)
        for source in sources:
            at -= source.share
            if at < 0:
                break
        return source.draw(self.game, rng)


# Keys of `learning` that are left out of about() where they have their defaults: trainings from before there were such
# keys go on.
_LATER_LEARNING = ("l2", "masked")

_RANGES: tuple[tuple[str, str, float, float], ...] = (
    ("", "seed", 0, 2**32 - 1),
    ("", "games", 0, 10**9),
    ("", "minutes", 0, 10**6),
    ("", "snapshots", 0, 10**6),
    ("maps", "share", 0, 10**6),
    ("maps", "from_game", 0, 2**62),
    ("maps", "until_game", 0, 2**62),
    ("network", "dropout", 0, 0.9),
    ("search", "simulations", 1, 10**6),
    ("search", "quick_simulations", 1, 10**6),
    ("search", "full_share", 0.01, 1),
    ("search", "c", 0, 1000),
    ("search", "attack_bonus", 0, 1000),
    ("search", "noise_alpha", 0.001, 1000),
    ("search", "noise_share", 0, 1),
    ("search", "considered", 1, 1000),
    ("search", "temperature", 0.01, 100),
    ("search", "last_temperature", 0.01, 100),
    ("search", "falling", 0, 10**6),
    ("search", "lanes", 1, 4096),
    ("search", "games", 1, 10**6),
    ("search", "cache", 0, 1 << 24),
    ("learning", "rate", 1e-9, 10),
    ("learning", "half_life", 0, 10**9),
    ("learning", "weight_decay", 0, 10),
    ("learning", "l2", 0, 10),
    ("learning", "batch", 1, 10**5),
    ("learning", "memory", 1, 10**8),
    ("learning", "first_update", 1, 10**8),
    ("learning", "updates_per_game", 0, 10**5),
    ("learning", "publish_every", 1, 10**9),
    ("learning", "average", 0, 0.99999),
    ("learning", "value_weight", 0, 1000),
    ("learning", "fate_weight", 0, 1000),
    ("turns", "rounds", 0, 10**6),
    ("turns", "candidates", 1, 1000),
    ("turns", "fresh", 1, 1000),
    ("turns", "joining", 1, 1000),
    ("turns", "most", 1, 1000),
    ("turns", "met", 1, 1000),
    ("turns", "random", 0, 1),
    ("turns", "uniform", 0, 1),
    ("turns", "slack", 0, 2),
    ("turns", "least", 0, 1),
    ("turns", "iterations", 1, 10**6),
    ("turns", "explore", 0, 1),
    ("turns", "search_value", 0, 1),
    ("strength", "every", 0, 10**9),
    ("strength", "games", 1, 10**6),
    ("strength", "simulations", 1, 10**6),
)


def load(path: Path) -> Recipe:
    """The recipe in a file; RecipeError says in one line what is wrong with it."""
    if not path.is_file():
        raise RecipeError(f"{path}: there is no such file")
    try:
        found = tomllib.loads(read_at_most(path, 1 << 20).decode())
    except SandtableError as error:
        raise RecipeError(str(error)) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise RecipeError(f"{path}: not TOML: {str(error).splitlines()[0]:.100}") from None
    try:
        recipe: Recipe = _made(Recipe, found, "")
    except SandtableError as error:
        raise RecipeError(f"{path}: {error}") from None
    return recipe


def _made(kind: Any, found: dict[str, Any], where: str) -> Any:
    """A dataclass from a table of the file: every key known, every value of its type."""
    hints = typing.get_type_hints(kind)
    fields = {one.name: one for one in dataclasses.fields(kind)}
    for key in found:
        if key not in fields:
            raise RecipeError(f"there is no key {where + key!r:.60}{nearest(key, fields)}")
    for name, one in fields.items():
        if one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING and name not in found:
            raise RecipeError(f"the key {where + name!r} is missing")
    return kind(**{key: _value(hints[key], value, where + key) for key, value in found.items()})


def _value(wanted: Any, value: Any, where: str) -> Any:
    if dataclasses.is_dataclass(wanted):
        if not isinstance(value, dict):
            raise RecipeError(f"{where} must be a table")
        return _made(wanted, value, f"{where}.")
    if typing.get_origin(wanted) is tuple:
        if not isinstance(value, list):
            raise RecipeError(f"{where} must be a list")
        return tuple(_value(typing.get_args(wanted)[0], one, where) for one in value)
    if wanted is float and type(value) is int:
        return float(value)
    plain = dict if isinstance(wanted, types.GenericAlias) else wanted
    if type(value) is not plain:
        words = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", dict: "a table"}
        raise RecipeError(f"{where} must be {words.get(plain, plain)}, not {value!r:.40}")
    return value
