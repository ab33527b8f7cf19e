"""Gemini CLI: a message of the model holds its calls, with their results and both texts of an edited file.

A message is written again, under the same id, each time it grows; the last one counts. Older versions write one
document, newer ones a record a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from dovetail.agents.hunks import hunks_of_patch
from dovetail.agents.readers.calls import Json, LoggedCall, Record, call_of, effect_of, first, known, parts
from dovetail.agents.session_log import FileEffect

_FOLDER = re.compile(r"(?m)\*\*Workspace Directories:\*\*\n +- (.+)$")


def is_record(record: Json) -> bool:
    """Return whether only Gemini CLI writes such a record."""
    return "sessionId" in record and "projectHash" in record


def read(records: Sequence[Json]) -> Record:
    """Return a session's calls."""
    messages: dict[object, Json] = {}
    for record in records:
        held = record.get("messages", (record.get("$set") or {}).get("messages"))
        for message in held if isinstance(held, list) else [record]:
            if isinstance(message, dict) and "id" in message:
                messages[message["id"]] = message
    folders = next((record["directories"] for record in records if record.get("directories")), None)
    root = str(folders[0]) if isinstance(folders, list) and folders else _root(messages.values())
    return Record(root, list(_calls(messages.values())), session=first(records, "sessionId"))


def subagent_logs(path: Path, session: str, _named: Sequence[str]) -> list[Path]:
    """Return the logs of a session's sub-agents."""
    return sorted((path.parent / session).glob("*.json*")) if session and "/" not in session else []


def effects_of(display: object) -> Iterator[FileEffect]:
    """Yield the effect of a call from its displayed result: both texts of the file, and a patch."""
    if isinstance(display, dict) and isinstance(display.get("filePath") or display.get("fileName"), str):
        yield effect_of(
            display.get("filePath") or display["fileName"],
            before=display.get("originalContent"),
            after=display.get("newContent"),
            created=bool(display.get("isNewFile"))
            or ("isNewFile" not in display and not display.get("originalContent")),
            hunks=hunks_of_patch(str(display.get("fileDiff") or "")),
        )


def _root(messages: object) -> str:
    """Return the folder that the first message tells the model; "" if none does."""
    for message in messages:  # type: ignore[attr-defined]
        for part in parts(message.get("content")):
            if found := _FOLDER.search(str(part.get("text"))):
                return found[1].strip()
    return ""


def _calls(messages: object) -> Iterator[LoggedCall]:
    for message in messages:  # type: ignore[attr-defined]
        for done in parts(message.get("toolCalls")):
            name, fields = str(done.get("name")), done.get("args") or {}
            call = call_of({"name": name, "arguments": fields}, name, fields, id=done.get("id"))
            if call is None and isinstance(done.get("agentId"), str):
                call = LoggedCall(name, "", done.get("id"), subagent=done["agentId"])
            if call is not None:
                call.time, call.model = done.get("timestamp"), message.get("model")
                call.outcome = known(failed=done.get("status") != "success", there=done.get("status"))
                display = done.get("resultDisplay")
                call.reason = display if isinstance(display, str) and done.get("status") != "success" else ""
                call.effects = [] if call.command else list(effects_of(display))
                yield call
