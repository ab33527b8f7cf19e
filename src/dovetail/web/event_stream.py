"""The log as server-sent events: first what was missed, then what comes, until the tab or the server goes.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

from dovetail.web.faults import RequestError, bad

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from dovetail.web.event_log import EventLog, Numbered

MOST_STREAMS = 64
KEEP_ALIVE = 15.0  # seconds between comments, so that a dead connection is found out
_RETRY = b"retry: 1000\n\n"
_NEVER = -1  # a number that no event has


class EventStreams:
    """Gives each tab its stream."""

    def __init__(self, log: EventLog, session: str) -> None:
        self._log = log
        self._session = session
        self._open = 0

    def answer(self, request: Request) -> StreamingResponse:
        """The stream behind the number that the request names; a number of another session is none of this one's.

        Raises `RequestError`.
        """
        if self._open >= MOST_STREAMS:
            raise RequestError(503, "busy", "Too many pages listen already.", "Close some.")
        known = request.query_params.get("session", self._session) == self._session
        after = _after(request, self._log) if known else _NEVER
        self._open += 1
        return _Stream(self._events(after), self._ended)

    def _ended(self) -> None:
        self._open -= 1

    async def _events(self, after: int) -> AsyncIterator[bytes]:
        loop, woken = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(woken.set)

        with self._log.listening(wake):
            yield _RETRY
            while not self._log.closed:
                woken.clear()
                events = self._log.after(after)
                if events is None:
                    after = self._log.last
                    yield b"id: %d\nevent: reset\ndata: {}\n\n" % after
                elif events:
                    after = events[-1].number
                    yield b"".join(map(_line, events))
                elif not await _within(woken, KEEP_ALIVE):
                    yield b": still here\n\n"


class _Stream(StreamingResponse):
    """A stream that says when it is over, also where its client left before the first byte."""

    def __init__(self, events: AsyncIterator[bytes], ended: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()


async def _within(woken: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await woken.wait()
    except TimeoutError:
        return False
    return True


def _line(event: Numbered) -> bytes:
    return f"id: {event.number}\nevent: {event.name}\ndata: {event.data}\n\n".encode("ascii")


def _after(request: Request, log: EventLog) -> int:
    stated = request.headers.get("last-event-id") or request.query_params.get("after") or str(log.last)
    if not stated.isdecimal() or len(stated) > 18:
        raise bad("`after` must be the number of an event.")
    return int(stated)
