"""A socket's reading end whose every read knows how long it may take.

A socket's own time-out starts again with each byte, so that a server that sends a header a byte a second is never
late. Here a read gets what is left until a moment, or a span of its own, as its owner says before reading.
"""

from __future__ import annotations

import io
import socket
import time

BUFFER = 65_536
_LEAST = 0.001  # a time-out of 0 would mean "do not wait at all", an error of another kind


class WatchedSocket:
    """Offers what `http.client.HTTPResponse` asks of a socket: `makefile`."""

    def __init__(self, sock: socket.socket, seconds: float) -> None:
        self._sock = sock
        self._span = seconds
        self._until: float | None = time.monotonic() + seconds

    def within(self, seconds: float) -> None:
        """From now on, each read may take this long."""
        self._span, self._until = seconds, None

    def makefile(self, _mode: str) -> io.BufferedReader:
        """The reading end; closing it leaves the socket open."""
        return io.BufferedReader(_Reading(self), BUFFER)

    def receive(self, buffer: memoryview) -> int:
        """Read what is there, waiting no longer than allowed. Raises `TimeoutError`."""
        left = self._span if self._until is None else self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time is over")
        self._sock.settimeout(max(left, _LEAST))
        return self._sock.recv_into(buffer)


class _Reading(io.RawIOBase):
    def __init__(self, source: WatchedSocket) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # narrower than any buffer
        return self._source.receive(buffer)
