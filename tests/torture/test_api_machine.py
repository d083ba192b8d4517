"""A state machine that calls the Python API of both games in any order with any arguments.

A call returns, or raises SandtableError, ValueError or TypeError; a refused call leaves the state as it was, and a
change of one state changes no other. The machine runs on the sanitized extension too: see the Makefile.
"""

import copy
import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as s
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

import sandtable as st
from sandtable.games import game_of
from support.strategies import lands, scenarios
from support.torture import size

REFUSALS = (st.SandtableError, ValueError, TypeError)
SEARCHERS = {
    "tubstap": ("uct(simulations=20)", "pmc(playouts=20)", "minimax(depth=1)"),
    "conquest": ("mcts(iterations=5)", "coevolution(population=4, elites=1, generations=1, horizon=2)"),
}
MAX_STATES = 6

numbers = s.one_of(
    s.integers(-3, 12), s.sampled_from((2**31, -(2**31) - 1, 2**32, 2**63, 2**64, -(2**63) - 1, 10**30)), s.floats()
)
scalars = s.one_of(numbers, s.none(), s.booleans(), s.text(max_size=3), s.binary(max_size=3))
arrays = s.builds(
    lambda values, kind: np.array(values).astype(kind),
    s.one_of(s.lists(s.integers(-2, 9), max_size=40), s.lists(s.lists(s.integers(0, 5), min_size=2, max_size=2))),
    s.sampled_from((np.int32, np.int64, np.float32, np.uint8, bool)),
)
anything = s.one_of(
    scalars,
    arrays,
    s.recursive(scalars, lambda inner: s.lists(inner, max_size=4) | s.tuples(inner, inner, inner), max_leaves=12),
)
genes = s.lists(s.integers(-(2**31), 2**31 - 1), max_size=90).map(lambda values: np.array(values, np.int32))
tried: Counter[str] = Counter()


def observed(state: Any) -> tuple[Any, ...]:
    """All that can be observed of a state."""
    if isinstance(state, st.tubstap.State):
        moves = () if state.over else state.moves_array().tobytes()
        clock = (state.turn, state.side, state.quiet, state.hp_lost)
        return (state.hash(), repr(state), state.units, clock, state.over, state.winner, state.reason, moves)
    incomes = (state.income(0), state.income(1))
    return (state.hash(), repr(state), state.owner, state.armies, state.turn, state.over, state.winner, incomes)


