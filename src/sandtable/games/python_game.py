"""A game of your own, written in Python: one class of states, registered with one line.

    register_game(PythonGame("nim", Nim, maps={"three-heaps": Nim}))

A sequential game's states have `side` (who moves, 0 or 1), `moves()` (a list, in an order that depends on the position
alone), and `play(move)`, which changes the state. A simultaneous game's have `candidates(side)` (a list likewise) and
`resolve(move0, move1, rng)` instead. Both kinds have `over`, `value(side)` (of a finished game, 1 for a win, 0 or -1),
`hash()` (an int that equal positions share) and `copy()`. Optional: `turn`, `estimate(side)` (of an unfinished game, in
[-1, 1], for searches that stop early), `describe(move)`, `svg()` (a picture), `__str__`.

Matches, tournaments, records, ratings and the searches that need no network then work with the game. It is as slow as
its Python code, which searches call through an adapter in the core.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandtable import _core, json_fields
from sandtable.errors import MapError, RecordError, SandtableError, nearest
from sandtable.games.game import Choices, Game, IllegalMoveError, Summary
from sandtable.rng import Rng

# Methods that the class must have; `side` and `over` are not among them, as they may be attributes of its objects.
_BOTH = ("value", "hash", "copy")
_SEQUENTIAL = ("moves", "play")
_SIMULTANEOUS = ("candidates", "resolve")


@dataclass(frozen=True)
class PythonMap:
    """A start of a Python game: a map by its name, or a map that a generator makes from a seed."""

    game: PythonGame
    source: str
    seed: int | None = None

    @property
    def name(self) -> str:
        return self.source if self.seed is None else f"{self.source}-{self.seed}"

    def start(self) -> PythonState:
        makers = self.game.maps if self.seed is None else self.game.seeded
        return PythonState(self, makers[self.source](*(() if self.seed is None else (self.seed,))), ())


class PythonState:
    """A state of a Python game with its map and the moves played since the start, so that it can be recorded. `own` is
    the state of the game's own class; its attributes and methods can be used on this object too."""

    def __init__(self, map: PythonMap, own: Any, history: tuple[Any, ...]) -> None:
        self.map, self.own, self.history = map, own, history

    @property
    def game(self) -> PythonGame:
        return self.map.game

    @property
    def over(self) -> bool:
        return bool(_attribute_or_result(self.own, "over"))

    def play(self, move: Any) -> None:
        """Play a move of a sequential game."""
        moves = self.own.moves()
        if move not in moves:
            raise ValueError(f"{move!r:.60} is not one of the {len(moves)} moves")
        self.own.play(move)
        self.history += (moves.index(move),)

    def resolve(self, move0: Any, move1: Any, seed: int) -> None:
        """Resolve a turn of a simultaneous game."""
        places = []
        for side, move in enumerate((move0, move1)):
            candidates = self.own.candidates(side)
            if move not in candidates:
                raise IllegalMoveError(
                    side, f"{move!r:.60} is not one of the {len(candidates)} candidates of side {side}"
                )
            places.append(candidates.index(move))
        self.own.resolve(move0, move1, Rng(seed, "resolve"))
        self.history += ([*places, seed],)

    def copy(self) -> PythonState:
        return PythonState(self.map, self.own.copy(), self.history)

    def hash(self) -> int:
        return int(self.own.hash())

    def __getattr__(self, name: str) -> Any:
        if name == "own":  # not set yet, as while a copy is unpickled
            raise AttributeError(name)
        return getattr(self.own, name)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same map and were reached by the same moves; only the game could tell whether positions
        reached by different moves are equal."""
        if not isinstance(other, PythonState):
            return NotImplemented
        return (self.map, self.history) == (other.map, other.history)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return str(self.own)

    def __repr__(self) -> str:
        return f"<State of {self.map.name}, {self.game.name}, after {len(self.history)} moves>"


class PythonGame(Game):
    """A game made from a class of states. `maps` are, by name, functions that make a start; those of `generators` take
    a seed."""

    map_types = (PythonMap,)
    state_types = (PythonState,)

    def __init__(
        self,
        name: str,
        kind: type,
        maps: Mapping[str, Callable[[], Any]],
        *,
        generators: Mapping[str, Callable[[int], Any]] | None = None,
        version: int = 1,
        about: str = "",
    ) -> None:
        self.name, self.kind, self.maps, self.version, self.about = name, kind, maps, version, about
        self.simultaneous = hasattr(kind, "candidates")
        wanted = (*_BOTH, *(_SIMULTANEOUS if self.simultaneous else _SEQUENTIAL))
        missing = [one for one in wanted if not hasattr(kind, one)]
        if missing:
            raise SandtableError(f"the game {name}: {kind.__name__} has no {', '.join(missing)}")
        if not maps:
            raise SandtableError(f"the game {name} needs a map: `maps` is empty")
        self.seeded: Mapping[str, Callable[[int], Any]] = generators or {}
        self.generators = {key: lambda seed=0, key=key: PythonMap(self, key, seed) for key in self.seeded}
        self.examples = tuple(maps)[:3]
        self.champion = "regret" if self.simultaneous else "uct"
        names = ("duct", "regret") if self.simultaneous else ("minimax", "pmc", "uct")
        self.searches = {one: _on_own_state(getattr(_core.python_game, one)) for one in names}

    def __reduce__(self) -> tuple[Any, ...]:
        return _game_of_class, (self.name, self.kind)

    @property
    def origin(self) -> str:
        return f"{self.kind.__module__}:{self.kind.__qualname__}"

    def shipped(self) -> Mapping[str, Any]:
        return self.maps

    def load(self, source: str | Path, rules: Any = None) -> PythonMap:
        if rules is not None:
            raise MapError(f"{self.name} has no rules to choose from")
        if str(source) not in self.maps:
            known = ", ".join(self.maps)
            raise MapError(f"{self.name} has no map {source!s:.60}{nearest(str(source), self.maps)}; it has {known}")
        return PythonMap(self, str(source))

    def parse(self, text: str, rules: Any = None, name: str = "map") -> PythonMap:
        return self.load(text.strip(), rules)

    def format(self, map: PythonMap, ending: str = "") -> str:
        return f"{map.name}\n"

    def summary(self, map: PythonMap) -> Summary:
        return Summary("", self.name, self.about)

    def start(self, map: PythonMap, seed: int = 0) -> PythonState:
        return map.start()

    def map_of(self, state: PythonState) -> PythonMap:
        return state.map

    def movers(self, state: PythonState) -> tuple[int, ...]:
        if state.over:
            return ()
        return (0, 1) if self.simultaneous else (int(_attribute_or_result(state.own, "side")),)

    def advance(self, state: PythonState, moves: Sequence[Any], rng: Rng) -> Any:
        if self.simultaneous:
            state.resolve(moves[0], moves[1], rng.below(2**32 - 1))
        else:
            (side,) = self.movers(state)
            try:
                state.play(moves[0])
            except ValueError as error:
                raise IllegalMoveError(side, str(error)) from None
        return state.history[-1]

    def replay(self, state: PythonState, kept: Any) -> None:
        moves = self.moves_of(state, kept)
        if self.simultaneous:
            state.resolve(moves[0], moves[1], kept[2])
        else:
            state.play(*moves)

    def moves_of(self, state: PythonState, kept: Any) -> tuple[Any, ...]:
        if self.simultaneous:
            return tuple(state.own.candidates(side)[kept[side]] for side in (0, 1))
        return (state.own.moves()[kept],)

    def winner(self, state: PythonState) -> int | None:
        value = state.own.value(0) if state.over else 0
        return None if value == 0 else int(value < 0)

    def turn(self, state: PythonState) -> int:
        return int(_attribute_or_result(state.own, "turn")) if hasattr(state.own, "turn") else len(state.history)

    def moves(self, state: PythonState, side: int) -> list[Any]:
        return list(state.own.candidates(side) if self.simultaneous else state.own.moves())

    def start_fields(self, state: PythonState) -> dict[str, Any]:
        map = {"name": state.map.source} | ({} if state.map.seed is None else {"seed": state.map.seed})
        return {"map": map, "start": list(state.history) or None, "rules": None}

    def read_start(self, map: Any, start: Any, rules: Any) -> PythonState:
        found = json_fields.fields("map", map, {"name": ..., "seed": None})
        name = json_fields.text("map.name", found["name"])
        if rules is not None or name not in (self.maps if found["seed"] is None else self.seeded):
            raise RecordError(f"record: map: {self.name} has no map {name!r:.40}")
        seed = None if found["seed"] is None else json_fields.whole("map.seed", found["seed"], 0, 2**64 - 1)
        state = PythonMap(self, name, seed).start()
        for number, kept in enumerate(json_fields.items("start", start or [], 10**6)):
            self.check_kept(f"start[{number}]", kept)
            try:
                self.replay(state, kept)
            except (ValueError, LookupError, SandtableError) as error:
                raise RecordError(f"record: start[{number}]: {error}") from None
        return state

    def check_kept(self, where: str, kept: Any) -> None:
        if not self.simultaneous:
            json_fields.whole(where, kept, 0, 2**31)
            return
        for part in json_fields.items(where, kept, 3):
            json_fields.whole(where, part, 0, 2**64 - 1)
        if len(kept) != 3:
            raise RecordError(f"record: {where}: a turn must be [move of side 0, move of side 1, seed]")

    def choices(self, state: PythonState, side: int, count: int, seed: int) -> Choices:
        return Choices(list(range(len(self.moves(state, side)))), complete=True)  # write_move() would be quadratic

    def text(self, position: PythonMap | PythonState) -> str:
        return str(position.start() if isinstance(position, PythonMap) else position)

    def svg(self, position: PythonMap | PythonState) -> str:
        own = (position.start() if isinstance(position, PythonMap) else position).own
        return str(own.svg()) if hasattr(own, "svg") else super().svg(position)

    def describe(self, state: PythonState, move: Any) -> str:
        return str(state.own.describe(move)) if hasattr(state.own, "describe") else str(move)


def _on_own_state(search: Callable[..., Any]) -> Callable[..., Any]:
    def searched(state: PythonState, *arguments: Any, **options: Any) -> Any:
        given = {name: value for name, value in options.items() if value is not None}  # evaluator and moves may be None
        return search(state.own, *arguments, **given)

    return searched


def _attribute_or_result(own: Any, name: str) -> Any:
    """The attribute of that name, or the result of the method of that name."""
    found = getattr(own, name)
    return found() if callable(found) else found


def _game_of_class(name: str, kind: type) -> Game:
    """The game in another process. Unpickling the class has imported its module there, which registers the game."""
    from sandtable.games.registry import game

    found = game(name)
    assert isinstance(found, PythonGame)
    assert found.kind is kind
    return found
