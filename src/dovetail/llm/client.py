"""Asking a model: a request in, the deltas of its reply out.

Owns the order of things: find the address, send, read events into deltas, and send again where that is right. Knows
neither files nor edits. Invariant: what has been yielded is never taken back. Closing the iterator, at any moment,
closes the connection.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Generator, Iterator
from contextlib import closing

import dovetail
from dovetail.llm import failures, json_value
from dovetail.llm.cancellation import Cancellation
from dovetail.llm.connection import Address
from dovetail.llm.errors import (
    BrokenStreamError,
    CancelledError,
    ConfigurationError,
    MalformedAnswerError,
    ModelError,
)
from dovetail.llm.exchange import Exchange, Timeouts
from dovetail.llm.halves import with_halves_joined
from dovetail.llm.heads import SWITCHED
from dovetail.llm.proxies import proxy_for
from dovetail.llm.retries import Retries, Retry, Timing, next_retry
from dovetail.llm.settings import Settings, Target
from dovetail.llm.sse import FIRST_OF_EVENTS, Event, EventReader
from dovetail.llm.values import Delta, Reply, Request
from dovetail.llm.wire import END_MARK, WIRES, Reader

WITHOUT_REPLY = frozenset({SWITCHED, 204, 205})
"""Statuses of success that come without a body, whatever is sent behind them."""
NO_DATA = frozenset({"", "null"})
"""How servers write an event without data, to keep a connection alive; what its name says counts."""
LARGEST_WHOLE = 64_000_000
LARGEST_ERROR = 65_536


class Client:
    """Asks models. One client may be used from several threads; each request has a connection of its own."""

    def __init__(
        self,
        settings: Settings,
        *,
        timeouts: Timeouts | None = None,
        retries: Retries | None = None,
        timing: Timing | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._settings = settings
        self._timeouts = timeouts or Timeouts()
        self._retries = retries or Retries()
        self._timing = timing or Timing()
        self._tls = tls

    def stream(
        self,
        request: Request,
        *,
        cancel: Cancellation | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> Generator[Delta, None, None]:
        """Yield the reply's deltas as they come. Raises `ModelError`; see `llm.errors` for the tree.

        Nothing is sent before the first delta is asked for. `on_retry` is told before each wait.
        """
        target = self._settings.target(request.model)
        body = _body(request, target)
        stop = cancel or Cancellation()
        began, done, text_shown = self._timing.now(), 0, False
        while True:
            try:
                with closing(self._attempt(target, body, stop)) as deltas:
                    for delta in deltas:
                        text_shown = text_shown or bool(delta.text or delta.reasoning)
                        yield delta
            except ModelError as error:
                retry = next_retry(self._retries, self._timing, done, self._timing.now() - began, error)
                if retry is None or text_shown:
                    raise
            else:
                return
            done += 1
            self._wait(retry, stop, on_retry)

    def ask(
        self,
        request: Request,
        *,
        cancel: Cancellation | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> Reply:
        """The whole reply; otherwise as `stream`."""
        with closing(self.stream(request, cancel=cancel, on_retry=on_retry)) as deltas:
            return Reply.of(deltas)

    def _wait(self, retry: Retry, stop: Cancellation, on_retry: Callable[[Retry], None] | None) -> None:
        if on_retry is not None:
            on_retry(retry)
        if self._timing.wait(stop, retry.seconds):
            raise CancelledError("The request was cancelled.", hint="Nothing was written.") from retry.error

    def _attempt(self, target: Target, body: bytes, stop: Cancellation) -> Generator[Delta, None, None]:
        address = Address.of(target.endpoint.url)
        proxy = proxy_for(address.scheme, address.host, address.port, self._settings.environ)
        with Exchange(address, proxy, self._timeouts, stop, self._tls) as exchange:
            exchange.post(body, _headers(target))
            self._check_answer(exchange, target)
            reader = WIRES[target.endpoint.protocol].reader()
            read = self._whole if _comes_whole(exchange) else self._events
            yield from with_halves_joined(read(exchange, reader, target))

    def _check_answer(self, exchange: Exchange, target: Target) -> None:
        status, headers = exchange.status, exchange.headers
        if 300 <= status < 400:
            raise ConfigurationError(
                f"{target.endpoint.url} redirects to {target.shown(headers.get('location', 'nowhere'))}.",
                hint="Set the base URL to where it leads; a key is not sent on to another address.",
                code="redirected",
            )
        if status >= 400:
            refusal = failures.read_refusal(status, _error_body(exchange))
            raise failures.failure(refusal, target, headers, self._timing.date())
        if status in WITHOUT_REPLY:
            raise MalformedAnswerError(
                f"{target.endpoint.url} answered with the status {status}, which comes without a reply.",
                hint="Check the base URL; many end in /v1",
            )
        if exchange.packed:
            raise MalformedAnswerError(
                f"{target.endpoint.url} packs its answer ({target.shown(exchange.packed)}), though asked not to.",
                hint="Check the gateways and proxies on the way there.",
            )
        kind = headers.get("content-type", "")
        if "html" in kind:
            raise MalformedAnswerError(
                f"{target.endpoint.url} answered with {target.shown(kind)}, which is no model's answer.",
                hint="Check the base URL; many end in /v1",
            )

    def _whole(self, exchange: Exchange, reader: Reader, target: Target) -> Iterator[Delta]:
        """An answer that a server did not stream."""
        body = exchange.whole(LARGEST_WHOLE)
        if len(body) >= LARGEST_WHOLE:
            raise MalformedAnswerError(
                f"The answer is longer than {LARGEST_WHOLE:,} bytes.", hint="Check that the address is one of a model."
            )
        answer = json_value.parse_table(body)
        if answer is None:
            raise MalformedAnswerError("The answer is no JSON object.", hint="Check the base URL.")
        self._raise_error_in(answer, target)
        said = False
        for delta in reader.whole(answer):
            said = said or bool(delta.text or delta.reasoning)
            yield delta
        if not said and not reader.finished:
            raise MalformedAnswerError("The answer holds no reply.", hint="Check the base URL.")

    def _events(self, exchange: Exchange, reader: Reader, target: Target) -> Iterator[Delta]:
        events = EventReader()
        try:
            for piece in exchange.pieces():
                for event in events.feed(piece):
                    yield from self._event(event, reader, target)
                    if reader.ended:
                        return
                if reader.finished:
                    exchange.expect_tail()
        except CancelledError:
            raise
        except ModelError:
            if reader.finished:
                return  # all was said; only figures may be missing
            raise
        yield from self._rest(events, reader, target)

    def _rest(self, events: EventReader, reader: Reader, target: Target) -> Iterator[Delta]:
        """What a stream ends with when its last event lacks the closing blank line."""
        last = events.close()
        if last is not None and (last.data.strip() == END_MARK or json_value.parse_table(last.data) is not None):
            yield from self._event(last, reader, target)
        if not reader.finished and not reader.ended:
            raise BrokenStreamError(
                f"{target.endpoint.base_url} ended the answer before its end was said.", hint="Ask again."
            )

    def _event(self, event: Event, reader: Reader, target: Target) -> Iterator[Delta]:
        data = event.data.strip()
        if data == END_MARK:
            reader.ended = True
            return
        read = {} if data in NO_DATA else json_value.parse_table(event.data)
        if read is None:
            raise MalformedAnswerError(
                f"Event {event.n:,} (line {event.line:,} of the stream) is no JSON object: {target.shown(event.data)}",
                hint="Ask again; if it stays so, check that the address speaks this protocol.",
            )
        self._raise_error_in(read, target, event.name)
        yield from reader.take(read, event.name)

    def _raise_error_in(self, read: json_value.Table, target: Target, name: str = "") -> None:
        if read.get("error") or name == "error":
            raise failures.failure(failures.refusal_of(0, read), target, {}, self._timing.date())


def _body(request: Request, target: Target) -> bytes:
    made = WIRES[target.endpoint.protocol].body(request, target) | dict(request.extra)
    return json.dumps({name: value for name, value in made.items() if value is not None}).encode("ascii")


def _headers(target: Target) -> dict[str, str]:
    """What goes with a request: what the user's settings name, in any case, wins, as one name is sent once."""
    usual = {
        "Content-Type": "application/json",
        "Accept": "text/event-stream",
        "Accept-Encoding": "identity",
        "User-Agent": f"dovetail/{dovetail.__version__}",
        **WIRES[target.endpoint.protocol].headers(target.endpoint),
    }
    return {name.lower(): value for name, value in (*usual.items(), *target.endpoint.headers.items())}


def _comes_whole(exchange: Exchange) -> bool:
    """Whether the answer is one JSON object, and no stream: as it begins, for servers label the one as the other."""
    first = exchange.opening()[:1]
    labelled = "event-stream" in exchange.headers.get("content-type", "")
    return first == b"{" or not (labelled or first in FIRST_OF_EVENTS)


def _error_body(exchange: Exchange) -> bytes:
    """As much of an error's body as comes; the status alone says enough where it breaks off, or cannot be read."""
    if exchange.packed:
        return b""
    try:
        return exchange.whole(LARGEST_ERROR)
    except CancelledError:
        raise
    except ModelError:
        return b""
