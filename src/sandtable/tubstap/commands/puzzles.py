"""`sandtable puzzles`: shows and checks positions with known right answers, and lets players solve them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from sandtable import tubstap
from sandtable.cli import completion
from sandtable.cli.app import App
from sandtable.cli.output import console as _console
from sandtable.cli.output import write
from sandtable.errors import SandtableError
from sandtable.files import check_writable
from sandtable.progress import Bars
from sandtable.tubstap.drawing.terminal import LEGEND
from sandtable.tubstap.puzzle_attempts import (
    Attempt,
    Budget,
    as_json,
    attempts,
    has_budget,
    milliseconds_per_move,
    rate,
    takes,
)
from sandtable.tubstap.puzzles import THEMES, Puzzle, load, load_all
from sandtable.tubstap.solver import Solver

app = App()

PLAYERS = ("random", "greedy", "pmc", "uct", "muct", "minimax")
NET_PLAYER = "minimax(evaluator=gcn_4)"
SIMULATIONS = 1000
WORDS = {1: "win", 0: "draw", -1: "loss"}


def _puzzles() -> list[str]:
    return [puzzle.name for puzzle in load_all(None)]


Theme = Annotated[
    str | None,
    typer.Option(autocompletion=completion.names(lambda: THEMES), help=f"Only one theme: {', '.join(THEMES)}."),
]


@app.callback(invoke_without_command=True)
def puzzles(
    context: typer.Context,
    player: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            metavar="SPEC",
            autocompletion=completion.players,
            help="A player; may be given several times. Default: seven players.",
        ),
    ] = None,
    simulations: Annotated[
        int | None,
        typer.Option(
            min=1, help=f"Simulations per decision, if the player's spec names no budget. Default: {SIMULATIONS}."
        ),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Seconds per decision, instead of simulations.")] = None,
    seeds: Annotated[int, typer.Option(min=1, max=100_000, help="Attempts per player and puzzle.")] = 10,
    theme: Theme = None,
    show: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", autocompletion=completion.names(_puzzles), help="Show this puzzle and its answer instead."
        ),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all attempts to this file.")
    ] = None,
) -> None:
    """Let players solve positions whose right answers are known, and print how many they solve of each theme.

    Example: sandtable puzzles --player greedy --seeds 2
    """
    if context.invoked_subcommand is not None:
        return
    if show is not None:
        _show(load(show))
        return
    if simulations is not None and seconds is not None:
        raise SandtableError("give --simulations or --seconds, not both")
    if seconds is not None and not 0 < seconds <= 1000:
        raise SandtableError(f"--seconds must be more than 0 and at most 1000, not {seconds:g}")
    check_writable(json_file)
    budget = Budget(None, seconds) if seconds is not None else Budget(simulations or SIMULATIONS)
    chosen = load_all(theme)
    found = _attempts(list(dict.fromkeys(player or _default_players())), chosen, seeds, budget)
    if json_file:
        write(json_file, (json.dumps(as_json(found, budget), indent=1) + "\n").encode())
    _report(found, chosen, seeds, budget)


@app.command("list")
def list_puzzles(theme: Theme = None) -> None:
    """List the puzzles with their questions.

    Example: sandtable puzzles list --theme tag
    """
    table = Table("puzzle", "rules", "turns", "goal", "question", box=None, pad_edge=False)
    for puzzle in load_all(theme):
        rules = puzzle.scenario.rules.name
        table.add_row(puzzle.name, rules, str(puzzle.depth), WORDS[puzzle.value], puzzle.question)
    _console().print(table)


@app.command()
def check(theme: Theme = None) -> None:
    """Solve every puzzle by exhaustive search and compare its answers. The exit code is 1 if one is wrong.

    Example: sandtable puzzles check --theme tag
    """
    wrong = 0
    for puzzle in load_all(theme):
        if not puzzle.proven:
            print(f"not proven: {puzzle.name}: {puzzle.proof}")
            continue
        state = puzzle.scenario.start()
        found = Solver().solve(state)
        right = found[:3] == (puzzle.value, puzzle.solutions, puzzle.depth)
        wrong += not right
        print(
            f"{'ok' if right else 'WRONG'}: {puzzle.name}: a {WORDS[found.value]}, {len(found.moves)} of"
            f" {len(state.moves())} moves, {_count(found.depth, 'turn')}, {found.positions:,} positions"
        )
    if wrong:
        raise typer.Exit(1)


def _default_players() -> list[str]:
    if find_spec("onnxruntime") or find_spec("torch"):
        return [*PLAYERS, NET_PLAYER]
    print("no network player: onnxruntime is not installed: pip install 'sandtable[onnx]'", file=sys.stderr)
    return list(PLAYERS)


def _attempts(specs: Sequence[str], chosen: Sequence[Puzzle], seeds: int, budget: Budget) -> list[Attempt]:
    """All attempts; a progress bar shows how many are done."""
    found: list[Attempt] = []
    each = len(chosen) * seeds
    with Bars() as bars:
        for one in attempts(specs, chosen, seeds, budget):
            found.append(one)
            bars("puzzles", len(found), each * len(specs), one.player)
    return found


def _report(found: Sequence[Attempt], chosen: Sequence[Puzzle], seeds: int, budget: Budget) -> None:
    """Print the table, with one column per theme, or per puzzle if there is only one theme. It fits in 80 columns."""
    console = _console()
    specs = list(dict.fromkeys(one.player for one in found))
    heading = f"{len(chosen)} puzzles, {_count(seeds, 'seed')}{_spent(specs, budget)}; solved in %:"
    console.print(heading, style="bold", soft_wrap=True)
    one_theme = len({puzzle.theme for puzzle in chosen}) == 1
    groups = {puzzle.name if one_theme else puzzle.theme: None for puzzle in chosen}
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("player", overflow="fold", min_width=14)  # never truncates a player's name
    for column in (*(group.rpartition("-")[2] for group in groups), "all", "95%", "ms/move"):
        table.add_column(column, justify="right", no_wrap=True)
    for spec in dict.fromkeys(one.player for one in found):
        own = [one for one in found if one.player == spec]
        parts = [[one for one in own if group in (one.puzzle.name, one.puzzle.theme)] for group in groups]
        low, high = rate(own).interval
        interval = f"{100 * low:.0f}..{100 * high:.0f}" if rate(own).played else "-"
        table.add_row(spec, *map(_percent, (*parts, own)), interval, f"{milliseconds_per_move(own):.1f}")
    console.print(table)
    for spec in dict.fromkeys(one.player for one in found if one.solved is None):
        refused = {one.puzzle.name: one.reason for one in found if one.player == spec and one.solved is None}
        name, reason = next(iter(refused.items()))
        where = name if len(refused) == 1 else f"{len(refused)} of the puzzles, {name} among them"
        console.print(f"- {spec} cannot play {where}: {reason}", style="dim")


def _spent(specs: Sequence[str], budget: Budget) -> str:
    """The budget in words, if any of the players uses it."""
    if not any(takes(spec, budget) for spec in specs):
        return ""
    spent = f"{budget.simulations:,} simulations" if budget.seconds is None else f"{budget.seconds:g} s"
    return f", {spent} a decision" + (" where the spec names no budget" if any(map(has_budget, specs)) else "")


def _percent(found: Sequence[Attempt]) -> str:
    """The percentage solved; - if none could be played."""
    solved, played = rate(found)
    return f"{100 * solved / played:.0f}" if played else "-"


def _show(puzzle: Puzzle) -> None:
    console = _console()
    state, scenario = puzzle.scenario.start(), puzzle.scenario
    console.print(f"{puzzle.name}: {THEMES[puzzle.theme]}; rules {scenario.rules.name}", style="bold")
    console.print(puzzle.question)
    console.print(tubstap.text(state), no_wrap=True, crop=False, overflow="ignore")
    console.print(_end(scenario))
    for unit in state.units:  # the drawing does not show terrain under units
        ground = tubstap.TERRAINS[scenario.terrain[unit.y][unit.x]]
        if ground != "plain":
            console.print(f"the {unit.kind} at ({unit.x}, {unit.y}) stands on {ground}")
    console.print(LEGEND, style="dim")
    side, total = tubstap.SIDES[state.side].capitalize(), len(state.moves())
    console.print(
        f"\n{side} can reach a {WORDS[puzzle.value]}. Right: {len(puzzle.solutions)} of {total} first moves"
        f" ({puzzle.proof}, {_count(puzzle.depth, 'turn')} ahead):"
    )
    for move in puzzle.solutions:
        console.print(f"  {tubstap.GAME.describe(state, move)}")
    turn = Solver().line(state) if puzzle.whole_turn else []
    if len(turn) > 1:
        console.print("An example of a whole turn:")
        for move in turn:
            console.print(f"  {tubstap.GAME.describe(state, move)}")
            state.play(move)


def _end(scenario: tubstap.Scenario) -> str:
    """When the game ends, and who wins then."""
    rules = scenario.rules
    if rules.quiet_limit is not None:
        return f"a draw after {_count(rules.quiet_limit - scenario.quiet, 'more turn')} without loss of HP"
    limit = scenario.turn_limit if rules.turn_limit == "map" else rules.turn_limit
    lead = scenario.hp_threshold if rules.hp_threshold == "map" else rules.hp_threshold
    left = f"{_count((limit or 0) - scenario.turn, 'turn')} left, this one included"
    return f"{left}; then " + ("a draw" if lead is None else f"a lead of more than {lead:g} HP wins")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
