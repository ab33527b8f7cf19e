"""Qwen Code: records as Claude Code writes them, and in them messages and results as Gemini CLI does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dovetail.agents.readers.calls import Json, LoggedCall, Record, call_of, first, known, parts
from dovetail.agents.readers.gemini import effects_of
from dovetail.agents.session_log import Outcome

_AGENTS = ("agent", "task")


def is_record(record: Json) -> bool:
    """Whether only Qwen Code writes such a record."""
    message = record.get("message")
    return "sessionId" in record and "cwd" in record and isinstance(message, dict) and "parts" in message


def read(records: Sequence[Json]) -> Record:
    """A session's calls."""
    return Record(first(records, "cwd"), list(_calls(records)), session=first(records, "sessionId"))


def subagent_logs(path: Path, session: str, _named: Sequence[str]) -> list[Path]:
    """The logs of a session's sub-agents."""
    if not session or "/" in session:
        return []
    return sorted((path.parent.parent / "subagents" / session).glob("*.jsonl"))


def _calls(records: Sequence[Json]) -> Iterator[LoggedCall]:
    results = {r["toolCallResult"].get("callId"): r["toolCallResult"] for r in records if r.get("toolCallResult")}
    for record in records:
        for part in parts((record.get("message") or {}).get("parts")):
            asked = part.get("functionCall")
            if not isinstance(asked, dict):
                continue
            name, fields, identity = str(asked.get("name")), asked.get("args") or {}, asked.get("id")
            call = call_of({"name": name, "arguments": fields}, name, fields, id=identity)
            if call is None and name in _AGENTS:
                call = LoggedCall(
                    name, "", identity, command=str(fields.get("description") or ""), subagent=str(identity)
                )
            if call is not None:
                result = results.get(identity)
                call.time, call.model = record.get("timestamp"), record.get("model")
                call.outcome = known(failed=(result or {}).get("status") != "success", there=result)
                display = (result or {}).get("resultDisplay")
                call.reason = display if isinstance(display, str) and call.outcome is Outcome.REFUSED else ""
                call.effects = [] if call.command else list(effects_of(display))
                yield call
