"""Live analysis: growing searches, hints, lines of tried moves, replays."""

import dataclasses
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import sandtable as st
from sandtable.analysis import Analysis, Candidate
from sandtable.arena.store import Store
from sandtable.arena.tournament import make, run
from sandtable.errors import RecordError
from sandtable.web import analysing, hub
from sandtable.web.replays import read_records, replay
from support.page_server import HUMAN, Live


def analysed(page: Live, position: dict[str, Any], simulations: int, **more: Any) -> list[dict[str, Any]]:
    """All results of an analysis."""
    message = {"analysis_id": "a", "position": position, "simulations": simulations} | more
    assert page.ask("analyse", **message) == {}
    found: list[dict[str, Any]] = []
    while not found or not found[-1]["done"]:
        event = page.wait(lambda event: event["event"] == "analysis")
        if "candidates" in event:
            found.append(event)
    return found


def test_an_analysis_grows_and_keeps_its_tree(page: Live) -> None:
    id = page.new("tubstap", "ford", HUMAN, HUMAN)["id"]
    found = analysed(page, {"game_id": id, "ply": 0}, 1000)
    assert [one["simulations"] for one in found] == [250, 500, 750, 1000]
    assert found[-1]["candidates"][0]["visits"] > found[0]["candidates"][0]["visits"]
    assert analysed(page, {"game_id": id, "ply": 0}, 257)[-1]["simulations"] == 258, "two equal parts have 258"
    assert found[-1]["nodes"] > 2 * found[0]["nodes"]  # as in one search with all simulations
    for one in found:
        assert -1 <= one["value"] <= 1
        assert one["values"] == [one["value"], -one["value"]]
        best, *rest = one["candidates"]  # what the champion would play, then the others by their visits
        visits = [candidate["visits"] for candidate in rest]
        assert visits == sorted(visits, reverse=True)
        assert best["visits"] >= 0.1 * visits[0]
        assert best["pv"][0] == best["sentence"]
        assert 0 <= best["prior"] <= 1
    assert page.ask("move", game_id=id, ply=0, move=found[-1]["candidates"][0]["move"]) == {"ply": 1}


def test_values_are_per_player_and_not_by_the_side_to_move(client: TestClient, page: Live) -> None:
    """Blue's units are all but dead: whoever moves, red is ahead."""
    duel = st.tubstap.load("duel")
    weak = dataclasses.replace(duel, units=tuple(unit._replace(hp=1) if unit.side else unit for unit in duel.units))
    map = client.post("/api/maps", content=st.game("tubstap").format(weak, ".json")).json()["id"]
    id = page.new("tubstap", map, HUMAN, HUMAN)["id"]
    page.ask("move", game_id=id, ply=0, move=None)
    red, blue = (analysed(page, {"game_id": id, "ply": ply}, 256)[-1] for ply in (0, 1))
    assert (red["side"], blue["side"]) == (0, 1)
    assert min(red["value"], blue["value"]) > 0.3
    assert red["candidates"][0]["value"] > 0 > blue["candidates"][0]["value"]


def test_searches_that_keep_no_tree_double_their_budget(page: Live) -> None:
    id = page.new("goofspiel", "six", HUMAN, HUMAN)["id"]
    found = analysed(page, {"game_id": id, "ply": 0}, 300, side=1)
    assert [one["simulations"] for one in found] == [64, 128, 256, 300]
    assert found[-1]["side"] == 1


def test_both_sides_of_a_simultaneous_turn_can_be_analysed(page: Live) -> None:
    id = page.new("conquest", "simple", HUMAN, HUMAN, seed=1)["id"]
    for side in (0, 1):
        last = analysed(page, {"game_id": id, "ply": 0}, 128, side=side)[-1]
        move = last["candidates"][0]["move"]
        assert page.ask("move", game_id=id, ply=0, side=side, move=move) == {"ply": side}


