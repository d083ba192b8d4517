"""The routes of the page's server."""

from __future__ import annotations

import asyncio
import contextlib
import mimetypes
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from sandtable import json_fields
from sandtable.errors import SandtableError, one_line
from sandtable.web.guarding import Door, Guard
from sandtable.web.hub import Hub
from sandtable.web.live import Connection
from sandtable.web.pages import page_of
from sandtable.web.replays import OTHER_WAYS, read_records, replay
from sandtable.web.search_tasks import generate

MAX_BODY = 256 * 1024  # bytes
MAX_RECORDS_BODY = 8 * 1024 * 1024  # bytes of records or of a store
MAX_CONNECTIONS = 100
MAX_LISTED = 500  # stored games in the list
STATIC = Path(__file__).parent / "static"
# For a picture that is opened on its own: it may run no script and make no request.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

Answer = Callable[[Request], Awaitable[Response]]


class NotFoundError(SandtableError):
    """The requested resource does not exist."""


class TooLargeError(SandtableError):
    """The body of the request is larger than the server accepts."""


def make_app(hub: Hub, door: Door) -> Guard:
    """The application: the routes behind the guard."""
    routes = _Routes(hub)
    app = Starlette(
        routes=[
            Route("/", _answering(routes.index)),
            Route("/static/{name:path}", _answering(routes.static)),
            Route("/api/games", _answering(routes.games)),
            Route("/api/maps/{game}/{id}.svg", _answering(routes.thumbnail)),
            Route("/api/maps", _answering(routes.add_map), methods=["POST"]),
            Route("/api/maps/generate", _answering(routes.generate_map), methods=["POST"]),
            Route("/api/records", _answering(routes.add_records), methods=["POST"]),
            Route("/api/kept", _answering(routes.kept)),
            Route("/api/kept/{id}", _answering(routes.remove), methods=["DELETE"]),
            Route("/api/kept/{id}/record", _answering(routes.record)),
            Route("/api/replays/{id}", _answering(routes.replay)),
            WebSocketRoute("/api/live", routes.live),
        ],
        lifespan=routes.lifespan,
    )
    return Guard(GZipMiddleware(app, minimum_size=1000), door)


def _answering(answer: Answer) -> Answer:
    """The route with its errors turned into answers: a status code and one line that says what is wrong."""

    async def answered(request: Request) -> Response:
        try:
            return await answer(request)
        except NotFoundError as error:
            return JSONResponse({"error": str(error)}, 404)
        except TooLargeError as error:
            return JSONResponse({"error": str(error)}, 413)
        except SandtableError as error:
            return JSONResponse({"error": str(error)}, 422)
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception as error:  # a user's own game may raise any exception
            return JSONResponse({"error": one_line(error)}, 500)

    return answered


class _Routes:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._connections = 0
        self._files = {path.relative_to(STATIC).as_posix(): path for path in STATIC.rglob("*") if path.is_file()}
        for game in hub.catalogue.games.values():
            symbols = page_of(game).symbols
            if symbols is not None:
                self._files[f"symbols/{game.name}.svg"] = symbols

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        places = asyncio.ensure_future(self._hub.tell_places())
        try:
            yield
        finally:
            places.cancel()
            await self._hub.close()

    async def index(self, request: Request) -> Response:
        return self._file("index.html")

    async def static(self, request: Request) -> Response:
        return self._file(request.path_params["name"])

    def _file(self, name: str) -> Response:
        """A file from the list that was made when the server started: a request is never turned into a path."""
        if name not in self._files:
            raise NotFoundError(f"there is no {name!r:.80}")
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Response(self._files[name].read_bytes(), media_type="text/javascript" if name.endswith(".js") else kind)

    async def games(self, request: Request) -> Response:
        return JSONResponse(self._hub.catalogue.listing)

    async def thumbnail(self, request: Request) -> Response:
        game, id = self._hub.catalogue.game(request.path_params["game"]), request.path_params["id"]
        try:
            listed = self._hub.catalogue.map(game, id)
        except SandtableError as error:
            raise NotFoundError(str(error)) from None
        return _picture(await run_in_threadpool(page_of(game).thumbnail, listed.map))

    async def add_map(self, request: Request) -> Response:
        data, name = await _body(request), request.query_params.get("name", "")
        game, map = await run_in_threadpool(self._hub.catalogue.read_map, data, name)
        return JSONResponse(self._hub.catalogue.add_map(game, map).to_json())

    async def generate_map(self, request: Request) -> Response:
        game, *what = self._hub.catalogue.generator(_object(await _body(request)))
        map = await self._hub.searches.run(generate, game, *what)
        return JSONResponse(self._hub.catalogue.add_map(game, map).to_json())

    async def add_records(self, request: Request) -> Response:
        records = await run_in_threadpool(read_records, await _body(request, MAX_RECORDS_BODY, f"; {OTHER_WAYS}"))
        found = [
            {
                "id": self._hub.replays.add(record, size),
                "number": number,
                "game": record.game,
                "sides": [{"title": name} for name in record.players],
                "winner": record.winner,
                "reason": record.reason,
                "moves": len(record.moves),
            }
            for number, record, size in records
        ]
        return JSONResponse({"replays": found})

    async def kept(self, request: Request) -> Response:
        return JSONResponse(self._hub.store.games(MAX_LISTED))

    async def remove(self, request: Request) -> Response:
        id = request.path_params["id"]
        if not self._hub.remove(id):
            raise NotFoundError(f"there is no game {id!r:.40}")
        return JSONResponse({})

    async def record(self, request: Request) -> Response:
        game = self._kept(request.path_params["id"])
        if game.end is None:
            raise SandtableError("the game is not over yet: only a finished game can be saved")
        line = game.record().to_line() + "\n"
        name = f"{game.game.name}-{game.id}.jsonl"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(line, media_type="application/json", headers=headers)

    async def replay(self, request: Request) -> Response:
        id = request.path_params["id"]
        try:
            record = self._hub.replays.find(id)
        except SandtableError:
            game = self._kept(id)
            titles = [seat.title for seat in game.seats]
            values = [ply.value for ply in game.plies]
            shown = await run_in_threadpool(replay, game.record(), titles, values)
            return JSONResponse({"id": id, "can_save": game.end is not None} | shown)
        return JSONResponse({"id": id} | await run_in_threadpool(replay, record))

    def _kept(self, id: str) -> Any:
        try:
            return self._hub.find(id)
        except SandtableError as error:
            raise NotFoundError(str(error)) from None

    async def live(self, socket: WebSocket) -> None:
        if self._connections >= MAX_CONNECTIONS:
            await socket.close(1013, "too many pages are open")
            return
        self._connections += 1
        try:
            await Connection(self._hub, socket).run()
        finally:
            self._connections -= 1


async def _body(request: Request, limit: int | None = None, advice: str = "") -> bytes:
    """The body of a request. Reading stops with TooLargeError beyond `limit` bytes, by default MAX_BODY."""
    most = MAX_BODY if limit is None else limit
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > most:
            raise TooLargeError(f"the upload is larger than the {most:,} bytes that the page accepts{advice}")
    return bytes(data)


def _object(data: bytes) -> dict[str, Any]:
    try:
        return json_fields.read_object(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise SandtableError("the request is not UTF-8 text") from None


def _picture(svg: str) -> Response:
    return Response(svg, media_type="image/svg+xml", headers={"Content-Security-Policy": PICTURE_POLICY})
