"""Search without a network: trees against brute force, values, limits and memory."""

import dataclasses
import functools
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

import sandtable as st
from sandtable.tubstap import State
from support.boards import after, field


def solve(state: State, memo: dict[int, int]) -> int:
    """The result for red under perfect play, by trying everything."""
    if state.over:
        return 0 if state.winner is None else 1 if state.winner == 0 else -1
    key = state.hash()
    if key not in memo:
        results = [solve(after(state, move), memo) for move in state.moves()]
        memo[key] = max(results) if state.side == 0 else min(results)
    return memo[key]


def tiny(rows: str, red: int, blue: int, units: str) -> State:
    first, second = rows.split()
    text = "SIZEX[6];SIZEY[4];TURNLIMIT[3];HPTHRESHOLD[0];MAP[0,0,0,0,0,0];"
    text += f"MAP[0,{','.join(first)},0];MAP[0,{','.join(second)},0];MAP[0,0,0,0,0,0];"
    text += f"UNITNUMRED[{red}];UNITNUMBLUE[{blue}];" + "".join(f"UNIT[{unit},0];" for unit in units.split())
    return st.tubstap.parse(text).start()


# Found among random positions: three turns in which a side moves up to three times in a row, red to move, few of its
# moves right, and the platform's M-UCT wrong, since it takes the other side for a friend. (result, right moves)
SOLVED = {
    "the one winning move of eight": (
        tiny("0141 0111", 2, 2, "3,1,antiair,0,3 2,2,antiair,1,6 3,2,infantry,1,9 4,2,infantry,0,10"),
        1,
        1,
    ),
    "two winning moves of thirteen, three units": (
        tiny("5533 1451", 3, 1, "1,2,infantry,0,1 2,2,panzer,1,10 2,1,cannon,0,6 3,1,panzer,0,5"),
        1,
        2,
    ),
    "three moves of sixteen that hold the draw": (
        tiny("3541 3553", 2, 2, "3,1,antiair,0,9 2,2,infantry,1,3 4,1,panzer,1,9 2,1,infantry,0,1"),
        0,
        3,
    ),
    "the one move that holds the draw": (
        tiny("1151 0413", 1, 2, "1,1,panzer,0,7 3,2,infantry,1,10 2,2,infantry,1,7"),
        0,
        1,
    ),
    "one against three, a draw": (
        tiny("1534 1153", 1, 3, "2,2,panzer,0,3 1,2,cannon,1,3 3,2,infantry,1,2 4,2,cannon,1,2"),
        0,
        1,
    ),
}
SOUND = ("minimax(depth=7)", "uct(simulations=20000, c=0.7)", "muct(simulations=20000, opponent=adversarial, c=0.7)")


@pytest.mark.parametrize("name", SOLVED)
def test_searches_find_what_brute_force_finds(name: str) -> None:
    state, truth, right_moves = SOLVED[name]
    memo: dict[int, int] = {}
    assert solve(state, memo) == truth
    right = {move for move in state.moves() if solve(after(state, move), memo) == truth}
    assert len(right) == right_moves
    assert 4 * len(right) <= len(state.moves())
    for spec in SOUND:
        made: Any = st.player(spec)
        analysis = made.analyse(state)
        assert analysis.candidates[0].move in right, spec
        if not spec.startswith("muct"):  # whose small constant keeps its means from converging
            assert analysis.candidates[0].value == pytest.approx(truth, abs=0.35), spec
        assert play_out(state, made, memo) == truth, spec
    platform_muct: Any = st.player("muct(simulations=20000, c=0.7)")
    assert play_out(state, platform_muct, memo) != truth
    platform_muct = st.player("muct(simulations=20000, c=0.7, expand_after=10, policy=attack80_harmful, order=random)")
    assert platform_muct.analyse(state).candidates[0].move not in right


def play_out(state: State, red: Any, memo: dict[int, int]) -> int:
    """The result for red when blue plays perfectly."""
    while not state.over:
        if state.side == 0:
            move = red.act(state)
        else:
            move = min(state.moves(), key=lambda move: solve(after(state, move), memo))
        state = after(state, move)
    return solve(state, memo)


def test_values_are_for_the_side_to_move() -> None:
    state = field(("infantry", 0, 1, 1, 2), ("panzer", 1, 3, 1, 10), ("panzer", 1, 4, 4, 10)).start()
    for specs in ("minimax(depth=3)", "uct(simulations=3000)", "pmc(playouts=100)"):
        made: Any = st.player(specs)
        assert made.analyse(state).value < -0.3, specs  # red is to move, and loses
    state.end_turn()
    for specs in ("minimax(depth=3)", "uct(simulations=3000)", "pmc(playouts=100)"):
        made = st.player(specs)
        assert made.analyse(state).value > 0.3, specs  # blue is to move, and wins


