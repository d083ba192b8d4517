"""Measures how many puzzles players solve, at an equal budget."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sandtable.arena.statistics import wilson
from sandtable.errors import PlayerError, SandtableError, one_line
from sandtable.players.protocol import Player
from sandtable.players.spec import player
from sandtable.tubstap.game import GAME
from sandtable.tubstap.puzzles import Puzzle
from sandtable.tubstap.scenario import State
from sandtable.tubstap.solver import Solver
from sandtable.tubstap.types import Move

BUDGETS = ("simulations", "playouts", "seconds", "seconds_per_turn")  # the settings that limit a decision


class Budget(NamedTuple):
    """The budget of a decision, for players whose spec names none."""

    simulations: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Attempt:
    """A player's moves on a puzzle; `solved` is None if it cannot play there, and `reason` says why."""

    player: str
    puzzle: Puzzle
    seed: int
    moves: tuple[Move | None, ...]
    solved: bool | None
    seconds: float
    reason: str = ""


class Rate(NamedTuple):
    """The number of puzzles solved, each counted as its share of solved seeds, and the number that could be played."""

    solved: float
    played: int

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval over puzzles; seeds on the same puzzle do not count as independent samples."""
        return wilson(self.solved, self.played)


def attempts(specs: Sequence[str], puzzles: Sequence[Puzzle], seeds: int, budget: Budget) -> Iterator[Attempt]:
    """Every player on every puzzle with every seed."""
    for spec in specs:
        if "tubstap" not in getattr(player(spec), "games", ()):
            raise PlayerError(f"{spec} does not play tubstap, and all puzzles are positions of tubstap")
    solvers = [Solver() for _ in puzzles]
    for spec in specs:
        for puzzle, solver in zip(puzzles, solvers, strict=True):
            for seed in range(seeds):
                yield attempt(spec, puzzle, seed, budget, solver)


def attempt(spec: str, puzzle: Puzzle, seed: int, budget: Budget, solver: Solver) -> Attempt:
    """The player's first move or, where the puzzle asks for it, its whole turn, and whether it was right."""
    state = puzzle.scenario.start()
    side, turn = state.side, state.turn
    one: Any = with_budget(player(spec), budget, operations=len(state.moves()))
    moves: list[Move | None] = []
    begin = time.perf_counter()
    try:
        if hasattr(one, "start"):
            one.start(puzzle.scenario, side, seed)
        while not state.over and state.turn == turn and (puzzle.whole_turn or not moves):
            moves.append(_play(state, one.act(state.copy())))
    except PlayerError as error:
        return Attempt(spec, puzzle, seed, (), None, 0.0, str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a user's own player may raise anything
        message = str(error) if isinstance(error, SandtableError) else one_line(error)
        raise SandtableError(f"{spec}, {puzzle.name}: {message}") from None
    seconds = time.perf_counter() - begin
    solved = solver.keeps(state, side, puzzle.value) if puzzle.whole_turn else moves[0] in puzzle.solutions
    return Attempt(spec, puzzle, seed, tuple(moves), solved, seconds)


def _play(state: State, move: Any) -> Move | None:
    """Play a player's move and return it. An illegal move is an error, not a position that the player cannot play."""
    try:
        GAME.replay(state, move)
    except (ValueError, TypeError) as error:
        raise SandtableError(str(error)) from None
    if move is None:
        return None
    unit, x, y, target = move
    return Move(int(unit), int(x), int(y), None if target is None else int(target))


def takes(spec: str, budget: Budget) -> bool:
    """Whether the player uses this budget: its spec names none, and it has a setting for this one."""
    one = player(spec)
    return with_budget(one, budget, operations=1) is not one


def has_budget(spec: str) -> bool:
    """Whether the spec names a budget."""
    one = player(spec)
    return any(getattr(one, name, None) is not None for name in BUDGETS)


def with_budget(one: Player, budget: Budget, operations: int) -> Player:
    """The player with the budget, if its spec names none and it has a setting for it. A player with `playouts` for each
    operation gets the simulations divided by the number of operations."""
    if not dataclasses.is_dataclass(one):
        return one
    settings = {name: getattr(one, name) for name in BUDGETS if hasattr(one, name)}
    if any(value is not None for value in settings.values()):
        return one
    changed: Player = one
    if budget.seconds is not None and "seconds" in settings:
        changed = dataclasses.replace(changed, seconds=budget.seconds)
    elif budget.simulations is not None and "simulations" in settings:
        changed = dataclasses.replace(changed, simulations=budget.simulations)
    elif budget.simulations is not None and "playouts" in settings:
        changed = dataclasses.replace(changed, playouts=max(1, budget.simulations // operations))
    return changed


def rate(found: Iterable[Attempt]) -> Rate:
    """The number of puzzles that these attempts solved."""
    by_puzzle: dict[str, list[bool]] = {}
    for one in found:
        if one.solved is not None:
            by_puzzle.setdefault(one.puzzle.name, []).append(one.solved)
    return Rate(sum(statistics.fmean(solved) for solved in by_puzzle.values()), len(by_puzzle))


def milliseconds_per_move(found: Iterable[Attempt]) -> float:
    played = [one for one in found if one.moves]
    moves = sum(len(one.moves) for one in played)
    return 1000 * sum(one.seconds for one in played) / moves if moves else 0.0


def as_json(found: Sequence[Attempt], budget: Budget) -> dict[str, Any]:
    """All attempts, and a summary for each player."""
    players = {spec: [one for one in found if one.player == spec] for spec in dict.fromkeys(a.player for a in found)}
    return {
        "budget": budget._asdict(),
        "players": [
            {
                "player": spec,
                "solved": rate(own).solved,
                "played": rate(own).played,
                "interval": rate(own).interval,
                "milliseconds_per_move": milliseconds_per_move(own),
            }
            for spec, own in players.items()
        ],
        "attempts": [
            {
                "player": one.player,
                "puzzle": one.puzzle.name,
                "theme": one.puzzle.theme,
                "seed": one.seed,
                "moves": one.moves,
                "solved": one.solved,
                "seconds": one.seconds,
                "reason": one.reason,
            }
            for one in found
        ],
    }
