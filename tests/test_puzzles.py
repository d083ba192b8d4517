"""Puzzles have the stated answers, and players are scored on them."""

import copy
import dataclasses
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable.cli import main
from sandtable.players import registry, spec_of
from sandtable.tubstap import KINDS, Move, Scenario, State, Unit, puzzles
from sandtable.tubstap.puzzle_attempts import Budget, Rate, attempt, attempts, rate, with_budget
from sandtable.tubstap.puzzles import FOLDER, THEMES, Puzzle
from sandtable.tubstap.solver import Solver
from support.tubstap_oracle import Game

ALL = puzzles.load_all()
NONE = Budget()


@pytest.mark.parametrize("puzzle", ALL, ids=lambda puzzle: puzzle.name)
def test_the_answers_match_the_solvers(puzzle: Puzzle) -> None:
    assert puzzle.proven
    assert Solver().solve(puzzle.scenario.start())[:3] == (puzzle.value, puzzle.solutions, puzzle.depth)


@pytest.mark.parametrize("puzzle", ALL, ids=lambda puzzle: puzzle.name)
def test_a_puzzle_is_hard_to_solve_by_chance(puzzle: Puzzle) -> None:
    assert 1 <= len(puzzle.solutions) <= len(puzzle.scenario.start().moves()) / 3
    solver = Solver()
    assert sum(bool(attempt("random", puzzle, seed, NONE, solver).solved) for seed in range(30)) <= 15


def test_there_are_puzzles_of_every_kind() -> None:
    assert len(ALL) >= 24
    assert all(len(puzzles.load_all(theme)) >= 3 for theme in THEMES)
    assert {puzzle.value for puzzle in ALL} == {0, 1}
    assert {puzzle.scenario.rules.name for puzzle in ALL} == set(st.tubstap.PRESETS)
    assert {unit.kind for puzzle in ALL for unit in puzzle.scenario.units} == set(KINDS)
    assert {cell for puzzle in ALL for row in puzzle.scenario.terrain for cell in row} == set(range(7))
    assert {puzzle.scenario.start().side for puzzle in ALL} == {0, 1}


def test_the_index_and_the_maps_belong_together() -> None:
    assert {f"{puzzle.name}.json" for puzzle in ALL} == {path.name for path in FOLDER.glob("*-*.json")}
    for puzzle in ALL:
        assert puzzle.name.startswith(f"{puzzle.theme}-")
        assert puzzle.scenario.name == puzzle.name
        assert puzzle.scenario.comment == puzzle.question
        assert st.tubstap.remarks(puzzle.scenario) == []


@pytest.mark.parametrize("puzzle", [p for p in ALL if p.name != "finish-eight"], ids=lambda puzzle: puzzle.name)
def test_a_mirrored_puzzle_has_the_mirrored_answers(puzzle: Puzzle) -> None:
    edge = puzzle.scenario.width - 1
    mirrored = dataclasses.replace(
        puzzle.scenario,
        terrain=tuple(row[::-1] for row in puzzle.scenario.terrain),
        units=tuple(unit._replace(x=edge - unit.x) for unit in puzzle.scenario.units),
    )
    found = Solver().solve(mirrored.start())
    assert found.value == puzzle.value
    assert {move._replace(x=edge - move.x) for move in found.moves} == set(puzzle.solutions)


def brute_force(game: Game) -> int:
    """The value for red over all lines of play, by the oracle for the rules; turns may end early too."""
    if game.over:
        return {0: 1, 1: -1, None: 0}[game.winner]
    values = []
    for row in [*game.moves(), None]:
        after = copy.deepcopy(game)
        if row is None:
            after.end_turn()
        else:
            after.play(row)
        values.append(brute_force(after))
    return max(values) if game.side == 0 else min(values)


