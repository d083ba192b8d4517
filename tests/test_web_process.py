"""`sandtable play` as a process: it prints its address, survives being killed, and leaves nothing behind."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from sandtable.web.serving import listening
from support.commands import sandtable


def started(store: Path, *options: str) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "sandtable", "play", "--no-open", "--port", "0", "--store", str(store)]
    server = subprocess.Popen([*command, "--workers", "1", *options], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    return server, server.stdout.readline().strip()


def ask(page: ClientConnection, do: str, **message: Any) -> Any:
    page.send(json.dumps({"id": 1, "do": do, **message}))
    while "re" not in (answer := json.loads(page.recv())):
        pass
    return answer["ok"]


def live(address: str) -> ClientConnection:
    return connect(address.replace("http", "ws") + "api/live", max_size=None)


def children(process: int) -> set[int]:
    """All descendants of a process."""
    listed = [line.split() for line in subprocess.check_output(["ps", "-eo", "pid,ppid"], text=True).splitlines()[1:]]
    found, grown = {process}, True
    while grown:
        new = {int(pid) for pid, parent in listed if int(parent) in found} - found
        found, grown = found | new, bool(new)
    return found - {process}


def have_ended(processes: set[int]) -> bool:
    def is_running(pid: int) -> bool:
        status = Path(f"/proc/{pid}/stat")
        return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"

    return not any(map(is_running, processes))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_restarted_server_continues_the_game_and_ctrl_c_ends_all_processes(tmp_path: Path) -> None:
    server, address = started(tmp_path / "games.sqlite")
    assert address.startswith("http://127.0.0.1:")
    with live(address) as page:
        sides = [{"kind": "human"}, {"kind": "player", "player": "uct", "count": 20_000}]
        id = ask(page, "new_game", game="tubstap", map="duel", sides=sides)["game_id"]
        assert ask(page, "move", game_id=id, ply=0, move=None) == {"ply": 1}
        server.kill()  # while the player thinks
    server.wait()

    server, address = started(tmp_path / "games.sqlite")
    with live(address) as page:
        state = ask(page, "join", game_id=id)["state"]
        assert [entry["notation"] for entry in state["moves"]] == ["end"]
        assert state["thinking"] is not None  # its move is searched for again
        while state["choices"] is None:
            event = json.loads(page.recv())
            state = event["state"] if event["event"] == "game" else state
        assert state["view"]["ply"] > 1
        started_by_it = children(server.pid)
        assert started_by_it
        server.send_signal(signal.SIGINT)
    assert server.wait(60) == 0
    for _ in range(100):
        if have_ended(started_by_it):
            return
        time.sleep(0.1)
    pytest.fail("the server left processes behind")


def test_short_messages_are_sent_at_once() -> None:
    async def option_of_a_connection() -> int:
        with listening("127.0.0.1", 0) as listener:
            found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

            def connected(_: asyncio.StreamReader, page: asyncio.StreamWriter) -> None:
                found.set_result(page.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
                page.close()

            async with await asyncio.start_server(connected, sock=listener):
                _, page = await asyncio.open_connection(*listener.getsockname())
                page.close()
                return await found

    assert asyncio.run(option_of_a_connection()) != 0


def test_two_servers_do_not_share_a_store(tmp_path: Path) -> None:
    server, _ = started(tmp_path / "games.sqlite")
    try:
        failed = sandtable("play", "--no-open", "--port", 0, "--store", tmp_path / "games.sqlite", code=2)
        assert "another `sandtable play` has this store open" in failed.stderr
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--store", "missing/games.sqlite"], "there is no folder missing"),
        (["--store", "."], "a folder"),
        (["--store", "text.sqlite"], "file is not a database"),
        (["--store", "new.sqlite", "--host", "203.0.113.1"], "cannot listen on 203.0.113.1"),
    ],
)
def test_bad_stores_and_hosts_get_a_one_line_error(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "text.sqlite").write_text("this is no store, and it stays as it is: " + "x" * 200)
    failed = sandtable("play", "--no-open", "--port", 0, *arguments, cwd=tmp_path, code=2)
    assert message in failed.stderr
    assert failed.stderr.count("\n") == 1


@pytest.mark.parametrize("options", [["--token"], ["--host", "0.0.0.0"]])
def test_a_token_can_be_required_on_this_machine_and_always_is_on_a_network(tmp_path: Path, options: list[str]) -> None:
    server, address = started(tmp_path / "games.sqlite", *options)
    try:
        bare, _, token = address.partition("?token=")
        bare = re.sub(r"//.*:", "//127.0.0.1:", bare)
        assert len(token) > 20
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"{bare}api/games")
        request = urllib.request.Request(f"{bare}api/games", headers={"Cookie": f"sandtable-token={token}"})
        with urllib.request.urlopen(request) as answer:
            assert answer.status == 200
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
        assert server.stdout is not None
        server.stdout.close()