def test_waiting_analyses_get_their_place_in_the_queue_whenever_it_changes(
    page: Live, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = threading.Semaphore(0)

    def wait_for_turn(*_: Any) -> Analysis:
        turns.acquire()
        return Analysis(0.0, [], 1, 0.0, 1)

    monkeypatch.setattr(analysing, "analyse", wait_for_turn)
    monkeypatch.setattr(hub, "QUEUE_SECONDS", 0.01)
    id = page.new("tubstap", "duel", HUMAN, HUMAN)["id"]
    for name in "abcd":  # there is one worker
        page.ask("analyse", analysis_id=name, position={"game_id": id, "ply": 0}, simulations=1)
    places = []
    for _ in range(4):
        places.append(page.wait(lambda event: event.get("analysis_id") == "d")["queue"])
        turns.release()
    assert places == [3, 2, 1, None]


def test_unvisited_candidates_are_left_out_except_the_first(page: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    moves = [[], [[0, 5]], [[1, 5]]]
    candidates = [Candidate(move, visits, 0.0) for move, visits in zip(moves, (0, 3, 0), strict=True)]
    found = Analysis(0.0, candidates, 1, 0.0, 1)
    monkeypatch.setattr(analysing, "analyse", lambda *_: found)
    monkeypatch.setattr(analysing, "_candidate", lambda *given: given[2].visits)
    id = page.new("conquest", "simple", HUMAN, HUMAN, seed=1)["id"]
    last = analysed(page, {"game_id": id, "ply": 0}, 1)[-1]
    assert last["candidates"] == [0, 3], "the first is kept, since it would be played"


def test_a_stopped_analysis_sends_no_more_results(page: Live) -> None:
    id = page.new("tubstap", "ford", HUMAN, HUMAN)["id"]
    page.ask("analyse", analysis_id="long", position={"game_id": id, "ply": 0}, simulations=20_000)
    page.wait(lambda event: event.get("candidates") is not None)
    page.ask("stop", analysis_id="long")
    page.events.clear()
    hint = page.ask("hint", game_id=id)
    assert not [event for event in page.events if event.get("analysis_id") == "long"]
    assert hint["side"] == 0
    assert hint["pv"][0] == hint["sentence"]
    assert page.ask("move", game_id=id, ply=0, move=hint["move"]) == {"ply": 1}


def test_lines_of_tried_moves_do_not_change_the_game(page: Live) -> None:
    state = page.new("tubstap", "duel", HUMAN, HUMAN)
    position = {"game_id": state["id"], "ply": 0}
    first = page.ask("line", position=position, line=[])
    assert (first["view"], first["choices"]) == (state["view"], state["choices"])
    move = state["choices"]["moves"][3][:4]
    tried = page.ask("line", position=position, line=[move, None])
    assert tried["view"]["ply"] == 2
    assert tried["choices"]["side"] == 1
    assert tried["view"]["board"]["last"] == [None]
    assert page.ask("join", game_id=state["id"])["state"]["view"]["ply"] == 0
    assert analysed(page, position, 64, line=[move, None])[-1]["side"] == 1
    assert "move: must be a list" in page.ask("line", position=position, line=["nonsense"])
    turn = page.new("conquest", "simple", HUMAN, HUMAN, seed=1)
    both = page.ask("line", position={"game_id": turn["id"], "ply": 0}, line=[[[], []]])
    assert both["view"]["turn"] == 1
    assert "list of at most 2" in page.ask("line", position={"game_id": turn["id"], "ply": 0}, line=[[[], [], []]])


def test_records_and_stores_can_be_replayed(client: TestClient, page: Live, tmp_path: Path) -> None:
    tournament = make("cup", ["greedy", "random"], ["duel"], 2)
    with Store(tmp_path / "cup.sqlite") as store:
        run(tournament, store)
        lines = [row.record for row in store.rows()]
    data = (tmp_path / "cup.sqlite").read_bytes()
    for content in ("\n".join(lines).encode(), data):
        listed = client.post("/api/records", content=content).json()["replays"]
        assert [one["sides"][0]["title"] for one in listed] == ["greedy", "random"]
        shown = client.get(f"/api/replays/{listed[0]['id']}").json()
        assert shown["views"] == replay(read_records(lines[0].encode())[0][1])["views"]
        assert analysed(page, {"replay_id": listed[0]["id"], "ply": 2}, 64)[-1]["ply"] == 2
    assert [view["ply"] for view in shown["views"]] == list(range(len(shown["moves"]) + 1))
    outcome = {0: 1.0, 1: -1.0, None: 0.0}[shown["winner"]]
    assert shown["values"] == [None] * len(shown["moves"]) + [outcome], "no search has run, but the result is known"


def test_a_record_that_cannot_be_replayed_is_refused() -> None:
    record = st.play(st.tubstap.load("duel"), "greedy", "greedy")
    broken = dataclasses.replace(record, moves=(*record.moves[:2], [0, 0, 0, -1]))
    with pytest.raises(RecordError, match="move 2"):
        replay(broken)
