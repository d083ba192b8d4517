"""TUBSTAP as a Game: its interface to the players, the arena, learning and the command line."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sandtable import _core, json_fields
from sandtable.errors import RecordError, SandtableError
from sandtable.games import Choices, Game, IllegalMoveError, Summary, register_game
from sandtable.games.registry import included_commands
from sandtable.rng import Rng
from sandtable.tubstap import drawing, jsonmap, loading, maps, tbsmap
from sandtable.tubstap.drawing.terminal import LEGEND
from sandtable.tubstap.ruleset import PRESETS
from sandtable.tubstap.scenario import Scenario, State, remarks
from sandtable.tubstap.types import SIDES, Move


class Tubstap(Game):
    """Sequential: a move is one unit's operation, or None to end the turn early. A record holds a move as [unit, x, y,
    target or -1], or None."""

    name = "tubstap"
    version = _core.tubstap.VERSION
    map_types = (Scenario,)
    state_types = (State,)
    generators = maps.GENERATORS
    presets = PRESETS
    formats = loading.SUFFIXES
    champion = "pvmcts(net=sandtable, c=1.5, attack_bonus=0.0, unvisited=parent, batch=16, choice=bound)"
    searches: Mapping[str, Callable[..., Any]] = {
        "minimax": _core.tubstap.minimax,
        "pruned_minimax": _core.tubstap.pruned_minimax,
        "pmc": _core.tubstap.pmc,
        "uct": _core.tubstap.uct,
    }
    examples = ("kimura-map01", "symmetric", "ambush")
    parts: Mapping[str, str] = {
        "benchmarks": "sandtable.tubstap.benchmarks:measure",
        "check_training_map": "sandtable.tubstap.training.map_check:check_map",
        "page": "sandtable.tubstap.page:PAGE",
        "record_formats": "sandtable.tubstap.platform.sgf:FORMATS",
        "suite": "sandtable.tubstap.fair_maps:METHOD",
        "training": "sandtable.tubstap.training.adapter:TRAINING",
    }
    players: Mapping[str, str] = {
        "greedy": "sandtable.tubstap.players.greedy:Greedy",
        "muct": "sandtable.tubstap.players.muct:Muct",
        "pvmcts": "sandtable.tubstap.players.pvmcts:Pvmcts",
    }
    commands = included_commands("tubstap")
    legend = LEGEND

    def shipped(self) -> Mapping[str, Path]:
        return maps.shipped()

    def load(self, source: str | Path, rules: Any = None) -> Scenario:
        return loading.load(source, rules=rules)

    def claims(self, path: Path, data: bytes) -> bool:
        """True for a .tbsmap file, for a JSON object with this game's format or with terrain or units, and for anything
        else unless the file ends in .json."""
        if path.suffix == ".tbsmap":
            return True
        try:
            keys = json_fields.read_object(data.decode("utf-8-sig"))
        except (SandtableError, UnicodeDecodeError):
            return path.suffix != ".json"
        return keys.get("format") == jsonmap.FORMAT or not keys.keys().isdisjoint(("terrain", "units"))

    def parse(self, text: str, rules: Any = None, name: str = "map") -> Scenario:
        return loading.parse(text, rules=rules, name=name)

    def format(self, map: Scenario, ending: str = "") -> str:
        return jsonmap.format(map) if ending == ".json" else tbsmap.format(map)

    def save(self, map: Scenario, path: Path, **options: Any) -> None:
        loading.save(map, path, **options)

    def summary(self, map: Scenario) -> Summary:
        return Summary(map.in_words(), map.rules.name, map.comment)

    def remarks(self, map: Scenario) -> list[str]:
        return remarks(map)

    def start(self, map: Scenario, seed: int = 0) -> State:
        return map.start()

    def map_of(self, state: State) -> Scenario:
        return state.scenario

    def movers(self, state: State) -> tuple[int, ...]:
        return () if state.over else (state.side,)

    def advance(self, state: State, moves: Sequence[Move | None], rng: Rng) -> list[int] | None:
        (move,) = moves
        side = state.side
        try:
            self.replay(state, move)
        except ValueError as error:
            raise IllegalMoveError(side, str(error)) from None
        return self.as_kept(move)

    def replay(self, state: State, kept: Any) -> None:
        if kept is None:
            state.end_turn()
        else:
            state.play(kept)

    def winner(self, state: State) -> int | None:
        return state.winner

    def turn(self, state: State) -> int:
        return state.turn

    def reason(self, state: State) -> str | None:
        return state.reason

    def random_move(self, state: State, side: int, seed: int) -> Move:
        return state.random_move(seed)

    def moves(self, state: State, side: int) -> list[Move | None]:
        return [*state.moves(), None]

    def decisions_left(self, state: State) -> int:
        return sum(unit.side == state.side and not unit.acted for unit in state.units)

    def scenario_from(self, state: State) -> Scenario:
        """The scenario that begins with this state."""
        scenario = state.scenario
        return scenario if state.hash() == scenario.start().hash() else scenario.at(state)

    def start_fields(self, state: State) -> dict[str, Any]:
        return {"map": _one_line(self.scenario_from(state)), "start": None, "rules": None}

    def read_start(self, map: Any, start: Any, rules: Any) -> State:
        if start is not None or rules is not None:
            raise RecordError("record: start and rules of a tubstap game are its map's: they must be null")
        return loading.parse(json_fields.dump(map)).start()

    def check_kept(self, where: str, kept: Any) -> None:
        if kept is None:
            return
        if not isinstance(kept, list) or len(kept) != 4 or not all(type(part) is int for part in kept):
            raise RecordError(f"record: {where}: a move is [unit, x, y, target], or null for the end of a turn")

    def as_moves(self, kept: Any) -> Any:
        """A Move or None. A value of the wrong form is returned unchanged, and replay() reports what is wrong."""
        if not isinstance(kept, Sequence) or len(kept) != 4:
            return kept
        unit, x, y, target = kept
        return Move(unit, x, y, None if target == -1 else target)

    def as_kept(self, held: Any) -> list[int] | None:
        return None if held is None else [-1 if part is None else int(part) for part in held]

    def position(self, state: State) -> dict[str, Any]:
        units = [unit._asdict() for unit in state.units]
        return {"turn": state.turn, "side": state.side, "quiet": state.quiet, "units": units}

    def write_move(self, state: State, side: int, move: Move | None) -> list[int] | None:
        return self.as_kept(move)

    def read_move(self, state: State, side: int, written: Any) -> Move | None:
        if written is None:
            return None
        parts = json_fields.items("move", written, 4)
        if len(parts) != 4:
            raise SandtableError(
                "move: must be [unit, x, y, target], target -1 without an attack, or null to end the turn"
            )
        unit, x, y, target = (json_fields.whole(f"move[{i}]", part, -1, 999) for i, part in enumerate(parts))
        return Move(unit, x, y, None if target == -1 else target)

    def choices(self, state: State, side: int, count: int, seed: int) -> Choices:
        return Choices([*state.moves_array().tolist(), None], complete=True)

    def text(self, position: Scenario | State) -> Any:
        return drawing.text(position)

    def svg(self, position: Scenario | State) -> str:
        return drawing.svg(position)

    def describe(self, state: State, move: Move | None) -> str:
        if move is None:
            return f"{SIDES[state.side]} ends the turn"
        units = {unit.id: unit for unit in state.units}
        unit = units[move.unit]
        said = f"{SIDES[unit.side]} {unit.kind} at ({unit.x}, {unit.y}) "
        said += "stays" if (unit.x, unit.y) == (move.x, move.y) else f"goes to ({move.x}, {move.y})"
        if move.target is not None:
            target = units[move.target]
            said += f" and attacks the {target.kind} at ({target.x}, {target.y})"
        return said

    def notation(self, state: State, move: Move | None) -> str:
        if move is None:
            return "end"
        return f"{move.unit}:{move.x},{move.y}" + ("" if move.target is None else f"x{move.target}")


@functools.lru_cache(maxsize=32)
def _one_line(scenario: Scenario) -> json_fields.RawJson:
    """The map as one line of JSON, cached because a tournament plays thousands of games on a few maps."""
    return json_fields.one_line(jsonmap.format(scenario))


GAME = Tubstap()
register_game(GAME)
