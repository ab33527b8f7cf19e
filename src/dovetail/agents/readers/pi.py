"""pi: calls in the assistant's messages, results in messages of their own, with a patch for edits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dovetail.agents.hunks import hunks_of_patch
from dovetail.agents.readers.calls import Json, LoggedCall, Record, call_of, effect_of, first, known, parts, text_of


def is_record(record: Json) -> bool:
    """Return whether only pi writes such a record."""
    return record.get("type") == "session" and "cwd" in record


def read(records: Sequence[Json]) -> Record:
    """Return a session's calls."""
    return Record(first(records, "cwd"), list(_calls(records)))


def subagent_logs(_path: Path, _session: str, _named: Sequence[str]) -> list[Path]:
    """Return no logs: pi has no sub-agents."""
    return []


def _calls(records: Sequence[Json]) -> Iterator[LoggedCall]:
    messages = [(record, record.get("message") or {}) for record in records if record.get("type") == "message"]
    results = {m.get("toolCallId"): m for _, m in messages if m.get("role") == "toolResult"}
    for record, message in messages:
        for part in parts(message.get("content")):
            if part.get("type") != "toolCall":
                continue
            fields = part.get("arguments") or {}
            call = call_of(part, str(part.get("name")), fields, id=part.get("id"), time=record.get("timestamp"))
            if call is not None:
                result = results.get(part.get("id"))
                call.model = message.get("model")
                call.outcome = known(failed=(result or {}).get("isError"), there=result)
                call.reason = text_of((result or {}).get("content")) if (result or {}).get("isError") else ""
                if not call.command:
                    patch = ((result or {}).get("details") or {}).get("patch") or ""
                    content = fields.get("content")
                    hunks = hunks_of_patch(patch) if content is None else ()
                    call.effects = [effect_of(str(fields.get("path")), after=content, hunks=hunks)]
                yield call