class Api(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.states: list[Any] = []
        self.expected: list[tuple[Any, ...]] = []

    def add(self, state: Any) -> None:
        if len(self.states) < MAX_STATES:
            self.states.append(state)
            self.expected.append(observed(state))

    def chosen(self, data: s.DataObject, kind: type | tuple[type, ...] = object) -> int | None:
        places = [place for place, state in enumerate(self.states) if isinstance(state, kind)]
        return data.draw(s.sampled_from(places)) if places else None

    def attempt(self, place: int, call: Callable[[Any], Any]) -> None:
        """Make a call with any arguments; if it is refused, the invariant checks that the state has not changed."""
        state = self.states[place]
        try:
            call(state)
        except REFUSALS as error:
            assert str(error)
            tried["refused"] += 1
        else:
            self.expected[place] = observed(state)
            tried["accepted"] += 1

    @rule(scenario=scenarios(max_size=5, max_units=8))
    def start_tubstap(self, scenario: Any) -> None:
        self.add(scenario.start())

    @rule(land=lands(), seed=s.integers(0, 2**32))
    def start_conquest(self, land: Any, seed: int) -> None:
        self.add(land.start(seed))

    @rule(game=s.sampled_from((st.tubstap, st.conquest)), name=anything, rules=anything)
    def load_anything(self, game: Any, name: Any, rules: Any) -> None:
        for read, value in ((game.load, name), (game.parse, name), (game.rules, rules)):
            try:
                read(value)
            except (*REFUSALS, OSError):
                tried["refused"] += 1

    @precondition(lambda self: self.states)
    @rule(data=s.data(), how=s.sampled_from((copy.copy, copy.deepcopy, lambda one: one.copy(), None)))
    def duplicate(self, data: s.DataObject, how: Callable[[Any], Any] | None) -> None:
        place = self.chosen(data)
        assert place is not None
        made = pickle.loads(pickle.dumps(self.states[place])) if how is None else how(self.states[place])
        assert made is not self.states[place]
        assert observed(made) == self.expected[place]
        assert game_of(made).text(made) == game_of(made).text(self.states[place])
        self.add(made)
        tried["copies"] += 1

    @precondition(lambda self: self.states)
    @rule(data=s.data())
    def through_json(self, data: s.DataObject) -> None:
        place = self.chosen(data)
        assert place is not None
        game = game_of(self.states[place])
        map = game.map_of(self.states[place])
        text = game.format(map, ".json")
        assert game.format(game.parse(text, map.rules), ".json") == text
        state = self.states[place]
        record = st.Record(state.copy(), ("random", "random"), 0, (), None, "", state.turn)
        assert observed(st.Record.from_line(record.to_line()).start) == self.expected[place]
        tried["JSON round trips"] += 1

    @precondition(lambda self: self.states)
    @rule(data=s.data(), seed=s.integers(0, 2**64 - 1))
    def play_legally(self, data: s.DataObject, seed: int) -> None:
        place = self.chosen(data)
        assert place is not None
        state = self.states[place]
        if state.over:
            return
        if isinstance(state, st.tubstap.State):
            moves = state.moves()
            move = moves[seed % len(moves)]
            expected = state.combat(move)
            assert state.play(move) == expected
        else:
            orders = [state.random_move(player, seed) for player in (0, 1)]
            again = [state.decode(state.encode(one)) for one in orders]
            assert [len(one) for one in again] <= [len(one) for one in orders]
            state.resolve(*orders, seed % 2, seed)
        self.expected[place] = observed(state)
        tried["legal moves"] += 1

    @rule(data=s.data(), values=s.lists(anything, min_size=3, max_size=3))
    def tubstap_with_anything(self, data: s.DataObject, values: list[Any]) -> None:
        place = self.chosen(data, st.tubstap.State)
        if place is None:
            return
        unit = data.draw(s.lists(s.integers(-1, 9) | scalars, min_size=2, max_size=5))
        calls: Sequence[Callable[[Any], Any]] = (
            lambda state: state.play(unit),
            lambda state: state.combat(unit),
            lambda state: state.play(values[0]),
            lambda state: state.combat(values[0]),
            lambda state: state.random_move(values[0]),
            lambda state: state.end_turn(),
            lambda state: state.with_scenario(values[0]),
            lambda state: st.tubstap.playouts(state, 3, seed=values[0], policy=values[1]),
        )
        self.attempt(place, data.draw(s.sampled_from(calls)))

    @rule(data=s.data(), values=s.lists(anything, min_size=4, max_size=4), some=genes)
    def conquest_with_anything(self, data: s.DataObject, values: list[Any], some: Any) -> None:
        place = self.chosen(data, st.conquest.State)
        if place is None:
            return
        orders = data.draw(s.lists(s.lists(s.integers(-2, 80) | scalars, min_size=2, max_size=3), max_size=3))
        player, seed = data.draw(s.integers(0, 1) | scalars), data.draw(s.integers(0, 9) | scalars)
        calls: Sequence[Callable[[Any], Any]] = (
            lambda state: state.resolve(orders, []),
            lambda state: state.resolve(*values),
            lambda state: state.encode(orders),
            lambda state: state.encode(values[0]),
            lambda state: state.decode(some),
            lambda state: state.decode(values[0]),
            lambda state: state.repair(some, player, seed),
            lambda state: state.income(values[0]),
            lambda state: state.random_move(player, seed),
            lambda state: state.land.state(values[0], values[1]),
        )
        self.attempt(place, data.draw(s.sampled_from(calls)))

    @precondition(lambda self: self.states)
    @rule(data=s.data(), seed=s.integers(0, 2**31))
    def two_searches_at_once(self, data: s.DataObject, seed: int) -> None:
        """Two threads search the same state, each with its own player and the same seed, and find the same move."""
        place = self.chosen(data)
        assert place is not None
        state = self.states[place]
        if state.over:
            return
        spec = data.draw(s.sampled_from(SEARCHERS[game_of(state).name]))
        side = state.side if isinstance(state, st.tubstap.State) else seed % 2

        def search() -> Any:
            return st.player(f"{spec.removesuffix(')')}, seed={seed})").act(state, side)

        with ThreadPoolExecutor(2) as threads:
            first, second = [threads.submit(search) for _ in range(2)]
            assert first.result() == second.result(), spec
        tried["pairs of searches"] += 1

    @invariant()
    def nothing_else_has_changed(self) -> None:
        for state, expected in zip(self.states, self.expected, strict=True):
            assert observed(state) == expected


def test_any_calls_in_any_order_keep_all_states_consistent() -> None:
    how = settings(
        max_examples=size(1500),
        stateful_step_count=40,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Api, settings=how)
    print("\nAPI machine: " + ", ".join(f"{count} {what}" for what, count in sorted(tried.items())))
