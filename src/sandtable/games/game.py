"""The Game value: the one thing that players, arena, learning and command line know of a game.

A game is sequential (one side decides, then the next; a side may decide many times in a row) or simultaneous (both
sides decide, then the turn is resolved). One loop plays both: `movers` says who decides now, `advance` carries out one
move of each of them.
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
    """A command of a game's own: "module:function", or the App of a group of commands; where the list of all commands
    has it, and the first paragraph of its help."""

    reference: str
    group: str
    summary: str


class IllegalMoveError(SandtableError):
    """A move that cannot be played, and the side that gave it."""

    def __init__(self, side: int, reason: str) -> None:
        super().__init__(reason)
        self.side = side


class Game(ABC):
    """A subclass for each game; `register_game` makes an instance known.

    `searches` are the native searches that other games have too, by name. In a sequential game a search is called with
    (state, settings, seconds=, seed=), minimax without seconds; in a simultaneous one with (state, side, settings,
    seconds=, seed=), and it also returns both sides' strategies. `champion` is the spec of the player that
    `sandtable` stands for. `parts` name what lies in higher layers (players, training, commands, benchmarks) as
    "module:attribute"; they are imported when they are first asked for.
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
    legend: str = ""  # of text()

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets its own game of that name, from the module that registers it."""
        return _registered, (self.name, type(self).__module__, self.state_types[0].__module__)

    def __repr__(self) -> str:
        return f"<Game {self.name}, version {self.version}>"

    @property
    def origin(self) -> str:
        """The place where the game is defined: a module that is imported again may register its game again, another
        module may not."""
        return f"{type(self).__module__}:{type(self).__qualname__}"

    # Maps

    @abstractmethod
    def shipped(self) -> Mapping[str, Any]:
        """The maps that come with the game, by name."""

    @abstractmethod
    def load(self, source: str | Path, rules: Any = None) -> Any:
        """A map from a file, or a shipped one by its name; under its own rules unless others are given."""

    def claims(self, path: Path, data: bytes) -> bool:
        """Whether a file with this content is a map of this game: which then reads it, or says what is wrong."""
        return False

    @abstractmethod
    def parse(self, text: str, rules: Any = None, name: str = "map") -> Any:
        """A map from the text of a file; `name` is for one that has none of its own."""

    @abstractmethod
    def format(self, map: Any, ending: str = "") -> str:
        """A map as the text of a file with that ending, by default the first of `formats`."""

    def save(self, map: Any, path: Path, **options: Any) -> None:
        """Write a map to a file, in the format of its ending."""
        raise SandtableError(f"maps of {self.name} cannot be written to files")

    @abstractmethod
    def summary(self, map: Any) -> Summary: ...

    def remarks(self, map: Any) -> list[str]:
        """What the rules allow on this map but is probably a mistake."""
        return []

    # Play

    @abstractmethod
    def start(self, map: Any, seed: int = 0) -> Any:
        """The state that a game begins with; games whose start is drawn draw it from the seed."""

    @abstractmethod
    def map_of(self, state: Any) -> Any:
        """The map that a state belongs to."""

    @abstractmethod
    def movers(self, state: Any) -> tuple[int, ...]:
        """Who decides now: one side, both, or nobody because the game is over."""

    @abstractmethod
    def advance(self, state: Any, moves: Sequence[Any], rng: Rng) -> Any:
        """Carry out a move of each mover; returns what the line of a record keeps of it, as JSON has it, from which
        replay() does the same. IllegalMoveError if a move cannot be played."""

    @abstractmethod
    def replay(self, state: Any, kept: Any) -> None:
        """Carry out what advance() returned, or as_moves() made of it; ValueError, TypeError or LookupError if it
        cannot be played."""

    def moves_of(self, state: Any, kept: Any) -> tuple[Any, ...]:
        """The moves in what advance() returned, or in what as_moves() made of it, one of each mover; by default, what
        is kept is one side's move."""
        return (self.as_moves(kept),)

    @abstractmethod
    def winner(self, state: Any) -> int | None: ...

    @abstractmethod
    def turn(self, state: Any) -> int:
        """How many turns have been played."""

    def reason(self, state: Any) -> str | None:
        """Why the game ended, where a game has several ways."""
        return None

    def random_move(self, state: Any, side: int, seed: int) -> Any:
        """One of the moves, drawn from the seed."""
        from sandtable.rng import Rng  # numpy is slow to import

        return Rng(seed, "random move").choice(list(self.moves(state, side)))

    def moves(self, state: Any, side: int) -> Sequence[Any]:
        """The moves of a side in an order that depends on the position alone, where they can be listed."""
        raise SandtableError(f"{self.name} has too many moves to list them")

    def decisions_left(self, state: Any) -> int:
        """How many decisions the side to move still has in this turn, at most: a clock for turns divides by it."""
        return 1

    # Records

    @abstractmethod
    def start_fields(self, state: Any) -> dict[str, Any]:
        """`map`, `start` and `rules` of a record whose game begins with this state; a RawJson is written as it is."""

    @abstractmethod
    def read_start(self, map: Any, start: Any, rules: Any) -> Any:
        """The state that start_fields() described. SandtableError if the fields, which may come from a stranger, do not
        describe one."""

    def check_kept(self, where: str, kept: Any) -> None:
        """SandtableError unless a record's move has the right form; replay() finds out whether it can be played."""
        return

    def as_moves(self, kept: Any) -> Any:
        """What advance() returned, with the moves as the game's states take them: what a Record holds."""
        return kept

    def as_kept(self, held: Any) -> Any:
        """The reverse of as_moves()."""
        return held

    def digest(self, state: Any) -> str:
        """Sixteen hex digits that identify a start by its content, map and rules included."""
        content = json.dumps(self.start_fields(state), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    # JSON for bots, analyses and the page; docs/protocol.md has it in words

    def position(self, state: Any) -> dict[str, Any]:
        """The position as JSON: what a bot needs to decide, beside the map that it was given before the game."""
        return {"turn": self.turn(state), "movers": list(self.movers(state)), "text": str(self.text(state))}

    def write_move(self, state: Any, side: int, move: Any) -> Any:
        """A move of a side, not yet played, as JSON; by default its place in the list of moves."""
        return list(self.moves(state, side)).index(move)

    def read_move(self, state: Any, side: int, written: Any) -> Any:
        """The move of which write_move() made this. SandtableError if it has the wrong form; advance() finds out
        whether it can be played."""
        from sandtable import json_fields  # not needed to import the package

        moves = self.moves(state, side)
        return moves[json_fields.whole("move", written, 0, len(moves) - 1)]

    def choices(self, state: Any, side: int, count: int, seed: int) -> Choices:
        """Moves of a side as JSON: all of them, or in a game with too many to list `count` that are sampled."""
        return Choices([self.write_move(state, side, move) for move in self.moves(state, side)], complete=True)

    # Showing

    @abstractmethod
    def text(self, position: Any) -> Any:
        """A map or state for a terminal: a string, or rich text."""

    def svg(self, position: Any) -> str:
        """A map or state as a picture; by default its text in one."""
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
        with contextlib.suppress(ImportError):  # a module of the core that is no file of its own
            importlib.import_module(module)
    return game(name)


def imported(reference: str) -> Any:
    """What "module:attribute" names."""
    module, _, attribute = reference.partition(":")
    return getattr(importlib.import_module(module), attribute)
