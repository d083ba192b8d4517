"""Anything that is sent to the page's server gets an answer, and the server stays up."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from starlette.testclient import TestClient

import sandtable as st
from sandtable.web.live import MAX_OUTBOX, TOO_SLOW, Connection
from support.page_server import HUMAN, LIVE, Live, live

WORDS = [
    "tubstap",
    "conquest",
    "ford",
    "simple",
    "human",
    "player",
    "uct",
    "recruit",
    "",
]
KEYS = ["game", "map", "seed", "sides", "game_id", "replay_id", "ply", "move", "side", "position", "line", "level"]
KEYS += ["simulations", "analysis_id", "kind", "player", "count"]
ACTIONS = ["new_game", "join", "watch", "unwatch", "move", "undo", "resign", "hint", "analyse", "stop", "line"]
NUMBERS = some.integers(-3, 12) | some.integers() | some.floats(allow_nan=False, allow_infinity=False)
LEAVES = some.none() | some.booleans() | NUMBERS | some.text(max_size=8)
VALUES = some.recursive(
    LEAVES | some.sampled_from(WORDS),
    lambda inner: some.lists(inner, max_size=5) | some.dictionaries(some.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)
MESSAGES = some.dictionaries(some.sampled_from(KEYS), VALUES, max_size=6)
FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def page(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    monkeypatch.setattr("sandtable.web.live.MAX_RATE", 10**6)
    monkeypatch.setattr("sandtable.web.live.MAX_GAMES", 10**6)
    with live(client) as page:
        yield page


def one_line(answer: Any) -> bool:
    return not isinstance(answer, str) or (0 < len(answer) < 2000 and "\n" not in answer)


@FEW
@given(some.sampled_from(ACTIONS), MESSAGES)
def test_any_message_is_answered(page: Live, action: str, message: dict[str, Any]) -> None:
    assert one_line(page.ask(action, **message))
    assert page.ask("stop", analysis_id="x") == {}


@FEW
@given(some.data())
def test_moves_of_any_form_are_answered(page: Live, data: some.DataObject) -> None:
    for game, map in (("tubstap", "duel"), ("conquest", "simple")):
        id = page.new(game, map, HUMAN, HUMAN)["id"]
        move = data.draw(VALUES | some.lists(some.lists(LEAVES | some.sampled_from(WORDS), max_size=5), max_size=4))
        assert one_line(page.ask("move", game_id=id, ply=0, move=move))
        position = {"game_id": id, "ply": data.draw(some.integers(-1, 2))}
        assert one_line(page.ask("line", position=position, line=[move]))
        page.ask("unwatch", game_id=id)


@FEW
@given(
    some.text(max_size=200)
    | some.sampled_from(["[" * 5000, "{}", "[]", "1", '"x"', '{"id":[]}', '{"id":1e999}', '{"id":1,"x":NaN}'])
)
def test_any_text_is_answered(page: Live, text: str) -> None:
    page.session.send_text(text)
    while "re" not in (answer := json.loads(page.session.receive_text())):
        pass
    assert one_line(answer["error"])


def test_bytes_end_only_their_connection(client: TestClient) -> None:
    with client.websocket_connect(LIVE) as session:
        session.send_bytes(b"\x00\xff")
    with live(client) as page:
        assert page.ask("stop", analysis_id="x") == {}


@FEW
@given(some.binary(max_size=300) | some.builds(lambda value: json.dumps(value).encode(), MESSAGES))
def test_any_body_is_answered(client: TestClient, data: bytes) -> None:
    for path in ("/api/maps", "/api/maps/generate", "/api/records"):
        answer = client.post(path, content=data)
        assert answer.status_code in (200, 422)
        assert one_line(answer.json().get("error"))


@FEW
@given(some.integers(0, 10**6), some.binary(min_size=1, max_size=4))
def test_damaged_maps_and_records_are_answered(client: TestClient, place: int, bytes_: bytes) -> None:
    record = st.play(st.tubstap.load("duel"), "greedy", "greedy").to_line()
    texts = [
        st.game(game).format(st.load(f"{game}:{map}")) for game, map in (("tubstap", "ford"), ("conquest", "italy"))
    ]
    for path, text in (("/api/records", record), *(("/api/maps", text) for text in texts)):
        data = text.encode()
        place %= len(data)
        answer = client.post(path, content=data[:place] + bytes_ + data[place + len(bytes_) :])
        assert answer.status_code in (200, 422)
        for one in answer.json().get("replays", ()):
            assert client.get(f"/api/replays/{one['id']}").status_code in (200, 422)


def test_a_page_that_leaves_during_a_search_disturbs_no_other(client: TestClient) -> None:
    for _ in range(5):
        with live(client) as page:
            state = page.new("tubstap", "duel", {"kind": "player", "player": "uct", "count": 2000}, HUMAN)
            page.ask("analyse", analysis_id="a", position={"game_id": state["id"], "ply": 0}, simulations=20000)
    with live(client) as page:
        assert page.ask("join", game_id=state["id"])["state"]["id"] == state["id"]


def test_a_page_that_does_not_read_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its messages nor its connection are kept; it may connect again and join its games."""
    monkeypatch.setattr("sandtable.web.live.CLOSING_SECONDS", 0.01)
    codes = []

    class Stuck:
        """A socket that never finishes sending and never receives."""

        async def accept(self) -> None: ...

        async def receive_text(self) -> str:
            return await asyncio.Future()

        async def send_text(self, _: str) -> None:
            await asyncio.Future()

        async def close(self, code: int) -> None:
            codes.append(code)
            await asyncio.Future()

    async def fill() -> None:
        connection = Connection(None, Stuck())  # type: ignore[arg-type]
        running = asyncio.ensure_future(connection.run())
        for _ in range(MAX_OUTBOX + 2):
            assert not running.done()
            await asyncio.sleep(0)
            connection._send({})
        await asyncio.wait_for(running, 60)

    asyncio.run(fill())
    assert codes == [TOO_SLOW]
