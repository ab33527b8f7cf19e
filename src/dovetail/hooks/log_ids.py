"""Ids of calls from an agent's log, for an agent whose events name none; its log has them when the turn is over.

Owns the reading of Gemini CLI's log for that, as JSON Lines. Whatever is not as expected gives no ids.
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
    """The calls of a log in order, some of them again and again: tool, arguments, and the id that the model gave it."""
    if not path or os.stat(path).st_size > _LARGEST:
        return
    with open(path, "rb") as file:
        for line in file:
            # Most lines have none, and parsing them costs the most.
            if b'"toolCalls"' not in line:
                continue
            record = json.loads(line)
            calls = record.get("toolCalls") if isinstance(record, dict) else None
            for call in calls if isinstance(calls, list) else ():
                if isinstance(call, dict) and isinstance(call.get("id"), str) and isinstance(call.get("name"), str):
                    yield call["name"], call.get("args"), call["id"].removeprefix(f"{call['name']}__")
