"""HTTP as the page and the MCP server speak it: a connection whose request does not come whole in time is closed.

Needs uvicorn, which the extras `web` and `mcp` bring.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

LONGEST_REQUEST = 30.0
"""Seconds that a connection has to send a request whole."""


class BoundedProtocol(H11Protocol):
    """Closes a connection that is open for `LONGEST_REQUEST` with nothing, or with part of a request.

    Uvicorn itself closes one that is idle after an answer.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(LONGEST_REQUEST, transport.close)

    def data_received(self, data: bytes) -> None:
        """Wait on for the rest of a request, or no longer if it is whole."""
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
