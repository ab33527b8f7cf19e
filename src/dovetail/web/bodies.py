"""Reads a request's body: JSON, an object, no larger than allowed; nothing is kept of one that is too large."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect

from dovetail.web.faults import RequestError, bad

if TYPE_CHECKING:
    from starlette.requests import Request

LARGEST_BODY = 16_000_000
LARGEST_REPLY = 8_000_000
DEEPEST = 8


async def read_body(request: Request) -> dict[str, Any]:
    """The body's object. Raises `RequestError`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestError(415, "bad-request", "The body must be application/json.")
    stated = request.headers.get("content-length", "0")
    if not stated.isdigit() or int(stated) > LARGEST_BODY:
        raise _too_large()
    data = bytearray()
    try:
        async for piece in request.stream():
            data += piece
            if len(data) > LARGEST_BODY:
                raise _too_large()
    except ClientDisconnect:  # a page that was closed or loaded again: nobody hears the answer
        raise bad("The body did not come whole.") from None
    try:
        body = json.loads(bytes(data))
    except (ValueError, RecursionError):
        raise bad("The body is not JSON.") from None
    if not isinstance(body, dict) or _depth(body) > DEEPEST:
        raise bad("The body is no JSON object.")
    return body


def _too_large() -> RequestError:
    return RequestError(413, "too-large", f"The body is larger than {LARGEST_BODY:,} bytes.", "Send less at once.")


def _depth(value: object) -> int:
    """How deep a value nests; stops counting where it is too deep."""
    level, depth = [value], 0
    while level and depth <= DEEPEST:
        depth += 1
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
    return depth
