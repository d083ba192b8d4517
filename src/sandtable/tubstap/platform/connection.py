"""The platform's network protocol, in the manner of GTP: lines over TCP, UTF-8.

The server sends `word arguments\\r\\n`, the client answers `= text\\r\\n\\r\\n`. Words are case-sensitive. Packets may
hold half a message or several.
"""

from __future__ import annotations

import contextlib
import socket
from typing import NamedTuple

from sandtable.errors import SandtableError
from sandtable.texts import shown

PORT = 7777
MAX_BYTES = 1 << 20  # largest message
READ_BYTES = 1 << 16


class PeerError(SandtableError):
    """The other program has gone, or does not speak the protocol."""


class Command(NamedTuple):
    word: str
    arguments: str


class Connection:
    """One end of the protocol: a server uses `request`, a client `next_command` and `answer`."""

    def __init__(self, peer: socket.socket, seconds: float | None = None) -> None:
        """`seconds`: how long the peer may take for a message."""
        self._socket, self._unread, self._seconds = peer, bytearray(), seconds
        peer.settimeout(seconds)
        with contextlib.suppress(OSError):  # the peer waits for every message: send it at once
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def request(self, word: str, arguments: str = "") -> str:
        """Send a command and return the text of the answer."""
        self._send(f"{word} {arguments}\r\n" if arguments else f"{word}\r\n")
        answer = self._receive(b"\n\n").strip("\n")
        if not answer.startswith("="):
            raise PeerError(f"answered {answer!r:.60} to {word} instead of = and a text")
        return answer[1:].strip()

    def next_command(self) -> Command | None:
        """The server's next command; None if it has closed the connection."""
        line = ""
        while not line:  # skip empty lines
            try:
                line = self._receive(b"\n").strip()
            except EOFError:
                return None
        word, _, arguments = line.partition(" ")
        return Command(word, arguments.strip())

    def answer(self, text: str = "") -> None:
        self._send(f"= {text}\r\n\r\n")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _send(self, text: str) -> None:
        try:
            self._socket.sendall(text.encode())
        except TimeoutError:
            raise PeerError(f"did not read a message within {self._seconds:g} s") from None
        except OSError as error:
            raise PeerError(f"closed the connection ({error.strerror or error})") from None

    def _receive(self, end: bytes) -> str:
        """The next message, up to the terminator `end`, without carriage returns. EOFError if the connection is closed
        where a command (one line) would begin; PeerError if it is closed elsewhere or nothing arrives in time."""
        while (at := self._unread.find(end)) == -1:
            if len(self._unread) > MAX_BYTES:
                raise PeerError(f"sent a message of more than {MAX_BYTES:,} bytes")
            try:
                data = self._socket.recv(READ_BYTES)
            except TimeoutError:
                raise PeerError(f"sent nothing within {self._seconds:g} s") from None
            except OSError as error:
                raise PeerError(f"closed the connection ({error.strerror or error})") from None
            if not data and end == b"\n" and not self._unread.strip():
                raise EOFError
            if not data:
                raise PeerError("closed the connection")
            self._unread += data.replace(b"\r", b"")
        message = bytes(self._unread[:at])
        del self._unread[: at + len(end)]
        try:
            return shown(message.decode("utf-8"))
        except UnicodeDecodeError:
            raise PeerError(f"sent text that is not UTF-8: {message[:40]!r}") from None
