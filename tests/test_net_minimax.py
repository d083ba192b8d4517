"""Minimax with a value network."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sandtable as st
from sandtable import _core, nets
from sandtable.players import spec_of
from sandtable.tubstap import Move, Scenario, State
from support.boards import after, field
from support.fresh_nets import RUNTIMES


def minimax(state: State, evaluator: _core.tubstap.Evaluator) -> tuple[dict[Move, float], set[str]]:
    """Each move's value for the side to move, searched one operation further, and which cases occurred."""
    children = {move: after(state, move) for move in state.moves()}
    leaves = {
        move: [child] if child.over else [after(child, reply) for reply in child.moves()]
        for move, child in children.items()
    }
    judged = iter(evaluator.evaluate([leaf for group in leaves.values() for leaf in group if not leaf.over]))

    def value(leaf: State) -> float:
        if leaf.over:
            return 0 if leaf.winner is None else 1 if leaf.winner == state.side else -1
        return float(next(judged)) * (1 if leaf.side == state.side else -1)

    found, cases = {}, set()
    for move, child in children.items():
        values = [value(leaf) for leaf in leaves[move]]
        mine = child.side == state.side
        found[move] = max(values) if mine else min(values)
        cases.add("the end after one" if child.over else "max" if mine else "min")
        cases |= {"the end after two" for leaf in leaves[move] if leaf.over and not child.over}
    return found, cases


def duel(red: float, blue: float, **changes: Any) -> Scenario:
    """Three units a side, but only one blue unit lives, within red's reach; red's first unit has acted."""
    units = [("infantry", 0, 3, 3, red), ("panzer", 0, 4, 3, 7), ("infantry", 0, 7, 7, 2)]
    units += [("infantry", 1, 4, 5, blue), ("infantry", 1, 1, 1, 1), ("panzer", 1, 1, 2, 1)]
    scenario = field(*units, rules="li2022", acted=(0,))
    dead = tuple(unit._replace(x=0, y=0, hp=0) if unit.id > 3 else unit for unit in scenario.units)
    return dataclasses.replace(scenario, units=dead, **changes)


def position_after(seed: int, operations: int) -> State:
    """The position after a number of operations, with attacks wherever possible."""
    state = st.tubstap.maps.symmetric(seed).start()
    for number in range(operations):
        attacks = [move for move in state.moves() if move.target is not None]
        state.play(attacks[number % len(attacks)] if attacks else state.random_move(number))
    return state


# Positions, and the cases that must occur in a search of two operations.
SEARCHED = {
    "a turn begins": (position_after(4, 9), {"max"}),
    "two to move": (position_after(4, 7), {"max"}),
    "one to move": (position_after(4, 8), {"min"}),
    "blue, one to move": (position_after(11, 11), {"min"}),
    "late in a game": (position_after(12, 15), {"min"}),
    "the last enemy dies": (duel(9, 4).start(), {"max", "the end after one", "the end after two"}),
    "a draw by quiet turns": (duel(1, 10, quiet=19).start(), {"max", "the end after two"}),
    "blue, with one unit": (duel(1, 10, turn=1).start(), {"min"}),
}


@pytest.mark.parametrize("name", SEARCHED)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_minimax_with_a_network_matches_a_plain_implementation(
    name: str, runtime: str, value_nets: Mapping[str, Path]
) -> None:
    state, expected = SEARCHED[name]
    evaluator = nets.evaluator(str(value_nets["gcn_4"]), runtime)
    values, cases = minimax(state, evaluator)
    assert cases >= expected
    made: Any = st.player(f"minimax(evaluator={str(value_nets['gcn_4'])!r}, runtime={runtime})")
    analysis = made.analyse(state)
    found = {candidate.move: candidate.value for candidate in analysis.candidates}
    assert found == pytest.approx(values, abs=1e-6)
    assert analysis.candidates[0].value == analysis.value == pytest.approx(max(values.values()), abs=1e-6)
    assert np.ptp(list(values.values())) > 1e-3


@pytest.mark.parametrize("name", ["cnn_i", "cnn_i_text_raw", "gcn_4_kernel"])
def test_image_networks_and_other_readings_match_too(name: str, value_nets: Mapping[str, Path]) -> None:
    state = SEARCHED["one to move"][0]
    made: Any = st.player(f"minimax(evaluator={str(value_nets[name])!r})")
    found = {candidate.move: candidate.value for candidate in made.analyse(state).candidates}
    assert found == pytest.approx(minimax(state, nets.evaluator(str(value_nets[name])))[0], abs=1e-6)


@pytest.mark.parametrize(
    "spec",
    ["minimax(evaluator={})", "minimax(evaluator={}, runtime=torch)", "minimax(depth=1, evaluator={}, runtime=onnx)"],
)
def test_specs_with_a_file_round_trip(spec: str, value_nets: Mapping[str, Path]) -> None:
    spec = spec.format(repr(str(value_nets["gcn_4"])))
    made: Any = st.player(spec)
    assert made.evaluator == str(value_nets["gcn_4"])
    assert spec_of(made) == spec


def test_a_graph_network_plays_on_boards_of_any_size(value_nets: Mapping[str, Path]) -> None:
    """A graph does not depend on the size of the board. Equal seeds give equal games."""
    for size in (8, 10):
        scenario = st.tubstap.maps.symmetric(1, size=size)
        spec = f"minimax(depth=1, evaluator={str(value_nets['gcn_4'])!r})"
        first, second = (st.play(scenario, spec, "random", seed=4) for _ in range(2))
        assert first.moves == second.moves
        assert len(first.moves) > 6


@pytest.mark.parametrize(
    ("name", "scenario", "message"),
    [
        ("gcn_4", st.tubstap.maps.mixed(1, size=8, units=4), "made for at most 3 units a side, and there are 4"),
        ("cnn_g", st.tubstap.maps.mixed(1, size=8, units=7), "made for at most 3 units a side, and there are 7"),
        ("cnn_i", st.tubstap.maps.symmetric(1, size=10), "made for boards of 8x8, and this one is 10x10"),
    ],
)
def test_a_map_that_does_not_fit_the_net_is_refused(
    name: str, scenario: Scenario, message: str, value_nets: Mapping[str, Path]
) -> None:
    made: Any = st.player(f"minimax(evaluator={str(value_nets[name])!r})")
    for ask in (made.act, made.analyse):
        with pytest.raises(st.PlayerError) as caught:
            ask(scenario.start())
        assert str(caught.value) == f"minimax: {value_nets[name]}: {message}"
