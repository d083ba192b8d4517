"""The platform's network protocol over loopback: the exact bytes, broken packets, and peers that misbehave."""

import contextlib
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import sandtable as st
from sandtable.arena.record import FORFEIT, Record
from sandtable.errors import SandtableError
from sandtable.tubstap.platform.client import Client
from sandtable.tubstap.platform.connection import Connection, PeerError
from sandtable.tubstap.platform.server import accept_two, listen, referee
from support.commands import command, sandtable

MAP = (
    "SIZEX[5];SIZEY[3];TURNLIMIT[2];HPTHRESHOLD[0];UNITNUMRED[1];UNITNUMBLUE[1];"
    "MAP[0,0,0,0,0];MAP[0,1,1,1,0];MAP[0,0,0,0,0];UNIT[1,1,infantry,0,10,0];UNIT[3,1,panzer,1,10,0];"
)
LONG = 600.0  # seconds: no peer is late in these tests
MOVE, STAY = "0,2,1,1,1,-1,0,0,1,0,0", "1,3,1,3,1,0,2,1,2,7,0"


class Script:
    """A peer that sends and expects exact bytes."""

    def __init__(self, peer: socket.socket) -> None:
        self.peer = peer
        peer.settimeout(LONG)

    def expect(self, text: str) -> None:
        data = b""
        while len(data) < len(text.encode()):
            piece = self.peer.recv(len(text.encode()) - len(data))
            assert piece, f"closed after {data!r}"
            data += piece
        assert data == text.encode()

    def send(self, text: str, *, pieces: int = 1) -> None:
        data = text.encode()
        size = -(-len(data) // pieces)
        for at in range(0, len(data), size):
            self.peer.sendall(data[at : at + size])


@contextlib.contextmanager
def scripted(serve: Callable[[Script], None]) -> Iterator[Connection]:
    """A connection whose other end runs a script; its failed assertions are raised here."""
    ours, theirs = socket.socketpair()
    failed: list[BaseException] = []

    def run() -> None:
        try:
            serve(Script(theirs))
        except BaseException as error:
            failed.append(error)
        finally:
            theirs.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    connection = Connection(ours, LONG)
    try:
        yield connection
    finally:
        connection.close()
        thread.join()
        if failed:
            raise failed[0]


def red_client(script: Script) -> None:
    for asked, answer in (
        ("name", "Alpha"),
        ("opponent Beta", ""),
        (f"MAP {MAP}", ""),
        ("Color 0", ""),
        ("Genmove", MOVE),
    ):
        script.expect(f"{asked}\r\n")
        script.send(f"= {answer}\r\n\r\n")
    script.expect(f"play {STAY}\r\n")
    script.send("= \r\n\r\n")
    assert script.peer.recv(1) == b""


def blue_client(script: Script) -> None:
    for asked, answer in (("name", "Beta"), ("opponent Alpha", ""), (f"MAP {MAP}", ""), ("Color 1", "")):
        script.expect(f"{asked}\r\n")
        script.send(f"= {answer}\r\n\r\n", pieces=3)
    script.expect(f"play {MOVE}\r\n")
    script.send("= \r\n\r\n")
    script.expect("Genmove\r\n")
    script.send(f"= {STAY}\r\n\r\n", pieces=len(STAY))


def refereed(red: Callable[[Script], None], blue: Callable[[Script], None]) -> Record:
    scenario = st.tubstap.parse(MAP, rules="platform")
    with scripted(red) as first, scripted(blue) as second:
        return referee(scenario, (first, second))


def test_the_server_sends_the_exact_bytes() -> None:
    record = refereed(red_client, blue_client)
    assert (record.players, record.winner, record.reason) == (("Alpha", "Beta"), 1, "turn limit")
    assert record.moves == (st.tubstap.Move(0, 2, 1, None), st.tubstap.Move(1, 3, 1, 0))
    record.verify()


@pytest.mark.parametrize("pieces", [1, 1000])
def test_the_client_sends_the_exact_bytes(pieces: int) -> None:
    def server(script: Script) -> None:
        # All commands at once, in one packet or in very many.
        script.send(f"name\r\nopponent Beta\r\nMAP {MAP}\r\nColor 0\r\nGenmove\r\n", pieces=pieces)
        script.expect("= greedy\r\n\r\n" + "= \r\n\r\n" * 3 + "= 0,")
        while script.peer.recv(1) != b"\n":
            pass
        script.expect("\r\n")
        script.send("play 1,3,1,3,1,-1,0,0,1,0,0\r\n", pieces=pieces)
        script.expect("= \r\n\r\n")

    with scripted(server) as connection:
        record = Client(connection, "greedy").play()
    assert record.players == ("greedy", "Beta")
    assert record.turns == 2
    record.verify()


def test_our_clients_play_each_other_over_loopback() -> None:
    scenario = st.tubstap.load("duel", "platform")
    with listen("127.0.0.1", 0) as listening:
        address = listening.getsockname()
        assert address[0] == "127.0.0.1"
        found: dict[int, Record] = {}

        def client(number: int, spec: str, peer: socket.socket) -> None:
            with contextlib.closing(Connection(peer, LONG)) as connection:
                found[number] = Client(connection, spec, seed=number).play()

        threads = []
        for number, spec in enumerate(("random", "greedy")):
            peer = socket.create_connection(address)
            threads.append(threading.Thread(target=client, args=(number, spec, peer), daemon=True))
            threads[-1].start()
        clients = accept_two(listening, LONG)
        with contextlib.closing(clients[0]), contextlib.closing(clients[1]):
            record = referee(scenario, clients)
        for thread in threads:
            thread.join()
    record.verify()
    assert record.players == ("random", "greedy")
    for own in found.values():
        assert (own.moves, own.winner, own.turns) == (record.moves, record.winner, record.turns)


def answers_until(last: str, answer: str | None) -> Callable[[Script], None]:
    """A client that answers correctly up to a command, and then with `answer`; if that is None, it disconnects."""

    def client(script: Script) -> None:
        asked = ""
        while True:
            byte = script.peer.recv(1).decode(errors="replace")
            if not byte:
                return
            asked += byte
            if not asked.endswith("\r\n"):
                continue
            if asked.startswith(last):
                if answer is not None:
                    script.send(answer)
                    while script.peer.recv(1024):
                        pass
                return
            script.send(f"= {'1,3,1,3,1,-1,0,0,1,0,0' if asked.startswith('Genmove') else ''}\r\n\r\n")
            asked = ""

    return client


MISBEHAVIOUR = {
    "disconnects at once": ("name", None, "name: closed the connection"),
    "disconnects at its move": ("Genmove", None, "Genmove: closed the connection"),
    "breaks off": ("Genmove", "= 0,2,", None),
    "rubbish": ("Genmove", "what?\r\n\r\n", "Genmove: answered 'what?' to Genmove instead of = and a text"),
    "an error of GTP": ("Genmove", "? unknown command\r\n\r\n", "instead of = and a text"),
    "not UTF-8": ("name", "= \udcff\r\n\r\n", None),
    "too few numbers": ("Genmove", "= 0,2,1\r\n\r\n", "Genmove: '0,2,1' has 3 values where an operation has 11"),
    "no numbers": ("Genmove", "= a,2,1,1,1,-1,0,0,1,0,0\r\n\r\n", "Genmove: unit: 'a' is not a whole number"),
    "illegal": ("Genmove", "= 0,9,9,1,1,-1,0,0,1,0,0\r\n\r\n", "off the board"),
    "the other's unit": ("Genmove", "= 1,2,1,3,1,-1,0,0,1,0,0\r\n\r\n", "Genmove: "),
    "a flood": ("Genmove", "x" * (3 << 20), "Genmove: sent a message of more than 1,048,576 bytes"),
}


@pytest.mark.parametrize(("at", "answer", "reason"), MISBEHAVIOUR.values(), ids=MISBEHAVIOUR)
def test_a_client_that_misbehaves_loses(at: str, answer: str | None, reason: str | None) -> None:
    def red(script: Script) -> None:
        with contextlib.suppress(OSError):  # the server hangs up on it
            if answer == "= 0,2,":
                answers_until(at, None)(script)
            elif answer is not None and "\udcff" in answer:
                script.expect("name\r\n")
                script.peer.sendall(b"= \xff\r\n\r\n")
            else:
                answers_until(at, answer)(script)

    record = refereed(red, answers_until("nothing", None))
    assert record.winner == 1
    assert record.reason is not None
    assert record.reason.startswith(FORFEIT)
    assert (reason or "") in record.reason
    record.verify()


def test_a_client_that_is_late_loses() -> None:
    ours, theirs = socket.socketpair()
    with contextlib.closing(Connection(ours, 0.2)) as red, scripted(answers_until("nothing", None)) as blue:
        record = referee(st.tubstap.parse(MAP), (red, blue))
    theirs.close()
    assert record.reason == "forfeit: name: sent nothing within 0.2 s"


SERVERS = {
    "disconnects": ("name\r\n", "the server closed the connection before the game was over"),
    "breaks off": ("name\r\nMA", "closed the connection"),
    "an unknown word": ("genmove\r\n", "unknown command 'genmove'"),
    "rubbish": ("\x00\x01 what\r\n", "unknown command"),
    "a damaged map": ("MAP SIZEX[5];\r\n", "the server sent a damaged map: SIZEY is missing"),
    "a wrong colour": (f"MAP {MAP}\r\nColor 2\r\n", "the server sent Color '2', which must be 0 or 1"),
    "no map": ("Color 0\r\n", "the server sent no MAP before its command"),
    "no map at all": ("Genmove\r\n", "the server sent no MAP before its command"),
    "the wrong turn": (f"MAP {MAP}\r\nColor 1\r\nGenmove\r\n", "in the other side's turn"),
    "its own turn": (f"MAP {MAP}\r\nColor 0\r\nplay {MOVE}\r\n", "it is not the opponent's turn"),
    "an illegal operation": (f"MAP {MAP}\r\nColor 1\r\nplay 0,9,9,1,1,-1,0,0,1,0,0\r\n", "off the board"),
    "too few numbers": (f"MAP {MAP}\r\nColor 1\r\nplay 0,9\r\n", "has 2 values where an operation has 11"),
}


@pytest.mark.parametrize(("sent", "message"), SERVERS.values(), ids=SERVERS)
def test_a_server_that_misbehaves_gets_a_one_line_error(sent: str, message: str) -> None:
    def server(script: Script) -> None:
        script.send(sent)
        script.peer.shutdown(socket.SHUT_WR)
        with contextlib.suppress(OSError):
            while script.peer.recv(1024):
                pass

    with scripted(server) as connection, pytest.raises(PeerError) as caught:
        Client(connection, "random").play()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=60, deadline=None)
