"""Players: spec strings, budgets, seeds, analysis, records; and searches that find what brute force finds."""

import dataclasses
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable.players import settings_of, spec_of
from sandtable.players.conformance import check_player
from sandtable.tubstap import State
from test_tubstap_rules import field

QUICK = (
    "random",
    "greedy",
    "pmc(playouts=2)",
    "uct(simulations=30)",
    "uct(simulations=30, c=1, expand_after=10)",
    "uct(simulations=20, policy=flat)",
    "muct(simulations=30)",
    "muct(simulations=30, opponent=adversarial)",
    "minimax(depth=1)",
    "mcts(iterations=3)",
    "coevolution(generations=3)",
    "coevolution(generations=2, population=5, elites=0, mutation=1)",
    "flow",
)


@pytest.mark.parametrize("spec", QUICK)
def test_every_player_keeps_the_rules(spec: str) -> None:
    problems = [f"{name}: {problem}" for name, problem in check_player(spec) if problem]
    assert problems == []


def test_every_registered_player_is_tested() -> None:
    assert {spec.partition("(")[0] for spec in QUICK} == set(st.players())
    assert set(st.players("tubstap")) & set(st.players("conquest")) == {"random"}


@pytest.mark.parametrize("spec", QUICK)
def test_specs_come_back(spec: str) -> None:
    assert spec_of(st.player(spec_of(st.player(spec)))) == spec_of(st.player(spec))


