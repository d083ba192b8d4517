"""Encodings for policy/value networks: the core's arrays against oracles in plain Python, the place of
each move's logit, and rotated and mirrored boards."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as s
from numpy.typing import NDArray

import sandtable as st
from sandtable import _core
from sandtable.rng import Rng
from sandtable.tubstap import Scenario, State
from support.boards import field, reordered, states_along_a_game, turned_move, turned_scenario
from support.examples import examples
from support.strategies import rows, scenarios, small_boards
from support.tubstap_oracle import Game, Piece, Place, Row, attack_cells

Array = NDArray[Any]

encode_policy = _core.tubstap.encode_policy


def distance(a: Place, b: Place) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


# The oracles, which follow the headers: cpp/tubstap/encoders/unit_question.h and tokens.h.


def questions_of(game: Game) -> Array:
    """An image [5, 6, 6] for every unit that can act."""
    images = []
    for i in game.of(game.side):
        if game.pieces[i].acted:
            continue
        image = np.zeros((5, 6, 6))
        for (x, y), terrain in game.terrain.items():
            if 1 <= x <= 6 and 1 <= y <= 6:
                image[0, y - 1, x - 1] = terrain / 6
        for j, piece in game.pieces.items():
            x, y = piece.place
            own = piece.side == game.side
            image[1 if own else 2, y - 1, x - 1] = piece.hp / 10
            image[3, y - 1, x - 1] = own and not piece.acted
            image[4, y - 1, x - 1] = i == j
        images.append(image)
    return np.array(images)


def answer_index(game: Game, move: Row) -> int:
    """Of 180: the cell, row by row, and no attack or an attack to the left, up, down or right."""
    _, x, y, target = move
    direction = 0
    if target >= 0:
        to_x, to_y = game.pieces[target].place
        direction = 1 + [(-1, 0), (0, -1), (0, 1), (1, 0)].index((to_x - x, to_y - y))
    return ((y - 1) * 6 + x - 1) * 5 + direction


def question_places(game: Game, moves: list[Row]) -> list[int]:
    ready = [i for i in game.of(game.side) if not game.pieces[i].acted]
    return [ready.index(move[0]) * 180 + answer_index(game, move) for move in moves]


def defence(game: Game, piece: Piece, place: Place) -> float:
    return 0 if game.rules.air[piece.kind] else game.rules.defence[game.terrain[place]] / 4


def fight(game: Game, i: int, j: int, place: Place) -> tuple[float, float]:
    """What unit i, attacking unit j from a place, would deal and take."""
    me, enemy = game.pieces[i], game.pieces[j]
    dealt = game.damage(me, me.hp, enemy, enemy.hp, enemy.place)
    left = enemy.hp - dealt
    counters = left > 1e-6 and game.direct(me) and game.direct(enemy)
    return dealt, game.damage(enemy, left, me, me.hp, place) if counters else 0


def tokens_of(game: Game) -> tuple[Array, Array]:
    living = sorted(game.pieces)
    units, pairs = np.zeros((len(living), 16)), np.zeros((8, len(living), len(living)))
    for a, i in enumerate(living):
        me = game.pieces[i]
        units[a, me.kind] = 1
        units[a, 6] = 1 if me.side == game.side else -1
        units[a, 7] = me.hp / 10
        units[a, 8] = me.side == game.side and not me.acted
        units[a, 9] = defence(game, me, me.place)
        units[a, 10] = game.direct(me)
        units[a, 11] = game.rules.movement[me.kind] / 10
        for b, j in enumerate(living):
            other = game.pieces[j]
            if i == j:
                continue
            gap = distance(me.place, other.place)
            pairs[0 if me.side == other.side else 1, a, b] = 1
            pairs[2:4, a, b] = 1 / gap, gap == 1
            if me.side == other.side:
                continue
            pairs[4, a, b] = game.damage(me, me.hp, other, other.hp, other.place) / 10
            fights = [fight(game, i, j, place) for place in attack_cells(game, i, j)]
            if fights:
                dealt, taken = fights[0][0], min(taken for _, taken in fights)
                pairs[5:, a, b] = dealt / 10, taken / 10, 1 if other.hp - dealt <= 1e-6 else 0.5
                units[b, 12:14] += dealt / 10, 1 / 4
                units[a, 14] += 1 / 4
                units[a, 15] = max(units[a, 15], dealt / 10)
    return units, pairs


def globals_of(game: Game) -> list[float]:
    own, other = (game.of(side) for side in (game.side, 1 - game.side))
    mine, theirs = (sum(game.pieces[i].hp for i in side) for side in (own, other))
    clock = [0.0] * 5
    if game.turn_limit is not None:
        left = game.turn_limit - game.turn
        clock = [1, min(left / 40, 1), max(0, 1 - left / 8), 0, 0]
        if game.hp_threshold is not None:
            ahead, behind = mine > theirs + game.hp_threshold, theirs > mine + game.hp_threshold
            clock[3:] = int(ahead) - int(behind), 1
    quiet = game.quiet / game.rules.quiet_limit if game.rules.quiet_limit else 0
    ready = sum(not game.pieces[i].acted for i in own)
    balance = [(mine - theirs) / (mine + theirs), len(own) / 10, len(other) / 10, ready / len(own)]
    return [*clock, quiet, *balance, game.rules.hp == "real", 1]


def threat(game: Game, i: int, hp: float, place: Place, hurt: dict[int, float]) -> tuple[float, float, int]:
    """The damage that the enemy could do to a unit on a place: in all, by one attacker at most, and the attackers."""
    damages = []
    for j in game.of(1 - game.side):
        enemy = game.pieces[j]
        enemy_hp = hurt.get(j, enemy.hp)
        if game.direct(enemy):
            reaches = any(distance(cell, place) == 1 for cell in game.reach(j))
        else:
            least, most = game.rules.range[enemy.kind]
            reaches = least <= distance(enemy.place, place) <= most
        if reaches and enemy_hp > 1e-6:
            damages.append(game.damage(enemy, enemy_hp, game.pieces[i], hp, place))
    damages = [damage for damage in damages if damage > 0]
    return sum(damages), max(damages, default=0), len(damages)


def move_of(game: Game, move: Row) -> list[float]:
    i, x, y, j = move
    me, place = game.pieces[i], (x, y)
    dealt, taken = fight(game, i, j, place) if j >= 0 else (0, 0)
    hurt = {j: game.pieces[j].hp - dealt} if j >= 0 else {}
    kills, hp = j >= 0 and hurt[j] <= 1e-6, me.hp - taken
    dies = hp <= 1e-6
    danger, worst, attackers = (0, 0, 0) if dies else threat(game, i, hp, place, hurt)
    friends = [distance(place, game.pieces[k].place) for k in game.of(me.side) if k != i]
    enemies = [k for k in game.of(1 - me.side) if not (k == j and kills)]
    gaps = [distance(place, game.pieces[k].place) for k in enemies]
    before = [distance(me.place, game.pieces[k].place) for k in enemies]
    arm = game.rules.movement[me.kind] + 1 if game.direct(me) else game.rules.range[me.kind][1]
    prey = [
        k for k, gap in zip(enemies, gaps, strict=True) if gap <= arm and game.rules.power[me.kind][game.pieces[k].kind]
    ]
    strikes = [game.damage(me, hp, game.pieces[k], hurt.get(k, game.pieces[k].hp), game.pieces[k].place) for k in prey]

    def near(gaps: list[int]) -> float:
        return min(min(gaps, default=20), 20) / 10

    return [
        *(j >= 0, dealt / 10, taken / 10, kills, dies, place == me.place, defence(game, me, place)),
        min(distance(place, me.place), 20) / 10,
        *(danger / 10, danger >= hp - 1e-3, worst / 10, attackers / 4),
        near(gaps),
        near(gaps) - near(before) if enemies else 0,
        min(sum(gaps) // len(gaps), 20) / 10 if enemies else 0,
        sum(gap == 1 for gap in friends) / 4,
        near(friends),
        0 if dies else max(strikes, default=0) / 10,
        len(prey) / 4,
        hurt[j] / 10 if j >= 0 and not kills else 0,
    ]


def token_arrays(game: Game, moves: list[Row]) -> tuple[Array, ...]:
    living = sorted(game.pieces)
    units, pairs = tokens_of(game)
    actor = np.array([living.index(move[0]) for move in moves])
    target = np.array([living.index(move[3]) if move[3] >= 0 else len(living) for move in moves])
    balance = np.array([globals_of(game)])
    return units[None], pairs[None], balance, np.array([move_of(game, move) for move in moves]), actor, target


# The comparison.


def assert_questions(state: State, game: Game) -> None:
    moves = game.moves()
    (planes,), places, counts = encode_policy("unit-question", [state])
    np.testing.assert_allclose(planes, questions_of(game), rtol=1e-6)
    assert places.tolist() == question_places(game, moves)
    assert counts.tolist() == [len(moves)]
    assert len(set(places.tolist())) == len(moves)


def assert_tokens(state: State, game: Game) -> None:
    moves = game.moves()
    arrays, places, counts = encode_policy("tokens", [state])
    for name, found, expected in zip(NAMES, arrays, token_arrays(game, moves), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6, err_msg=name)
    assert places.tolist() == list(range(len(moves)))
    assert counts.tolist() == [len(moves)]


NAMES = ("units", "pairs", "globals", "moves", "actor", "target")


def compare_along_a_game(scenario: Scenario, seed: int, operations: int, check: Any) -> None:
    """Play at random, with many attacks so that units die, and compare before every operation."""
    rng = Rng(seed, "encode along")
    state, game = scenario.start(), Game(scenario)
    for _ in range(operations):
        if state.over:
            return
        check(state, game)
        moves = rows(state)
        attacks = [move for move in moves if move[3] >= 0]
        unit, x, y, target = rng.choice(attacks if attacks and rng.below(3) else moves)
        state.play((unit, x, y, target))
        game.play((unit, x, y, target))


@given(small_boards(), s.data(), s.integers(0, 2**32))
@examples(120)
def test_questions_agree_with_the_oracle(scenario: Scenario, data: s.DataObject, seed: int) -> None:
    order = data.draw(s.permutations(range(len(scenario.units))))  # red first, blue first, mixed
    compare_along_a_game(reordered(scenario, order), seed, 10, assert_questions)


@given(s.integers(0, 2**32))
@examples(20)
def test_questions_agree_with_the_oracle_along_the_paper_s_games(seed: int) -> None:
    compare_along_a_game(st.tubstap.maps.skirmish(seed), seed, 60, assert_questions)


@given(scenarios(max_units=12), s.data(), s.integers(0, 2**32))
@examples(150)
def test_tokens_agree_with_the_oracle(scenario: Scenario, data: s.DataObject, seed: int) -> None:
    order = data.draw(s.permutations(range(len(scenario.units))))
    compare_along_a_game(reordered(scenario, order), seed, 5, assert_tokens)


@pytest.mark.parametrize(("size", "rules"), [(10, "original"), (15, "li2022"), (32, "original")])
def test_tokens_agree_with_the_oracle_on_larger_boards(size: int, rules: str) -> None:
    compare_along_a_game(st.tubstap.maps.mixed(size, size=size, units=6, rules=rules), size, 3, assert_tokens)


# Rotated and mirrored boards.


@given(scenarios(max_units=10), s.integers(0, 7))
@examples(80)
def test_rotated_and_mirrored_boards_give_the_same_tokens(scenario: Scenario, number: int) -> None:
    before, after = scenario.start(), turned_scenario(scenario, number).start()
    if before.over:
        return
    first, second = (encode_policy("tokens", [state])[0] for state in (before, after))
    for i in range(3):
        assert np.array_equal(first[i], second[i]), NAMES[i]
    places = {move: i for i, move in enumerate(after.moves())}
    order = [places[turned_move(move, scenario, number)] for move in before.moves()]
    for i in range(3, 6):
        assert np.array_equal(first[i], second[i][order]), NAMES[i]


@given(scenarios(max_units=10), s.data())
@examples(40)
def test_reordered_units_give_reordered_tokens(scenario: Scenario, data: s.DataObject) -> None:
    order = data.draw(s.permutations(range(len(scenario.units))))
    before, after = scenario.start(), reordered(scenario, order).start()
    if before.over:
        return
    # HP are added in the order of the units: where rounding decides who leads, another order may have another leader.
    red, blue = (sum(unit.hp for unit in before.units if unit.side == side) for side in (0, 1))
    _, threshold = scenario.limits
    assume(threshold is None or abs(abs(red - blue) - threshold) > 1e-9)
    number = {old: new for new, old in enumerate(order)}
    first, second = (encode_policy("tokens", [state])[0] for state in (before, after))
    living = [unit.id for unit in after.units]
    rows = [living.index(number[unit.id]) for unit in before.units]  # where the second state has the unit of the first
    np.testing.assert_allclose(first[0], second[0][:, rows], rtol=1e-6)
    assert np.array_equal(first[1], second[1][:, :, rows][:, :, :, rows])
    np.testing.assert_allclose(first[2], second[2], rtol=1e-6, atol=1e-12)
    places = {move: i for i, move in enumerate(after.moves())}
    renamed = [
        move._replace(unit=number[move.unit], target=None if move.target is None else number[move.target])
        for move in before.moves()
    ]
    moves = [places[move] for move in renamed]
    np.testing.assert_allclose(first[3], second[3][moves], rtol=1e-6)
    assert np.array_equal(np.array(rows)[first[4]], second[4][moves])
    assert np.array_equal(np.array([*rows, len(rows)])[first[5]], second[5][moves])


# Batches.


def test_a_batch_of_questions_concatenates_those_of_its_states() -> None:
    states = [state for seed in range(12) for state in states_along_a_game(st.tubstap.maps.skirmish(seed), 20, seed)]
    (planes,), places, counts = encode_policy("unit-question", states)
    row = move = 0
    for state, count in zip(states, counts.tolist(), strict=True):
        (alone,), own_places, _ = encode_policy("unit-question", [state])
        assert np.array_equal(planes[row : row + len(alone)], alone)
        assert (places[move : move + count] - row * 180).tolist() == own_places.tolist()
        row, move = row + len(alone), move + count
    assert (row, move) == (len(planes), len(places))


def test_a_batch_of_tokens_pads_its_states() -> None:
    maps = st.tubstap.maps
    starts = [maps.skirmish(1), maps.mixed(2, size=20, units=9), maps.symmetric(3), maps.mixed(4, size=11, units=5)]
    states = [state for i, start in enumerate(starts) for state in states_along_a_game(start, 12, i)]
    arrays, places, counts = encode_policy("tokens", states)
    widest = max(len(state.units) for state in states)
    assert [array.shape[0] for array in arrays] == [len(states)] * 3 + [len(places)] * 3
    assert len({len(state.units) for state in states}) > 3
    assert places.tolist() == list(range(counts.sum()))
    at = 0
    for i, (state, count) in enumerate(zip(states, counts.tolist(), strict=True)):
        alone = encode_policy("tokens", [state])[0]
        n, moves = len(state.units), slice(at, at + count)
        units, pairs = np.zeros((widest, 16), np.float32), np.zeros((8, widest, widest), np.float32)
        units[:n], pairs[:, :n, :n] = alone[0][0], alone[1][0]
        target = np.where(alone[5] == n, len(states) * widest, i * widest + alone[5])
        found = [arrays[0][i], arrays[1][i], arrays[2][i], *(array[moves] for array in arrays[3:])]
        for one, expected in zip(
            found, (units, pairs, alone[2][0], alone[3], i * widest + alone[4], target), strict=True
        ):
            assert np.array_equal(one, expected)
        at += count


@pytest.mark.parametrize("encoder", ["unit-question", "tokens"])
def test_an_empty_list_gives_an_empty_batch(encoder: str) -> None:
    arrays, places, counts = encode_policy(encoder, [])
    assert all(array.shape[0] == 0 for array in (*arrays, places, counts))


# Errors.

OVER = dataclasses.replace(field(("infantry", 0, 1, 1, 5), ("infantry", 1, 6, 6, 5), size=6), turn=20).start()


@pytest.mark.parametrize(
    ("encoder", "states", "message"),
    [
        ("unit-question", [st.tubstap.maps.random(1).start()], "made for boards of 6x6, and this one is 8x8"),
        (
            "unit-question",
            [field(("cannon", 0, 1, 1, 5), ("infantry", 1, 6, 6, 5), size=6).start()],
            "made for units that attack their neighbours only",
        ),
        (
            "unit-question",
            [st.tubstap.maps.skirmish(1).start(), st.tubstap.maps.skirmish(1, size=5).start()],
            "made for boards of 6x6, and this one is 5x5",
        ),
        ("unit-question", [OVER], "the game is over"),
        ("tokens", [OVER], "the game is over"),
        ("tokens", [None], "states must be states of TUBSTAP"),
        ("tokens", 5, "states must be a sequence"),
        ("token", [], "a policy encoder is unit-question or tokens, not 'token'"),
    ],
)
def test_states_that_cannot_be_encoded_get_a_one_line_error(encoder: str, states: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        encode_policy(encoder, states)
    assert str(caught.value) == message
    with pytest.raises(ValueError) as refused:
        _core.tubstap.PolicyEvaluator(encoder, lambda *arrays: arrays, cache=0).evaluate(states)
    assert str(refused.value) == message
