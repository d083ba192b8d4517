"""Conquest: the authors' turns, random play against an oracle, genes, illegal orders, statistics of random moves."""

import copy
import dataclasses
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as s

import sandtable as st
from sandtable.conquest import Deploy, Land, March, Order, State
from sandtable.rng import Rng
from support.conquest_conformance import read_turns, replay
from support.conquest_oracle import Game
from support.examples import examples
from support.strategies import lands

TURNS = Path(__file__).parent / "golden" / "conquest_authors_turns.jsonl.gz"


def position(state: State) -> tuple[object, ...]:
    return state.owner, state.armies, state.turn


def test_turns_of_the_authors_code_are_resolved_identically() -> None:
    turns = list(read_turns(TURNS))
    assert len(turns) == 721
    for turn in turns:
        replay(turn)


@given(lands(), s.integers(0, 2**32))
@examples(150)
def test_random_play_agrees_with_the_oracle(land: Land, seed: int) -> None:
    """Whole games from any start, with moves of every kind, also ones that march more armies than there are."""
    rng = Rng(seed, "test")
    state = land.start(seed)
    game = Game(land, state.owner, state.armies)
    seen: dict[int, tuple[object, ...]] = {}
    while not state.over:
        assert seen.setdefault(state.hash(), position(state)) == position(state)
        assert [state.income(0), state.income(1)] == [game.income(0), game.income(1)]
        orders: list[list[Order]] = []
        for player in (0, 1):
            move = state.random_move(player, rng.below(2**31))
            if rng.below(3) == 0:
                move = state.decode(state.repair(random_genes(state, rng), player, rng.below(2**31)))
            orders.append(move)
        first = rng.below(2)
        before, twin = state.copy(), copy.deepcopy(state)
        state.resolve(orders[0], orders[1], first=first)
        game.resolve((orders[0], orders[1]), first)
        assert (state.owner, state.armies, state.turn) == (game.owner, game.armies, game.turn)
        assert (state.over, state.winner) == (game.over, game.winner)
        assert position(before) == position(twin) != position(state)
    with pytest.raises(ValueError, match="over"):
        state.resolve([], [])
    with pytest.raises(ValueError, match="over"):
        state.random_move(0, 1)


def random_genes(state: State, rng: Rng) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    n = len(state.owner) + 2 * len(state.land.edges)
    return np.array([rng.between(-5, 20) * (rng.below(3) == 0) for _ in range(n)], dtype=np.int32)


@given(lands(), s.integers(0, 2**32), s.integers(0, 1))
@examples(150)
def test_genes_round_trip_and_are_repaired_to_legal_orders(land: Land, seed: int, player: int) -> None:
    state, rng = land.start(seed), Rng(seed, "test")
    move = state.random_move(player, seed)
    canonical = state.decode(state.encode(move))
    assert sorted(canonical, key=repr) == sorted(move, key=repr)  # sampled moves have at most one order per edge
    assert canonical == sorted(canonical, key=lambda order: (isinstance(order, March), order))
    assert state.decode(state.encode(canonical)) == canonical
    twice = [*move, *[order for order in move if isinstance(order, March)]]
    merged = {(m.source, m.target): m.armies for m in state.decode(state.encode(twice)) if isinstance(m, March)}
    assert merged == {(m.source, m.target): 2 * m.armies for m in move if isinstance(m, March)}
    genes = random_genes(state, rng)
    repaired = state.repair(genes, player, seed)
    orders = state.decode(repaired)
    assert sum(order.armies for order in orders if isinstance(order, Deploy)) == state.income(player)
    assert np.array_equal(state.repair(repaired, player, seed + 1), repaired)
    hands: list[Sequence[Order]] = [[], []]
    hands[player] = orders
    state.resolve(hands[0], hands[1])


