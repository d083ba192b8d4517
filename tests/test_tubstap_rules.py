"""Rules by example: combat, turns, the ends of a game, and rule sets as data."""

import dataclasses

import pytest

import sandtable as st
from sandtable.tubstap import Combat, Move, Rules, State
from support.boards import field


def end_turns(state: State, n: int) -> None:
    for _ in range(n):
        state.end_turn()


def test_integer_combat_is_countered_with_the_hp_that_are_left() -> None:
    state = field(("infantry", 0, 3, 3, 10), ("infantry", 1, 4, 3, 8)).start()
    # (55*10+70) // (100+1*8) = 5; the 3 left counter: (55*3+70) // (100+1*10) = 2.
    assert state.combat(Move(0, 3, 3, 1)) == Combat(5, 2)
    assert state.play(Move(0, 3, 3, 1)) == Combat(5, 2)
    assert [unit.hp for unit in state.units] == [8, 3]


def test_real_combat_does_not_round() -> None:
    state = field(("infantry", 0, 3, 3, 10), ("infantry", 1, 4, 3, 8), rules="li2022").start()
    combat = state.play((0, 3, 3, 1))
    assert combat is not None
    dealt = (55 * 10 + 70) / (100 + 8)
    assert combat.dealt == dealt
    assert combat.taken == (55 * (8 - dealt) + 70) / (100 + 10)


