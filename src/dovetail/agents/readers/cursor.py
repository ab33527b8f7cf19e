"""Cursor: calls alone, without results, times and the folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dovetail.agents.readers.calls import Json, LoggedCall, Record, call_of, parts


def is_record(record: Json) -> bool:
    """Return whether a record may be Cursor's: no other agent's has so little."""
    return "role" in record and isinstance(record.get("message"), dict) and "type" not in record


def read(records: Sequence[Json]) -> Record:
    """Return a session's calls."""
    return Record("", list(_calls(records)))


def subagent_logs(_path: Path, _session: str, _named: Sequence[str]) -> list[Path]:
    """Return no logs: Cursor's log does not name any."""
    return []


def _calls(records: Sequence[Json]) -> Iterator[LoggedCall]:
    for record in records:
        for part in parts((record.get("message") or {}).get("content")):
            if part.get("type") == "tool_use":
                call = call_of(part, str(part.get("name")), part.get("input"))
                if call is not None:
                    yield call
