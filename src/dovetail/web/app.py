"""The application: routes over one desk, behind the doorkeeper."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dovetail.model.errors import DovetailError
from dovetail.web import fields
from dovetail.web.bodies import read_body
from dovetail.web.doorkeeper import Doorkeeper
from dovetail.web.event_stream import EventStreams
from dovetail.web.faults import RequestError, error_response, json_response, not_found, of_system
from dovetail.web.routes import GETS, POSTS

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from dovetail.web.admission import Admission
    from dovetail.web.desk import Desk
    from dovetail.web.page_files import PageFiles
    from dovetail.web.routes import Act

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(desk: Desk, admission: Admission, page: PageFiles) -> ASGIApp:
    """The whole server as an ASGI application."""
    streams = EventStreams(desk.log, desk.session)

    async def events(request: Request) -> Response:
        return streams.answer(request)

    async def index(_: Request) -> Response:
        return page.index() or error_response(RequestError(503, "no-page", "The page was not built."))

    async def asset(request: Request) -> Response:
        path: str = request.path_params["path"]
        return page.answer(path) or error_response(not_found(f"address `/{path}`"))

    routes = [
        Route("/", index),
        Route("/api/events", events),
        *(Route(path, _got(desk, act), methods=["GET"]) for path, act in GETS.items()),
        *(Route(path, _posted(desk, *post), methods=["POST"]) for path, post in POSTS.items()),
        Route("/{path:path}", asset),
    ]
    app = Starlette(routes=routes, exception_handlers=_HANDLERS)
    return Doorkeeper(app, admission)


def _got(desk: Desk, act: Act) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        _check_session(desk, request)
        return await run_in_threadpool(_done, desk, act, request.path_params, dict(request.query_params))

    return endpoint


def _posted(desk: Desk, act: Act, known: str | None) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        _check_session(desk, request)
        body = await read_body(request)
        if known is not None:
            fields.only(body, *known.split())
        return await run_in_threadpool(_done, desk, act, request.path_params, body)

    return endpoint


def _check_session(desk: Desk, request: Request) -> None:
    """Refuse what is meant for another session: its turns have the same names as this one's, and are not the same.

    Whoever names no session means this one.
    """
    if request.headers.get("dovetail-session", desk.session) != desk.session:
        raise RequestError(
            409, "other-session", "The server was started again since; nothing was done.", "Load the page again."
        )


def _done(desk: Desk, act: Act, names: dict[str, str], body: dict[str, object]) -> Response:
    with desk.lock:
        answer = act(desk, names, body)
    return json_response(answer or {})


async def _refused(_: Request, error: Exception) -> Response:
    if not isinstance(error, DovetailError):
        raise error
    return error_response(error)


async def _unknown(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    code = "not-found" if status == 404 else "bad-request"
    return error_response(RequestError(status, code, "This address does not take that.", "See docs/reference/http.md"))


async def _system(_: Request, error: Exception) -> Response:
    if not isinstance(error, OSError):
        raise error
    return error_response(of_system(error))


async def _defect(_: Request, __: Exception) -> Response:
    hint = "The terminal says how; please report it."
    return error_response(RequestError(500, "defect", "Dovetail itself failed.", hint))


_HANDLERS: dict[int | type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
    DovetailError: _refused,
    HTTPException: _unknown,
    OSError: _system,
    Exception: _defect,  # Starlette hands it on after the answer, so the traceback is seen
}
