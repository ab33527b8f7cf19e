"""The server as an ASGI application: the table of routes over one session, the built page's files, the doorkeeper.

The page's files are read once, when the server starts, so that no path of a request ever reaches the file system.
"""

from __future__ import annotations

import gzip
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from dovetail.model.errors import DovetailError
from dovetail.web import requests
from dovetail.web.admission import Admission, Doorkeeper, content_policy
from dovetail.web.build import STATIC
from dovetail.web.events import EventStreams
from dovetail.web.requests import RequestError, error_response, json_response, not_found, read_body, system_error
from dovetail.web.routes import GETS, POSTS

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from dovetail.web.page_session import PageSession
    from dovetail.web.requests import Body
    from dovetail.web.routes import Act

Endpoint = Callable[[Request], Awaitable[Response]]

_INDEX = "index.html"
_NONCE = "__CSP_NONCE__"
_LARGEST_FILE = 20_000_000
_CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class PageFiles:
    """The files that Vite built: bytes by address, without the leading slash.

    packed: the same, compressed by gzip, where that makes them smaller. They are compressed once, when they are read.
    """

    files: dict[str, bytes]
    packed: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path = STATIC) -> PageFiles:
        """Read everything that was built, of the types that a page consists of."""
        found: dict[str, bytes] = {}
        for file in sorted(folder.rglob("*")) if folder.is_dir() else ():
            if file.suffix in _CONTENT_TYPES and file.is_file() and file.stat().st_size <= _LARGEST_FILE:
                found[file.relative_to(folder).as_posix()] = file.read_bytes()
        # The index gets a new nonce with each answer, so it cannot be packed beforehand.
        packed = {path: gzip.compress(data, mtime=0) for path, data in found.items() if path != _INDEX}
        return cls(found, {path: data for path, data in packed.items() if len(data) < len(found[path])})

    @property
    def complete(self) -> bool:
        """Return whether the files include the page itself."""
        return _INDEX in self.files

    def index(self) -> Response | None:
        """Return the page itself, with a nonce of its own for the styles that its editor adds."""
        if not self.complete:
            return None
        nonce = secrets.token_urlsafe(16)
        text = self.files[_INDEX].decode("utf-8").replace(_NONCE, nonce)
        return HTMLResponse(text, headers={"Content-Security-Policy": content_policy(nonce)})

    def answer(self, path: str, accepted: str = "") -> Response | None:
        """Return one file, None if there is none. A file with a hash in its name may be cached for good.

        accepted: the encodings that the client takes, as its header `Accept-Encoding` names them.
        """
        data = self.files.get(path)
        if data is None or path == _INDEX:
            return None
        cache = "private, max-age=31536000, immutable" if path.startswith("assets/") else "no-cache"
        suffix = "." + path.rpartition(".")[2]
        headers = {"Content-Type": _CONTENT_TYPES[suffix], "Cache-Control": cache, "Vary": "Accept-Encoding"}
        if path in self.packed and "gzip" in [coding.partition(";")[0].strip() for coding in accepted.split(",")]:
            data, headers["Content-Encoding"] = self.packed[path], "gzip"
        return Response(data, headers=headers)


def make_app(session: PageSession, admission: Admission, page: PageFiles) -> ASGIApp:
    """Return the whole server."""
    streams = EventStreams(session.log, session.id)

    async def events(request: Request) -> Response:
        return streams.answer(request)

    async def index(_: Request) -> Response:
        return page.index() or error_response(RequestError(503, "no-page", "The page was not built."))

    async def asset(request: Request) -> Response:
        path: str = request.path_params["path"]
        accepted = request.headers.get("accept-encoding", "")
        return page.answer(path, accepted) or error_response(not_found(f"address `/{path}`"))

    routes = [
        Route("/", index),
        Route("/api/events", events),
        *(Route(path, _got(session, act), methods=["GET"]) for path, act in GETS.items()),
        *(Route(path, _posted(session, act, fields), methods=["POST"]) for path, (act, fields) in POSTS.items()),
        Route("/{path:path}", asset),
    ]
    return Doorkeeper(Starlette(routes=routes, exception_handlers=_HANDLERS), admission)


def _got(session: PageSession, act: Act) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await _answer(session, act, request, dict(request.query_params))

    return endpoint


def _posted(session: PageSession, act: Act, fields: str | None) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        body = await read_body(request)
        if fields is not None:
            requests.only(body, *fields.split())
        return await _answer(session, act, request, body)

    return endpoint


async def _answer(session: PageSession, act: Act, request: Request, body: Body) -> Response:
    # The turns of another session have the same names and are not the same. No name means this session.
    if request.headers.get("dovetail-session", session.id) != session.id:
        raise RequestError(409, "other-session", "The server was restarted; nothing was done.", "Load the page again.")

    def answer() -> Response:
        with session.lock:
            return json_response(act(session, request.path_params, body) or {})

    return await run_in_threadpool(answer)


async def _engine_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, DovetailError):
        raise error
    return error_response(error)


async def _unknown_address(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    code = "not-found" if status == 404 else "bad-request"
    return error_response(RequestError(status, code, "This address does not take that.", "See docs/reference/http.md"))


async def _system_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, OSError):
        raise error
    return error_response(system_error(error))


async def _defect(_: Request, __: Exception) -> Response:
    hint = "The terminal says how; please report it."
    return error_response(RequestError(500, "defect", "Dovetail itself failed.", hint))


_HANDLERS: dict[int | type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
    DovetailError: _engine_error,
    HTTPException: _unknown_address,
    OSError: _system_error,
    Exception: _defect,  # Starlette raises it again after the answer, so the traceback is seen
}