def test_orders_and_genes_that_cannot_be_converted_are_refused() -> None:
    state = st.conquest.load("italy").start(1)
    for orders, reason in (
        ([Deploy(0, 10**9)], "within 1"),
        ([Deploy(0, -7)], "within 1"),
        ([Deploy(99, 1)], "unknown territory"),
        ([March(0, 1, 0)], "within 1"),
        ([Deploy(0, 10**6)] * 2200, "too many"),
    ):
        with pytest.raises(ValueError, match=reason):
            state.encode(orders)
    frozen = state.encode(state.random_move(0, 1))
    frozen.flags.writeable = False
    assert state.decode(frozen)
    for genes in (frozen.astype(np.float64), frozen.astype(np.int64), frozen[1:], [0] * 94, None):
        with pytest.raises(ValueError, match="int32 array of length 94"):
            state.decode(genes)  # type: ignore[arg-type]


def test_armies_never_overflow() -> None:
    rich = tuple(st.conquest.Bonus(str(i), 1999, (0,)) for i in range(5))
    land = dataclasses.replace(st.conquest.load("simple"), bonuses=rich)
    state = land.state([0] + [-1] * 7 + [1], [10**6] * 9)
    assert state.income(0) == 10_000
    state.resolve(state.random_move(0, 1), state.decode(state.repair(np.full(25, 10**6, dtype=np.int32), 1, 1)))
    assert max(state.armies) <= 10**6
    with pytest.raises(st.MapError, match="income"):
        dataclasses.replace(land, bonuses=(*rich, st.conquest.Bonus("x", 1, (1,))))


class Shrinking:
    """An integer that empties the list that holds it when it is read."""

    def __init__(self, holder: list[object]) -> None:
        self.holder = holder

    def __index__(self) -> int:
        self.holder.clear()
        return 0


def test_lists_that_change_while_they_are_read_do_no_harm() -> None:
    order: list[object] = [0, 1]
    order[0] = Shrinking(order)
    orders: list[object] = [[0, 1], [1, 1]]
    orders[0] = [Shrinking(orders), 1]
    for hostile in ([order], orders):
        small().resolve(hostile, [])  # type: ignore[arg-type]


def test_repair_takes_huge_numbers() -> None:
    state = st.conquest.load("italy").start(1)
    genes = np.full(94, 2**31 - 1, dtype=np.int32)
    assert state.repair(genes, 0, 1)[:20].sum() == state.income(0)
    with pytest.raises(ValueError, match="follows no edge"):
        state.encode([March(0, 19, 1)])


def small() -> State:
    """The path of nine: 0 0 - - - - - 1 1, with 5 armies on owned land and 2 elsewhere."""
    return st.conquest.load("simple").state([0, 0, -1, -1, -1, -1, -1, 1, 1], [5, 5, 2, 2, 2, 2, 2, 5, 5])


def test_deploys_come_before_marches_and_armies_that_arrive_march_on() -> None:
    state = small()
    state.resolve([Deploy(0, 5), March(0, 1, 10), March(1, 2, 15)], [March(7, 6, 5)], first=1)
    # 15 on 2: round(15 - 1.4) = 14 hold it. 5 on 2: round(5 - 1.4) = 4.
    assert state.owner == [0, 0, 0, -1, -1, -1, 1, 1, 1]
    assert state.armies == [0, 0, 14, 2, 2, 2, 4, 0, 5]
    assert (state.turn, state.over) == (1, False)


def test_a_march_from_lost_land_is_void_and_others_take_at_most_the_armies_present() -> None:
    land = st.conquest.load("simple")
    start = land.state([0, 1, -1, -1, -1, -1, -1, -1, 1], [9, 2, 0, 0, 0, 0, 0, 0, 1])
    lost = start.copy()
    lost.resolve([March(0, 1, 99)], [March(1, 2, 2)], first=0)
    assert lost.owner[:3] == [0, 0, -1]
    assert lost.armies[:3] == [0, 8, 0]  # round(9 - 1.4)
    kept = start.copy()
    kept.resolve([March(0, 1, 99)], [March(1, 2, 2)], first=1)
    assert kept.owner[:3] == [0, 0, 1]
    assert kept.armies[:3] == [0, 9, 2]


