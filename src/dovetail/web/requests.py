"""Requests and answers of the server: a body read within bounds, its fields by type, and errors with their status.

`RequestError` is the error of a request that cannot be answered. Errors of the engine keep their own code; their HTTP
status is decided here alone. The readers of fields raise `RequestError` (400) if a field is missing or has another
type. Unknown fields are refused too, so that a misspelled one never has no effect in silence.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from dovetail.model.errors import ChangedError, DovetailError, JournalError, LockedError, said_by_system

if TYPE_CHECKING:
    from starlette.requests import Request

LARGEST_BODY = 16_000_000
"""The most bytes of a request's body."""
LARGEST_REPLY = 8_000_000
"""The most characters of a pasted reply."""
DEEPEST = 8
_LARGEST_NUMBER = 1_000_000_000
_CONFLICTS = (ChangedError, LockedError, JournalError)  # the request is valid, but not in the present state

Body = Mapping[str, Any]
_Item = TypeVar("_Item")


class RequestError(DovetailError):
    """A request that cannot be answered; `status` is the HTTP status."""

    def __init__(self, status: int, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint, code=code)
        self.status = status


def not_found(what: str) -> RequestError:
    """Return the error for something that does not exist."""
    return RequestError(404, "not-found", f"There is no {what}.", "Load the page again.")


def bad(message: str) -> RequestError:
    """Return the error for a body that this address does not take."""
    return RequestError(400, "bad-request", message, "See docs/reference/http.md")


def busy() -> RequestError:
    """Return the error for an act that has to wait for the model."""
    return RequestError(409, "busy", "The model is still answering.", "Wait for it, or cancel it.")


def system_error(error: OSError) -> RequestError:
    """Return the error for what the operating system refuses; it names the file."""
    return RequestError(500, "system", said_by_system(error), "Check the folder and its permissions.")


def error_record(error: DovetailError) -> dict[str, str | None]:
    """Return an error's code, message and hint."""
    return {"code": error.code, "message": error.message, "hint": error.hint}


def error_response(error: DovetailError) -> Response:
    """Return the answer for an error."""
    status = error.status if isinstance(error, RequestError) else 409 if isinstance(error, _CONFLICTS) else 422
    return json_response({"error": error_record(error)}, status)


def json_response(value: Mapping[str, Any], status: int = 200) -> Response:
    """Return a JSON answer in ASCII, so that half a surrogate pair, which a file's text may hold, survives."""
    return Response(json.dumps(value, separators=(",", ":")), status, media_type="application/json")


# --- Bodies


async def read_body(request: Request) -> dict[str, Any]:
    """Read the JSON object of a request's body. Raises `RequestError`; nothing is kept of a body that is too large."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestError(415, "bad-request", "The body must be application/json.")
    too_large = RequestError(413, "too-large", f"The body is larger than {LARGEST_BODY:,} bytes.", "Send less at once.")
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length) > LARGEST_BODY:
        raise too_large
    data = bytearray()
    try:
        async for piece in request.stream():
            data += piece
            if len(data) > LARGEST_BODY:
                raise too_large
    except ClientDisconnect:  # the page was closed or loaded again: nobody reads the answer
        raise bad("The body did not arrive whole.") from None
    try:
        body = json.loads(bytes(data))
    except (ValueError, RecursionError):
        raise bad("The body is not JSON.") from None
    if not isinstance(body, dict) or _depth(body) > DEEPEST:
        raise bad("The body is not a JSON object of a usual depth.")
    return body


def _depth(value: object) -> int:
    """Return how deep a value nests; counting stops beyond `DEEPEST`."""
    level, depth = [value], 0
    while level and depth <= DEEPEST:
        depth += 1
        containers = (outer.values() if isinstance(outer, dict) else outer for outer in level)
        level = [inner for values in containers for inner in values if isinstance(inner, (dict, list))]  # type: ignore[attr-defined]
    return depth


# --- Fields


def only(body: Body, *names: str) -> None:
    """Raise unless a body has no other fields than these."""
    unknown = sorted(set(body) - set(names))
    if unknown:
        raise bad(f"There is no field `{unknown[0]}`.")


def text(body: Body, name: str, default: str | None = None) -> str:
    """Return a text. It must be there unless there is a default."""
    value = body.get(name, default)
    if not isinstance(value, str):
        raise bad(f"`{name}` must be a text.")
    return value


def optional_text(body: Body, name: str) -> str | None:
    """Return a text, or None if the field is null or missing."""
    return None if body.get(name) is None else text(body, name)


def flag(body: Body, name: str, default: bool | None = False) -> bool:
    """Return a boolean. It must be there if the default is None."""
    value = body.get(name, default)
    if not isinstance(value, bool):
        raise bad(f"`{name}` must be true or false.")
    return value


def number(body: Body, name: str, least: int = 0, most: int = _LARGEST_NUMBER) -> int:
    """Return a whole number within bounds, both included."""
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        bounds = f"from {least}" if most == _LARGEST_NUMBER else f"from {least} to {most}"
        raise bad(f"`{name}` must be a whole number {bounds}.")
    return value


def optional_number(body: Body, name: str, least: int) -> int | None:
    """Return a whole number, or None if the field is null or missing."""
    return None if body.get(name) is None else number(body, name, least)


def numbers(body: Body, name: str) -> frozenset[int] | None:
    """Return a list of whole numbers as a set, or None if the field is null or missing."""
    value = _list_of(int, body, name, "whole numbers")
    return None if value is None else frozenset(value)


def texts(body: Body, name: str) -> tuple[str, ...] | None:
    """Return a list of texts, or None if the field is null or missing."""
    value = _list_of(str, body, name, "texts")
    return None if value is None else tuple(value)


def _list_of(kind: type[_Item], body: Body, name: str, what: str) -> list[_Item] | None:
    value = body.get(name)
    if value is not None and not (isinstance(value, list) and all(type(item) is kind for item in value)):
        raise bad(f"`{name}` must be a list of {what}.")
    return value


def word(body: Body, name: str, words: Collection[str]) -> str:
    """Return a text that is one of some words."""
    value = text(body, name)
    if value not in words:
        raise bad(f"`{name}` must be one of {', '.join(words)}.")
    return value


def check_place(line: int, n: int, places: Collection[int]) -> None:
    """Raise unless edit `n` may begin at a line."""
    if line not in places:
        known = ", ".join(map(str, places)) or "it has none"
        raise bad(f"`line` must be one of the places of edit {n}: {known}.")