@s.composite
def tiny_positions(draw: s.DrawFn) -> Scenario:
    """Two or three units on a few cells, with a few turns left."""
    width, height = draw(s.sampled_from(((2, 2), (3, 1), (4, 1))))
    cells = [(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]
    terrain = {cell: draw(s.sampled_from((1, 1, 3, 5, 6))) for cell in cells}
    count = draw(s.integers(2, 3))
    places = draw(s.permutations(cells))[:count]
    units = tuple(
        Unit(i, draw(s.sampled_from(KINDS)), (0, 1, draw(s.integers(0, 1)))[i], x, y, draw(s.integers(1, 10)), False)
        for i, (x, y) in enumerate(places)
    )
    return Scenario(
        name="tiny",
        terrain=tuple(tuple(terrain.get((x, y), 0) for x in range(width + 2)) for y in range(height + 2)),
        units=units,
        rules=st.tubstap.rules(draw(s.sampled_from(("original", "kimura2020", "takahashi")))),
        turn_limit=16,
        hp_threshold=draw(s.integers(0, 3)),
        turn=16 - draw(s.integers(1, 3)),
    )


@given(tiny_positions())
@settings(max_examples=150, deadline=None)
def test_the_solver_agrees_with_brute_force(scenario: Scenario) -> None:
    state, solver = scenario.start(), Solver()
    red = brute_force(Game(scenario))
    assert (solver.value(state, 0), solver.value(state, 1)) == (red, -red)
    found = Solver().solve(state)
    assert found.value == (red if state.side == 0 else -red)
    for row in Game(scenario).moves():
        after = Game(scenario)
        after.play(row)
        move = Move(*row[:3], None if row[3] < 0 else row[3])
        assert (move in found.moves) == (brute_force(after) == red)


def test_a_position_that_is_too_large_to_solve_is_refused() -> None:
    with pytest.raises(st.SandtableError, match="too large to solve: more than 1,000 positions"):
        Solver(max_positions=1000).solve(st.tubstap.load("crossroads").start())


class Solving:
    """Plays the solver's line; if `careless`, its last operation is a wrong one where there is one."""

    games = ("tubstap",)
    careless = False

    def act(self, state: State, side: int | None = None) -> Move:
        line = Solver().line(state)
        if self.careless and len(line) == 1:
            value = Solver().value(state, state.side)
            for move in state.moves():
                after = state.copy()
                after.play(move)
                if not Solver().keeps(after, state.side, value):
                    return move
        return line[0]


class Careless(Solving):
    careless = True


class Raising(Solving):
    def act(self, state: State, side: int | None = None) -> Move:
        raise RuntimeError("no\nidea")


class Illegal(Solving):
    def act(self, state: State, side: int | None = None) -> Move:
        return Move(0, 99, 99)


@pytest.fixture
def own_players(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_PLAYERS", dict(registry._PLAYERS))
    for kind in (Solving, Careless, Raising, Illegal):
        st.register(kind.__name__.lower(), kind)


@pytest.mark.usefixtures("own_players")
def test_the_whole_turn_counts_unless_only_the_first_move_is_asked_for() -> None:
    chosen = [puzzles.load(name) for name in ("pinch-ring", "guard-shore", "select-breach", "path-gun", "tag-hill")]
    assert all(one.solved for one in attempts(["solving"], chosen, 1, NONE))
    careless = {one.puzzle.name: one for one in attempts(["careless"], chosen, 1, NONE)}
    assert {name for name, one in careless.items() if one.solved} == {"select-breach"}
    assert [len(one.moves) for one in careless.values()] == [2, 2, 1, 1, 2]
    unproven = dataclasses.replace(chosen[0], proven=False)
    assert attempt("careless", unproven, 0, NONE, Solver()).solved


@pytest.mark.usefixtures("own_players")
def test_players_with_faults_get_a_one_line_error() -> None:
    puzzle = puzzles.load("pinch-ring")
    with pytest.raises(st.SandtableError, match=r"raising, pinch-ring: RuntimeError: no idea"):
        attempt("raising", puzzle, 0, NONE, Solver())
    with pytest.raises(st.SandtableError, match=r"illegal, pinch-ring: .*unit 0"):
        attempt("illegal", puzzle, 0, NONE, Solver())
    with pytest.raises(st.PlayerError, match="flow does not play tubstap"):
        list(attempts(["flow"], [puzzle], 1, NONE))


def test_puzzles_that_a_net_cannot_play_do_not_count() -> None:
    chosen = puzzles.load_all("finish")
    found = list(attempts(["minimax(evaluator=cnn_i)", "minimax(evaluator=gcn_4)"], chosen, 1, NONE))
    unplayed = [(one.player[-6:-1], one.puzzle.name) for one in found if one.solved is None]
    assert ("gcn_4", "finish-eight") in unplayed
    assert ("cnn_i", "finish-eight") not in unplayed
    assert all(one.reason for one in found if one.solved is None)
    assert rate(found[: len(chosen)]).played == 1
    assert rate(one for one in found if one.solved is None) == Rate(0, 0)


def test_a_budget_applies_where_the_spec_names_none() -> None:
    def changed(spec: str, budget: Budget) -> str:
        return spec_of(with_budget(st.player(spec), budget, operations=30))

    assert changed("uct", Budget(500)) == "uct(simulations=500)"
    assert changed("pmc", Budget(500)) == "pmc(playouts=16)"
    assert changed("pmc", Budget(5)) == "pmc(playouts=1)"
    assert changed("pmc", Budget(None, 0.5)) == "pmc(seconds=0.5)"
    assert changed("uct(simulations=7)", Budget(500)) == "uct(simulations=7)"
    assert changed("uct(seconds_per_turn=2)", Budget(None, 0.5)) == "uct(seconds_per_turn=2.0)"
    assert changed("minimax", Budget(500)) == changed("minimax", Budget(None, 0.5)) == "minimax"
    assert changed("greedy", Budget(500)) == "greedy"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run `sandtable puzzles ARGUMENTS` in this process; returns what it prints, on stderr if it fails."""

    def run(*arguments: object, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["sandtable", "puzzles", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        assert (left.value.code or 0) == code, printed
        return printed.err if code else printed.out

    return run


@pytest.mark.parametrize(
    ("players", "budget"),
    [
        (("uct(simulations=20)",), ""),
        (("greedy",), ""),
        (("uct(simulations=20)", "pmc"), ", 30 simulations a decision where the spec names no budget"),
        (("greedy", "pmc"), ", 30 simulations a decision"),
    ],
)
def test_the_heading_has_the_budget_that_was_used(
    players: tuple[str, ...], budget: str, run: Callable[..., str]
) -> None:
    words = [word for player in players for word in ("--player", player)]
    title = run(*words, "--theme", "tag", "--seeds", 1, "--simulations", 30).splitlines()[0]
    assert title == f"{len(puzzles.load_all('tag'))} puzzles, 1 seed{budget}; solved in %:"


def test_the_results_are_printed_and_written_as_json(tmp_path: Path, run: Callable[..., str]) -> None:
    file = tmp_path / "results.json"
    asked = ("--player", "random", "--player", "uct", "--simulations", 20, "--seeds", 2)
    printed = run(*asked, "--json", file)
    title, head, *lines = printed.splitlines()
    assert title == f"{len(ALL)} puzzles, 2 seeds, 20 simulations a decision; solved in %:"
    assert head.split()[1:9] == list(THEMES)
    assert [line.split()[0] for line in lines] == ["random", "uct"]
    assert ".." in lines[0].split()[10]
    written = json.loads(file.read_text())
    assert written["budget"] == {"simulations": 20, "seconds": None}
    assert len(written["attempts"]) == len(ALL) * 2 * 2
    assert [row["player"] for row in written["players"]] == ["random", "uct"]

    def without_times(table: str) -> list[str]:
        return [line.rsplit(None, 1)[0] for line in table.splitlines()]

    assert without_times(run(*asked)) == without_times(printed)


def test_one_theme_has_a_column_for_each_puzzle(run: Callable[..., str]) -> None:
    printed = run("--theme", "finish", "--player", "minimax(evaluator=cnn_i)", "--seeds", 1, "--seconds", 0.01)
    head, line = printed.splitlines()[1:3]
    assert [f"finish-{word}" for word in head.split()[1:6]] == [puzzle.name for puzzle in puzzles.load_all("finish")]
    assert line.split()[1:5] == ["-"] * 4
    assert "cannot play 4 of the puzzles" in printed


def test_show_list_and_check(run: Callable[..., str]) -> None:
    shown = run("--show", "pinch-ring")
    assert puzzles.load("pinch-ring").question in shown
    assert "blue to move" in shown
    assert "infantry at (1, 3) goes to (2, 1)" in shown
    assert "An example of a whole turn:" in shown
    assert "a draw after 4 more turns" in run("--show", "path-quiet")
    assert "a lead of more than 4 HP wins" in run("--show", "finish-margin")
    listed = run("list")
    assert all(puzzle.name in listed for puzzle in ALL)
    assert run("check", "--theme", "tag").count("ok: ") == len(puzzles.load_all("tag"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--show", "pinch-rin"), "did you mean 'pinch-ring'?"),
        (("--show", "zzz"), "sandtable puzzles list"),
        (("--theme", "chas"), "did you mean 'chase'?"),
        (("--player", "utc"), "did you mean 'uct'?"),
        (("--player", "flow"), "does not play tubstap"),
        (("--player", "minimax(evaluator=nothing)"), "no net is called"),
        (("--simulations", "5", "--seconds", "1"), "not both"),
        (("--seconds", "0"), "more than 0"),
        (("--seconds", "nan"), "more than 0"),
        (("--json", "/nonexistent/folder/x.json"), "no folder"),
        (("check", "--theme", "x"), "no theme is called"),
    ],
)
def test_bad_input_gets_a_one_line_error(arguments: tuple[str, ...], message: str, run: Callable[..., str]) -> None:
    error = run(*arguments, code=2).strip()
    assert message in error
    assert "\n" not in error


@pytest.mark.parametrize("seeds", ["100001", "99999999999999999999999"])
def test_too_many_seeds_are_refused(seeds: str, run: Callable[..., str]) -> None:
    assert "100000" in run("--seeds", seeds, code=2)
