"""What a request is answered with, and where it is refused: a status, and an error's code, sentence and next act.

Which status is here alone. Errors of the engine keep their own code; anything unknown is a defect, whose
traceback goes to the terminal and not to the page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from dovetail.model.errors import ChangedError, DovetailError, JournalError, LockedError, said_by_system


class RequestError(DovetailError):
    """A request that cannot be answered; `status` is the HTTP status."""

    def __init__(self, status: int, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint, code=code)
        self.status = status


def not_found(what: str) -> RequestError:
    """There is no such thing."""
    return RequestError(404, "not-found", f"There is no {what}.", "Load the page again.")


def bad(message: str) -> RequestError:
    """The body is not what this address takes."""
    return RequestError(400, "bad-request", message, "See docs/reference/http.md")


def busy() -> RequestError:
    """The model is at work."""
    return RequestError(409, "busy", "The model is still answering.", "Wait for it, or cancel it.")


def of_system(error: OSError) -> RequestError:
    """What the operating system refuses, and of which file."""
    return RequestError(500, "system", said_by_system(error), "Check the folder and its permissions.")


_CONFLICTS = (ChangedError, LockedError, JournalError)  # right in itself, and in the way of what is there


def error_response(error: DovetailError) -> Response:
    """An error's answer."""
    status = error.status if isinstance(error, RequestError) else 409 if isinstance(error, _CONFLICTS) else 422
    return json_response({"error": of_error(error)}, status)


def json_response(value: Mapping[str, Any], status: int = 200) -> Response:
    """A JSON answer, in ASCII: also half of a surrogate pair, which a file's text may hold, survives."""
    return Response(json.dumps(value, separators=(",", ":")), status, media_type="application/json")


def of_error(error: DovetailError) -> dict[str, str | None]:
    """Code, sentence, next act."""
    return {"code": error.code, "message": error.message, "hint": error.hint}
