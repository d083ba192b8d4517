"""The interface of a game, `Game`: players, arena, learning and command line know nothing else of a game.

A game is sequential (one side decides, then the next; a side may decide many times in a row) or simultaneous (both
sides decide, then the turn is resolved). One loop plays both: `movers` says who decides now, `advance` carries out one
move of each mover.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.rng import Rng


@runtime_checkable
class State(Protocol):
    """A position in a game. States are changed in place."""

    def copy(self) -> Any: ...

    def hash(self) -> int: ...


@runtime_checkable
class Map(Protocol):
    """What a game is played on."""

    @property
    def name(self) -> str: ...


class Summary(NamedTuple):
    """A map in a few words."""

    size: str
    rules: str
    comment: str = ""


class Choices(NamedTuple):
    """Legal moves as JSON; `complete` if there are no others."""

    moves: list[Any]
    complete: bool


class Command(NamedTuple):
    """A command that a game adds. `reference`, "module:attribute", names its function, or the App of a group of
    commands; `group` is its group in the list of all commands; `summary` is the first paragraph of its help."""

    reference: str
    group: str
    summary: str


class IllegalMoveError(SandtableError):
    """A move that cannot be played, and the side that gave it."""

    def __init__(self, side: int, reason: str) -> None:
        super().__init__(reason)
        self.side = side


class Game(ABC):
    """The base class of all games; `register_game` makes an instance known.

    `searches` are, by name, the native searches that several games share. In a sequential game a search is called with
    (state, settings, seconds=, seed=), minimax without seconds; in a simultaneous game with (state, side, settings,
    seconds=, seed=), and it also returns both sides' strategies. `champion` is the spec of the player that the name
    `sandtable` stands for. `parts` are references, "module:attribute", to code in higher layers (players, training,
    commands, benchmarks); they are imported on first use.
    """

    name: str
    version: int  # raised by any change of behaviour; every record carries it
    map_types: tuple[type[Any], ...]
    state_types: tuple[type[Any], ...]
    generators: Mapping[str, Callable[..., Any]] = {}
    presets: Mapping[str, Any] = {}  # rules by name
    formats: Sequence[str] = (".json",)  # endings of map files; the first is the usual one
    searches: Mapping[str, Callable[..., Any]] = {}
    simultaneous: bool = False  # both sides decide at once
    champion: str = "uct"
    parts: Mapping[str, str] = {}
    players: Mapping[str, str] = {}  # the game's own players by name, likewise "module:class"
    commands: Mapping[str, Command] = {}  # the game's own commands of the command line
    examples: Sequence[str] = ()  # maps that `check-player` plays on
    legend: str = ""  # explains the symbols of text()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by name: another process imports the module that registers the game and gets its own instance."""
        return _registered, (self.name, type(self).__module__, self.state_types[0].__module__)

    def __repr__(self) -> str:
        return f"<Game {self.name}, version {self.version}>"

    @property
    def origin(self) -> str:
        """The place where the game is defined. A module that is imported again may register its game again; another
        module may not use the same name."""
        return f"{type(self).__module__}:{type(self).__qualname__}"

    # Maps

    @abstractmethod
    def shipped(self) -> Mapping[str, Any]:
        """The maps that come with the game, by name."""

    @abstractmethod
    def load(self, source: str | Path, rules: Any = None) -> Any:
        """A map from a file, or a shipped map by its name; with its own rules unless others are given."""

    def claims(self, path: Path, data: bytes) -> bool:
        """Whether a file with this content is a map of this game. The game then reads it, or says what is wrong."""
        return False

    @abstractmethod
    def parse(self, text: str, rules: Any = None, name: str = "map") -> Any:
        """A map from the text of a file; `name` is used if the text has no name of its own."""

    @abstractmethod
    def format(self, map: Any, ending: str = "") -> str:
        """A map as the text of a file with that ending, by default the first of `formats`."""

    def save(self, map: Any, path: Path, **options: Any) -> None:
        """Write a map to a file, in the format of its ending."""
        raise SandtableError(f"maps of {self.name} cannot be written to files")

    @abstractmethod
    def summary(self, map: Any) -> Summary: ...

    def remarks(self, map: Any) -> list[str]:
        """Remarks on features of the map that the rules allow but that are probably mistakes."""
        return []

    # Play

    @abstractmethod
    def start(self, map: Any, seed: int = 0) -> Any:
        """The state that a game begins with; a random start is drawn from the seed."""

    @abstractmethod
    def map_of(self, state: Any) -> Any:
        """The map that a state belongs to."""

    @abstractmethod
    def movers(self, state: Any) -> tuple[int, ...]:
        """The sides that decide now: one, both, or none because the game is over."""

    @abstractmethod
    def advance(self, state: Any, moves: Sequence[Any], rng: Rng) -> Any:
        """Carry out one move of each mover. Returns what a record keeps of it, as JSON values, from which replay()
        repeats it. IllegalMoveError if a move cannot be played."""

    @abstractmethod
    def replay(self, state: Any, kept: Any) -> None:
        """Carry out what advance() returned, or what as_moves() made of that; ValueError, TypeError or LookupError if
        it cannot be played."""

    def moves_of(self, state: Any, kept: Any) -> tuple[Any, ...]:
        """The moves in what advance() returned, or in what as_moves() made of that: one move of each mover. By default
        `kept` is the move of a single side."""
        return (self.as_moves(kept),)

    @abstractmethod
    def winner(self, state: Any) -> int | None: ...

    @abstractmethod
    def turn(self, state: Any) -> int:
        """How many turns have been played."""

    def reason(self, state: Any) -> str | None:
        """Why the game ended, if the game can end in several ways."""
        return None

    def random_move(self, state: Any, side: int, seed: int) -> Any:
        """One of the moves, drawn from the seed."""
        from sandtable.rng import Rng  # numpy is slow to import

        return Rng(seed, "random move").choice(list(self.moves(state, side)))

    def moves(self, state: Any, side: int) -> Sequence[Any]:
        """The moves of a side, in an order that depends on the position alone. SandtableError if there are too many to
        list."""
        raise SandtableError(f"{self.name} has too many moves to list")

    def decisions_left(self, state: Any) -> int:
        """The most decisions that the side to move still has in this turn; a clock for turns divides its time by it."""
        return 1

    # Records

    @abstractmethod
    def start_fields(self, state: Any) -> dict[str, Any]:
        """The fields `map`, `start` and `rules` of a record whose game begins with this state; a RawJson is written
        unchanged."""

    @abstractmethod
    def read_start(self, map: Any, start: Any, rules: Any) -> Any:
        """The state that start_fields() described. SandtableError if the fields, which may be untrusted, do not
        describe a state."""

    def check_kept(self, where: str, kept: Any) -> None:
        """SandtableError unless a record's move has the right form; replay() finds out whether it can be played."""
        return

    def as_moves(self, kept: Any) -> Any:
        """What advance() returned, with the moves in the form that states play. A Record holds moves in this form."""
        return kept

    def as_kept(self, held: Any) -> Any:
        """The inverse of as_moves()."""
        return held

    def digest(self, state: Any) -> str:
        """Sixteen hex digits that identify a start by its content, map and rules included."""
        content = json.dumps(self.start_fields(state), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    # JSON for bots, analyses and the page, described in docs/protocol.md

    def position(self, state: Any) -> dict[str, Any]:
        """The position as JSON: what a bot needs to decide, besides the map that it was given before the game."""
        return {"turn": self.turn(state), "movers": list(self.movers(state)), "text": str(self.text(state))}

    def write_move(self, state: Any, side: int, move: Any) -> Any:
        """A move of a side, not yet played, as JSON; by default its index in the list of moves."""
        return list(self.moves(state, side)).index(move)

    def read_move(self, state: Any, side: int, written: Any) -> Any:
        """The inverse of write_move(). SandtableError if `written` has the wrong form; advance() finds out whether the
        move can be played."""
        from sandtable import json_fields  # not needed to import the package

        moves = self.moves(state, side)
        return moves[json_fields.whole("move", written, 0, len(moves) - 1)]

    def choices(self, state: Any, side: int, count: int, seed: int) -> Choices:
        """Moves of a side as JSON: all of them or, in a game with too many to list, a sample of `count`."""
        return Choices([self.write_move(state, side, move) for move in self.moves(state, side)], complete=True)

    # Showing

    @abstractmethod
    def text(self, position: Any) -> Any:
        """A map or state for a terminal: a string, or rich text."""

    def svg(self, position: Any) -> str:
        """A map or state as a picture; by default a picture of its text."""
        from sandtable.games.text_picture import text_svg

        return text_svg(str(self.text(position)))

    def describe(self, state: Any, move: Any) -> str:
        """A move, not yet played, as a sentence."""
        return str(move)

    def notation(self, state: Any, move: Any) -> str:
        """A move in a few characters."""
        return str(move)

    # Higher layers

    @property
    def training(self) -> Any:
        """What training by self-play needs of the game (`sandtable.learn.adapter.TrainingAdapter`)."""
        return self.part("training")

    def part(self, name: str) -> Any:
        """One of `parts`; SandtableError if the game has none of that name."""
        if name not in self.parts:
            raise SandtableError(f"{self.name} has no {name}")
        return imported(self.parts[name])


def _registered(name: str, *modules: str) -> Game:
    from sandtable.games.registry import game

    for module in modules:
        with contextlib.suppress(ImportError):  # a submodule of the core, which has no file of its own
            importlib.import_module(module)
    return game(name)


def imported(reference: str) -> Any:
    """The object that "module:attribute" names."""
    module, _, attribute = reference.partition(":")
    return getattr(importlib.import_module(module), attribute)
