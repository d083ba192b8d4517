"""Access control: the Host and Origin of every request are checked, and the token if the server requires one."""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "sandtable-token"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
# Everything is loaded from this server, and nothing is inline; pictures of positions may be data: or blob: URLs.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-cache",
}
REFUSED = 1008  # the code that closes a refused WebSocket


@dataclass(frozen=True)
class Door:
    """What a request must know: one of the server's host names, which are `names` besides the loopback names, and the
    `token` unless it is None. A server that is open to a network has a token."""

    names: tuple[str, ...] = ()
    token: str | None = None

    def knows_host(self, header: str) -> bool:
        """Whether the Host header names this server. A foreign page whose domain was made to resolve to this machine
        (DNS rebinding) sends its own domain, which is refused. An IP address cannot be rebound: behind a token any is
        accepted."""
        try:
            name = urlsplit(f"//{header}").hostname or ""
        except ValueError:
            return False
        if name in LOOPBACK or name in (one.lower() for one in self.names):
            return True
        if self.token is None:
            return False
        try:
            return bool(ipaddress.ip_address(name))
        except ValueError:
            return False

    def knows_token(self, given: str | None) -> bool:
        return self.token is None or (given is not None and hmac.compare_digest(given.encode(), self.token.encode()))


class Guard:
    """Passes to the application only the requests that come from the page itself."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app, self._door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        refusal = None
        if not self._door.knows_host(host):
            refusal = "unknown host name; open the address that the server printed"
        elif origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            refusal = "requests from other pages are refused"
        elif not self._door.knows_token(_cookie(headers)):
            given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [None])[0]
            if self._door.knows_token(given):
                if scope["type"] == "http" and scope["path"] == "/":
                    await self._welcome(scope, receive, send)
                    return
            else:
                refusal = "the token is missing or wrong; open the complete address that the server printed"
        if refusal is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": REFUSED, "reason": refusal})
        else:
            response = JSONResponse({"error": refusal}, 403, headers=HEADERS)
            await response(scope, receive, send)

    async def _welcome(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Move the token from the address into a cookie."""
        response: Response = RedirectResponse("/", 303, headers=HEADERS)
        response.set_cookie(COOKIE, self._door.token or "", httponly=True, samesite="strict")
        await response(scope, receive, send)


def _cookie(headers: Headers) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message.get("headers", ())}
            added = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            rest = [(name, value) for name, value in added if name not in given]
            message["headers"] = [*message.get("headers", ()), *rest]
        await send(message)

    return sent
