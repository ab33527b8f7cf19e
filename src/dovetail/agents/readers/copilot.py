"""Copilot CLI: an event begins a call, another one ends it, with git's diff of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dovetail.agents.readers.calls import Json, LoggedCall, Record, call_of, effect_of, first, git_effects, known


def is_record(record: Json) -> bool:
    """Return whether only Copilot CLI writes such a record."""
    return record.get("type") == "session.start"


def read(records: Sequence[Json]) -> Record:
    """Return a session's calls."""
    return Record(first(records, "data", "context", "cwd"), list(_calls(records)))


def subagent_logs(_path: Path, _session: str, _named: Sequence[str]) -> list[Path]:
    """Return no logs: sub-agents have none of their own."""
    return []


def _calls(records: Sequence[Json]) -> Iterator[LoggedCall]:
    ended = {
        data.get("toolCallId"): data
        for record in records
        if record.get("type") == "tool.execution_complete" and isinstance(data := record.get("data"), dict)
    }
    for record in records:
        data = record.get("data")
        if record.get("type") != "tool.execution_start" or not isinstance(data, dict):
            continue
        name, fields = str(data.get("toolName")), data.get("arguments") or {}
        call = call_of({"name": name, "arguments": fields}, name, fields, id=data.get("toolCallId"))
        if call is not None:
            end = ended.get(data.get("toolCallId"))
            call.time, call.model = record.get("timestamp"), data.get("model")
            call.outcome = known(failed=not (end or {}).get("success"), there=end)
            call.reason = str((end or {}).get("error") or "")
            path, text = str(fields.get("path") or ""), fields.get("file_text")
            if isinstance(text, str):  # the tool creates files, and replaces none
                call.effects = [effect_of(path, after=text, created=True)]
            elif not call.command:
                detail = ((end or {}).get("result") or {}).get("detailedContent")
                call.effects = list(git_effects(str(detail or ""), path))
            yield call
