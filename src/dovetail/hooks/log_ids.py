"""Reads the ids of calls from an agent's log, for an agent whose events have none; the log has them after the turn.

Owns the reading of Gemini CLI's log for that, as JSON Lines. Records in another form give no ids.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_LARGEST = 64 << 20  # bytes of a log


def logged_calls(path: str) -> Iterator[tuple[str, Any, str]]:
    """Yield tool, arguments and the model's id of each call in a log, in order; some calls come several times.

    Raises `OSError` or `ValueError` if the log cannot be read.
    """
    if not path or os.stat(path).st_size > _LARGEST:
        return
    with open(path, "rb") as file:
        for line in file:
            # Most lines have no calls, and parsing them would cost the most.
            if b'"toolCalls"' not in line:
                continue
            record = json.loads(line)
            calls = record.get("toolCalls") if isinstance(record, dict) else None
            for call in calls if isinstance(calls, list) else ():
                if isinstance(call, dict) and isinstance(call.get("id"), str) and isinstance(call.get("name"), str):
                    yield call["name"], call.get("args"), call["id"].removeprefix(f"{call['name']}__")
