"""Asking a model: a request in, the deltas of its reply out.

Owns the order of things: find the address, send, read events into deltas, and send again where that is right. Knows
neither files nor edits. What has been yielded is never taken back. Closing the iterator, at any moment, closes the
connection. Clock, sleep and randomness are one value, `Timing`.
"""

from __future__ import annotations

import json
import random
import ssl
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass

import dovetail
from dovetail.llm import failures, wire
from dovetail.llm.errors import (
    BrokenStreamError,
    CancelledError,
    ConfigurationError,
    MalformedAnswerError,
    ModelError,
)
from dovetail.llm.protocols import END_MARK, WIRES, AnswerReader
from dovetail.llm.settings import ANTHROPIC_PREFIX, Addresses, ModelTarget, Protocol, proxy_for
from dovetail.llm.transport import SWITCHED, Address, Cancellation, HttpExchange, Timeouts
from dovetail.llm.values import Delta, Reply, Request, with_calls_joined, with_halves_joined
from dovetail.llm.wire import FIRST_OF_EVENTS, EventReader, ServerEvent

WITHOUT_REPLY = frozenset({SWITCHED, 204, 205})
"""Statuses below 300 whose answers have no body."""
NO_DATA = frozenset({"", "null"})
"""The data of events that carry none, for example to keep a connection alive; their names may still count."""
LARGEST_ANSWER = 64_000_000
"""Bytes of an answer, streamed or whole. The longest replies of any model are a few megabytes as events."""
LARGEST_LIST = 4_000_000
"""Bytes of a list of models."""
LARGEST_ERROR = 65_536
_CHECK_BASE_URL = "Check the base URL; many end in /v1"


@dataclass(frozen=True, slots=True)
class Retries:
    """When a request is sent again: exponential back-off with full jitter, but no sooner than the provider asks.

    limit: how often. base, cap: first and largest step of the back-off, in seconds.
    longest_wait: if a provider asks for more seconds, the request is not sent again.
    within: no attempt begins later than this many seconds after the first.
    Source: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    """

    limit: int = 4
    base: float = 0.5
    cap: float = 30.0
    longest_wait: float = 60.0
    within: float = 300.0


@dataclass(frozen=True, slots=True)
class Timing:
    """now: a monotonic clock, in seconds. date: seconds since 1970.

    wait: sleeps, or returns True early when cancelled. random: a number from 0 to 1, 1 excluded.
    """

    now: Callable[[], float] = time.monotonic
    date: Callable[[], float] = time.time
    wait: Callable[[Cancellation, float], bool] = Cancellation.wait
    random: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True)
class Retry:
    """A coming retry: number `n` (from 1) of `limit` begins in `seconds`, because of `error`."""

    n: int
    limit: int
    seconds: float
    error: ModelError


