"""States as numbers: the core's encoders against oracles in plain Python, and li2022's own example."""

import dataclasses
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as s
from numpy.typing import NDArray

import sandtable as st
from sandtable import _core
from sandtable.rng import Rng
from sandtable.tubstap import KINDS, Scenario, State, Unit
from support.boards import field, reordered
from support.examples import examples
from support.strategies import rows, scenarios
from support.tubstap_oracle import Game, attack_cells

AttackGraphEncoder = _core.tubstap.AttackGraphEncoder
UnitImageEncoder = _core.tubstap.UnitImageEncoder
DamageGraphEncoder = _core.tubstap.DamageGraphEncoder
TerrainImageEncoder = _core.tubstap.TerrainImageEncoder
CombinedEncoder = _core.tubstap.CombinedEncoder

Array = NDArray[Any]

# What each quantity is divided by: HP, type, mobility, distance.
SCALES = (10, 6, 10, 10)
PLAIN = (1, 1, 1, 1)


# The oracles.


def can_attack(game: Game, i: int, j: int) -> bool:
    """Whether unit i could attack unit j in one operation, if it were its turn and it had not acted."""
    me, enemy = game.pieces[i], game.pieces[j]
    if me.side == enemy.side or game.rules.power[me.kind][enemy.kind] == 0:
        return False
    x, y = enemy.place
    if game.direct(me):
        return bool(set(game.reach(i)) & {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)})
    least, most = game.rules.range[me.kind]
    return least <= abs(x - me.place[0]) + abs(y - me.place[1]) <= most


def graph_of(scenario: Scenario, game: Game, side_rows: int, first_type: int = 1, scaled: bool = True) -> Array:
    hp, kind, mobility, cells = SCALES if scaled else PLAIN
    out = np.zeros((6, 2 * side_rows, 2 * side_rows))
    row: dict[int, int] = {}
    for side in (0, 1):
        own = [unit.id for unit in scenario.units if unit.side == side]
        row |= {i: side * side_rows + place for place, i in enumerate(own)}
    for i, me in game.pieces.items():
        for j, other in game.pieces.items():
            (x, y), (other_x, other_y) = me.place, other.place
            out[5, row[i], row[j]] = (abs(x - other_x) + abs(y - other_y)) / cells
            if can_attack(game, i, j):
                number = (me.kind + first_type) / kind
                signed = number if me.side == 0 else -number
                out[:4, row[i], row[j]] = 1, me.hp / hp, signed, game.rules.movement[me.kind] / mobility
        if me.side == game.side and not me.acted:
            first = (1 - me.side) * side_rows
            out[4, row[i], first : first + side_rows] = 1
    return out


def image_of(scenario: Scenario, game: Game, planes: str = "first", scaled: bool = True) -> Array:
    hp, kind, mobility, _ = SCALES if scaled else PLAIN
    out = np.zeros((5, scenario.height - 2, scenario.width - 2))
    for me in game.pieces.values():
        x, y = me.place
        ready = me.side == game.side and not me.acted
        side = 1 if me.side == 0 else -1
        number = (me.kind + 1) / kind
        if planes == "first":
            out[:, y - 1, x - 1] = me.hp / hp, number, side, game.rules.movement[me.kind] / mobility, ready
        else:  # position, HP, attack, color, type
            attack = max(game.rules.power[me.kind]) / (100 if scaled else 1)
            out[:, y - 1, x - 1] = 1, me.hp / hp, attack, side, number
    return out


def damage_graph_of(game: Game, count: int) -> tuple[Array, Array]:
    """takahashi's nodes and edges."""
    nodes, edges = np.zeros((count, 13)), np.zeros((count, count, 4))
    living = sorted(game.pieces)
    for a, i in enumerate(living):
        me = game.pieces[i]
        nodes[a, me.kind + (0 if me.side == game.side else 6)] = me.hp / 10
        nodes[a, 12] = me.side == game.side and not me.acted
        for b, j in enumerate(living):
            other = game.pieces[j]
            if i != j:
                edges[a, b, 0 if other.side == me.side else 1] = 1
            cells = attack_cells(game, i, j)
            if not cells:
                continue
            dealt = game.damage(me, me.hp, other, other.hp, other.place)
            left = other.hp - dealt
            countered = left > 1e-6 and game.direct(me) and game.direct(other)
            counters = [game.damage(other, left, me, me.hp, cell) if countered else 0 for cell in cells]
            edges[a, b, 2:] = dealt / 10, min(counters) / 10
    return nodes, edges


