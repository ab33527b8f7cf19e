"""Answers as bytes: JSON that any browser reads alike, and errors in their one shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from dovetail.web.faults import of_error, status_of

if TYPE_CHECKING:
    from dovetail.model.errors import DovetailError


def json_response(value: Mapping[str, Any], status: int = 200) -> Response:
    """A JSON answer, in ASCII: also half of a surrogate pair, which a file's text may hold, survives."""
    return Response(json.dumps(value, separators=(",", ":")), status, media_type="application/json")


def error_response(error: DovetailError) -> Response:
    """An error's answer."""
    return json_response({"error": of_error(error)}, status_of(error))
