"""Claude Code: calls in the assistant's messages; results in the user's, with the file before and a patch.

The log of a sub-agent has results without either: there the result's text alone shows that a file was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dovetail.agents.hunks import NumberedHunk
from dovetail.agents.readers.calls import Json, LoggedCall, Record, call_of, effect_of, first, known, parts, text_of
from dovetail.agents.session_log import FileEffect

_CREATED = "File created successfully"


def is_record(record: Json) -> bool:
    """Return whether only Claude Code writes such a record."""
    return "sessionId" in record and "cwd" in record


def read(records: Sequence[Json]) -> Record:
    """Return a session's calls."""
    return Record(first(records, "cwd"), list(_calls(records)))


def subagent_logs(path: Path, _session: str, _named: Sequence[str]) -> list[Path]:
    """Return the logs of a session's sub-agents."""
    return sorted((path.with_suffix("") / "subagents").glob("agent-*.jsonl"))


def _calls(records: Sequence[Json]) -> Iterator[LoggedCall]:
    # The results come in later records, so they are gathered first.
    results: dict[str, tuple[Json, object]] = {}
    for record in records:
        for part in parts((record.get("message") or {}).get("content")):
            if part.get("type") == "tool_result":
                results[str(part.get("tool_use_id"))] = part, record.get("toolUseResult")
    for record in records:
        message = record.get("message") or {}
        for part in parts(message.get("content")):
            if part.get("type") != "tool_use":
                continue
            result, detail = results.get(str(part.get("id")), ({}, None))
            fields = part.get("input") or {}
            call = call_of(part, str(part.get("name")), fields, id=part.get("id"))
            if call is None and isinstance(detail, dict) and isinstance(detail.get("agentId"), str):
                call = LoggedCall(str(part.get("name")), "", part.get("id"), subagent=f"agent-{detail['agentId']}")
                call.command = str(fields.get("description") or "")
            if call is not None:
                call.folder = str(record.get("cwd") or "") if call.command else ""
                call.time, call.model = record.get("timestamp"), message.get("model")
                call.outcome = known(failed=result.get("is_error") or isinstance(detail, str), there=result)
                call.reason = text_of(result.get("content")) if result.get("is_error") else ""
                call.effects = list(_effects(detail, result, fields)) if not call.command else []
                yield call


def _effects(detail: object, result: Json, fields: Json) -> Iterator[FileEffect]:
    if not isinstance(detail, dict):
        if isinstance(fields.get("content"), str) and _CREATED in str(result.get("content")):
            yield effect_of(fields.get("file_path"), after=fields["content"], created=True)
        return
    if "notebook_path" in detail:
        yield effect_of(detail["notebook_path"], before=detail.get("original_file"), after=detail.get("updated_file"))
    if "filePath" in detail:
        created = detail.get("type") == "create"
        whole = created or detail.get("type") == "update"
        numbered = (hunk for hunk in detail.get("structuredPatch") or [] if "lines" in hunk)
        yield effect_of(
            str(detail.get("filePath")),
            before=detail.get("originalFile"),
            after=detail.get("content") if whole else None,
            created=created,
            hunks=tuple(NumberedHunk.of(hunk["oldStart"], hunk["newStart"], hunk["lines"]) for hunk in numbered),
        )
