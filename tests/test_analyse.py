"""`sandtable analyse`: answers like those of KataGo's analysis engine, and errors that name a bad query's field."""

import io
import json
import sys
import threading
import time
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import sandtable as st
from sandtable.errors import PlayerError
from sandtable.games import game_of
from sandtable.players.analysing import Engine
from support.commands import sandtable

DUEL = {"game": "tubstap", "map": "duel"}
HOLD, HELD = 999, threading.Event()  # an analysis with that seed waits for the event
SIMPLE = {"game": "conquest", "map": "simple", "side": 1}


def answers_of(spec: str, *queries: dict[str, Any] | bytes, threads: int = 1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    engine = Engine(spec, found.append, threads)
    for query in queries:
        engine.ask(query if isinstance(query, bytes) else json.dumps(query).encode())
    engine.finish()
    return found


def test_an_answer_has_the_player_s_analysis() -> None:
    (answer,) = answers_of("uct(simulations=200)", {"id": "a", **DUEL})
    state = st.load("duel").start()
    player = st.player("uct(simulations=200)")
    player.start(state.scenario, 0, 0)  # type: ignore[attr-defined]
    analysis = player.analyse(state)  # type: ignore[attr-defined]
    assert (answer["id"], answer["isDuringSearch"]) == ("a", False)
    root = answer["rootInfo"]
    assert (root["side"], root["turn"], root["value"], root["visits"]) == (0, 0, analysis.value, 200)
    assert [info["order"] for info in answer["moveInfos"]] == list(range(len(analysis.candidates)))
    for info, candidate in zip(answer["moveInfos"], analysis.candidates, strict=True):
        assert info["move"] == game_of(state).write_move(state, 0, candidate.move)
        assert (info["visits"], info["value"], info["prior"]) == (candidate.visits, candidate.value, candidate.prior)
        assert info["pv"][0] == info["move"]
    assert len(max((info["pv"] for info in answer["moveInfos"]), key=len)) > 1


def test_a_query_may_give_moves_and_a_whole_map() -> None:
    record = st.play(st.load("duel"), "random", "random", seed=1)
    fields = game_of(record.start).start_fields(record.start)
    moves = [game_of(record.start).as_kept(move) for move in record.moves[:5]]
    whole = {"id": "b", "game": "tubstap", "map": json.loads(fields["map"]), "moves": moves}
    first, second = answers_of("uct(simulations=50)", {"id": "a", **DUEL, "moves": moves}, whole)
    assert first["moveInfos"] == second["moveInfos"]
    state = list(record.states())[5]
    assert first["rootInfo"]["side"] == state.side


def test_the_champion_analyses_both_games() -> None:
    duel, simple = answers_of("sandtable", {"id": "a", **DUEL, "maxVisits": 16}, {"id": "b", **SIMPLE, "maxVisits": 2})
    assert duel["moveInfos"][0]["prior"] is not None
    assert simple["rootInfo"]["side"] == 1
    state = st.load("simple").start(0)
    for info in simple["moveInfos"]:
        state.copy().resolve([], game_of(state).read_move(state, 1, info["move"]))
        assert info["pv"] == [info["move"]]


def test_partial_answers_come_on_request() -> None:
    answers = answers_of("uct", {"id": "a", **DUEL, "maxVisits": 160, "reportDuringSearch": True})
    assert [answer["rootInfo"]["visits"] for answer in answers] == [10, 40, 160]
    assert [answer["isDuringSearch"] for answer in answers] == [True, True, False]
    whole = answers_of("uct", {"id": "a", **DUEL, "maxVisits": 160})
    assert whole[0]["moveInfos"] == answers[-1]["moveInfos"]
    (only,) = answers_of("minimax(depth=1)", {"id": "a", **DUEL, "reportDuringSearch": True})
    assert not only["isDuringSearch"]


def answers_while_one_is_analysed(*queries: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers to queries that all arrive while another one is being analysed."""
    found: list[dict[str, Any]] = []
    HELD.clear()
    engine = Engine("random_analyst", found.append)
    engine.ask(json.dumps({"id": "held", **DUEL, "seed": HOLD}).encode())
    while engine.waiting:  # until its thread has taken the first
        time.sleep(0.001)
    for query in queries:
        engine.ask(json.dumps(query).encode())
    HELD.set()
    engine.finish()
    return found


def test_answers_may_come_out_of_order() -> None:
    """Waiting queries are answered by priority; with several threads, answers come as soon as they are ready."""
    queries = [{"id": str(number), **DUEL, "priority": number % 3} for number in range(6)]
    ids = [answer["id"] for answer in answers_while_one_is_analysed(*queries)]
    assert ids == ["held", "2", "5", "1", "4", "0", "3"]
    many = answers_of("uct(simulations=5)", *queries, threads=3)
    assert {answer["id"] for answer in many} == {query["id"] for query in queries}
    assert all(answer["moveInfos"] == many[0]["moveInfos"] for answer in many)


def test_queries_can_be_terminated() -> None:
    queries = [{"id": str(number), **DUEL} for number in range(3)]
    stop = {"id": "stop", "action": "terminate", "terminateId": "1"}
    held = stop | {"terminateId": "held"}
    ids = [answer["id"] for answer in answers_while_one_is_analysed(*queries, stop, held)]
    assert ids == ["stop", "stop", "0", "2"]


def test_an_id_in_use_is_refused() -> None:
    refused, *answered = answers_while_one_is_analysed({"id": "a", **DUEL}, {"id": "a", **DUEL})
    assert refused["error"] == "id: 'a' belongs to a query that is not answered yet"
    assert [answer["id"] for answer in answered] == ["held", "a"]


ERRORS: dict[str, tuple[Any, str]] = {
    "no JSON": (b"what?", "not JSON: "),
    "no UTF-8": (b"\xff", "not UTF-8"),
    "no object": (b"[]", "a query must be an object"),
    "no id": (DUEL, "id is missing"),
    "an id that is no text": ({"id": 1, **DUEL}, "id: must be a string, not 1"),
    "no map": ({"id": "a", "game": "tubstap"}, "map is missing"),
    "a typing error": ({"id": "a", **DUEL, "maxVisit": 3}, "unknown field 'maxVisit' (did you mean 'maxVisits'?)"),
    "an unknown game": ({"id": "a", "game": "chess", "map": "duel"}, "no game is called 'chess'"),
    "an unknown map": ({"id": "a", "game": "tubstap", "map": "/etc/passwd"}, "map: tubstap ships no map '/etc/passwd'"),
    "a damaged map": ({"id": "a", "game": "tubstap", "map": {"format": 3}}, "missing"),
    "unknown rules": ({"id": "a", **DUEL, "rules": "none"}, "none"),
    "an illegal move": (
        {"id": "a", **DUEL, "moves": [[0, 99, 1, -1]]},
        "moves[0]: illegal move: (99, 1) is off the board",
    ),
    "no move": ({"id": "a", **DUEL, "moves": ["x"]}, "moves[0]: "),
    "no turn": ({"id": "a", **SIMPLE, "moves": [[]]}, "moves[0]: a turn is [orders of 0"),
    "a text for a list": ({"id": "a", **DUEL, "moves": "x"}, 'moves: must be a list, not "x"'),
    "no side": ({"id": "a", "game": "conquest", "map": "simple"}, "side: both sides decide at once: give 0 or 1"),
    "the wrong side": ({"id": "a", **DUEL, "side": 1}, "side: must be 0, the side to move, not 1"),
    "no budget": ({"id": "a", **DUEL, "maxVisits": 0}, "maxVisits: 0 is not within 1..2**31"),
    "no candidates": ({"id": "a", **DUEL, "maxCandidates": 0}, "maxCandidates: must be 1 or more, not 0"),
    "a priority": ({"id": "a", **DUEL, "priority": 2**70}, "priority: 1180591620717411303424 is not within"),
    "a seed": ({"id": "a", **DUEL, "seed": -1}, "seed: -1 is not within"),
    "another game's player": ({"id": "a", **SIMPLE}, "muct plays tubstap, not conquest"),
    "an unknown action": ({"id": "a", "action": "stop", "terminateId": "b"}, "action: must be 'terminate', not 'stop'"),
}


@pytest.mark.parametrize(("query", "message"), ERRORS.values(), ids=ERRORS)
def test_errors_name_the_field(query: Any, message: str) -> None:
    (answer,) = answers_of("muct(simulations=5)", query)
    assert message in answer["error"]
    assert answer["id"] == (query["id"] if isinstance(query, dict) and query.get("id") == "a" else None)


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(
    some.dictionaries(
        some.sampled_from(["id", "game", "map", "start", "rules", "moves", "side", "seed", "action"]), JSON
    ),
    some.sampled_from([{}, {"id": "a", **DUEL}, {"id": "a", **SIMPLE}]),
)
def test_any_query_is_answered(changes: dict[str, Any], query: dict[str, Any]) -> None:
    (answer,) = answers_of("random_analyst", query | changes)
    assert "error" in answer or "rootInfo" in answer or answer["action"] == "terminate"


@pytest.fixture(autouse=True, scope="module")
def analyst() -> Any:
    """Register a player that analyses without a search."""
    from sandtable.players import registry

    class RandomAnalyst:
        games = ("tubstap", "conquest")
        seed = 0

        def start(self, map: Any, side: int, seed: int) -> None:
            self.seed = seed

        def act(self, state: Any, side: int | None = None) -> Any:
            return game_of(state).random_move(state, side or 0, 1)

        def analyse(self, state: Any, side: int | None = None) -> st.Analysis:
            if self.seed == HOLD:
                HELD.wait()
            return st.Analysis(0.0, [st.Candidate(self.act(state, side), 1, 0.0)], 1, 0.0)

    with mock.patch.dict(registry._PLAYERS):
        st.register("random_analyst", RandomAnalyst)
        yield


def test_players_that_do_not_analyse_are_refused() -> None:
    with pytest.raises(PlayerError, match=r"it has no analyse\(state, side\)"):
        answers_of("random")


def test_a_closed_output_ends_the_engine() -> None:
    def gone(answer: dict[str, Any]) -> None:
        raise BrokenPipeError

    engine = Engine("random_analyst", gone, threads=2)
    engine.ask(json.dumps({"id": "a", **DUEL}).encode())
    with pytest.raises(BrokenPipeError):
        engine.finish()
    with pytest.raises(BrokenPipeError):
        engine.ask(b"")


def test_the_command_answers_each_line_of_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps({"id": "a", **DUEL}) + "\n\nrubbish\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    lines = [json.loads(line) for line in sandtable("analyse", "uct(simulations=10)").stdout.splitlines()]
    assert sorted((answer["id"] or "", "error" in answer) for answer in lines) == [("", True), ("a", False)]