def test_a_failed_attack_costs_both_sides_armies() -> None:
    land = st.conquest.load("simple")
    state = land.state([0, 1, 1, 1, 1, 1, 1, 1, 1], [10, 20, 0, 0, 0, 0, 0, 0, 0])
    state.resolve([March(0, 1, 10)], [])
    assert state.owner[0] == 0
    assert state.armies[:2] == [0, 14]  # round(10 - 14) < 0 attackers, round(20 - 6) defenders


def test_a_bonus_is_paid_only_to_the_owner_of_all_its_territories() -> None:
    land = st.conquest.load("italy")
    owner = [0] * 20
    assert land.state(owner, [1] * 20).income(0) == 5 + sum(bonus.value for bonus in land.bonuses)
    owner[19] = 1
    assert land.state(owner, [1] * 20).income(0) == 5 + 45 - 7 - 2
    assert land.state(owner, [1] * 20).income(1) == 5


def test_a_game_ends_by_conquest_or_as_a_draw_at_the_turn_limit() -> None:
    land = st.conquest.load("simple")
    won = land.state([0] * 9, [1] * 9)
    assert (won.over, won.winner) == (True, 0)
    tie = land.state([0, 1, *[-1] * 7], [0] * 9, turn=99)
    assert not tie.over
    tie.resolve([], [])
    assert (tie.over, tie.winner, tie.turn) == (True, None, 100)


def test_rules_can_be_replaced_one_by_one() -> None:
    rules = st.conquest.rules("soares2025")
    land = st.conquest.load("simple", rules=rules.replace(stand_guard=True, base_income=7))
    state = land.state([0, 0, -1, -1, -1, -1, -1, 1, 1], [5] * 9)
    assert state.income(0) == 7
    state.resolve([March(0, 1, 99)], [])
    assert state.armies[:2] == [1, 9]
    down = st.conquest.load("simple", rules=rules.replace(rounding="down"))
    state = down.state([0, 1, 1, 1, 1, 1, 1, 1, 1], [10, 2, *[0] * 7])
    state.resolve([March(0, 1, 9)], [])
    assert state.armies[:2] == [1, 7]  # floor(9 - 1.4)
    assert rules.digest != rules.replace(order="random").digest
    assert st.conquest.rules("soares2025-text").order == "random"
    for changes in (
        {"order": "by age"},
        {"rounding": 3},
        {"attack_kills": 0},
        {"attack_kills": float("nan")},
        {"base_income": -1},
        {"stand_guard": 1},
        {"turn_limit": 0},
        {"start_lands": 2.5},
        {"kill": 1},
    ):
        with pytest.raises(st.RulesError):
            rules.replace(**changes)


def test_a_random_order_shuffles_the_marches_of_each_player() -> None:
    land = st.conquest.load("simple", rules="soares2025-text")
    # Each player pushes its armies along. Where they end tells in which order the marches were made.
    start = land.state([0, 0, 0, -1, -1, -1, 1, 1, 1], [8, 4, 2, 0, 0, 0, 2, 4, 8])
    own, other = [March(0, 1, 99), March(1, 2, 99), March(2, 3, 99)], [March(8, 7, 99), March(7, 6, 99)]
    ends: Counter[tuple[int, ...]] = Counter()
    for seed in range(3000):
        state, again = start.copy(), start.copy()
        state.resolve(own, other, seed=seed)
        again.resolve(own, other, seed=seed)
        assert again.armies == state.armies
        ends[tuple(state.armies)] += 1
    # By symmetry: in half the orders player 1's second march comes first and leaves the first one's armies behind.
    assert sum(n for end, n in ends.items() if end[7] == 0) == pytest.approx(1500, abs=150)
    # Player 0's armies all reach the front only with its marches in the given order: once in 3! orders.
    assert sum(n for end, n in ends.items() if end[:3] == (0, 0, 0)) == pytest.approx(500, abs=100)


