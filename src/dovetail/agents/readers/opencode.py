"""opencode: one document; a part of a message has the call, its state, and a patch with the whole change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dovetail.agents.hunks import hunks_of_patch
from dovetail.agents.readers.calls import Json, LoggedCall, Record, call_of, effect_of, first, known, parts, time_of
from dovetail.agents.session_log import FileEffect


def is_record(record: Json) -> bool:
    """Return whether only opencode writes such a record."""
    return "messages" in record and "info" in record


def read(records: Sequence[Json]) -> Record:
    """Return a session's calls."""
    return Record(first(records, "info", "directory"), list(_calls(records)))


def subagent_logs(path: Path, _session: str, named: Sequence[str]) -> list[Path]:
    """Return the exports of child sessions that are beside the session's own, with the child's id in their names."""
    return [other for other in sorted(path.parent.glob("*.json")) if any(name in other.name for name in named)]


def _calls(records: Sequence[Json]) -> Iterator[LoggedCall]:
    for message in (message for record in records for message in record.get("messages", ())):
        for part in parts(message.get("parts")):
            state = part.get("state")
            if part.get("type") != "tool" or not isinstance(state, dict):
                continue
            asked: Json = {key: part.get(key) for key in ("type", "tool", "callID")}
            asked["state"] = {"status": "pending", "input": state.get("input")}
            info, detail = message.get("info") or {}, state.get("metadata") or {}
            call = call_of(asked, str(part.get("tool")), state.get("input"), id=part.get("callID"))
            if call is None and isinstance(detail.get("sessionId"), str):
                call = LoggedCall(str(part.get("tool")), "", part.get("callID"), subagent=detail["sessionId"])
                call.command = str(state.get("title") or "")
            if call is not None:
                call.model = info.get("modelID") or (info.get("model") or {}).get("modelID")
                call.time = time_of((state.get("time") or {}).get("start"))
                ended = state.get("status") in ("completed", "error")
                call.outcome = known(failed=state.get("status") == "error", there=ended)
                call.reason = str(state.get("error") or "")
                call.effects = list(_effects(detail, state.get("input") or {})) if not call.command else []
                yield call


def _effects(detail: Json, fields: Json) -> Iterator[FileEffect]:
    for file in detail.get("files") or ():
        hunks = hunks_of_patch(file.get("patch") or "")
        kind = file.get("type")
        whole = "".join(line for hunk in hunks for line in (hunk.new if kind == "add" else hunk.old))
        path = str(file.get("filePath") or file.get("relativePath"))
        if kind == "add":
            yield effect_of(path, after=whole, created=True)
        elif kind == "delete":
            yield FileEffect(path, before=whole, has_before=True, has_after=True)
        else:
            yield effect_of(path, hunks=hunks, moved_to=file.get("movePath"))
    if isinstance(file := detail.get("filediff"), dict):
        yield effect_of(
            str(file.get("file")),
            before=file.get("before"),
            after=file.get("after"),
            hunks=hunks_of_patch(file.get("patch") or detail.get("diff") or ""),
        )
    elif isinstance(content := fields.get("content"), str) and "filepath" in detail:
        yield effect_of(str(detail["filepath"]), after=content, created=detail.get("exists") is False)
