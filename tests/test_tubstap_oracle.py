"""The engine against the oracle for the rules, on random maps, rules and sizes."""

from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable.tubstap import State
from support.strategies import GENERATORS, rows, scenarios
from support.tubstap_oracle import Game


def assert_same(state: State, game: Game) -> None:
    seen = {unit.id: (unit.side, (unit.x, unit.y), unit.hp, unit.acted) for unit in state.units}
    assert seen == {i: (piece.side, piece.place, piece.hp, piece.acted) for i, piece in game.pieces.items()}
    assert (state.turn, state.side, state.quiet) == (game.turn, game.side, game.quiet)
    assert (state.over, state.winner, state.reason) == (game.over, game.winner, game.reason)
    assert rows(state) == game.moves()


def play_along(scenario: st.tubstap.Scenario, data: s.DataObject, operations: int) -> None:
    state, game = scenario.start(), Game(scenario)
    assert_same(state, game)
    for _ in range(operations):
        if state.over:
            return
        if data.draw(s.integers(0, 19)) == 0:
            state.end_turn()
            game.end_turn()
        else:
            moves = rows(state)
            attacks = [move for move in moves if move[3] >= 0]
            attack: bool = bool(attacks) and data.draw(s.booleans())
            chosen = data.draw(s.sampled_from(attacks if attack else moves))
            assert state.play(chosen) == game.play((chosen[0], chosen[1], chosen[2], chosen[3]))
        assert_same(state, game)


@given(scenarios(), s.data())
@settings(max_examples=300, deadline=None)
def test_the_engine_agrees_with_the_oracle_on_small_and_medium_boards(
    scenario: st.tubstap.Scenario, data: s.DataObject
) -> None:
    play_along(scenario, data, 40)


@given(scenarios())
@settings(max_examples=100, deadline=None)
def test_harmless_attacks_are_added_to_the_others(scenario: st.tubstap.Scenario) -> None:
    """Without the field the legal list is the harmful part of the list with it."""
    listed = {}
    for field in (False, True):
        state = scenario.with_rules(scenario.rules.replace(harmless_attacks=field)).start()
        listed[field] = rows(state)
    harmful = []
    for move in listed[True]:
        combat = state.combat(move)
        if combat is None or combat.dealt > 0:
            harmful.append(move)
    assert listed[False] == harmful


@given(s.integers(0, 2**32), s.sampled_from((17, 24, 32)), s.sampled_from(("original", "platform", "li2022")), s.data())
@settings(max_examples=12, deadline=None)
def test_the_engine_agrees_with_the_oracle_on_large_boards(
    seed: int, size: int, rules: str, data: s.DataObject
) -> None:
    play_along(st.tubstap.maps.mixed(seed, size=size, units=32, rules=rules), data, 12)


@given(s.sampled_from(sorted(GENERATORS)), s.integers(0, 2**32), s.data())
@settings(max_examples=30, deadline=None)
def test_the_engine_agrees_with_the_oracle_on_generated_maps(generator: str, seed: int, data: s.DataObject) -> None:
    play_along(GENERATORS[generator](seed), data, 60)
