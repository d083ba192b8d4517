"""Recipes: TOML files that describe a training by self-play. Their keys are the fields of these classes."""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandtable._core import EquilibriumSettings, SelfPlaySettings
from sandtable.errors import RecipeError, SandtableError, SettingError, nearest
from sandtable.files import read_toml
from sandtable.games import game
from sandtable.learn.map_sources import Maps
from sandtable.nets.architectures import TRAINABLE
from sandtable.players import player
from sandtable.players.trust import CodeRefusedError, MayRun, check_code, nothing
from sandtable.rng import Rng
from sandtable.settings import Setting, declared, declares, field_from, says, searched_with, setting

FOLDER = Path(__file__).parents[1] / "recipes"


@dataclass(frozen=True)
class Network:
    architecture: str = field(metadata=says("one of the networks with a policy ([networks.md](networks.md))"))
    dropout: float = setting(0.0, "dropout in training, for kimura2020's networks", low=0, high=0.9)
    warm_start: str = setting(
        "", "network of the same architecture to start from: a shipped one or a .safetensors file"
    )


class Declared:
    """A table whose keys are the settings of a search and some of its own."""

    if typing.TYPE_CHECKING:  # `declares` adds the fields of a search's settings
        __dataclass_fields__: typing.ClassVar[dict[str, Any]]

        def __init__(self, **values: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    @property
    def settings(self) -> Any:
        """The settings object of the search."""
        return searched_with(self)


@declares(SelfPlaySettings, frozen=True)
class Search(Declared):
    """The search of self-play where one side moves at a time, see cpp/search/puct. Where both sides decide at once,
    only `games` and `cache` are used."""

    temperature: float = field_from(SelfPlaySettings, "temperature", low=0.01)
    last_temperature: float = field_from(SelfPlaySettings, "last_temperature", low=0.01)
    lanes: int
    games: int = setting(32, "games per task of a worker, all with the same weights", low=1, high=10**6)
    cache: int = setting(1 << 16, "positions whose evaluation is cached within a task", low=0, high=1 << 24)


@declares(
    EquilibriumSettings(
        candidates=12, fresh=12, joining=3, most=18, opponents=4, random=0.25, least=0.02, iterations=100
    ),
    without=("deepened", "below", "progress", "mixed"),
    frozen=True,
)
class Turns(Declared):
    """The search of turns in which both sides decide at once, and the value target that is made from it; see
    cpp/search/equilibrium."""

    rounds: int = field_from(EquilibriumSettings, "rounds", types=(int,), default=3, high=10**6, is_count=False)
    iterations: int
    explore: float = setting(0.02, "probability of playing a random candidate", low=0, high=1)
    search_value: float = setting(
        0.0, "weight of the search's value in the value target; the game's result has the rest", low=0, high=1
    )


@dataclass(frozen=True)
class Learning:
    optimiser: str = setting("sgd", "optimisation algorithm; sgd uses Nesterov momentum 0.9", words=("sgd", "adam"))
    rate: float = setting(0.01, "learning rate", low=1e-9, high=10)
    half_life: int = setting(0, "updates that halve the learning rate; 0: it is constant", low=0, high=10**9)
    weight_decay: float = setting(
        1e-4,
        "weight decay of the optimiser, for all weights: sgd adds this times the weight to the gradient",
        low=0,
        high=10,
    )
    l2: float = setting(
        0.0,
        "coefficient of the sum of squares of all kernels (of convolutions and affine layers, not biases or batch "
        "normalisation) as a term of the loss, `l2_loss`, which `total_loss` includes",
        low=0,
        high=10,
    )
    batch: int = setting(128, "positions per update", low=1, high=10**5)
    memory: int = setting(50_000, "capacity of the replay buffer, which holds the latest positions", low=1, high=10**8)
    first_update: int = setting(1000, "positions in the buffer before the first update", low=1, high=10**8)
    updates_per_game: float = setting(10.0, "updates per game played", low=0, high=10**5)
    publish_every: int = setting(200, "updates after which self-play gets the latest weights", low=1, high=10**9)
    symmetries: bool = setting(True, "rotate and mirror the board, for networks that read it as an image")
    masked: bool = setting(
        True,
        "the policy's softmax in the loss leaves out illegal moves; `false`: it is over all 180 outputs of "
        "kimura2020's networks, which then also learn what is legal",
    )
    average: float = setting(
        0.0,
        "decay of the moving average of the weights, which self-play and the finished network use; 0: no average",
        low=0,
        high=0.99999,
    )
    value_weight: float = setting(1.0, "weight of the value's loss relative to the policy's", low=0, high=1000)
    fate_weight: float = setting(
        0.0,
        "weight of the loss of auxiliary targets, for networks that have them: the units' survival and HP, the "
        "territories' owners at the end",
        low=0,
        high=1000,
    )


@dataclass(frozen=True)
class Strength:
    """Matches against fixed opponents at intervals."""

    every: int = setting(0, "tasks of self-play between two matches; 0: no matches", low=0, high=10**9)
    games: int = setting(10, "games of a match, with alternating seats", low=1, high=10**6)
    simulations: int = setting(
        100, "simulations of the network's player, or its rounds if it has those", low=1, high=10**6
    )
    opponents: tuple[str, ...] = setting(
        (), "specs of players ([players.md](players.md)); each match is against the next of them"
    )
    maps: tuple[str, ...] = setting((), "maps on which they play")


@dataclass(frozen=True)
class Recipe:
    name: str = field(metadata=says("names the folder, `runs/NAME`"))
    network: Network = field(metadata=says("a table, below"))
    maps: tuple[Maps, ...] = field(metadata=says("one table or more, each `[[maps]]`, below"))
    seed: int = setting(0, "seed of the first weights, the maps, the games and the samples", low=0, high=2**32 - 1)
    games: int = setting(0, "games in total; 0: as many as the minutes allow", low=0, high=10**9)
    minutes: float = setting(0.0, "wall-clock minutes of running time; 0: as many as the games take", low=0, high=10**6)
    snapshots: tuple[float, ...] = setting((), "minutes after which a copy of the network is kept", low=0, high=10**6)
    search: Search = field(default_factory=Search, metadata=says("a table, below"))
    learning: Learning = field(default_factory=Learning, metadata=says("a table, below"))
    strength: Strength = field(default_factory=Strength, metadata=says("a table, below"))
    turns: Turns = field(
        default_factory=Turns, metadata=says("a table, below, for games in which both sides decide at once")
    )

    @property
    def game(self) -> str:
        return TRAINABLE[self.network.architecture].game

    def about(self) -> dict[str, Any]:
        """The recipe as plain tables; a training is continued only if these are the same."""
        found = dataclasses.asdict(self)
        for source, table in zip(self.maps, found["maps"], strict=True):
            if source.is_file(self.game):  # a file is identified by its name and content, not its folder
                table |= {"source": Path(source.source).name, "digest": source.digest(self.game)}
        if not game(self.game).simultaneous:
            del found["turns"]
        else:
            found["turns"]["met"] = found["turns"].pop("opponents")  # its former name, as stored trainings have it
        for name in _LATER_LEARNING:
            if found["learning"][name] == getattr(Learning, name):
                del found["learning"][name]
        return found

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\w[\w.+-]*", self.name):
            raise RecipeError(f"name: {self.name!r:.40} cannot name a folder; use letters, digits, _ . + and -")
        if self.network.architecture not in TRAINABLE:
            hint = nearest(self.network.architecture, TRAINABLE)
            known = ", ".join(TRAINABLE)
            raise RecipeError(f"network.architecture: {self.network.architecture!r:.40} is none of {known}{hint}")
        if self.network.architecture.endswith("_affine") and self.learning.batch < 2:
            raise RecipeError("learning.batch: batch normalisation in an affine policy head needs 2 positions or more")
        if not self.games and not self.minutes:
            raise RecipeError("a recipe needs games or minutes as its limit")
        if not any(source.from_game == 0 and source.share > 0 for source in self.maps):
            raise RecipeError("maps: no source is active at the first game")
        for source in self.maps:
            for start in source.extremes(self.game):
                self._check_fit("maps.source", source.source, start)
        for where, part in (("", self), *_parts(self)):
            _check_ranges(where, part)
        self._check_strength()

    def _check_strength(self) -> None:
        """Find errors in the matches' settings now, not at the first match."""
        for key in ("opponents", "maps"):
            if self.strength.every and not getattr(self.strength, key):
                raise RecipeError(f"strength.{key}: matches need at least one")
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
        """Raise RecipeError unless the network can read the map."""
        try:
            game(self.game).part("check_training_map")(start, self.network.architecture)
        except ValueError as error:
            raise RecipeError(f"{key}: {map}: {error}") from None

    def start(self, number: int) -> Any:
        """The map of the game with this number: the recipe and the number determine it."""
        rng = Rng(self.seed, f"self-play map {number}")
        sources = [one for one in self.maps if one.from_game <= number < one.until_game] or list(self.maps)
        at = rng.uniform() * sum(one.share for one in sources)
        for source in sources:
            at -= source.share
            if at < 0:
                break
        return source.draw(self.game, rng)


# Keys of `learning` that about() leaves out where they have their defaults, so that trainings can continue that were
# begun before these keys existed.
_LATER_LEARNING = ("l2", "masked")

# Keys that may change when a training continues: its limits, and the times of its snapshots.
MAY_CHANGE = ("games", "minutes", "snapshots")

# Former names of keys, and the present ones.
_RENAMED = {"turns.met": "opponents"}


def _parts(recipe: Recipe) -> Iterator[tuple[str, Any]]:
    """The tables of a recipe, each with the prefix of its keys in messages."""
    for part in ("network", "search", "learning", "strength", "turns"):
        yield f"{part}.", getattr(recipe, part)
    for source in recipe.maps:
        yield "maps.", source


def _check_ranges(where: str, part: Any) -> None:
    """Raise RecipeError unless all values of a table are in their ranges."""
    for one in declared(type(part)):
        value = getattr(part, one.name)
        if isinstance(value, tuple):
            for item in value:
                _checked(dataclasses.replace(one, types=()), item, where, vars(part))
        else:
            _checked(one, value, where, vars(part))


def _checked(one: Setting, value: Any, where: str, others: Mapping[str, Any]) -> Any:
    try:
        return one.checked(value, others)
    except SettingError as error:
        raise RecipeError(f"{where}{error}") from None


def shipped() -> dict[str, Path]:
    """The recipes that come with the package, by name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}


def locate(source: str) -> Path:
    """The file of a recipe, given by its path or by the name of a shipped recipe."""
    if source in shipped() and not Path(source).is_file():
        return shipped()[source]
    if not Path(source).suffix and not Path(source).exists():
        known = ", ".join(shipped())
        raise RecipeError(
            f"no recipe is called {source!r:.60}{nearest(source, shipped())}; there are {known}, and the file of a "
            "recipe ends in .toml"
        )
    return Path(source)


def load(path: Path, may_run: MayRun = nothing) -> Recipe:
    """Load a recipe from a file; RecipeError says in one line what is wrong with it. An opponent that runs its own code
    is refused unless may_run() allows it by name."""
    if not path.is_file():
        raise RecipeError(f"{path}: there is no such file")
    try:
        found = read_toml(path, 1 << 20)
    except SandtableError as error:
        raise RecipeError(str(error)) from None
    try:
        _check_code(found, may_run)
        recipe: Recipe = _from_table(Recipe, found, "")
    except SandtableError as error:
        raise RecipeError(f"{path}: {error}") from None
    return recipe


def _check_code(found: dict[str, Any], may_run: MayRun) -> None:
    """Check that no opponent runs code that is not allowed, before anything else in the file is used; other errors
    are found later."""
    strength = found.get("strength")
    opponents = strength.get("opponents") if isinstance(strength, dict) else None
    for spec in opponents if isinstance(opponents, list) else ():
        if isinstance(spec, str):
            try:
                check_code(spec, may_run)
            except CodeRefusedError as error:
                raise RecipeError(f"strength.opponents: {error}") from None
            except SandtableError:
                continue


def _from_table(kind: Any, found: dict[str, Any], where: str) -> Any:
    """Make a dataclass from a table of the file; every key must be known, every value of its type."""
    hints = typing.get_type_hints(kind)
    fields = {one.name: one for one in declared(kind)}
    found = {_RENAMED.get(where + key, key): value for key, value in found.items()}
    for key in found:
        if key not in fields:
            raise RecipeError(f"there is no key {where + key!r:.60}{nearest(key, fields)}")
    for name, one in fields.items():
        if one.default is dataclasses.MISSING and name not in found:
            raise RecipeError(f"the key {where + name!r} is missing")
    return kind(**{key: _value(hints[key], fields[key], value, where) for key, value in found.items()})


def _value(wanted: Any, one: Setting, value: Any, where: str) -> Any:
    if dataclasses.is_dataclass(wanted):
        if not isinstance(value, dict):
            raise RecipeError(f"{where}{one.name} must be a table")
        return _from_table(wanted, value, f"{where}{one.name}.")
    if typing.get_origin(wanted) is tuple:
        if not isinstance(value, list):
            raise RecipeError(f"{where}{one.name} must be a list")
        return tuple(_value(typing.get_args(wanted)[0], one, item, where) for item in value)
    if isinstance(wanted, types.GenericAlias):
        if not isinstance(value, dict):
            raise RecipeError(f"{where}{one.name} must be a table, not {value!r:.40}")
        return value
    # Only the type is checked here. A limit may name another key of the table, so Recipe checks ranges at the end.
    known = one.types if wanted is Any else (wanted,)
    return _checked(dataclasses.replace(one, types=known, low=None), value, where, {})