def test_settings_are_typed() -> None:
    made: Any = st.player("uct(simulations=500, c=2, policy='flat', seed=3)")
    assert (made.simulations, made.c, made.policy, made.seed) == (500, 2.0, "flat", 3)
    assert isinstance(made.c, float)
    assert settings_of(type(made))["c"] == pytest.approx(2**0.5)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("utc", "no player is called 'utc' (did you mean 'uct'?)"),
        ("", "is not a player"),
        ("uct(", "is not a player"),
        ("uct(simulations)", "write key=value"),
        ("uct(5)", "write key=value"),
        ("uct(**{})", "write key=value"),
        ("uct(simulations=)", "write key=value"),
        ("uct(simulations=1) and more", "is not a player"),
        ("uct(simulation=5)", "has no setting 'simulation' (did you mean 'simulations'?)"),
        ("uct(simulations=many)", "simulations must be a whole number or none, not 'many'"),
        ("uct(simulations=1.5)", "simulations must be a whole number"),
        ("uct(simulations=0)", "simulations must be at least 1"),
        ("uct(simulations=-5)", "simulations must be at least 1"),
        ("uct(simulations=true)", "simulations must be a whole number"),
        ("uct(simulations=f())", "must be a number, a word or a quoted text"),
        ("uct(simulations=1, simulations=2)", "uct"),
        ("uct(seconds=0)", "seconds must be more than 0"),
        ("uct(seconds=1, seconds_per_turn=1)", "not both"),
        ("uct(c=-1)", "c must be within 0..1000"),
        ("uct(policy=best)", "policy must be uniform or flat or attack80"),
        ("uct(seed=-1)", "a seed must be a whole number"),
        ("muct(opponent=kind)", "opponent must be original or adversarial"),
        ("minimax(depth=0)", "depth must be within 1..8"),
        ("minimax(seconds=1)", "minimax has no setting 'seconds'"),
        ("minimax(evaluator=net)", "evaluator must be hp"),
        ("mcts(candidates=0)", "candidates must be within"),
        ("coevolution(elites=31)", "elites must be within 0..30"),
        ("no_such_module:Player", "No module named"),
        ("json:Player", "has no 'Player'"),
        ("json:loads", "is not a class"),
        ("json:JSONDecoder", "a player has a method act"),
        ("random(depth=1)", "random has no setting 'depth'"),
    ],
)
def test_bad_specs_get_one_clear_line(spec: str, message: str) -> None:
    with pytest.raises(st.PlayerError) as caught:
        st.player(spec)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@given(s.text(max_size=40) | s.text("uct(simlaon=,)123.'", max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_spec(spec: str) -> None:
    try:
        st.player(spec)
    except st.SandtableError as error:
        assert "\n" not in str(error) or "\n" in spec


def test_the_wrong_game_or_no_side() -> None:
    land, scenario = st.conquest.load("simple"), st.tubstap.load("duel")
    with pytest.raises(st.PlayerError, match="uct plays tubstap, not conquest"):
        st.player("uct").act(land.start(1), 0)
    with pytest.raises(st.PlayerError, match="give act"):
        st.player("mcts").act(land.start(1))
    with pytest.raises(st.PlayerError, match="mcts plays conquest, not tubstap"):
        st.player("mcts").act(scenario.start())
    over = land.state([0] * 9, [1] * 9)
    with pytest.raises(st.PlayerError, match="over"):
        st.player("random").act(over, 0)


def test_without_start_the_seed_setting_counts() -> None:
    state = st.tubstap.load("duel").start()
    moves = [st.player(f"random(seed={seed})").act(state) for seed in range(20)]
    assert moves == [st.player(f"random(seed={seed})").act(state) for seed in range(20)]
    assert len(set(moves)) > 5
    assert st.player("random").act(state) == moves[0]


def test_budgets_in_seconds() -> None:
    state = st.tubstap.load("duel").start()
    made: Any = st.player("uct(seconds=0.05)")
    assert made.analyse(state).nodes > 100
    whole: Any = st.player("uct(seconds_per_turn=0.15)")
    start = time.perf_counter()
    while state.turn == 0:
        state.play(whole.act(state))
    assert time.perf_counter() - start > 0.1


# Search trees are right.


def solve(state: State, depth: int = 12) -> int:
    """The result for red under perfect play, by trying everything."""
    if state.over:
        return 0 if state.winner is None else 1 if state.winner == 0 else -1
    assert depth > 0, "the position is too large for brute force"
    results = []
    for move in state.moves():
        after = state.copy()
        after.play(move)
        results.append(solve(after, depth - 1))
    return max(results) if state.side == 0 else min(results)


PATH = {(x, y): 0 for x in range(1, 9) for y in range(1, 9) if y > 1 or x > 6}

SOLVED = {
    # Two attacks in one turn, in the right order, kill both: a side that moves twice in a row.
    "a win in one turn": field(
        ("panzer", 0, 1, 1, 4), ("panzer", 0, 6, 1, 4), ("infantry", 1, 3, 1, 2), ("infantry", 1, 4, 1, 2),
        terrain=PATH, turn_limit=4,
    ),
    # Red strikes first and is struck back; it must be ahead after blue's turn.
    "a win in two turns": field(
        ("infantry", 0, 1, 1, 9), ("infantry", 1, 5, 1, 6), terrain=PATH, turn_limit=6,
    ),
    "a draw at the limit": field(
        ("infantry", 0, 1, 1, 5), ("infantry", 1, 6, 1, 5), terrain=PATH, turn_limit=2,
    ),
    "a loss": field(
        ("infantry", 0, 1, 1, 3), ("panzer", 1, 3, 1, 10), terrain=PATH, turn_limit=4,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SOLVED)
def test_searches_find_what_brute_force_finds(name: str) -> None:
    state = SOLVED[name].start()
    truth = solve(state)
    assert truth == {"a win in one turn": 1, "a win in two turns": 1, "a draw at the limit": 0, "a loss": -1}[name]
    for spec in (
        "minimax(depth=6)",
        "uct(simulations=20000, c=0.7)",
        "muct(simulations=20000, opponent=adversarial, c=0.7)",
    ):
        made: Any = st.player(spec)
        analysis = made.analyse(state)
        best = state.copy()
        best.play(analysis.candidates[0].move)
        assert solve(best) == truth, spec
        assert analysis.value == pytest.approx(truth, abs=0.3), spec


def test_values_are_for_the_side_to_move() -> None:
    scenario = SOLVED["a loss"]
    red = scenario.start()
    red.end_turn()
    for spec in ("minimax(depth=4)", "uct(simulations=5000)", "pmc(playouts=100)"):
        made: Any = st.player(spec)
        assert made.analyse(red).value > 0.3, spec  # blue is to move, and wins


def test_a_search_goes_on_after_a_decided_leaf() -> None:
    state = SOLVED["a win in one turn"].start()
    made: Any = st.player("uct(simulations=3000)")
    analysis = made.analyse(state)
    assert sum(candidate.visits for candidate in analysis.candidates) == 3000
    assert all(candidate.visits > 0 for candidate in analysis.candidates)


def test_node_limits() -> None:
    state = st.tubstap.load("crossroads").start()
    made: Any = st.player("uct(simulations=3000, max_nodes=2000)")
    assert made.analyse(state).nodes <= 2000
    lands: Any = st.player("mcts(iterations=2000, max_nodes=10001)")
    assert lands.analyse(st.conquest.load("italy").start(1), 0).nodes <= 10_001


MEMORY = """
import resource, sys, sandtable as st
def megabytes(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
states = {"uct": st.tubstap.maps.symmetric(1).start(), "mcts": st.conquest.load("italy").start(1)}
before = megabytes()
analysis = st.player(sys.argv[1]).analyse(states[sys.argv[1].partition("(")[0]], 0)
print(analysis.nodes, megabytes() - before)
"""


@pytest.mark.parametrize(
    "spec",
    ["uct(simulations=60000, max_nodes=1000000)", "mcts(iterations=60000, max_nodes=1000000, rollout_levels=6)"],
)
def test_a_tree_of_a_million_nodes_is_small(spec: str) -> None:
    done = subprocess.run([sys.executable, "-c", MEMORY, spec], capture_output=True, text=True, check=True)
    nodes, megabytes = done.stdout.split()
    assert 990_000 < int(nodes) <= 1_000_000
    assert float(megabytes) < 150


LONG = """
import sandtable as st
print("ready", flush=True)
st.player("uct(simulations=1000000000)").act(st.tubstap.load("duel").start())
"""


def test_ctrl_c_stops_a_long_search() -> None:
    process = subprocess.Popen([sys.executable, "-c", LONG], stdout=-1, stderr=-1, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors


def test_minimax_merges_moves_that_commute() -> None:
    state = st.tubstap.maps.symmetric(1).start()
    found = st.player("minimax(depth=2)").search(state, 0, 0, 1)  # type: ignore[attr-defined]
    assert found[4] < st.tubstap.perft(state, 2) * 0.6


# Records.


@pytest.mark.parametrize(
    "start", [st.tubstap.load("duel"), st.tubstap.maps.symmetric(3), st.conquest.load("banana")], ids=str
)
def test_records_come_back(start: Any) -> None:
    record = st.play(start, "random", "random", seed=7)
    line = record.to_line()
    assert "\n" not in line
    again = st.Record.from_line(line)
    assert again.to_line() == line
    assert again.verify().hash() == record.verify().hash()
    assert len(list(again.states())) == len(record.moves) + 1
    assert st.play(start, "random", "random", seed=7).to_line() == line
    assert st.play(start, "random", "random", seed=8).to_line() != line


def test_play_goes_on_from_any_state() -> None:
    state = st.tubstap.load("duel").start()
    state.end_turn()
    record = st.play(state, "greedy", "random", seed=1)
    assert record.start.turn == 1
    assert state.turn == 1
    st.Record.from_line(record.to_line()).verify()


def test_a_player_may_end_its_turn() -> None:
    @dataclasses.dataclass
    class Lazy:
        games = ("tubstap",)

        def act(self, state: Any, side: int | None = None) -> None:
            return None

    record = st.play(st.tubstap.load("duel"), Lazy(), Lazy())
    assert record.moves == (None,) * 40
    assert st.Record.from_line(record.to_line()).verify().turn == 40


RECORD = json.loads(st.play(st.tubstap.load("duel"), "random", "random", seed=1).to_line())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "pgn"}, "format"),
        ({"version": 2}, "version"),
        ({"game": "chess"}, "the game 'chess'"),
        ({"game_version": 99}, "version 99 of tubstap"),
        ({"map": {}}, "format is missing"),
        ({"map": []}, "."),
        ({"players": ["a"]}, "must be two"),
        ({"players": [1, 2]}, "must be a text"),
        ({"seed": -1}, "seed"),
        ({"moves": "none"}, "moves: must be a list"),
        ({"moves": [[0, 99, 99, -1]]}, "move 0: illegal move"),
        ({"moves": [7]}, "move 0"),
        ({"moves": []}, "not ended"),
        ({"winner": 1 - RECORD["winner"]}, "says winner"),
        ({"winner": 5}, "winner: 5"),
        ({"turns": 0}, "says winner"),
        ({"extra": 1}, "unknown key"),
        ({"game": "conquest", "game_version": 1}, "."),
    ],
)
def test_bad_records_get_one_clear_line(changes: dict[str, object], message: str) -> None:
    with pytest.raises(st.RecordError, match=message) as caught:
        st.Record.from_line(json.dumps(RECORD | changes)).verify()
    assert "\n" not in str(caught.value)