@given(
    some.lists(
        some.one_of(some.binary(max_size=40), some.sampled_from([b"name\r\n", b"Genmove\n", b"\r\n\r\n", b"play "]))
    )
)
def test_any_bytes_from_a_server_end_in_a_game_or_an_error(pieces: list[bytes]) -> None:
    def server(script: Script) -> None:
        with contextlib.suppress(OSError):
            for piece in (f"MAP {MAP}\r\nColor 0\r\n".encode(), *pieces):
                script.peer.sendall(piece)
            script.peer.shutdown(socket.SHUT_WR)
            while script.peer.recv(1024):
                pass

    with scripted(server) as connection, contextlib.suppress(SandtableError):
        Client(connection, "random").play()


def test_the_commands_play_and_record_a_game(tmp_path: Path) -> None:
    (tmp_path / "small.tbsmap").write_text(MAP)
    words = command("tubstap-net", "server", "--map", "small.tbsmap", "--port", 0, "--record", "games.jsonl")
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line.startswith("listening on 127.0.0.1:")
        port = int(line.split(":")[1].split(";")[0])
        with socket.create_connection(("127.0.0.1", port)) as first:
            thread = threading.Thread(target=answers_until("nothing", None), args=(Script(first),), daemon=True)
            thread.start()
            error = sandtable("tubstap-net", "client", "random", "--port", port, code=2).stderr
            assert error == "sandtable: the server closed the connection before the game was over\n"
            thread.join()
        printed = server.stdout.read()
        assert server.wait() == 1
    assert "blue wins after 0 turns, forfeit: Genmove: " in printed
    sandtable("show", "games.jsonl", "--verify", cwd=tmp_path)
    refused = sandtable("tubstap-net", "client", "random", "--port", port, code=2).stderr
    assert refused.startswith(f"sandtable: 127.0.0.1:{port}: Connection refused")
    for arguments, message in (
        (("--map", "duel", "--rules", "li2022"), "the platform plays original or platform, not 'li2022'"),
        (("--map", "nowhere"), "nowhere: no such file"),
        (("--map", "duel", "--host", "256.1.1.1"), "256.1.1.1:7777: "),
    ):
        assert message in sandtable("tubstap-net", "server", *arguments, code=2).stderr