def terrain_image_of(scenario: Scenario, game: Game) -> Array:
    out = np.zeros((20, scenario.height - 2, scenario.width - 2))
    for (x, y), terrain in game.terrain.items():
        if 1 <= x <= scenario.width - 2 and 1 <= y <= scenario.height - 2:
            out[12 + terrain, y - 1, x - 1] = 1
    for me in game.pieces.values():
        x, y = me.place
        out[me.kind + (0 if me.side == game.side else 6), y - 1, x - 1] = me.hp / 10
        out[19, y - 1, x - 1] = me.side == game.side and not me.acted
    return out


def side_rows_of(scenario: Scenario) -> int:
    """As many rows as the larger side needs, dead units included."""
    return max(sum(unit.side == side for unit in scenario.units) for side in (0, 1))


def assert_encoded(scenario: Scenario, state: State, game: Game, side_rows: int) -> None:
    for first_type in (0, 1):
        for scaled in (False, True):
            encoder = AttackGraphEncoder(side_rows=side_rows, first_type=first_type, scaled=scaled)
            expected = graph_of(scenario, game, side_rows, first_type, scaled)
            np.testing.assert_allclose(encoder.encode([state])[0], expected, rtol=1e-6)
    width, height = scenario.width - 2, scenario.height - 2
    for planes in ("first", "text"):
        for scaled in (False, True):
            image = UnitImageEncoder(width=width, height=height, planes=planes, scaled=scaled).encode([state])[0]
            np.testing.assert_allclose(image, image_of(scenario, game, planes, scaled), rtol=1e-6)
    assert_encoded_with_terrain(scenario, state, game, 2 * side_rows)


def assert_encoded_with_terrain(scenario: Scenario, state: State, game: Game, count: int) -> None:
    """takahashi's encoders: the graph, the image, and both with the units' cells."""
    width, height = scenario.width - 2, scenario.height - 2
    graph = np.concatenate([part.ravel() for part in damage_graph_of(game, count)])
    image = terrain_image_of(scenario, game)
    cells = np.full(count, -1.0)
    for place, (_, piece) in enumerate(sorted(game.pieces.items())):
        cells[place] = (piece.place[1] - 1) * width + piece.place[0] - 1
    np.testing.assert_allclose(DamageGraphEncoder(rows=count).encode([state])[0], graph, rtol=1e-6)
    np.testing.assert_allclose(TerrainImageEncoder(width=width, height=height).encode([state])[0], image, rtol=1e-6)
    both = CombinedEncoder(rows=count, width=width, height=height).encode([state])[0]
    np.testing.assert_allclose(both, np.concatenate([graph, image.ravel(), cells]), rtol=1e-6)


def encode_along(scenario: Scenario, seed: int, operations: int, spare: int) -> None:
    """Play at random, often attacking so that units die, and compare after every operation."""
    rng = Rng(seed, "encode along")
    state, game = scenario.start(), Game(scenario)
    side_rows = min(32, side_rows_of(scenario) + spare)
    assert_encoded(scenario, state, game, side_rows)
    for _ in range(operations):
        if state.over:
            return
        if rng.below(20) == 0:
            state.end_turn()
            game.end_turn()
        else:
            moves = rows(state)
            attacks = [move for move in moves if move[3] >= 0]
            unit, x, y, target = rng.choice(attacks if attacks and rng.below(3) else moves)
            state.play((unit, x, y, target))
            game.play((unit, x, y, target))
        assert_encoded(scenario, state, game, side_rows)


@given(scenarios(), s.data(), s.integers(0, 2**32), s.integers(0, 3))
@examples(150)
def test_encoders_agree_with_the_oracle(scenario: Scenario, data: s.DataObject, seed: int, spare: int) -> None:
    order = data.draw(s.permutations(range(len(scenario.units))))  # red first, blue first, mixed
    encode_along(reordered(scenario, order), seed, 12, spare)


@given(s.integers(0, 2**32), s.sampled_from((10, 15, 20, 32)), s.sampled_from(("original", "li2022")))
@examples(8)
def test_encoders_agree_with_the_oracle_on_larger_boards(seed: int, size: int, rules: str) -> None:
    encode_along(st.tubstap.maps.mixed(seed, size=size, units=14, rules=rules), seed, 3, 0)


