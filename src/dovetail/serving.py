"""The HTTP protocol of the page and the MCP server: a connection whose request is not complete in time is closed.

Needs uvicorn, which the extras `web` and `mcp` bring.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

LONGEST_REQUEST = 30.0
"""Seconds within which a connection must send a whole request."""


class BoundedProtocol(H11Protocol):
    """Closes a connection that has sent nothing, or only a part of a request, for `LONGEST_REQUEST`.

    Uvicorn itself closes one that is idle after an answer.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(LONGEST_REQUEST, transport.close)

    def data_received(self, data: bytes) -> None:
        """Begin to wait for the rest of a request, or stop waiting if it is complete."""
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_waiting()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(LONGEST_REQUEST, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
