"""One HTTP request to a model and its answer, over a socket of our own: direct or through a proxy, plain or TLS.

Owns names, sockets, certificates, time-outs and http.client; knows no provider. It follows no redirect, so a key goes
only to the address that it was given for. Whatever fails is raised as a `ModelError` with the address and the next act.

Once a name is resolved, each step can be stopped from another thread: a `Cancellation` is set once and stays set.
Setting it shuts down the watched socket, which wakes a thread that waits in it; the thread that owns the socket closes
it. A socket is shut down only while it is watched, under the lock: after it is closed, the system may have given its
number to another file.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Self, cast
from urllib.parse import urlsplit

from dovetail.llm.errors import (
    BrokenStreamError,
    CancelledError,
    MalformedAnswerError,
    ModelError,
    TimedOutError,
    UnreachableError,
)
from dovetail.llm.settings import Proxy, is_loopback

SWITCHED = 101
_BUFFER = 65_536
_LEAST_WAIT = 0.001  # a socket's time-out of 0 would mean "do not wait at all"
_PORTS = {"http": 80, "https": 443}
_ASK_AGAIN = "Ask again, or show the model less."


class Cancellation:
    """Stops one request; whoever may want to stop it makes one and passes it along."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    @property
    def cancelled(self) -> bool:
        """Return whether somebody asked to stop."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask to stop. May be called from any thread, and more than once."""
        self._event.set()
        with self._lock:
            self._shut_down()

    def wait(self, seconds: float) -> bool:
        """Sleep, and return early with True when somebody asks to stop."""
        return self._event.wait(seconds)

    def watch(self, sock: socket.socket | None) -> None:
        """Set the socket that a thread waits in from now on; None before it is closed."""
        with self._lock:
            self._socket = sock
            if self.cancelled:
                self._shut_down()

    def _shut_down(self) -> None:
        if self._socket is None:
            return
        try:
            # Not the TLS socket's own method, which takes the session away under a reader's feet.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            return  # it was not connected, or the other side was faster


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds.

    connect: for the connection, TLS and proxy included. first_byte: from then to the first piece of the answer; a
    large local model reads a long prompt for minutes. stall: between two pieces. tail: after the model said why it
    stopped, for figures that may follow.
    """

    connect: float = 10.0
    first_byte: float = 300.0
    stall: float = 90.0
    tail: float = 5.0


@dataclass(frozen=True, slots=True)
class Address:
    """Where a request goes: `path` begins with ``/``, `url` is the whole."""

    scheme: str
    host: str
    port: int
    path: str
    url: str

    @classmethod
    def of(cls, url: str) -> Address:
        """Parse a URL."""
        parts = urlsplit(url)
        return cls(parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme], parts.path or "/", url)

    @property
    def place(self) -> str:
        """Host and port as a person reads them, and as HTTP's CONNECT wants them."""
        return f"{self._bracketed}:{self.port}"

    @property
    def host_header(self) -> str:
        """The place, without the scheme's usual port."""
        return self._bracketed if self.port == _PORTS[self.scheme] else self.place

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