@given(s.integers(0, 2**32))
@examples(15)
def test_encoders_agree_with_the_oracle_along_games_of_the_paper(seed: int) -> None:
    encode_along(st.tubstap.maps.symmetric(seed), seed, 40, 0)


def test_a_batch_encodes_its_states_in_order() -> None:
    state = st.tubstap.maps.symmetric(3).start()
    states = [state.copy()]
    while not state.over and len(states) < 50:
        state.play(state.random_move(len(states)))
        states.append(state.copy())
    encoder: Any
    for encoder in (AttackGraphEncoder(), UnitImageEncoder()):
        together = encoder.encode(states)
        assert together.dtype == np.float32
        assert together.shape[0] == len(states)
        assert np.array_equal(together, np.concatenate([encoder.encode([one]) for one in states]))
        assert len({one.tobytes() for one in together}) > 10
        assert np.array_equal(together, encoder.encode(tuple(states)))
    assert AttackGraphEncoder(side_rows=5).encode([]).shape == (0, 6, 10, 10)
    assert UnitImageEncoder(width=4, height=7).encode([]).shape == (0, 5, 7, 4)


# The example of li2022, Figures 1, 3 and 5.

# HP, side, row, column, the last two from 0.
EXAMPLE = ((6, 0, 4, 5), (7, 0, 3, 4), (5, 0, 3, 6), (4, 1, 3, 5), (6, 1, 5, 5), (8, 1, 3, 7))

FIGURE_5 = {
    "adjacency": "000111 000110 000111 111000 111000 101000",
    "HP": "000666 000770 000555 444000 666000 808000",
    "type": "000555 000550 000555 555000 555000 505000",  # blue's are negative
    "mobility": "000333 000330 000333 333000 333000 303000",
    "moved or not": "000000 000000 000000 111000 000000 111000",
    "distance": "022113 202133 220131 111022 133204 331240",
}
NAMES = tuple(FIGURE_5)

FIGURE_3 = "00000000 00000000 00000000 00007458 00000600 00000600 00000000 00000000"


def digits(text: str) -> Array:
    return np.array([[int(digit) for digit in row] for row in text.split()])


def example() -> State:
    units = [("infantry", side, column + 1, row + 1, hp) for hp, side, row, column in EXAMPLE]
    scenario = field(*units, rules="li2022", acted=(4,))
    return dataclasses.replace(scenario, turn=1).start()


@pytest.mark.parametrize("name", NAMES)
def test_the_graph_of_the_paper_s_example(name: str) -> None:
    expected = digits(FIGURE_5[name])
    if name == "type":
        expected[3:] *= -1
    graph = AttackGraphEncoder(scaled=False, first_type=0).encode([example()])[0]
    assert graph[NAMES.index(name)].tolist() == expected.tolist()


def test_by_default_types_begin_with_1_and_inputs_are_scaled() -> None:
    """A fighter's 0 would look like no edge, so types are numbered from 1, and infantry is 6."""
    state = example()
    assert state.side == 1
    unscaled, scaled = (AttackGraphEncoder(scaled=scaled).encode([state])[0] for scaled in (False, True))
    from_zero = AttackGraphEncoder(scaled=False, first_type=0).encode([state])[0]
    assert np.unique(unscaled[2]).tolist() == [-6, 0, 6]
    assert np.array_equal(np.delete(unscaled, 2, axis=0), np.delete(from_zero, 2, axis=0))
    np.testing.assert_allclose(scaled, unscaled / np.array([1, 10, 6, 10, 1, 10])[:, None, None], rtol=1e-6)
    assert np.abs(scaled).max() <= 1


def test_the_image_of_the_paper_s_example() -> None:
    image = UnitImageEncoder().encode([example()])[0]
    expected = digits(FIGURE_3)
    np.testing.assert_allclose(image[0] * 10, expected, rtol=1e-6)
    occupied = expected > 0
    blue = np.zeros((8, 8), bool)
    for _, side, row, column in EXAMPLE:
        blue[row, column] = side == 1
    ready = blue & (expected != 6)  # blue's HP 6 has acted
    np.testing.assert_allclose(image[1:], [occupied, occupied * 1 - blue * 2, occupied * 0.3, ready], rtol=1e-6)