def test_terrain_defends_the_ground_but_not_the_air() -> None:
    ground = field(("antiair", 0, 3, 3, 10), ("infantry", 1, 4, 3, 10), terrain={(4, 3): 4}).start()
    air = field(("antiair", 0, 3, 3, 5), ("fighter", 1, 4, 3, 10), terrain={(4, 3): 4}).start()
    assert ground.combat((0, 3, 3, 1)) == Combat((105 * 10 + 70) // 140, 0)  # (3*2+70) // 110 = 0
    assert air.combat((0, 3, 3, 1)) == Combat((70 * 5 + 70) // 100, 0)  # a fighter cannot hit the ground


def test_the_cannon_shoots_from_where_it_stands_and_is_not_countered() -> None:
    state = field(
        ("cannon", 0, 3, 3, 10), ("panzer", 1, 5, 3, 10), ("panzer", 1, 4, 3, 10), ("panzer", 1, 3, 6, 10)
    ).start()
    attacks = [move for move in state.moves() if move.target is not None]
    assert attacks == [Move(0, 3, 3, 1), Move(0, 3, 3, 3)]  # distances 2 and 3, not 1
    assert state.play(attacks[0]) == Combat((60 * 10 + 70) // 110, 0)


def test_an_attack_without_damage_is_not_legal() -> None:
    state = field(("infantry", 0, 3, 3, 2), ("panzer", 1, 4, 3, 10)).start()
    assert all(move.target is None for move in state.moves())  # (5*2+70) // 110 = 0
    with pytest.raises(ValueError, match="no damage"):
        state.play((0, 3, 3, 1))


def test_an_attack_without_damage_is_legal_and_countered_under_harmless_attacks() -> None:
    rounds_to_0 = field(("infantry", 0, 3, 3, 3), ("panzer", 1, 4, 3, 10), rules="platform").start()
    assert Move(0, 3, 3, 1) in rounds_to_0.moves()
    # (5*3+70) // 110 = 0; the counter: (75*10+70) // 103 = 7, at most the 3 that are left.
    assert rounds_to_0.play((0, 3, 3, 1)) == Combat(0, 3)
    assert (rounds_to_0.over, rounds_to_0.winner) == (True, 1)

    no_power = field(
        ("panzer", 0, 3, 3, 10), ("antiair", 0, 8, 8, 1), ("fighter", 1, 4, 3, 10), rules="platform"
    ).start()
    assert no_power.play((0, 3, 3, 2)) == Combat(0, 0)  # neither has power against the other
    assert no_power.quiet == 0
    no_power.end_turn()
    assert no_power.quiet == 1  # nothing was lost


def test_a_harmless_shot_of_a_cannon_keeps_its_range() -> None:
    state = field(
        ("cannon", 0, 3, 3, 10),
        ("fighter", 1, 5, 3, 10),
        ("fighter", 1, 4, 3, 10),
        ("fighter", 1, 7, 3, 1),
        rules="platform",
    ).start()
    assert [move for move in state.moves() if move.target is not None] == [Move(0, 3, 3, 1)]  # distance 2, not 1 or 4
    with pytest.raises(ValueError, match="out of range"):
        state.play((0, 3, 3, 2))
    with pytest.raises(ValueError, match="cannot move and attack"):
        state.play((0, 3, 4, 1))
    assert state.play((0, 3, 3, 1)) == Combat(0, 0)


def test_units_pass_friends_and_are_blocked_by_enemies() -> None:
    wall = [("infantry", 1, 3, y, 10) for y in range(1, 9)]
    state = field(("fighter", 0, 1, 1, 10), ("panzer", 0, 2, 1, 10), *wall).start()
    stops = {(move.x, move.y) for move in state.moves() if move.unit == 0}
    assert stops == {(1, y) for y in range(1, 9)} | {(2, y) for y in range(2, 9)}


def test_the_cost_of_a_cell_is_paid_on_entering_it() -> None:
    state = field(
        ("panzer", 0, 1, 1, 10),
        ("infantry", 1, 8, 8, 10),
        terrain={(x, y): 3 for x in range(1, 9) for y in range(1, 9)},
    ).start()
    assert {(m.x, m.y) for m in state.moves()} == {(x, y) for x in range(1, 5) for y in range(1, 5) if x + y <= 5}


def test_a_turn_ends_by_itself_or_early_and_the_other_side_moves() -> None:
    state = field(("infantry", 0, 1, 1, 10), ("infantry", 0, 2, 1, 10), ("infantry", 1, 8, 8, 10)).start()
    assert (state.side, state.turn) == (0, 0)
    assert state.play((0, 1, 1, None)) is None
    assert [unit.acted for unit in state.units] == [True, False, False]
    with pytest.raises(ValueError, match="unit 0 has acted"):
        state.play((0, 1, 2, None))
    state.play((1, 2, 1, None))
    assert (state.side, state.turn) == (1, 1)
    state.end_turn()
    assert (state.side, state.turn) == (0, 2)
    assert not any(unit.acted for unit in state.units)


def test_the_turn_ends_when_the_last_unit_dies_by_a_counter() -> None:
    state = field(
        ("infantry", 0, 1, 1, 10), ("infantry", 0, 3, 3, 1), ("infantry", 1, 4, 3, 10), ("infantry", 1, 8, 8, 10)
    ).start()
    state.play((0, 1, 1, None))
    combat = state.play((1, 3, 3, 2))
    assert combat == Combat(1, 1)
    assert (state.side, state.turn) == (1, 1)
    assert [unit.id for unit in state.units] == [0, 2, 3]


def test_a_unit_marked_as_acted_sits_out_its_first_turn() -> None:
    state = field(("infantry", 0, 1, 1, 10), ("infantry", 0, 2, 2, 10), ("infantry", 1, 8, 8, 10), acted=(0,)).start()
    assert {move.unit for move in state.moves()} == {1}
    end_turns(state, 2)
    assert {move.unit for move in state.moves()} == {0, 1}


def test_a_side_without_a_unit_that_can_act_passes_at_once() -> None:
    state = field(("infantry", 0, 1, 1, 10), ("infantry", 1, 8, 8, 10), acted=(0,)).start()
    assert (state.side, state.turn) == (1, 1)
    both = field(("infantry", 0, 1, 1, 10), ("infantry", 1, 8, 8, 10), acted=(0, 1)).start()
    assert (both.side, both.turn) == (0, 2)
    short = field(("infantry", 0, 1, 1, 10), ("infantry", 1, 8, 8, 9), acted=(0, 1), turn_limit=1).start()
    assert (short.over, short.winner, short.turn) == (True, 0, 1)


@pytest.mark.parametrize(
    ("hp", "threshold", "winner"), [(10, 0, 0), (7, 0, 1), (8, 0, None), (10, 2, None), (10, 1, 0)]
)
def test_the_turn_limit_compares_hp_sums_strictly(hp: int, threshold: int, winner: int | None) -> None:
    state = field(("infantry", 0, 1, 1, hp), ("infantry", 1, 8, 8, 8), turn_limit=3, hp_threshold=threshold).start()
    end_turns(state, 3)
    assert (state.over, state.winner, state.reason) == (True, winner, "turn limit")
    assert state.moves() == []
    assert state.moves_array().shape == (0, 4)
    with pytest.raises(ValueError, match="over"):
        state.end_turn()
    with pytest.raises(ValueError, match="over"):
        state.play((0, 1, 1, None))


def test_a_preset_overrides_the_limits_of_the_map() -> None:
    kimura = field(("infantry", 0, 1, 1, 10), ("infantry", 1, 8, 8, 1), rules="kimura2020", turn_limit=3).start()
    end_turns(kimura, 15)
    assert not kimura.over
    kimura.end_turn()
    assert (kimura.over, kimura.winner, kimura.turn) == (True, None, 16)
    takahashi = field(("infantry", 0, 1, 1, 10), ("infantry", 1, 8, 8, 9), rules="takahashi", hp_threshold=5).start()
    end_turns(takahashi, 16)
    assert (takahashi.over, takahashi.winner) == (True, 0)


def test_twenty_quiet_turns_are_a_draw_and_a_loss_of_hp_resets_the_count() -> None:
    state = field(("infantry", 0, 3, 3, 10), ("infantry", 1, 4, 3, 10), rules="li2022").start()
    end_turns(state, 18)
    assert state.quiet == 18
    state.play((0, 3, 3, 1))
    assert (state.quiet, state.turn) == (0, 19)
    end_turns(state, 19)
    assert not state.over
    state.end_turn()
    assert (state.over, state.winner, state.reason) == (True, None, "no progress")


def test_presets_follow_the_papers() -> None:
    preset = st.tubstap.rules
    assert preset("original").power[4][5] == 105
    assert preset("platform") == preset("original").replace(name="platform", harmless_attacks=True)
    assert [name for name, rules in st.tubstap.PRESETS.items() if rules.harmless_attacks] == ["platform"]
    assert preset("li2022").power[4][5] == 115
    assert (preset("li2022").hp, preset("li2022").turn_limit, preset("li2022").quiet_limit) == ("real", None, 20)
    assert (preset("kimura2020").turn_limit, preset("kimura2020").hp_threshold) == (16, None)
    assert (preset("takahashi").turn_limit, preset("takahashi").hp_threshold) == (16, 0)
    assert preset("takahashi").movement == (9, 7, 6, 6, 6, 3)


def test_rules_are_frozen_data_with_a_digest() -> None:
    original = st.tubstap.rules("original")
    changed = original.replace(turn_limit=16)
    assert (changed.turn_limit, changed.name) == (16, "original*")
    assert original.turn_limit == "map"
    assert changed.digest != original.digest
    assert original.replace(name="mine").digest == original.digest
    assert original.replace(hp_threshold=2.0).digest == original.replace(hp_threshold=2).digest
    assert st.tubstap.rules(original.to_json()) == original
    with pytest.raises(dataclasses.FrozenInstanceError):
        original.turn_limit = 3  # type: ignore[misc]


def test_an_optional_field_is_written_only_where_it_is_used() -> None:
    original, platform = st.tubstap.rules("original"), st.tubstap.rules("platform")
    assert "harmless_attacks" not in original.to_json()
    assert platform.to_json()["harmless_attacks"] is True
    assert platform.digest != original.digest
    for rules in (original, platform):
        assert st.tubstap.rules(rules.to_json()) == rules
    named = original.to_json() | {"harmless_attacks": False}
    assert st.tubstap.rules(named) == original
    assert st.tubstap.rules(named).digest == original.digest


@pytest.mark.parametrize("rules", ["platform", st.tubstap.rules("takahashi").replace(harmless_attacks=True)])
def test_a_map_file_keeps_the_optional_field(rules: str | Rules) -> None:
    scenario = field(("infantry", 0, 3, 3, 3), ("panzer", 1, 4, 3, 10), rules=rules)
    assert st.tubstap.parse(st.tubstap.jsonmap.format(scenario)) == scenario


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"harmless_attacks": 1}, "harmless_attacks must be true or false"),
        ({"harmless_attacks": None}, "harmless_attacks must be true or false"),
        ({"turn_limt": 3}, "did you mean 'turn_limit'"),
        ({"turn_limit": 0}, "turn_limit"),
        ({"turn_limit": 2.5}, "turn_limit"),
        ({"turn_limit": "never"}, "turn_limit"),
        ({"hp_threshold": -1}, "hp_threshold"),
        ({"hp_threshold": float("nan")}, "hp_threshold"),
        ({"quiet_limit": "map"}, "quiet_limit"),
        ({"turn_limit": None}, "may never end"),
        ({"hp": "imaginary"}, "hp"),
        ({"movement": (1, 2)}, "movement must have 6"),
        ({"movement": (99,) * 6}, "movement must be within"),
        ({"power": ((1,) * 6,) * 5}, "power must have 6 rows"),
        ({"power": ((-1,) * 6,) * 6}, "power must be within"),
        ({"cost": ((1,) * 7,) * 6}, "no-entry"),
        ({"cost": ((0,) + (10,) * 6,) * 6}, "cost must be within"),
        ({"range": ((2, 1),) * 6}, "range must be within"),
        ({"defence": ("a",) * 7}, "whole numbers"),
        ({"name": ""}, "name"),
    ],
)
def test_rules_that_cannot_be_played_are_refused(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(st.RulesError, match=reason):
        st.tubstap.rules("original").replace(**changes)


def test_the_error_of_an_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(st.RulesError, match="did you mean 'li2022'"):
        st.tubstap.rules("li2020")
