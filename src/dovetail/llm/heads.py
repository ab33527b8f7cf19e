"""The head of an HTTP answer: the one that answers, behind those that only announce it.

Statuses from 100 to 199 come before an answer, as many as a server or a proxy likes (`103 Early Hints`), and are passed
over, but for 101, which is the last that this protocol says.
Source: https://www.rfc-editor.org/rfc/rfc9110#section-15.2
"""

from __future__ import annotations

import http.client
from typing import TYPE_CHECKING, cast

from dovetail.llm.deadline import WatchedSocket

if TYPE_CHECKING:
    import socket

SWITCHED = 101


def read_head(source: WatchedSocket, method: str) -> http.client.HTTPResponse:
    """The answer to a request by `method`, its head read and its body not. Raises as `http.client` does."""
    answer = http.client.HTTPResponse(cast("socket.socket", source), method=method)
    try:
        answer.begin()
        while answer.status < 200 and answer.status != SWITCHED:
            answer.headers = None  # type: ignore[assignment]  # what says that no head was read; it skips 100 alone
            answer.begin()
    except BaseException:
        answer.close()
        raise
    return answer