def test_marches_of_both_players_are_shuffled_together() -> None:
    """Player 0 orders the same retreat twice while player 1 attacks once. One of these comes before the attack in two
    thirds of the orders; if the players alternated, as under the other rule, it always would."""
    land = st.conquest.load("simple", rules="soares2025-text")
    start = land.state([0, 0, 0, 1, 1, -1, -1, -1, -1], [0, 0, 9, 9, 9, 0, 0, 0, 0])
    before = 0
    for seed in range(3000):
        state = start.copy()
        state.resolve([March(2, 1, 9), March(2, 1, 9)], [March(3, 2, 9), March(4, 3, 9)], first=0, seed=seed)
        before += state.armies[1] == 9  # the retreat was not too late
    # In a third of the orders the attack comes before both marches of player 0.
    assert before == pytest.approx(2000, abs=150)


def test_turns_of_one_seed_are_shuffled_differently() -> None:
    land = st.conquest.load("simple", rules="soares2025-text")
    homes = set()
    for turn in range(20):
        state = land.state([0, 0, -1, -1, -1, -1, -1, -1, 1], [0, 9, 0, 0, 0, 0, 0, 0, 5], turn=turn)
        state.resolve([March(1, 0, 9), March(0, 1, 9)], [])
        homes.add(state.armies[1])
    assert homes == {0, 9}


@pytest.mark.parametrize(
    ("orders", "reason"),
    [
        ([Deploy(2, 1)], "deploys 1 on territory 2, which it does not own"),
        ([Deploy(7, 1)], "does not own"),
        ([Deploy(9, 1)], "does not exist"),
        ([Deploy(-1, 1)], "does not exist"),
        ([Deploy(0, 0)], "armies must be within"),
        ([Deploy(0, -3)], "armies must be within"),
        ([Deploy(0, 6)], "deploys 6 armies and has an income of 5"),
        ([Deploy(0, 3), Deploy(1, 3)], "deploys 6 armies"),
        ([Deploy(0, 10**30)], "armies must be within"),
        ([March(2, 3, 1)], "does not own the source"),
        ([March(0, 2, 1)], "no edge"),
        ([March(0, 0, 1)], "no edge"),
        ([March(0, 9, 1)], "no such territory"),
        ([March(0, 10**30, 1)], "no such territory"),
        ([March(0, 1, 0)], "armies must be within"),
        ([March(0, 1, -1)], "armies must be within"),
        ([(0, 1, 2, 3)], "orders are a list"),
        ([7], "orders are a list"),
        (None, "orders are a list"),
        ("deploy", "orders are a list"),
        ([("a", 1)], "must be an integer"),
        ([March(0, 1, 1.5)], "must be an integer"),  # type: ignore[arg-type]
    ],
)
def test_illegal_orders_get_their_reason_and_change_nothing(orders: list[Order], reason: str) -> None:
    state = small()
    before = position(state)
    with pytest.raises(ValueError, match=reason):
        state.resolve(orders, [])
    mirrored = [Deploy(8, 1)]
    with pytest.raises(ValueError, match="player 0 deploys"):
        state.resolve(mirrored, mirrored)
    with pytest.raises(ValueError, match="first must be"):
        state.resolve([], [], first=2)
    assert position(state) == before


def test_bad_positions_are_refused() -> None:
    land = st.conquest.load("simple")
    for owner, armies, turn in (
        ([0] * 8, [0] * 9, 0),
        ([0] * 9, [0] * 8, 0),
        ([2] * 9, [0] * 9, 0),
        ([0] * 9, [-1] * 9, 0),
        ([0] * 9, [10**7] * 9, 0),
        ([0] * 9, [0] * 9, -1),
    ):
        with pytest.raises(ValueError, match=r"must|owner"):
            land.state(owner, armies, turn)
    for player in (-1, 2):
        with pytest.raises(ValueError, match="player must be"):
            land.start(1).income(player)


