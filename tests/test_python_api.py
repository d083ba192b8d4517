"""The objects of the Python API: equality, pickles, reprs, pictures, signatures, and errors about the wrong game."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sandtable as st
from sandtable import _core
from sandtable.arena.tables import Results

MAPS = [st.load("duel"), st.tubstap.maps.symmetric(2), st.load("simple")]
RECORDS = [st.play(map, "random", "random", seed=3) for map in MAPS]


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: one.game)
def test_states_compare_by_position(record: st.Record) -> None:
    states = list(record.states())
    for state in (states[0], states[2], states[-1]):
        assert state == state.copy()
        assert state != 5
        with pytest.raises(TypeError, match="unhashable"):
            hash(state)
    assert states[0] != states[2]
    assert states[2] != RECORDS[0].start or record is RECORDS[0]
    again = list(st.Record.from_line(record.to_line()).states())
    assert again == states


def test_equal_positions_under_other_rules_differ() -> None:
    land, scenario = st.load("simple"), st.load("duel")
    other = land.with_rules(land.rules.replace(turn_limit=50))
    assert land.start(1) == land.with_rules(land.rules.replace(name="same")).start(1)
    assert land.start(1) != other.start(1)
    assert scenario.start() != scenario.with_rules(scenario.rules.replace(quiet_limit=9)).start()


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: one.game)
def test_pickles_and_deep_copies_compare_equal(record: st.Record) -> None:
    map = st.game(record.game).map_of(record.start)
    later = list(record.states())[2]
    for one in (map, map.rules, record.start, later, record.moves[0], record.moves, record):
        assert pickle.loads(pickle.dumps(one)) == one
        assert copy.deepcopy(one) == one


def test_records_hold_the_moves_that_states_take() -> None:
    assert isinstance(RECORDS[0].moves[0], st.tubstap.Move)
    turn = RECORDS[2].moves[0]
    assert isinstance(turn, st.conquest.Turn)
    assert {type(order) for order in turn.orders0} <= {st.conquest.Deploy, st.conquest.March}
    state = RECORDS[0].start.copy()
    for move in RECORDS[0].moves:
        state.play(move)
    assert state == RECORDS[0].last()
    state = RECORDS[2].start.copy()
    for turn in RECORDS[2].moves:
        state.resolve(*turn)
    assert state == RECORDS[2].last()


SHOWN = [
    *(one for record in RECORDS for one in (record, record.start, st.game(record.game).map_of(record.start))),
    *(map.rules for map in MAPS),
    *st.games(),
    *(st.player(name) for name in ("random", "greedy", "sandtable", "mcts(iterations=5)")),
    st.PlayerSpec.parse("uct(simulations=5)"),
    st.player("greedy").analyse(MAPS[0].start()),  # type: ignore[attr-defined]
]


@pytest.mark.parametrize("one", SHOWN, ids=lambda one: type(one).__name__)
def test_the_repr_of_an_object_is_short(one: Any) -> None:
    assert len(repr(one)) < 200
    assert " at 0x" not in repr(one)
    assert "\n" not in repr(one)


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: one.game)
def test_notebooks_show_pictures(record: Any) -> None:
    game = st.game(record.game)
    map = game.map_of(record.start)
    assert record._repr_svg_() == game.svg(record.last())
    for one in (map, record.start):
        assert one._repr_svg_() == game.svg(one)


def test_the_extension_s_functions_have_signatures() -> None:
    state = st.load("simple").start(1)
    assert list(inspect.signature(state.resolve).parameters) == ["orders0", "orders1", "first", "seed"]
    assert inspect.signature(state.resolve).parameters["first"].default == 0
    assert next(iter(inspect.signature(type(state).resolve).parameters)) == "self"
    assert inspect.signature(_core.tubstap.uct).parameters["seconds"].default == 0.0
    assert inspect.signature(type(state).over.fget).return_annotation == "bool"  # a getter, which has no name
    counted = 0
    for module in (_core, _core.tubstap, _core.conquest, _core.python_game):
        kinds = [one for one in vars(module).values() if isinstance(one, type)]
        for one in (*vars(module).values(), *(method for kind in kinds for method in vars(kind).values())):
            if hasattr(one, "__nb_signature__") and not isinstance(one, type):
                inspect.signature(one)
                counted += 1
    assert counted > 100


STATE, LAND_STATE = MAPS[0].start(), MAPS[2].start(1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: st.tubstap.text(LAND_STATE),
        lambda: st.tubstap.svg(LAND_STATE),
        lambda: st.tubstap.perft(LAND_STATE, 1),
        lambda: st.tubstap.perft_by_move(LAND_STATE, 3),
        lambda: st.tubstap.playouts(LAND_STATE, 2),
        lambda: st.conquest.text(STATE),
        lambda: st.conquest.svg(MAPS[0]),
        lambda: st.conquest.playouts(STATE, 2),
        lambda: st.conquest.playouts(MAPS[2], 2),
        lambda: st.tubstap.text("duel"),  # type: ignore[arg-type]
    ],
)
def test_a_position_of_another_game_is_named_in_one_line(call: Callable[[], object]) -> None:
    with pytest.raises(st.SandtableError, match=r"of (tubstap|conquest) is needed, not ") as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_map_of_another_game_is_named() -> None:
    for source in ("italy", "conquest:italy"):
        with pytest.raises(st.MapError, match=f"^{source} is a map of conquest, but a map of tubstap is needed$"):
            st.tubstap.load(source)
    with pytest.raises(st.MapError, match=r"^ford is a map of tubstap, but a map of conquest is needed$"):
        st.conquest.load("ford")
    for source in ("fort", "tubstap:fort"):
        with pytest.raises(st.MapError, match=rf"^{source}: no such file, .* \(did you mean 'ford'\?\)$"):
            st.tubstap.load(source)


@pytest.mark.parametrize("generator", [one for game in st.games() for one in game.generators.values()])
def test_a_generator_option_of_a_wrong_type_gets_a_one_line_error(generator: Callable[..., object]) -> None:
    for option in inspect.signature(generator).parameters:
        values: tuple[object, ...] = ((6, 6), "x", {}, -1, True)
        for value in values:
            with pytest.raises(st.SandtableError) as caught:
                generator(**{option: value})
            assert "\n" not in str(caught.value)


def test_the_size_of_a_map_counts_playable_cells() -> None:
    scenario = st.tubstap.maps.symmetric(1, size=6)
    assert scenario.size == (6, 6)
    assert st.game("tubstap").summary(scenario).size.startswith("6x6")
    assert "SIZEX[8]" in st.tubstap.tbsmap.format(scenario)  # files include the ring of border cells


@pytest.mark.parametrize("name", ["greedy", "flow"])
def test_rule_based_players_have_an_analysis(name: str) -> None:
    position = STATE if name == "greedy" else LAND_STATE
    analysis = st.player(name).analyse(position, 0)  # type: ignore[attr-defined]
    assert analysis.candidates[0].move == st.player(name).act(position, 0)
    values = [one.value for one in analysis.candidates]
    assert values == sorted(values, reverse=True)
    assert all(-1 <= value <= 1 for value in values)


def test_a_player_without_an_analysis_says_so_in_one_line() -> None:
    silent = st.player("random")
    assert not hasattr(silent, "analyse")
    with pytest.raises(st.PlayerError, match="random cannot analyse positions"):
        silent.analyse(STATE)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="'Random' object has no attribute 'anything'"):
        _ = silent.anything  # type: ignore[attr-defined]


def test_matches_from_python(tmp_path: Path) -> None:
    store = tmp_path / "games.sqlite"
    result = st.match("greedy", "random", map="duel", games=4, store=store)
    assert result.players == ("greedy", "random")
    assert result.score.games == len(result.records) == 4
    assert result.score.interval[0] <= result.score.share <= result.score.interval[1]
    assert result.ratings[0].player == "greedy"
    assert "greedy" in str(result)
    assert "<td>greedy</td>" in result._repr_html_() == result.results._repr_html_()
    more = st.match("greedy", "random", map="duel", games=6, store=store)  # continues after the stored games
    assert [one.to_line() for one in more.records[:4]] == [one.to_line() for one in result.records]
    unstored = st.match(st.PlayerSpec.parse("greedy"), st.player("random"), map=MAPS[0], games=6)
    assert unstored.records == more.records


def test_tournaments_from_python(capsys: pytest.CaptureFixture[str]) -> None:
    result = st.tournament(["random", "flow", "random(seed=2)"], ["banana", LAND_STATE], games=2)
    assert result.results.games == 12
    assert {len(cells) for cells in result.table.values()} == {2}
    assert capsys.readouterr() == ("", "")  # no progress is shown without a terminal
    with pytest.raises(st.SandtableError, match="a score compares two players"):
        _ = result.score
    with pytest.raises(st.SandtableError, match="games must be even"):
        st.match("random", "flow", "banana", games=3)
    with pytest.raises(st.SandtableError, match="games must be a whole number"):
        st.match("random", "flow", "banana", games="many")  # type: ignore[arg-type]


def test_result_tables_escape_names() -> None:
    results = Results()
    results.count("<b>", "a&b", 0)
    assert "<td>&lt;b&gt;</td><td>a&amp;b</td>" in results._repr_html_()


def test_an_analysis_is_a_table_in_a_notebook() -> None:
    player: Any = st.player("uct(simulations=50)")
    found = player.analyse(STATE)
    table = found._repr_html_()
    assert table.count("<tr>") == 11
    best = found.candidates[0]
    assert f"<td>{best.move}</td><td>{best.visits}</td><td>{best.value:+.3f}</td><td></td>" in table
    assert f"the best 10 of {len(found.candidates)} candidates" in table
    strange = dataclasses.replace(found, candidates=[st.Candidate("<b>", 1, 0.5, 0.25)])
    assert "<td>&lt;b&gt;</td><td>1</td><td>+0.500</td><td>0.250</td>" in strange._repr_html_()
    assert "the best 10" not in strange._repr_html_()


def test_the_caches_can_be_cleared_and_sized(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime")
    monkeypatch.setenv("SANDTABLE_CACHE", "")
    state = st.tubstap.maps.symmetric(1).start()
    first = st.nets.evaluator("gcn_4")
    assert st.nets.evaluator("gcn_4") is first
    st.clear_cache()
    second = st.nets.evaluator("gcn_4")
    assert second is not first
    second.evaluate([state])
    second.evaluate([state])
    assert second.hits == 1
    st.clear_cache()
    second.evaluate([state])
    assert second.hits == 1, "an evaluator that is in use is cleared too"
    st.set_cache_size(0)
    second.evaluate([state])
    assert second.hits == 1, "and takes the new size"
    third = st.nets.evaluator("gcn_4")
    third.evaluate([state])
    third.evaluate([state])
    assert third.hits == 0
    st.set_cache_size(None)
    for evaluator in (second, third):
        before = evaluator.hits
        evaluator.evaluate([state])
        evaluator.evaluate([state])
        assert evaluator.hits == before + 1
    with pytest.raises(st.SandtableError, match="the cache must be a whole number"):
        st.set_cache_size(-1)
    monkeypatch.setenv("SANDTABLE_CACHE", "many")
    st.clear_cache()
    with pytest.raises(st.SandtableError, match="SANDTABLE_CACHE: must be a whole number"):
        st.nets.evaluator("gcn_4")


@pytest.mark.parametrize("name", ["ford", "italy"])
def test_unknown_rules_are_not_blamed_on_the_map(name: str) -> None:
    with pytest.raises(st.SandtableError, match=r"^no rules are called 'orignal'.*; there are "):
        st.load(name, rules="orignal")


def test_maps_of_either_game_are_loaded_from_files_and_by_names(tmp_path: Path) -> None:
    scenario, land = st.load("ford"), st.load("conquest:simple")  # not TUBSTAP's generator of that name
    assert land == st.load("simple")
    for name, map in (("a.tbsmap", scenario), ("b.json", scenario), ("c.json", land)):
        st.game("conquest" if map is land else "tubstap").save(map, tmp_path / name)
        for path in (tmp_path / name, str(tmp_path / name)):
            assert st.load(path).start() == map.start()
    with pytest.raises(st.MapError, match=r"did you mean 'ford'\?"):
        st.load("fordd")
    with pytest.raises(st.MapError, match="no game is called 'tubstab'"):
        st.load("tubstab:ford")
    (tmp_path / "d.json").write_text("{}")
    with pytest.raises(st.MapError, match="not a map of tubstap or conquest"):
        st.load(tmp_path / "d.json")