def test_the_sound_variant_of_muct_ends_games_by_their_rules() -> None:
    """Red leads before the last operation; by the rules a draw under kimura2020, and at exactly the threshold."""
    units = (("infantry", 0, 1, 1, 9), ("infantry", 1, 8, 8, 6))
    last = dataclasses.replace(field(*units, rules="kimura2020"), turn=15)
    edge = field(*units, turn_limit=1, hp_threshold=3)
    values = {
        spec: [st.player(spec).analyse(scenario.start()).value for scenario in (last, edge)]  # type: ignore[attr-defined]
        for spec in ("uct", "muct(opponent=adversarial)", "muct")
    }
    assert values["uct"] == values["muct(opponent=adversarial)"] == [0, 0]
    assert abs(values["muct"][1]) == 1  # the platform's: a lead equal to the threshold wins


def test_muct_tries_children_unit_by_unit_with_attacks_first() -> None:
    state = st.tubstap.load("kimura-map02").start()
    while not any(move.target is not None for move in state.moves()):
        state.play(st.player("greedy").act(state))
    moves = sorted(state.moves(), key=lambda move: (move.unit, move.target is None))
    assert moves != state.moves()
    for order, count in (("original", 3), ("original", len(moves) - 1), ("random", 3)):
        made: Any = st.player(f"muct(simulations={count}, order={order})")
        tried = {candidate.move for candidate in made.analyse(state).candidates}
        assert (tried == set(moves[:count])) == (order == "original")


def test_muct_expands_a_child_that_has_more_than_ten_visits() -> None:
    """The root has a single child, since the unit is walled in."""
    walls = {(1, 2): 0, (2, 1): 0}
    state = field(("infantry", 0, 1, 1, 6), ("infantry", 1, 8, 8, 6), terrain=walls).start()
    nodes = [st.player(f"muct(simulations={count})").analyse(state).nodes for count in (11, 12)]  # type: ignore[attr-defined]
    assert nodes[0] == 2
    assert nodes[1] > 2


def test_time_of_a_turn_is_not_carried_into_the_next_game() -> None:
    state = st.tubstap.load("duel").start()
    made: Any = st.player("uct(seconds_per_turn=0.06)")
    ready = sum(unit.side == state.side for unit in state.units)
    for _ in range(6):
        assert made.move_seconds(state) == pytest.approx(0.06 / ready)
        made.spend(0.05)


def test_coevolution_values_a_draw_as_zero() -> None:
    land = st.conquest.load("simple")
    state = land.state([0, 0, 0, 0, 0, 0, 0, 0, 1], [9, 9, 9, 9, 9, 9, 9, 9, 10**6], turn=99)
    made: Any = st.player("coevolution(generations=2)")
    assert made.analyse(state, 0).value == pytest.approx(0, abs=0.01)


def test_node_limits_are_kept() -> None:
    state = st.tubstap.load("crossroads").start()
    made: Any = st.player("uct(simulations=3000, max_nodes=2000)")
    assert made.analyse(state).nodes <= 2000
    lands: Any = st.player("mcts(iterations=2000, max_nodes=10001)")
    assert lands.analyse(st.conquest.load("italy").start(1), 0).nodes <= 10_001
    with pytest.raises(st.PlayerError, match="more than 5000 positions here: lower it"):
        st.player("minimax(depth=3, max_nodes=5000)").act(state)


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
def test_a_tree_of_a_million_nodes_takes_little_memory(spec: str) -> None:
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
    _, errors = process.communicate()
    assert "KeyboardInterrupt" in errors


def test_minimax_merges_moves_that_commute() -> None:
    """It evaluates as many leaves as there are positions after two operations, also if they fill several batches."""
    for scenario in (st.tubstap.maps.symmetric(1), st.tubstap.maps.mixed(1, size=16, units=12)):
        state = scenario.start()
        seen = {
            after(one, move).hash()
            for one in map(functools.partial(after, state), state.moves())
            for move in one.moves()
        }
        found = st.player("minimax(depth=2)").search(state, 0, 0, 1)  # type: ignore[attr-defined]
        assert found.simulations == len(seen)
    assert len(seen) > 2**16