def test_random_starts_are_uniform() -> None:
    land = st.conquest.load("owl_island")
    armies: Counter[int] = Counter()
    owned: Counter[int] = Counter()
    for seed in range(2000):
        state = land.start(seed)
        assert Counter(state.owner) == {0: 2, 1: 2, -1: 8}
        armies.update(state.armies)
        owned.update(t for t, o in enumerate(state.owner) if o == 0)
    assert set(armies) == set(range(5))
    assert all(abs(n / 24000 - 0.2) < 0.015 for n in armies.values())
    assert all(abs(n / 4000 - 1 / 12) < 0.015 for n in owned.values())
    assert position(land.start(7)) == position(land.start(7))
    territories = tuple("abc")
    tiny = dataclasses.replace(
        land, territories=territories, places=land.places[:3], edges=((0, 1), (1, 2)), bonuses=()
    )
    with pytest.raises(st.MapError, match="too few territories for start_lands"):
        tiny.start(1)


def chi_square_agrees(a: Counter[object], b: Counter[object]) -> bool:
    """Whether two samples of equal size may come from one distribution (at 1 in 10,000, by Wilson and Hilferty)."""
    common = [key for key in a | b if a[key] + b[key] >= 20]
    pairs = [(a[key], b[key]) for key in common]
    pairs.append((a.total() - sum(x for x, _ in pairs), b.total() - sum(y for _, y in pairs)))
    pairs = [(x, y) for x, y in pairs if x + y > 0]
    statistic = sum((x - y) ** 2 / (x + y) for x, y in pairs)
    df = len(pairs) - 1
    return df == 0 or statistic < df * (1 - 2 / (9 * df) + 3.72 * float(2 / (9 * df)) ** 0.5) ** 3


@pytest.mark.statistics
@pytest.mark.parametrize("name", ["simple", "banana", "owl_island", "italy"])
@pytest.mark.parametrize("turns", [0, 4])
def test_random_moves_have_the_oracle_s_distribution(name: str, turns: int) -> None:
    land = st.conquest.load(name)
    state = land.start(5)
    for turn in range(turns):
        state.resolve(state.random_move(0, turn), state.random_move(1, turn), first=turn % 2)
    assert not state.over
    game = Game(land, state.owner, state.armies)
    rng = random.Random(1)
    n = 4000
    for player in (0, 1):
        engine = [state.random_move(player, seed) for seed in range(n)]
        plain = [game.random_move(player, rng) for _ in range(n)]
        for view in VIEWS:
            ours, theirs = Counter(map(view, engine)), Counter(map(view, plain))
            assert chi_square_agrees(ours, theirs), view


def deploys_of(move: list[Order]) -> object:
    return tuple(order for order in move if isinstance(order, Deploy))


def edges_of(move: list[Order]) -> object:
    return frozenset(order[:2] for order in move if isinstance(order, March))


def first_march_of(move: list[Order]) -> object:
    return next((order for order in move if isinstance(order, March)), None)


VIEWS: tuple[Callable[[list[Order]], object], ...] = (deploys_of, edges_of, first_march_of, len)


def test_playouts_are_reproducible_and_add_up() -> None:
    state = st.conquest.load("italy").start(3)
    result = st.conquest.playouts(state, 200, seed=1)
    assert result == st.conquest.playouts(state, 200, seed=1)
    assert result != st.conquest.playouts(state, 200, seed=2)
    assert result.wins0 + result.wins1 + result.ties == 200
    assert st.conquest.playouts(state, 0) == (0, 0, 0, 0)
    with pytest.raises(st.SandtableError):
        st.conquest.playouts(state, -1)


def test_a_state_is_small() -> None:
    assert sys.getsizeof(st.conquest.load("earth").start(1)) < 512
