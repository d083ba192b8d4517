"""Conquest as a Game: its interface to the players, the arena, learning and the command line."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sandtable import _core, json_fields
from sandtable.conquest import drawing, loading, mapfile, maps
from sandtable.conquest.land import Land, State
from sandtable.conquest.ruleset import PRESETS, Rules
from sandtable.conquest.ruleset import rules as find_rules
from sandtable.conquest.types import Deploy, March, Order, Turn
from sandtable.errors import RecordError, SandtableError
from sandtable.games import Choices, Game, IllegalMoveError, Summary, register_game
from sandtable.games.registry import included_commands
from sandtable.rng import Rng

Orders = list[Order]
MAX_ORDERS = 100_000  # in a move from another program


class Conquest(Game):
    """Simultaneous: a move is the list of a player's orders. A record holds a turn as [orders of player 0, orders of
    player 1, who marched first, the seed that resolved it], and an order as [territory, armies] or [source, target,
    armies]."""

    name = "conquest"
    version = _core.conquest.VERSION
    map_types = (Land,)
    state_types = (State,)
    generators = maps.GENERATORS
    presets = PRESETS
    simultaneous = True
    champion = "equilibrium(plans=true, progress=0.1)"  # docs/fast-training.md has the gain from both settings
    searches: Mapping[str, Callable[..., Any]] = {"duct": _core.conquest.duct, "regret": _core.conquest.regret}
    examples = ("simple", "owl_island")
    parts: Mapping[str, str] = {
        "benchmarks": "sandtable.conquest.benchmarks:measure",
        "check_training_map": "sandtable.conquest.training.map_check:check_map",
        "page": "sandtable.conquest.page:PAGE",
        "suite": "sandtable.conquest.fair_starts:METHOD",
        "training": "sandtable.conquest.training.adapter:TRAINING",
    }
    players: Mapping[str, str] = {
        "cmaes": "sandtable.conquest.players.soares2025:CmaEs",
        "coevolution": "sandtable.conquest.players.soares2025:Coevolution",
        "equilibrium": "sandtable.conquest.players.equilibrium:Equilibrium",
        "flow": "sandtable.conquest.players.flow:Flow",
        "guided": "sandtable.conquest.players.soares2025:Guided",
        "mcts": "sandtable.conquest.players.soares2025:Mcts",
    }
    commands = included_commands("conquest")

    def shipped(self) -> Mapping[str, Path]:
        return maps.shipped()

    def load(self, source: str | Path, rules: Any = None) -> Land:
        return loading.load(source, rules=rules or loading.DEFAULT_RULES)

    def claims(self, path: Path, data: bytes) -> bool:
        """True for a JSON object with this game's format, or with territories, edges or bonuses."""
        try:
            keys = json_fields.read_object(data.decode("utf-8-sig"))
        except (SandtableError, UnicodeDecodeError):
            return False
        return keys.get("format") == mapfile.FORMAT or not keys.keys().isdisjoint(("territories", "edges", "bonuses"))

    def parse(self, text: str, rules: Any = None, name: str = "map") -> Land:
        return loading.parse(text, rules=rules or loading.DEFAULT_RULES, name=name)

    def format(self, map: Land, ending: str = "") -> str:
        return mapfile.format(map)

    def save(self, map: Land, path: Path, **options: Any) -> None:
        loading.save(map, path)

    def summary(self, map: Land) -> Summary:
        size = f"{len(map.territories)} territories, {len(map.bonuses)} bonuses"
        return Summary(size, map.rules.name, map.comment)

    def start(self, map: Land, seed: int = 0) -> State:
        return map.start(seed)

    def map_of(self, state: State) -> Land:
        return state.land

    def movers(self, state: State) -> tuple[int, ...]:
        return () if state.over else (0, 1)

    def advance(self, state: State, moves: Sequence[Orders], rng: Rng) -> list[Any]:
        first, seed = rng.below(2), rng.below(2**32 - 1)
        try:
            state.resolve(moves[0], moves[1], first=first, seed=seed)
        except ValueError as error:
            raise IllegalMoveError(int("player 1" in str(error)), str(error)) from None
        return self.as_kept(Turn(moves[0], moves[1], first, seed))

    def replay(self, state: State, kept: Any) -> None:
        orders0, orders1, first, seed = kept
        state.resolve(orders0, orders1, first=first, seed=seed)

    def moves_of(self, state: State, kept: Any) -> tuple[Orders, Orders]:
        orders0, orders1, *_ = self.as_moves(kept)
        return orders0, orders1

    def winner(self, state: State) -> int | None:
        return state.winner

    def turn(self, state: State) -> int:
        return state.turn

    def random_move(self, state: State, side: int, seed: int) -> Orders:
        return state.random_move(side, seed)

    def start_fields(self, state: State) -> dict[str, Any]:
        position = {"owner": state.owner, "armies": state.armies, "turn": state.turn}
        return {"map": _one_line(state.land), "start": position, "rules": state.land.rules.to_json()}

    def read_start(self, map: Any, start: Any, rules: Any) -> State:
        land = _land(json_fields.dump(map), find_rules(rules))
        begin = json_fields.fields("start", start, {"owner": ..., "armies": ..., "turn": ...})
        try:
            return land.state(begin["owner"], begin["armies"], begin["turn"])
        except (ValueError, TypeError):
            raise RecordError("record: start: not a position of the map") from None

    def check_kept(self, where: str, kept: Any) -> None:
        if not isinstance(kept, list) or len(kept) != 4:
            raise RecordError(f"record: {where}: a turn is [orders of 0, orders of 1, first, seed]")
        for side in (0, 1):
            for number, order in enumerate(json_fields.items(f"{where}: orders of {side}", kept[side], MAX_ORDERS)):
                parts = json_fields.items(f"{where}: order {number} of {side}", order, 3)
                if len(parts) < 2 or not all(type(part) is int for part in parts):
                    raise RecordError(f"record: {where}: an order is two or three whole numbers, not {order!r:.40}")
        json_fields.whole(f"{where}: first", kept[2], 0, 1)
        json_fields.whole(f"{where}: seed", kept[3], 0, 2**64 - 1)

    def as_moves(self, kept: Any) -> Turn:
        """The turn. Orders of the wrong form are returned unchanged, and replay() reports what is wrong."""
        orders0, orders1, first, seed = kept
        return Turn(_orders(orders0), _orders(orders1), first, seed)

    def as_kept(self, held: Any) -> list[Any]:
        orders0, orders1, first, seed = held
        return [_numbers(orders0), _numbers(orders1), first, seed]

    def position(self, state: State) -> dict[str, Any]:
        income = [state.income(player) for player in (0, 1)]
        return {"turn": state.turn, "owner": state.owner, "armies": state.armies, "income": income}

    def write_move(self, state: State, side: int, move: Orders) -> list[list[int]]:
        return _numbers(move)

    def read_move(self, state: State, side: int, written: Any) -> Orders:
        orders: Orders = []
        for i, order in enumerate(json_fields.items("move", written, MAX_ORDERS)):
            parts = json_fields.items(f"move[{i}]", order, 3)
            if len(parts) < 2:
                raise SandtableError(f"move[{i}]: must be [territory, armies] or [source, target, armies]")
            whole = [json_fields.whole(f"move[{i}][{j}]", part, 0, 2**31 - 1) for j, part in enumerate(parts)]
            orders.append(Deploy(*whole) if len(whole) == 2 else March(*whole))
        return orders

    def choices(self, state: State, side: int, count: int, seed: int) -> Choices:
        rng = Rng(seed, "choices")
        sampled = [self.write_move(state, side, state.random_move(side, rng.below(2**32 - 1))) for _ in range(count)]
        return Choices([move for i, move in enumerate(sampled) if move not in sampled[:i]], complete=False)

    def text(self, position: Land | State) -> Any:
        return drawing.text(position)

    def svg(self, position: Land | State) -> str:
        return drawing.svg(position)

    def describe(self, state: State, move: Orders) -> str:
        names = state.land.territories
        said = [
            ("deploys", f"{order.armies} on {names[order.territory]}")
            if isinstance(order, Deploy)
            else ("marches", f"{order.armies} from {names[order.source]} to {names[order.target]}")
            for order in move
        ]
        # Consecutive orders share one verb.
        groups = itertools.groupby(said, key=lambda order: order[0])
        return (
            ", ".join(f"{verb} {', '.join(text for _, text in group)}" for verb, group in groups) or "gives no orders"
        )

    def notation(self, state: State, move: Orders) -> str:
        said = [
            f"{order.territory}+{order.armies}"
            if isinstance(order, Deploy)
            else f"{order.source}>{order.target}:{order.armies}"
            for order in move
        ]
        return " ".join(said) or "-"


def _numbers(orders: Any) -> list[list[int]]:
    """Orders as JSON."""
    return [[int(part) for part in order] for order in orders]


def _orders(given: Any) -> Any:
    if not isinstance(given, list) or not all(isinstance(order, list | tuple) for order in given):
        return given
    kinds = {2: Deploy, 3: March}
    return [kinds[len(order)](*order) if len(order) in kinds else order for order in given]


@functools.lru_cache(maxsize=32)
def _one_line(land: Land) -> json_fields.RawJson:
    """The map as one line of JSON, cached because a tournament plays thousands of games on a few maps."""
    return json_fields.one_line(mapfile.format(land))


@functools.lru_cache(maxsize=32)
def _land(text: str, rules: Rules) -> Land:
    """The map of a text, cached because a file of records has thousands of games on a few maps."""
    return loading.parse(text, rules=rules)


GAME = register_game(Conquest())