def test_the_planes_named_in_the_paper_s_text() -> None:
    """Position, HP, attack, color and type; the strongest attack of infantry is the 55 against infantry."""
    image = UnitImageEncoder(planes="text", scaled=False).encode([example()])[0]
    expected = digits(FIGURE_3)
    occupied = expected > 0
    assert np.array_equal(image[0], occupied)
    assert np.array_equal(image[1], expected)
    assert np.array_equal(image[2], occupied * 55)
    assert np.array_equal(image[3], UnitImageEncoder().encode([example()])[0][2])
    assert np.array_equal(image[4], occupied * 6)
    scaled = UnitImageEncoder(planes="text").encode([example()])[0]
    np.testing.assert_allclose(scaled * np.array([1, 10, 100, 1, 6])[:, None, None], image, rtol=1e-6)
    assert np.array_equal(UnitImageEncoder(planes="first").encode([example()]), UnitImageEncoder().encode([example()]))


def test_dead_units_keep_their_rows() -> None:
    units = [("infantry", 0, 1, 1, 9), ("panzer", 0, 2, 1, 8), ("infantry", 1, 1, 2, 7), ("antiair", 1, 2, 2, 6)]
    scenario = field(*units, rules="li2022")
    dead = tuple(unit._replace(x=0, y=0, hp=0) if unit.id in (0, 2) else unit for unit in scenario.units)
    graph = AttackGraphEncoder(scaled=False).encode([dataclasses.replace(scenario, units=dead).start()])[0]
    # Red's rows are 0 to 2, blue's 3 to 5; the living are the second of either side.
    adjacency, hp, ready, distance = (
        graph[NAMES.index(name)] for name in ("adjacency", "HP", "moved or not", "distance")
    )
    assert sorted(zip(*np.nonzero(adjacency), strict=True)) == [(1, 4), (4, 1)]
    assert (hp[1, 4], hp[4, 1]) == (8, 6)
    assert sorted(zip(*np.nonzero(distance), strict=True)) == [(1, 4), (4, 1)]
    assert ready.tolist() == digits("000000 000111 000000 000000 000000 000000").tolist()


# Symmetries: who can attack whom does not depend on where north is or where the board ends.


def transformed(scenario: Scenario, turns: int, mirrored: bool) -> Scenario:
    """The board and its units, rotated by quarter turns and then mirrored if asked for."""
    ids = np.full((scenario.height, scenario.width), -1)
    for unit in scenario.units:
        if unit.hp > 0:
            ids[unit.y, unit.x] = unit.id
    terrain, ids = (np.rot90(grid, turns) for grid in (np.array(scenario.terrain), ids))
    if mirrored:
        terrain, ids = np.fliplr(terrain), np.fliplr(ids)
    places = {int(ids[y, x]): (int(x), int(y)) for y, x in zip(*np.nonzero(ids >= 0), strict=True)}
    return with_places(scenario, terrain, places)


def with_places(scenario: Scenario, terrain: Array, places: dict[int, tuple[int, int]]) -> Scenario:
    units = []
    for unit in scenario.units:
        x, y = places.get(unit.id, (0, 0))
        units.append(unit._replace(x=x, y=y))
    return dataclasses.replace(scenario, terrain=tuple(tuple(map(int, row)) for row in terrain), units=tuple(units))


@given(scenarios(), s.integers(0, 3), s.booleans())
@examples(100)
def test_rotated_and_mirrored_boards_have_the_same_graph_and_a_transformed_image(
    scenario: Scenario, turns: int, mirrored: bool
) -> None:
    other = transformed(scenario, turns, mirrored)
    graphs = AttackGraphEncoder(side_rows=10).encode([scenario.start(), other.start()])
    assert np.array_equal(graphs[0], graphs[1])
    before, after = (
        UnitImageEncoder(width=one.width - 2, height=one.height - 2).encode([one.start()])[0]
        for one in (scenario, other)
    )
    turned = np.rot90(before, turns, axes=(1, 2))
    assert np.array_equal(np.flip(turned, axis=2) if mirrored else turned, after)


@given(scenarios(), s.integers(0, 9), s.integers(0, 9), s.integers(0, 9), s.integers(0, 9))
@examples(60)
def test_unreachable_cells_do_not_change_the_graph(
    scenario: Scenario, left: int, right: int, above: int, below: int
) -> None:
    terrain = np.pad(np.array(scenario.terrain), ((above, below), (left, right)))
    places = {unit.id: (unit.x + left, unit.y + above) for unit in scenario.units if unit.hp > 0}
    graphs = AttackGraphEncoder(side_rows=10).encode([scenario.start(), with_places(scenario, terrain, places).start()])
    assert np.array_equal(graphs[0], graphs[1])


