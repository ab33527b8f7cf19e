"""One HTTP request and its answer, read in the pieces in which it comes.

Owns http.client, time-outs between bytes, and the closing of sockets. Knows no provider. Follows no redirect, so a key
goes nowhere but to the address it was given for.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from dovetail.llm.cancellation import Cancellation
from dovetail.llm.connection import Address, connect, refused_by
from dovetail.llm.deadline import BUFFER, WatchedSocket
from dovetail.llm.errors import (
    BrokenStreamError,
    CancelledError,
    MalformedAnswerError,
    ModelError,
    TimedOutError,
    UnreachableError,
)
from dovetail.llm.heads import read_head
from dovetail.llm.proxies import Proxy


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


class Exchange:
    """A context: leaving it closes the connection, whatever happened."""

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
        self._phase = f"{address.place} sent nothing for {timeouts.first_byte:g} s"
        self._sock: socket.socket | None = None
        self._watched: WatchedSocket | None = None
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
        """Send the request and read the answer's head into `status` and `headers` (names in lower case)."""
        self._check_cancelled()
        try:
            self._sock = connect(self._address, self._proxy, self._timeouts.connect, self._cancel, self._tls)
            unsent = self._send(self._sock, body, headers)
            self._watched = WatchedSocket(self._sock, self._timeouts.first_byte)
            self._answer = self._head(self._watched, unsent)
        except (OSError, http.client.HTTPException, ModelError) as error:
            self._check_cancelled(error)
            raise self._explained_early(error) from error
        self.status = self._answer.status
        self.headers = {name.lower(): value for name, value in self._answer.getheaders()}
        if self.status == 407 and self._proxy is not None:
            raise refused_by(self._proxy, self._address, self.status)

    @property
    def packed(self) -> str:
        """How the body is compressed; empty where it is not."""
        encoding = self.headers.get("content-encoding", "").strip()
        return "" if encoding.lower() == "identity" else encoding

    def _head(self, watched: WatchedSocket, unsent: OSError | None) -> http.client.HTTPResponse:
        """Read the answer's head. To a request that broke off (`unsent`), nothing but a refusal is an answer."""
        if unsent is None:
            return read_head(watched, "POST")
        with suppress(OSError, http.client.HTTPException):
            answer = read_head(watched, "POST")
            if answer.status >= 400:
                return answer
            answer.close()
        raise unsent

    def _send(self, sock: socket.socket, body: bytes, headers: Mapping[str, str]) -> OSError | None:
        """Send the request; gives why it broke off where the server closed before it had read all."""
        sock.settimeout(self._timeouts.first_byte)
        sender = http.client.HTTPConnection(self._address.host, self._address.port)
        sender.sock = sock
        forwarded = self._proxy is not None and self._address.scheme == "http"
        target = self._address.url if forwarded else self._address.path
        extra = {"host": self._address.host_header}
        if forwarded and self._proxy is not None and self._proxy.authorization:
            extra["proxy-authorization"] = self._proxy.authorization
        try:
            sender.request("POST", target, body, {**extra, **headers})
        except (BrokenPipeError, ConnectionResetError) as error:
            return error
        return None

    def opening(self) -> bytes:
        """The first of the body's bytes, without blanks in front; they stay to be read. Raises as `pieces`."""
        for piece in self._received():
            self._ahead += piece
            if self._ahead.strip() or len(self._ahead) > BUFFER:
                break
        return self._ahead.lstrip()

    def pieces(self) -> Iterator[bytes]:
        """The answer's body as it comes. Raises `BrokenStreamError` where it ends too early, `TimedOutError`."""
        ahead, self._ahead = self._ahead, b""
        if ahead:
            yield ahead
        yield from self._received()

    def _received(self) -> Iterator[bytes]:
        answer, watched = self._answer, self._watched
        if answer is None or watched is None:
            return
        while True:
            try:
                piece = answer.read1(BUFFER)
            except (OSError, http.client.HTTPException) as error:
                self._check_cancelled(error)
                raise self._explained_late(error) from error
            self._check_cancelled()
            if not piece:
                break
            self._phase = f"{self._address.place} fell silent for {self._timeouts.stall:g} s"
            watched.within(self._timeouts.stall)
            yield piece
        if answer.length:  # what Content-Length promised and did not come
            raise self._explained_late(http.client.IncompleteRead(b"", answer.length))

    def expect_tail(self) -> None:
        """Say that the model is done, so that only a little more may follow, and soon."""
        if self._watched is not None:
            self._watched.within(self._timeouts.tail)

    def whole(self, limit: int) -> bytes:
        """The body, or its first `limit` bytes."""
        gathered = bytearray()
        for piece in self.pieces():
            gathered += piece
            if len(gathered) >= limit:
                break
        return bytes(gathered[:limit])

    def _check_cancelled(self, cause: BaseException | None = None) -> None:
        if self._cancel.cancelled:
            raise CancelledError("The request was cancelled.", hint="Nothing was written.") from cause

    def _explained_early(self, error: Exception) -> ModelError:
        match error:
            case ModelError():
                return error
            case TimeoutError():
                return TimedOutError(f"{self._phase}.", hint="Ask again, or show the model less.")
            case http.client.RemoteDisconnected() | OSError():
                return UnreachableError(f"{self._address.place} closed the connection.", hint="Ask again.")
        return MalformedAnswerError(
            f"{self._address.place} does not answer in HTTP.", hint="Check the address, http:// against https:// too."
        )

    def _explained_late(self, error: Exception) -> ModelError:
        if isinstance(error, TimeoutError):
            return TimedOutError(f"{self._phase}.", hint="Ask again, or show the model less.")
        return BrokenStreamError(
            f"{self._address.place} closed the connection in the middle of the answer.", hint="Ask again."
        )
