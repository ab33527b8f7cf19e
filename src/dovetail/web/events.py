"""The log of what happened, numbered from 1, and its stream of server-sent events for every tab.

All tabs share one log; a tab that lost its connection continues after the last number that it saw. The log is bounded
in events and in characters, and a tab that asks for what is gone has to begin anew. Numbers rise by one and are
never used twice. Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from starlette.responses import StreamingResponse

from dovetail.web.requests import RequestError, bad

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

MOST_EVENTS = 20_000
MOST_CHARACTERS = 32_000_000
MOST_STREAMS = 64
KEEP_ALIVE = 15.0  # seconds between comments, which reveal a dead connection
_RETRY = b"retry: 1000\n\n"
_NEVER = -1  # a number that no event has


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One event: its number, its name, its data as one line of JSON."""

    number: int
    name: str
    data: str


class EventLog:
    """The log. It may be used from several threads."""

    def __init__(self, most_events: int = MOST_EVENTS, most_characters: int = MOST_CHARACTERS) -> None:
        self._most_events = most_events
        self._most_characters = most_characters
        self._lock = threading.Lock()
        self._events: deque[LoggedEvent] = deque()
        self._characters = 0
        self._listeners: set[Callable[[], None]] = set()
        self.last = 0
        """Number of the newest event; 0 before the first."""
        self.closed = False
        """Whether nothing more will come."""

    def publish(self, name: str, data: Mapping[str, Any]) -> None:
        """Append an event and wake every listener."""
        line = json.dumps(data, separators=(",", ":"))
        with self._lock:
            self.last += 1
            self._events.append(LoggedEvent(self.last, name, line))
            self._characters += len(line)
            while len(self._events) > self._most_events or self._characters > self._most_characters:
                self._characters -= len(self._events.popleft().data)
            listeners = tuple(self._listeners)
        for wake in listeners:
            wake()

    def after(self, number: int) -> tuple[LoggedEvent, ...] | None:
        """Return the events after a number; None if some of them are gone, or the number was never used."""
        with self._lock:
            # The number before the oldest event that is kept: who has seen that one misses nothing.
            oldest = self.last - len(self._events)
            if not oldest <= number <= self.last:
                return None
            newest_first = islice(reversed(self._events), self.last - number)
            return tuple(newest_first)[::-1]

    @contextmanager
    def listening(self, wake: Callable[[], None]) -> Iterator[None]:
        """Call `wake`, from any thread, whenever something is published or the log is closed."""
        with self._lock:
            self._listeners.add(wake)
        try:
            yield
        finally:
            with self._lock:
                self._listeners.discard(wake)

    def close(self) -> None:
        """End every stream."""
        with self._lock:
            self.closed = True
            listeners = tuple(self._listeners)
        for wake in listeners:
            wake()


class EventStreams:
    """Gives each tab its stream: first what it missed, then what happens, until the tab or the server goes."""

    def __init__(self, log: EventLog, session: str) -> None:
        self._log = log
        self._session = session
        self._open = 0

    def answer(self, request: Request) -> StreamingResponse:
        """Return the stream after the number that the request names, if it names one of this session.

        Raises `RequestError`.
        """
        if self._open >= MOST_STREAMS:
            raise RequestError(503, "busy", "Too many pages listen already.", "Close some.")
        after = request.headers.get("last-event-id") or request.query_params.get("after") or str(self._log.last)
        known = request.query_params.get("session", self._session) == self._session
        if known and (not after.isdecimal() or len(after) > 18):
            raise bad("`after` must be the number of an event.")
        self._open += 1
        return _EventResponse(self._events(int(after) if known else _NEVER), self._ended)

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
                # Cleared before the log is read: an event that is published between the two sets it again, so it is
                # not missed.
                woken.clear()
                events = self._log.after(after)
                if events is None:
                    after = self._log.last
                    yield b"id: %d\nevent: reset\ndata: {}\n\n" % after
                elif events:
                    after = events[-1].number
                    lines = (f"id: {event.number}\nevent: {event.name}\ndata: {event.data}\n\n" for event in events)
                    yield "".join(lines).encode("ascii")
                else:
                    try:
                        async with asyncio.timeout(KEEP_ALIVE):
                            await woken.wait()
                    except TimeoutError:
                        yield b": still here\n\n"


class _EventResponse(StreamingResponse):
    """A stream that reports its end, even if its client left before the first byte."""

    def __init__(self, events: AsyncIterator[bytes], ended: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()
