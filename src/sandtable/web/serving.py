"""Running the server until Ctrl-C."""

from __future__ import annotations

import contextlib
import secrets
import socket
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import uvicorn

from sandtable.errors import CONNECTING, SandtableError, reason_of
from sandtable.machine import cores
from sandtable.web.app import make_app
from sandtable.web.guarding import LOOPBACK, Door
from sandtable.web.hub import Hub
from sandtable.web.keeping import GameStore
from sandtable.web.live import MAX_MESSAGE
from sandtable.web.searches import Searches

ANYWHERE = ("0.0.0.0", "::")  # all addresses of this machine


def serve(
    host: str,
    port: int,
    store: Path,
    *,
    workers: int | None = None,
    with_token: bool = False,
    opened: bool,
    say: Callable[[str], None],
) -> None:
    """Serve the page. `say` is called with its address once it can be opened. Port 0 stands for any free port.
    `with_token`: a token is needed on this machine too."""
    token = secrets.token_urlsafe(24) if with_token or host not in LOOPBACK else None
    with GameStore(store) as games, listening(host, port) as listener:
        hub = Hub(games, Searches(workers or cores()))
        number = listener.getsockname()[1]
        name = socket.gethostname() if host in ANYWHERE else host
        address = f"http://{f'[{name}]' if ':' in name else name}:{number}/" + (f"?token={token}" if token else "")
        config = uvicorn.Config(
            make_app(hub, Door((name,), token)),
            log_level="warning",
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=MAX_MESSAGE,
            ws_per_message_deflate=False,  # messages are short, and compressing them took a fifth of the server's time
            timeout_graceful_shutdown=2,
            server_header=False,
            lifespan="on",
        )
        server = _Server(config, lambda: _ready(address, opened, say))
        server.run(sockets=[listener])


class _Server(uvicorn.Server):
    """Calls `ready` once it accepts requests. Ctrl-C or a termination signal stops it and everything that it started;
    after a second one it does not wait for pages to close."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def _ready(address: str, opened: bool, say: Callable[[str], None]) -> None:
    say(address)
    if opened:
        webbrowser.open(address)


@contextlib.contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that listens at this address; SandtableError if that is not possible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        made = socket.create_server((host, port), family=family, backlog=128)
    except CONNECTING as error:
        raise SandtableError(
            f"cannot listen on {host:.100}, port {port}: {reason_of(error)}; choose another with --host or --port"
        ) from None
    # asyncio sets TCP_NODELAY only on sockets that name TCP as their protocol. Without it the second of two short
    # messages waits 40 ms for the acknowledgement of the first.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=made.detach()) as found:
        yield found
