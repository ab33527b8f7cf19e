"""Qwen Code: records in the form of Claude Code's, with messages and results in the form of Gemini CLI's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dovetail.agents.readers.calls import Json, LoggedCall, Record, call_of, effect_of, first, known, parts
from dovetail.agents.readers.gemini import effects_of

_AGENTS = ("agent", "task")
_CREATED = "created and wrote to new file"  # the only sign of a new file in a sub-agent's log


def is_record(record: Json) -> bool:
    """Return whether only Qwen Code writes such a record."""
    message = record.get("message")
    return "sessionId" in record and "cwd" in record and isinstance(message, dict) and "parts" in message


def read(records: Sequence[Json]) -> Record:
    """Return a session's calls."""
    return Record(first(records, "cwd"), list(_calls(records)), session=first(records, "sessionId"))


def subagent_logs(path: Path, session: str, _named: Sequence[str]) -> list[Path]:
    """Return the logs of a session's sub-agents."""
    if not session or "/" in session:
        return []
    return sorted((path.parent.parent / "subagents" / session).glob("*.jsonl"))


def _calls(records: Sequence[Json]) -> Iterator[LoggedCall]:
    results = {r["toolCallResult"].get("callId"): r["toolCallResult"] for r in records if r.get("toolCallResult")}
    messages = [part for record in records for part in parts((record.get("message") or {}).get("parts"))]
    answers = {one.get("id"): one.get("response") for part in messages if (one := part.get("functionResponse"))}
    for record in records:
        for part in parts((record.get("message") or {}).get("parts")):
            asked = part.get("functionCall")
            if not isinstance(asked, dict):
                continue
            name, fields, identity = str(asked.get("name")), asked.get("args") or {}, asked.get("id")
            call = call_of({"name": name, "arguments": fields}, name, fields, id=identity)
            if call is None and name in _AGENTS:
                call = LoggedCall(name, "", identity, subagent=str(identity))
                call.command = str(fields.get("description") or "")
            if call is not None:
                result, answer = results.get(identity) or {}, answers.get(identity) or {}
                call.time, call.model = record.get("timestamp"), record.get("model")
                failed = result["status"] != "success" if "status" in result else "error" in answer
                call.outcome = known(failed=failed, there=result or answer)
                call.reason = str(answer.get("error") or "") if failed else ""
                if not call.command and not failed:
                    call.effects = list(effects_of(result.get("resultDisplay")))
                    if not call.effects and _CREATED in str(answer.get("output")):
                        call.effects = [effect_of(fields.get("file_path"), after=fields.get("content"), created=True)]
                yield call
