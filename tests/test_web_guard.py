"""Which requests the page's server accepts, and what a browser may do with its answers."""

import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from sandtable.web.app import STATIC
from sandtable.web.guarding import Door
from support.page_server import ADDRESS, LIVE, serving

TOKEN = "a token of the test"


@pytest.fixture(scope="module")
def open_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of a server that listens on the network."""
    with serving(
        tmp_path_factory.mktemp("store") / "games.sqlite",
        door=Door(("sandbox",), TOKEN),
        address="http://10.0.0.7:8765",
    ) as client:
        yield client


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "10.0.0.7", "", "[::1"]
)
def test_another_host_is_refused(client: TestClient, host: str) -> None:
    for path in ("/", "/static/index.html", "/api/games", "/api/kept"):
        answer = client.get(path, headers={"host": host})
        assert answer.status_code == 403
        assert "error" in answer.json()
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(LIVE, headers={"host": host}):
        pass


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://127.0.0.1:3000", "http://localhost:8765", "null", "file://", ""]
)
def test_another_origin_is_refused(client: TestClient, origin: str) -> None:
    headers = {"origin": origin}
    assert client.get("/api/games", headers=headers).status_code == 403
    assert client.post("/api/maps", content="x", headers=headers).status_code == 403
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(LIVE, headers=headers):
        pass


def test_the_page_itself_is_accepted(client: TestClient) -> None:
    headers = {"origin": ADDRESS}
    assert client.get("/api/games", headers=headers).status_code == 200
    with client.websocket_connect(LIVE, headers=headers):
        pass
    for host in ("localhost:9000", "[::1]:9000", "127.0.0.1:9000"):  # such as the near end of a tunnel
        assert client.get("/api/games", headers={"host": host, "origin": f"http://{host}"}).status_code == 200


def test_on_a_network_every_request_needs_the_token(open_client: TestClient) -> None:
    open_client.cookies.clear()
    for path in ("/", "/?token=wrong", "/?token=", "/static/index.html", "/api/games", "/api/kept"):
        answer = open_client.get(path)
        assert answer.status_code == 403
        assert TOKEN not in answer.text
    live = "ws://10.0.0.7:8765/api/live"
    with pytest.raises(WebSocketDisconnect), open_client.websocket_connect(live):
        pass
    with pytest.raises(WebSocketDisconnect), open_client.websocket_connect(f"{live}?token=wrong"):
        pass
    assert open_client.get("/api/games", headers={"cookie": "sandtable-token=wrong"}).status_code == 403


def test_the_link_with_the_token_lets_a_browser_in(open_client: TestClient) -> None:
    answer = open_client.get(f"/?token={TOKEN}", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert open_client.get("/").status_code == 200
    assert open_client.get("/api/games").status_code == 200
    assert open_client.get("/api/games", headers={"host": "sandbox:8765"}).status_code == 200
    with open_client.websocket_connect("ws://10.0.0.7:8765/api/live"):
        pass
    assert open_client.get("/api/games", headers={"host": "evil.example"}).status_code == 403


def test_every_answer_has_security_headers(client: TestClient) -> None:
    answers = [client.get(path) for path in ("/", "/static/index.html", "/api/games", "/nowhere", "/static/../app.py")]
    answers += [client.get("/", headers={"host": "evil.example"}), client.post("/api/maps", content="nonsense")]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "access-control-allow-origin" not in answer.headers
    picture = client.get("/api/maps/tubstap/ford.svg").headers["content-security-policy"]
    assert "script" not in picture
    assert "sandbox" in picture


def test_pages_have_no_inline_code_and_no_foreign_addresses() -> None:
    for path in STATIC.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"<script(?![^>]*\bsrc=)", text), path
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text, re.IGNORECASE), path
        assert not re.search(r"(src|href)=[\"']?(https?:)?//", text), path


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/index.html%00.js",
        "/static/",
        "/api/maps/tubstap/..%2f..%2fford.svg",
        "/api/maps/tubstap/%2fetc%2fpasswd.svg",
        "/api/kept/..%2f..%2fgames.sqlite/record",
        "/api/replays/%2fetc%2fpasswd",
    ],
)
def test_requests_reach_no_file_outside_their_folder(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404
