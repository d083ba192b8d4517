"""Each limit of the page's server, and names that are refused."""

import asyncio
import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import sandtable as st
from sandtable.arena.store import Store
from sandtable.arena.tournament import make, run
from sandtable.errors import SandtableError
from sandtable.web import analysing, app, hub, live, playing, replays, searches
from sandtable.web.keeping import GameStore
from support.page_server import HUMAN, LIVE, Live, level, uct
from support.page_server import live as connected


def test_large_bodies_are_refused(client: TestClient) -> None:
    limits = {"/api/maps": app.MAX_BODY, "/api/maps/generate": app.MAX_BODY, "/api/records": app.MAX_RECORDS_BODY}
    for path, limit in limits.items():
        assert client.post(path, content=b" " * (limit + 1)).status_code == 413
        assert client.post(path, content=b" " * limit).status_code == 422


def test_a_store_of_a_hundred_games_is_read_and_a_larger_file_refused_with_advice(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(tmp_path / "cup.sqlite") as store:
        run(make("cup", ["greedy", "random"], ["crossroads"], 100), store)
    data = (tmp_path / "cup.sqlite").read_bytes()
    assert len(data) > app.MAX_BODY
    assert len(client.post("/api/records", content=data).json()["replays"]) == 100
    monkeypatch.setattr(app, "MAX_RECORDS_BODY", 1000)
    refused = client.post("/api/records", content=data)
    assert refused.status_code == 413
    assert "larger than the 1,000 bytes" in refused.json()["error"]
    assert "sandtable games export" in refused.json()["error"]
    assert "sandtable show --html" in refused.json()["error"]


def test_a_large_message_ends_the_connection(client: TestClient) -> None:
    with connected(client) as page:
        assert "none of" in page.ask("x" * (live.MAX_MESSAGE - 100))
    with client.websocket_connect(LIVE) as session:
        session.send_text(" " * (live.MAX_MESSAGE + 1))
        with pytest.raises(WebSocketDisconnect) as closed:
            session.receive_text()
        assert closed.value.code == live.TOO_BIG


def test_messages_a_second_are_limited(page: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    now = live.monotonic()
    monkeypatch.setattr(live, "monotonic", lambda: now)
    answers = [page.ask("stop", analysis_id="x") for _ in range(live.MAX_RATE + 2)]
    assert answers[: live.MAX_RATE] == [{}] * live.MAX_RATE
    assert "too many messages" in answers[-1]
    now += 0.5
    assert page.ask("stop", analysis_id="x") == {}


def test_the_list_of_games_is_limited(client: TestClient, page: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [page.new("tubstap", "duel", HUMAN, HUMAN)["id"] for _ in range(3)]
    assert {one["id"] for one in client.get("/api/kept").json()} == set(ids)
    monkeypatch.setattr(app, "MAX_LISTED", 2)
    assert len(client.get("/api/kept").json()) == 2


def test_games_open_on_a_page_are_limited(page: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MAX_GAMES", 2)
    ids = [page.new("tubstap", "duel", HUMAN, HUMAN)["id"] for _ in range(2)]
    sides = {"sides": [HUMAN, HUMAN]}
    assert "at most 2 games open" in page.ask("new_game", game="tubstap", map="duel", **sides)
    page.ask("unwatch", game_id=ids[0])
    assert page.ask("join", game_id=ids[1])["state"]
    assert page.ask("join", game_id=ids[0])["state"]
    assert "at most 2 games open" in page.ask("new_game", game="tubstap", map="duel", **sides)


def test_connections_are_limited(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MAX_CONNECTIONS", 1)
    with connected(client), pytest.raises(WebSocketDisconnect), client.websocket_connect(LIVE):
        pass
    with connected(client):
        pass


def test_analyses_are_limited(page: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    id = page.new("tubstap", "duel", HUMAN, HUMAN)["id"]
    position = {"game_id": id, "ply": 0}

    def ask(name: str, simulations: Any, **more: Any) -> Any:
        return page.ask("analyse", analysis_id=name, position=position, simulations=simulations, **more)

    assert "is not within 1..20000" in ask("a", analysing.MAX_SIMULATIONS + 1)
    assert "is not within 1..20000" in ask("a", 0)
    assert "at most 200" in ask("a", 1, line=[None] * (analysing.MAX_LINE + 1))
    assert "at most 100 characters" in ask("a" * 101, 1)
    monkeypatch.setattr(analysing, "MAX_ANALYSES", 0)
    assert "at most 0 analyses" in ask("a", 1)


def test_hints_at_once_are_limited(page: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MAX_SLOW", 0)
    id = page.new("tubstap", "duel", HUMAN, HUMAN)["id"]
    assert "too many requests are pending" in page.ask("hint", game_id=id)


def test_waiting_searches_are_limited(page: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "MAX_WAITING", 0)
    page.new("tubstap", "duel", level("corporal"), HUMAN)
    state = page.state_when(lambda state: "error" in state)
    assert "too many searches are waiting" in state["error"]


def test_counts_of_players_are_limited(page: Live) -> None:
    for count in (0, -1, 20_001, 10**30, 1.5, "200", True):
        sides = [HUMAN, uct(1) | {"count": count}]
        assert "count" in page.ask("new_game", game="tubstap", map="duel", sides=sides)


def test_moves_of_a_game_are_limited(page: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "MAX_PLIES", 0)
    id = page.new("tubstap", "duel", HUMAN, HUMAN)["id"]
    assert "at most 0 moves" in page.ask("move", game_id=id, ply=0, move=None)


def test_sent_records_are_limited(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    line = st.play(st.tubstap.load("duel"), "greedy", "greedy").to_line()
    monkeypatch.setattr(replays, "MAX_RECORDS", 2)
    assert len(client.post("/api/records", content=f"{line}\n{line}\n").json()["replays"]) == 2
    assert "more than the 2 records" in client.post("/api/records", content=f"{line}\n" * 3).json()["error"]
    (one,) = client.post("/api/records", content=line).json()["replays"]
    lines = b"\n" * (replays.MAX_LINES + 1)  # looking for records in 8 MB of empty lines would take ten seconds
    assert "more than the 10,000 lines" in client.post("/api/records", content=lines).json()["error"]
    monkeypatch.setattr(replays, "MAX_CHARACTERS", 1000)
    assert "more than the 1,000 characters" in client.get(f"/api/replays/{one['id']}").json()["error"]
    monkeypatch.setattr(replays, "MAX_PLIES", 3)
    assert "games of up to 3" in client.get(f"/api/replays/{one['id']}").json()["error"]


def test_only_the_latest_records_are_kept(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "MAX_KEPT", 1)
    line = st.play(st.tubstap.load("duel"), "greedy", "greedy").to_line()
    first, second = (client.post("/api/records", content=line).json()["replays"][0]["id"] for _ in range(2))
    assert client.get(f"/api/replays/{first}").status_code == 404
    assert client.get(f"/api/replays/{second}").status_code == 200
    monkeypatch.setattr(replays, "MAX_KEPT", 300)
    monkeypatch.setattr(replays, "MAX_KEPT_CHARACTERS", 2 * len(line))
    third, fourth = (client.post("/api/records", content=line).json()["replays"][0]["id"] for _ in range(2))
    assert client.get(f"/api/replays/{second}").status_code == 404, "they are too large together"
    assert all(client.get(f"/api/replays/{id}").status_code == 200 for id in (third, fourth))


def test_games_in_memory_are_limited_and_none_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "MAX_OPEN", 2)
    with GameStore(tmp_path / "games.sqlite") as store:
        games = hub.Hub(store, searches.Searches(1))
        made = [games.new_game("tubstap", "duel", 0, [HUMAN, HUMAN]) for _ in range(4)]
        games.watch(made[2], lambda _: None)
        games.give(made[0], 0, None)
        more = games.new_game("tubstap", "duel", 0, [HUMAN, HUMAN])
        assert games.find(made[2].id) is made[2]  # it is being watched
        assert games.find(more.id) is more
        again = games.find(made[0].id)
        assert again is not made[0]
        assert again.ply == 1  # nothing is lost


def test_only_the_latest_maps_are_kept(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    from sandtable.web import catalogue

    monkeypatch.setattr(catalogue, "MAX_UPLOADED", 1)
    ids = [
        client.post("/api/maps/generate", json={"game": "tubstap", "generator": "random", "seed": seed}).json()["id"]
        for seed in (1, 2)
    ]
    assert client.get(f"/api/maps/tubstap/{ids[0]}.svg").status_code == 404
    assert client.get(f"/api/maps/tubstap/{ids[1]}.svg").status_code == 200


def test_names_of_maps_are_shortened_and_printable(client: TestClient) -> None:
    content = st.game("tubstap").format(st.tubstap.load("duel"), ".tbsmap")
    names = {"mine": "mine", "": "map", "x" * 1000: "x" * 60, "a\nb\x07": "a b\ufffd"}
    for given, found in names.items():
        assert client.post("/api/maps", params={"name": given}, content=content).json()["name"] == found


def test_bad_options_of_generators_are_refused(client: TestClient) -> None:
    good = {"game": "tubstap", "generator": "battle", "options": {"size": 8}, "seed": 1}
    assert client.post("/api/maps/generate", json=good).status_code == 200
    changes: list[dict[str, Any]] = [
        {"generator": "local_search"},  # searches for minutes
        {"generator": "__class__"},
        {"options": {"size": 1000}},
        {"options": {"rules": "original"}},
        {"options": {"size": "8"}},
        {"options": []},
        {"seed": -1},
        {"game": "chess"},
        {"more": 1},
    ]
    for change in changes:
        answer = client.post("/api/maps/generate", json=good | change)
        assert answer.status_code == 422, change
        assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize(
    "side",
    [
        {"kind": "player", "player": "bot"},
        {"kind": "player", "player": "bot('rm -rf /')"},
        {"kind": "player", "player": "os:system"},
        {"kind": "player", "player": "my_module:MyPlayer"},
        {"kind": "player", "player": "uct(simulations=200)"},
        {"kind": "player", "player": "sandtable(net='/etc/passwd')"},
        {"kind": "player", "player": "/etc/passwd"},
        {"kind": "player", "player": "nobody"},
        {"kind": "player", "player": "uct", "net": "/etc/passwd"},
        {"kind": "player", "player": "uct", "settings": {"seconds": 3600}},
        {"kind": "player", "player": ["uct"]},
        {"kind": "player", "level": "general"},
        {"kind": "player", "level": "recruit", "player": "uct"},
        {"kind": "player", "level": "../../levels"},
        {"kind": "player"},
        {"kind": "bot"},
        {"kind": "human", "spec": "os:system"},
        {},
        "human",
        None,
    ],
)
def test_players_that_are_not_offered_are_refused(page: Live, side: Any) -> None:
    answer = page.ask("new_game", game="tubstap", map="duel", sides=[HUMAN, side])
    assert isinstance(answer, str)
    assert "\n" not in answer


@pytest.mark.parametrize("map", ["/etc/passwd", "ford.tbsmap", "../maps/ford", "nowhere", "", None, 5, {"id": "ford"}])
def test_maps_that_are_not_listed_are_refused(page: Live, map: Any) -> None:
    assert "has no map" in page.ask("new_game", game="tubstap", map=map, sides=[HUMAN, HUMAN])


def test_levels_and_listed_players_run_no_code() -> None:
    """What the page offers starts no program and reads no file that a request names."""
    from sandtable.players.registry import player_class
    from sandtable.players.trust import check_code, nothing, runs_code
    from sandtable.web.pages import page_of

    for game in st.games():
        page = page_of(game)
        for one in page.levels:
            check_code(one.spec, nothing)
        assert not any(runs_code(player_class(name)) or ":" in name for name in page.players)


def test_errors_name_no_file_of_this_machine(client: TestClient, page: Live) -> None:
    answers = [client.post("/api/records", content=b"SQLite format 3\x00" + bytes(2000)).text]
    answers += [client.post("/api/maps", content=content).text for content in (b"\xff", b"{}", b"[", b"SIZEX[3]")]
    answers += [json.dumps(page.ask("join", game_id=id)) for id in ("nothing", None, 5)]
    for answer in answers:
        assert "error" in answer or "no game" in answer or "game_id" in answer
        assert "/tmp" not in answer
        assert "Traceback" not in answer


def test_searches_at_once_are_limited_and_the_others_have_places_in_the_queue() -> None:
    running, most = 0, 0
    lock = threading.Lock()

    def search(number: int) -> int:
        nonlocal running, most
        with lock:
            running, most = running + 1, max(most, running + 1)
        time.sleep(0.01)
        with lock:
            running -= 1
        return number

    async def run() -> None:
        of = searches.Searches(2, lambda: ThreadPoolExecutor(1))
        tickets = [of.ticket(search, number) for number in range(6)]
        assert [ticket.place for ticket in tickets] == [0, 0, 1, 2, 3, 4]
        leaving = asyncio.ensure_future(of.result(tickets[3]))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.sleep(0)
        assert tickets[4].place == 2  # a search that leaves the queue moves the others forward
        found = await asyncio.gather(*(of.result(ticket) for ticket in tickets if ticket is not tickets[3]))
        assert [value for value, _ in found] == [0, 1, 2, 4, 5]

    asyncio.run(run())
    assert most == 2


def test_a_search_that_ends_its_process_is_tried_again_and_then_given_up() -> None:
    async def run() -> None:
        of = searches.Searches(1)
        try:
            with pytest.raises(SandtableError, match="the process of the search ended unexpectedly"):
                await of.run(os._exit, 3)
            assert await of.run(abs, -1) == 1
        finally:
            of.close()

    asyncio.run(run())


@pytest.mark.skipif(not hasattr(os, "nice"), reason="processes have no priority here")
def test_searches_run_at_lower_priority() -> None:
    async def run() -> int:
        of = searches.Searches(1)
        try:
            found: int = await of.run(os.getpriority, os.PRIO_PROCESS, 0)
            return found
        finally:
            of.close()

    assert asyncio.run(run()) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + searches.PRIORITY)