class Client:
    """Asks models. One client may be used from several threads; each request has a connection of its own."""

    def __init__(
        self,
        addresses: Addresses,
        *,
        timeouts: Timeouts | None = None,
        retries: Retries | None = None,
        timing: Timing | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._addresses = addresses
        self._timeouts = timeouts or Timeouts()
        self._retries = retries or Retries()
        self._timing = timing or Timing()
        self._tls = tls

    def check(self, model: str) -> None:
        """Raise `ConfigurationError` if a key or an address for this model is missing."""
        self._addresses.target(model)

    def stream(
        self,
        request: Request,
        *,
        cancel: Cancellation | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> Generator[Delta, None, None]:
        """Yield the reply's deltas as they come. Nothing is sent before the first delta is asked for.

        on_retry: called before each wait. Raises `ModelError`; `llm.errors` draws the tree. A request is not sent
        again once text has been yielded.
        """
        target = self._addresses.target(request.model)
        fields = WIRES[target.endpoint.protocol].body(request, target) | dict(request.extra)
        body = json.dumps({name: value for name, value in fields.items() if value is not None}).encode("ascii")
        stop = cancel or Cancellation()
        began, done, text_shown = self._timing.now(), 0, False
        while True:
            try:
                with closing(self._attempt(target, body, stop)) as deltas:
                    for delta in deltas:
                        # A second attempt begins the reply anew, and what a person has read cannot be taken back.
                        text_shown = text_shown or bool(delta.text or delta.reasoning or delta.calling)
                        yield delta
            except ModelError as error:
                retry = self._retry_after(error, done, self._timing.now() - began)
                if retry is None or text_shown:
                    raise
            else:
                return
            done += 1
            if on_retry is not None:
                on_retry(retry)
            if self._timing.wait(stop, retry.seconds):
                raise CancelledError("The request was cancelled.", hint="Nothing was written.") from retry.error

    def ask(
        self,
        request: Request,
        *,
        cancel: Cancellation | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> Reply:
        """Return the whole reply. Arguments and errors are those of `stream`."""
        with closing(self.stream(request, cancel=cancel, on_retry=on_retry)) as deltas:
            return Reply.of(deltas)

    def models(self, protocol: Protocol, *, cancel: Cancellation | None = None) -> list[str]:
        """Return the names of a provider's models, as requests take them. Raises `ModelError`."""
        target = ModelTarget(self._addresses.endpoints[protocol], "")
        address = Address.of(target.endpoint.models_url)
        proxy = proxy_for(address.scheme, address.host, address.port, self._addresses.environ)
        with HttpExchange(address, proxy, self._timeouts, cancel or Cancellation(), self._tls) as exchange:
            exchange.get(_headers(target))
            self._check_head(exchange, target)
            answer = wire.parse_table(exchange.whole(LARGEST_LIST))
        listed = answer.get("data") if answer is not None else None
        if not isinstance(listed, list):
            raise MalformedAnswerError(f"{address.place} answered with no list of models.", hint=_CHECK_BASE_URL)
        names = [entry["id"] for entry in listed if isinstance(entry, dict) and isinstance(entry.get("id"), str)]
        prefix = ANTHROPIC_PREFIX if protocol is Protocol.ANTHROPIC else ""
        return sorted(prefix + name for name in names)

    def _retry_after(self, error: ModelError, done: int, elapsed: float) -> Retry | None:
        """Return the retry that follows a failure after `done` retries and `elapsed` seconds, or None."""
        rules, asked = self._retries, error.retry_after or 0.0
        if not error.transient or done >= rules.limit or asked > rules.longest_wait:
            return None
        # Between 0 and 0.5, 1, 2, 4 … s: with full jitter many clients do not come back in the same moment.
        seconds = max(asked, self._timing.random() * min(rules.cap, rules.base * 2**done))
        return Retry(done + 1, rules.limit, seconds, error) if elapsed + seconds <= rules.within else None

    def _attempt(self, target: ModelTarget, body: bytes, stop: Cancellation) -> Generator[Delta, None, None]:
        address = Address.of(target.endpoint.url)
        proxy = proxy_for(address.scheme, address.host, address.port, self._addresses.environ)
        with HttpExchange(address, proxy, self._timeouts, stop, self._tls) as exchange:
            exchange.post(body, _headers(target))
            self._check_head(exchange, target)
            reader = WIRES[target.endpoint.protocol].reader()
            # Servers label a JSON object as a stream and the reverse, so the answer's beginning decides.
            first = exchange.opening()[:1]
            labelled = "event-stream" in exchange.headers.get("content-type", "")
            is_whole = first == b"{" or not (labelled or first in FIRST_OF_EVENTS)
            deltas = (self._whole if is_whole else self._events)(exchange, reader, target)
            yield from with_calls_joined(with_halves_joined(deltas))

    def _check_head(self, exchange: HttpExchange, target: ModelTarget) -> None:
        """Raise the `ModelError` for an answer's status and headers, unless a reply follows."""
        status, headers, url = exchange.status, exchange.headers, target.endpoint.url
        if 300 <= status < 400:
            raise ConfigurationError(
                f"{url} redirects to {target.shown(headers.get('location', 'nowhere'))}.",
                hint="Set the base URL to where it leads; a key is not sent on to another address.",
                code="redirected",
            )
        if status >= 400:
            refusal = failures.read_refusal(status, _error_body(exchange))
            raise failures.failure(refusal, target, headers, self._timing.date())
        if status in WITHOUT_REPLY:
            raise MalformedAnswerError(
                f"{url} answered with the status {status}, which has no reply.", hint=_CHECK_BASE_URL
            )
        if exchange.packed:
            raise MalformedAnswerError(
                f"{url} packs its answer ({target.shown(exchange.packed)}), though asked not to.",
                hint="Check the gateways and proxies on the way there.",
            )
        kind = headers.get("content-type", "")
        if "html" in kind:
            raise MalformedAnswerError(
                f"{url} answered with {target.shown(kind)}, which is not a model's answer.", hint=_CHECK_BASE_URL
            )

    def _whole(self, exchange: HttpExchange, reader: AnswerReader, target: ModelTarget) -> Iterator[Delta]:
        body = exchange.whole(LARGEST_ANSWER)
        if len(body) >= LARGEST_ANSWER:
            raise _too_long()
        answer = wire.parse_table(body)
        if answer is None:
            raise MalformedAnswerError("The answer is not a JSON object.", hint="Check the base URL.")
        self._raise_error_in(answer, target)
        has_text = False
        for delta in reader.whole(answer):
            has_text = has_text or bool(delta.text or delta.reasoning or delta.calling)
            yield delta
        if not has_text and not reader.finished:
            raise MalformedAnswerError("The answer holds no reply.", hint="Check the base URL.")

    def _events(self, exchange: HttpExchange, reader: AnswerReader, target: ModelTarget) -> Iterator[Delta]:
        events, size = EventReader(), 0
        try:
            for piece in exchange.pieces():
                size += len(piece)
                if size > LARGEST_ANSWER:
                    raise _too_long()
                for event in events.feed(piece):
                    yield from self._event(event, reader, target)
                    if reader.ended:
                        return
                # OpenAI's figures follow the reason why the model stopped; some servers never close the connection
                # behind it.
                if reader.finished:
                    exchange.expect_tail()
        except CancelledError:
            raise
        except ModelError:
            if reader.finished:
                return  # the reply is whole; only figures may be missing
            raise
        last = events.close()  # the last event may lack its closing blank line
        # An event cut in half is no JSON, and is what the next check reports: the answer broke off.
        if last is not None and (last.data.strip() == END_MARK or wire.parse_table(last.data) is not None):
            yield from self._event(last, reader, target)
        if not reader.finished and not reader.ended:
            raise BrokenStreamError(
                f"{target.endpoint.base_url} ended the answer without saying that it is complete.", hint="Ask again."
            )

    def _event(self, event: ServerEvent, reader: AnswerReader, target: ModelTarget) -> Iterator[Delta]:
        data = event.data.strip()
        if data == END_MARK:
            reader.ended = True
            return
        # An empty event still reaches the reader: its name may say `message_stop`.
        fields = {} if data in NO_DATA else wire.parse_table(event.data)
        if fields is None:
            raise MalformedAnswerError(
                f"Event {event.n:,} (line {event.line:,} of the stream) is not a JSON object:"
                f" {target.shown(event.data)}",
                hint="Ask again; if it stays so, check that the address speaks this protocol.",
            )
        self._raise_error_in(fields, target, event.name)
        yield from reader.take(fields, event.name)

    def _raise_error_in(self, fields: wire.Table, target: ModelTarget, name: str = "") -> None:
        if fields.get("error") or name == "error":
            raise failures.failure(failures.refusal_of(0, fields), target, {}, self._timing.date())


def _headers(target: ModelTarget) -> dict[str, str]:
    """Return the request's headers. A name is sent once, and the user's settings win over ours."""
    usual = {
        "Content-Type": "application/json",
        "Accept": "text/event-stream",
        "Accept-Encoding": "identity",
        "User-Agent": f"dovetail/{dovetail.__version__}",
        **WIRES[target.endpoint.protocol].headers(target.endpoint),
    }
    # In lower case, else a name that the settings spell in another way (`authorization`) would be sent twice.
    return {name.lower(): value for name, value in (*usual.items(), *target.endpoint.headers.items())}


def _error_body(exchange: HttpExchange) -> bytes:
    """Read an error's body, at most `LARGEST_ERROR` bytes; empty if it cannot be read, as the status is enough."""
    if exchange.packed:
        return b""
    try:
        return exchange.whole(LARGEST_ERROR)
    except CancelledError:
        raise
    except ModelError:
        return b""


def _too_long() -> MalformedAnswerError:
    return MalformedAnswerError(
        f"The answer is longer than {LARGEST_ANSWER:,} bytes.", hint="Check that the address is that of a model."
    )