class HttpExchange:
    """One request and its answer, as a context manager: leaving it closes the connection."""

    def __init__(
        self,
        address: Address,
        proxy: Proxy | None,
        timeouts: Timeouts,
        cancel: Cancellation,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._address = address
        self._proxy = proxy
        self._timeouts = timeouts
        self._cancel = cancel
        self._tls = tls
        self._late = f"{address.place} sent nothing for {timeouts.first_byte:g} s."
        self._sock: socket.socket | None = None
        self._source: _TimedSocket | None = None
        self._answer: http.client.HTTPResponse | None = None
        self._ahead = b""
        self.status = 0
        self.headers: Mapping[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._cancel.watch(None)
        if self._answer is not None:
            self._answer.close()
        if self._sock is not None:
            self._sock.close()

    def post(self, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a POST and read the answer's head as `get` does."""
        self._request("POST", body, headers)

    def get(self, headers: Mapping[str, str]) -> None:
        """Send a GET and read the answer's head into `status` and `headers` (names in lower case)."""
        self._request("GET", None, headers)

    def _request(self, method: str, body: bytes | None, headers: Mapping[str, str]) -> None:
        self._check_cancelled()
        place = self._address.place
        try:
            self._sock = _connect(self._address, self._proxy, self._timeouts.connect, self._cancel, self._tls)
            unsent = self._send(self._sock, method, body, headers)
            self._source = _TimedSocket(self._sock, self._timeouts.first_byte)
            self._answer = self._read_answer(self._source, method, unsent)
        except ModelError as error:
            self._check_cancelled(error)
            raise
        except TimeoutError as error:
            self._check_cancelled(error)
            raise TimedOutError(self._late, hint=_ASK_AGAIN) from error
        except OSError as error:  # http.client.RemoteDisconnected is one
            self._check_cancelled(error)
            raise UnreachableError(f"{place} closed the connection.", hint="Ask again.") from error
        except http.client.HTTPException as error:
            self._check_cancelled(error)
            hint = "Check the address, http:// against https:// too."
            raise MalformedAnswerError(f"{place} does not answer in HTTP.", hint=hint) from error
        self.status = self._answer.status
        self.headers = {name.lower(): value for name, value in self._answer.getheaders()}
        if self.status == 407 and self._proxy is not None:
            raise _refused_by(self._proxy, self._address, self.status)

    @property
    def packed(self) -> str:
        """The body's content encoding (`gzip`); "" if it is not compressed."""
        encoding = self.headers.get("content-encoding", "").strip()
        return "" if encoding.lower() == "identity" else encoding

    def _send(self, sock: socket.socket, method: str, body: bytes | None, headers: Mapping[str, str]) -> OSError | None:
        """Send the request; return the error if the server closed the connection before it had read all."""
        sock.settimeout(self._timeouts.first_byte)
        sender = http.client.HTTPConnection(self._address.host, self._address.port)
        sender.sock = sock
        target, extra = self._address.path, {"host": self._address.host_header}
        if self._proxy is not None and self._address.scheme == "http":
            target = self._address.url
            if self._proxy.authorization:
                extra["proxy-authorization"] = self._proxy.authorization
        try:
            sender.request(method, target, body, {**extra, **headers})
        # A server may refuse a long request before it has read it, and close: its answer (413, 401) says why.
        except (BrokenPipeError, ConnectionResetError) as error:
            return error
        return None

    def _read_answer(self, source: _TimedSocket, method: str, unsent: OSError | None) -> http.client.HTTPResponse:
        """Read the answer's head. If the request broke off (`unsent`), raise that unless the status is an error."""
        if unsent is None:
            return _read_head(source, method)
        with suppress(OSError, http.client.HTTPException):
            answer = _read_head(source, method)
            if answer.status >= 400:
                return answer
            answer.close()
        raise unsent

    def opening(self) -> bytes:
        """Return the body's first bytes, without leading blanks; they stay to be read. Raises as `pieces`."""
        for piece in self._received():
            self._ahead += piece
            if self._ahead.strip() or len(self._ahead) > _BUFFER:
                break
        return self._ahead.lstrip()

    def pieces(self) -> Iterator[bytes]:
        """Yield the body as it comes. Raises `TimedOutError`, and `BrokenStreamError` if it ends too early."""
        ahead, self._ahead = self._ahead, b""
        if ahead:
            yield ahead
        yield from self._received()

    def _received(self) -> Iterator[bytes]:
        answer, source, place = self._answer, self._source, self._address.place
        if answer is None or source is None:
            return
        broken = BrokenStreamError(f"{place} closed the connection in the middle of the answer.", hint="Ask again.")
        while True:
            try:
                piece = answer.read1(_BUFFER)
            except TimeoutError as error:
                self._check_cancelled(error)
                raise TimedOutError(self._late, hint=_ASK_AGAIN) from error
            except (OSError, http.client.HTTPException) as error:
                self._check_cancelled(error)
                raise broken from error
            self._check_cancelled()
            if not piece:
                break
            self._late = f"{place} fell silent for {self._timeouts.stall:g} s."
            source.within(self._timeouts.stall)
            yield piece
        # `length` is what is left of it; None for chunks, whose end is checked by `http.client`.
        if answer.length:  # Content-Length promised more
            raise broken

    def expect_tail(self) -> None:
        """Wait at most `Timeouts.tail` for each further piece, as the model is done."""
        if self._source is not None:
            self._source.within(self._timeouts.tail)

    def whole(self, limit: int) -> bytes:
        """Return the body, or its first `limit` bytes."""
        gathered = bytearray()
        for piece in self.pieces():
            gathered += piece
            if len(gathered) >= limit:
                break
        return bytes(gathered[:limit])

    def _check_cancelled(self, cause: BaseException | None = None) -> None:
        if self._cancel.cancelled:
            raise CancelledError("The request was cancelled.", hint="Nothing was written.") from cause


# --- Connecting


def _connect(
    address: Address, proxy: Proxy | None, timeout: float, cancel: Cancellation, tls: ssl.SSLContext | None
) -> socket.socket:
    """Return a connected socket that `cancel` watches. Raises `UnreachableError` and `TimedOutError`."""
    host, port = (proxy.host, proxy.port) if proxy is not None else (address.host, address.port)
    try:
        with ExitStack() as unfinished:
            sock = _open(host, port, timeout, cancel, unfinished)
            if address.scheme == "https":
                if proxy is not None:
                    lines = [f"CONNECT {address.place} HTTP/1.1", f"Host: {address.place}"]
                    if proxy.authorization:
                        lines.append(f"Proxy-Authorization: {proxy.authorization}")
                    sock.sendall("".join(line + "\r\n" for line in [*lines, ""]).encode("ascii"))
                    answer = _read_head(_TimedSocket(sock, timeout), "CONNECT")
                    status = answer.status
                    answer.close()
                    if status != 200:
                        raise _refused_by(proxy, address, status)
                context = tls if tls is not None else ssl.create_default_context()
                # `wrap_socket` takes the descriptor away from the plain socket. The handshake waits for the server,
                # so it comes after the new socket is watched.
                cancel.watch(None)
                sock = context.wrap_socket(sock, server_hostname=address.host, do_handshake_on_connect=False)
                _close_unless_finished(sock, cancel, unfinished)
                sock.do_handshake()
            unfinished.pop_all()
            return sock
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        raise _explained(error, address, proxy, timeout) from error


def _close_unless_finished(sock: socket.socket, cancel: Cancellation, unfinished: ExitStack) -> None:
    """Watch a socket; unless the connection is finished, stop watching it, then close it."""
    unfinished.callback(sock.close)
    unfinished.callback(cancel.watch, None)
    cancel.watch(sock)


def _open(host: str, port: int, timeout: float, cancel: Cancellation, unfinished: ExitStack) -> socket.socket:
    """Connect to the first of a host's addresses that answers."""
    failed: OSError | None = None
    for family, kind, protocol, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        try:
            with ExitStack() as attempt:
                sock = socket.socket(family, kind, protocol)
                _close_unless_finished(sock, cancel, attempt)
                sock.settimeout(timeout)
                sock.connect(place)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                cancel.watch(sock)  # again: before it was connected there was nothing to shut down
                unfinished.push(attempt.pop_all())
                return sock
        except OSError as error:
            failed = error
    raise failed or OSError(f"{host} has no address")


def _refused_by(proxy: Proxy, address: Address, status: int) -> UnreachableError:
    return UnreachableError(
        f"The proxy {proxy.host}:{proxy.port} does not pass requests to {address.place} on ({status}).",
        hint=f"Check {address.scheme.upper()}_PROXY and its name and password, or add the host to NO_PROXY.",
        code="proxy-refused",
        transient=status >= 500,
    )


def _explained(error: Exception, address: Address, proxy: Proxy | None, timeout: float) -> ModelError:
    where = address.place if proxy is None else f"{address.place} (by the proxy {proxy.host}:{proxy.port})"
    match error:
        case TimeoutError():
            return TimedOutError(
                f"No connection to {where} within {timeout:g} s.", hint="Check the network and the address."
            )
        case socket.gaierror() | UnicodeError():  # the latter for invalid names such as `a..b`
            return UnreachableError(
                f"There is no host {(proxy or address).host}, or its name cannot be looked up.",
                hint="Check the address and the network.",
                transient=isinstance(error, OSError) and error.errno == socket.EAI_AGAIN,
            )
        case ssl.SSLCertVerificationError():
            return UnreachableError(
                f"The certificate of {where} cannot be trusted: {error.verify_message}.",
                hint="Where your network adds its own certificate, name its file in SSL_CERT_FILE.",
                code="certificate",
                transient=False,
            )
        case ssl.SSLError():
            return UnreachableError(
                f"{where} does not speak TLS as expected.",
                hint="Check whether its address begins with http:// or https://",
                transient=False,
            )
    hint = "Start the local model's server, or check the port." if is_loopback(address.host) else "Check the network."
    reason = error.strerror if isinstance(error, OSError) else None
    return UnreachableError(f"No connection to {where}: {reason or 'it was closed'}.", hint=hint)


# --- Reading


class _TimedSocket(io.RawIOBase):
    """A socket's reading end; it offers the `makefile` that `http.client.HTTPResponse` asks of a socket.

    A socket's own time-out starts again with each byte, so a server that sends a byte a second would never be late.
    Here the reads share one span until `within` gives each of them its own.
    """

    def __init__(self, sock: socket.socket, seconds: float) -> None:
        self._sock = sock
        self._span = seconds
        self._until: float | None = time.monotonic() + seconds

    def within(self, seconds: float) -> None:
        """From now on, each read may take this many seconds."""
        self._span, self._until = seconds, None

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return a reader. Closing it leaves the socket open."""
        return io.BufferedReader(self, _BUFFER)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # narrower than any buffer
        """Read what is there, waiting no longer than allowed. Raises `TimeoutError`."""
        left = self._span if self._until is None else self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time is over")
        self._sock.settimeout(max(left, _LEAST_WAIT))
        return self._sock.recv_into(buffer)


def _read_head(source: _TimedSocket, method: str) -> http.client.HTTPResponse:
    """Read the head of an answer. Raises as `http.client` does.

    Statuses from 100 to 199 only announce an answer (`103 Early Hints`), so they are skipped, except 101: it is the
    last answer of this protocol. Source: https://www.rfc-editor.org/rfc/rfc9110#section-15.2
    """
    answer = http.client.HTTPResponse(cast("socket.socket", source), method=method)
    try:
        answer.begin()
        while answer.status < 200 and answer.status != SWITCHED:
            answer.headers = None  # type: ignore[assignment]  # `begin` reads another head; by itself it skips 100 only
            answer.begin()
    except BaseException:
        answer.close()
        raise
    return answer