@given(s.integers(0, 2**32), s.integers(-2, 2), s.integers(-2, 2))
@examples(40)
def test_the_graph_does_not_depend_on_the_place_on_a_wide_plain(seed: int, right: int, down: int) -> None:
    """No unit moves further than 9 cells, so the edges do not matter to units that are 10 cells away from them."""
    rng = Rng(seed, "wide plain")
    cells = rng.sample([(x, y) for x in range(13, 21) for y in range(13, 21)], 12)
    units = [(rng.choice(KINDS), i // 6, x, y, float(rng.between(1, 10))) for i, (x, y) in enumerate(cells)]
    here = field(*units, rules="li2022", size=32)
    there = field(*[(kind, side, x + right, y + down, hp) for kind, side, x, y, hp in units], rules="li2022", size=32)
    graphs = AttackGraphEncoder(side_rows=6).encode([here.start(), there.start()])
    assert np.array_equal(graphs[0], graphs[1])


# Errors.


def crowd(units: int, size: int = 8) -> State:
    return st.tubstap.maps.mixed(1, size=size, units=units).start()


@pytest.mark.parametrize(
    ("encoder", "states", "message"),
    [
        (AttackGraphEncoder(), [crowd(3), crowd(4)], "made for at most 3 units a side, and there are 4"),
        (AttackGraphEncoder(side_rows=1), [crowd(2)], "made for at most 1 units a side, and there are 2"),
        (UnitImageEncoder(), [crowd(3), crowd(3, size=10)], "made for boards of 8x8, and this one is 10x10"),
        (UnitImageEncoder(width=10, height=8), [crowd(3)], "made for boards of 10x8, and this one is 8x8"),
        (AttackGraphEncoder(), [crowd(3), 5], "states must be states of TUBSTAP"),
        (UnitImageEncoder(), [st.conquest.load("simple").start(1)], "states must be states of TUBSTAP"),
        (AttackGraphEncoder(), "states", "states must be states of TUBSTAP"),
        (AttackGraphEncoder(), 5, "states must be a sequence"),
        (UnitImageEncoder(), crowd(3), "states must be a sequence"),
    ],
)
def test_states_that_do_not_fit_the_encoder_get_a_one_line_error(encoder: Any, states: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        encoder.encode(states)
    assert "\n" not in str(caught.value)


def test_dead_units_count_towards_an_encoder_s_limit() -> None:
    """A map that is too large is refused from its start, not accepted later when some units have died."""
    scenario = field(*[("infantry", i % 2, i + 1, 1 + i % 2, 5) for i in range(8)])
    units: tuple[Unit, ...] = tuple(u._replace(x=0, y=0, hp=0) if u.id > 1 else u for u in scenario.units)
    with pytest.raises(ValueError, match="at most 3 units"):
        AttackGraphEncoder().encode([dataclasses.replace(scenario, units=units).start()])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AttackGraphEncoder(side_rows=0), "side_rows must be within 1..32"),
        (lambda: AttackGraphEncoder(side_rows=33), "side_rows must be within 1..32"),
        (lambda: UnitImageEncoder(width=0), "width must be within 1..32"),
        (lambda: DamageGraphEncoder(rows=65), "rows must be within 1..64"),
        (lambda: TerrainImageEncoder(width=33), "width must be within 1..32"),
        (lambda: CombinedEncoder(rows=0), "rows must be within 1..64"),
        (lambda: UnitImageEncoder(height=33), "height must be within 1..32"),
        (lambda: UnitImageEncoder(planes="second"), "planes must be first or text"),
    ],
)
def test_bad_settings_of_encoders_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


# Run in a separate process, because a mistake here would crash it.
HOSTILE = """
import sandtable as st
from sandtable import _core
class Liar(list):
    def __len__(self): return 1000
state = st.tubstap.maps.symmetric(1).start()
for encoder in (_core.tubstap.AttackGraphEncoder(), _core.tubstap.UnitImageEncoder()):
    for states in ([None], [state, None]):
        try:
            encoder.encode(states)
        except ValueError as error:
            assert "must be states" in str(error), error
        else:
            raise AssertionError("None is no state")
    try:
        assert len(encoder.encode(Liar([state]))) == 1, "more states than there are"
    except ValueError:
        pass
"""


def test_none_and_lists_with_a_wrong_length_do_no_harm() -> None:
    done = subprocess.run([sys.executable, "-c", HOSTILE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr or f"ended by signal {-done.returncode}"