@given(s.integers(0, 5000), s.text(max_size=3))
@settings(max_examples=200, deadline=None)
def test_damaged_records(at: int, text: str) -> None:
    line = json.dumps(RECORD)
    at %= len(line)
    try:
        st.Record.from_line(line[:at] + text + line[at + len(text) :]).verify()
    except st.SandtableError as error:
        assert "\n" not in str(error)


# The kit finds what is wrong with a player.

BAD_PLAYERS = """
import itertools
from dataclasses import dataclass
counter = itertools.count()

class Illegal:
    games = ("tubstap",)
    def act(self, state, side=None):
        return (0, 99, 99, None)

class Changing:
    games = ("tubstap",)
    def act(self, state, side=None):
        move = state.moves()[0]
        state.play(move)
        return move

class Moody:
    games = ("tubstap",)
    def act(self, state, side=None):
        moves = state.moves()
        return moves[next(counter) * 7 % len(moves)]

class Crashing:
    games = ("conquest",)
    def act(self, state, side=None):
        raise KeyError("oops")

@dataclass
class Slow:
    seconds: float | None = None
    games = ("tubstap",)
    def act(self, state, side=None):
        import time
        time.sleep(0.2 if self.seconds else 0)
        return state.moves()[0]
"""


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Illegal", "illegal move: (99, 99) is off the board"),
        ("Changing", "act() changed the state"),
        ("Moody", "two games with the same seed differ"),
        ("Crashing", "KeyError: 'oops'"),
        ("Slow", "took 0.2"),
    ],
)
def test_the_kit_finds_what_is_wrong(name: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad_players.py").write_text(BAD_PLAYERS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("bad_players", None)
    problems = [found for _, found in check_player(f"bad_players:{name}", games=1) if found]
    assert any(problem in found for found in problems), problems


def test_local_search_maps() -> None:
    hp = set()
    for seed in range(5):
        scenario = st.tubstap.maps.local_search(seed, rollouts=30)
        assert scenario == st.tubstap.maps.local_search(seed, rollouts=30)
        assert [unit.kind for unit in scenario.units] == ["infantry", "infantry", "panzer"] * 2
        assert all(1 <= unit.hp <= 10 for unit in scenario.units)
        hp.add(tuple(unit.hp for unit in scenario.units))
    assert len(hp) > 1
    with pytest.raises(st.SandtableError, match="rollouts"):
        st.tubstap.maps.local_search(1, rollouts=0)
