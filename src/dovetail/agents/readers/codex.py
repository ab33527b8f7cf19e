"""Codex: calls as items of the response, and their results in later events.

An event has the call's id, or one of its own if a program made the call (code mode): then it belongs to the last
program that began. A program's commands are known only from their events. For a patch that adds a file, the log does
not show whether there was one before.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from dovetail.agents.hunks import hunks_of_patch
from dovetail.agents.readers.calls import Json, LoggedCall, Record, call_of, command_of, effect_of, first, folder_of
from dovetail.agents.session_log import CallOutcome, FileEffect

_UPDATED = "Success. Updated the following files"  # what Codex answers to a patch
_COMPLETED = "Script completed"  # of a program, whatever it did
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "apply_patch_call")


def is_record(record: Json) -> bool:
    """Return whether only Codex writes such a record."""
    return record.get("type") == "session_meta"


def read(records: Sequence[Json]) -> Record:
    """Return a session's calls."""
    reader = _CodexReader()
    for record in records:
        if isinstance(payload := record.get("payload"), dict):
            reader.take(record, payload)
    # A program stays a row only if files changed in it; its commands are rows of their own.
    calls = [call for call in reader.calls if call is not reader.programs.get(str(call.id)) or call.effects]
    commit, parent = first(records, "payload", "git", "commit_hash"), first(records[:1], "payload", "parent_thread_id")
    return Record(first(records, "payload", "cwd"), calls, commit, parent=parent)


def subagent_logs(path: Path, _session: str, named: Sequence[str]) -> list[Path]:
    """Return the logs of a session's sub-agents: beside it, or in the folder of another day."""
    sessions = next((folder for folder in path.parents if folder.name == "sessions"), path.parent)
    logs = sessions.glob("**/rollout-*.jsonl") if named else ()
    return sorted(log for log in logs if log.stem.endswith(tuple(named)))


class _CodexReader:
    """Takes the records in order.

    calls: edits, commands, agents, and every program. programs: by id, the programs without an edit of their own.
    """

    def __init__(self) -> None:
        self.calls: list[LoggedCall] = []
        self.programs: dict[str, LoggedCall] = {}
        self._by_id: dict[str, LoggedCall] = {}
        self._last: LoggedCall | None = None
        self._model: str | None = None

    def take(self, record: Json, payload: Json) -> None:
        """Take the next record."""
        kind, time, identity = str(payload.get("type")), record.get("timestamp"), str(payload.get("call_id"))
        item = payload.get("item")
        if record.get("type") == "turn_context":
            self._model = payload.get("model", self._model)
        elif kind in _CALLS:
            self._begin(payload, kind, identity, time)
        elif kind == "patch_apply_end":
            self._patched(identity, payload.get("changes"), bool(payload.get("success")))
        elif kind == "exec_command_end":
            self._ran(identity, payload, time)
        elif kind.endswith("call_output") and identity in self._by_id:
            self._answered(self._by_id[identity], str(payload.get("output")))
        elif kind == "item_completed" and isinstance(item, dict):
            if item.get("type") == "FileChange":
                self._patched(str(item.get("id")), item.get("changes"), item.get("status") == "completed")
            elif item.get("type") == "CommandExecution":
                self._ran(str(item.get("id")), item, time)
            elif item.get("type") == "SubAgentActivity" and item.get("kind") == "started":
                self.calls.append(self._call("spawn_agent", str(item.get("id")), time, str(item["agent_thread_id"])))

    def _call(self, tool: str, identity: str | None, time: str | None, subagent: str = "") -> LoggedCall:
        return LoggedCall(tool, "", identity, time, self._model, CallOutcome.WRITTEN, subagent=subagent)

    def _begin(self, payload: Json, kind: str, identity: str, time: str | None) -> None:
        name = str(payload.get("name", kind))
        arguments = payload.get("input", payload.get("arguments", payload.get("action")))
        call = call_of(payload, name, arguments, id=identity, model=self._model, time=time)
        if call is None and kind == "custom_tool_call":
            call = LoggedCall(name, json.dumps(payload, ensure_ascii=False), identity, time, self._model)
            self.programs[identity] = call
        if call is not None:
            self.calls.append(call)
            self._by_id[identity] = call
            self._last = call if kind == "custom_tool_call" else self._last

    def _patched(self, identity: str, changes: object, success: bool) -> None:
        # In a program a patch has an id that no call has.
        call = self._by_id.get(identity, self._last)
        if call is not None and success and isinstance(changes, dict):
            call.outcome = CallOutcome.WRITTEN
            call.effects += [_effect(path, what) for path, what in changes.items()]
        elif call is not None and success:
            raise TypeError("the changes of a patch are no mapping")
        elif call is not None and not call.effects:
            call.outcome = CallOutcome.REFUSED

    def _ran(self, identity: str, ran: Json, time: str | None) -> None:
        """Add a command that a program ran, as a call. A command that the model called is among the calls already."""
        if identity not in self._by_id and (command := command_of(ran)):
            call = self._call("exec_command", self._last.id if self._last is not None else None, time)
            call.folder = folder_of(ran)
            call.command, call.reply = command, json.dumps({"name": "exec_command", "arguments": {"cmd": command}})
            self.calls.append(call)

    def _answered(self, call: LoggedCall, output: str) -> None:
        if _UPDATED in output:
            call.outcome = CallOutcome.WRITTEN
        elif call.command:
            call.outcome = CallOutcome.WRITTEN  # it ran, whatever its exit status
        elif call.outcome is CallOutcome.UNKNOWN and _COMPLETED not in output:
            call.outcome, call.reason = CallOutcome.REFUSED, output


def _effect(path: str, what: Json) -> FileEffect:
    content = what.get("content")
    match what.get("type"):
        case "add":
            return effect_of(path, after=content)
        case "delete":
            return FileEffect(path, before=content, has_before=isinstance(content, str), has_after=True)
        case _:
            return effect_of(path, hunks=hunks_of_patch(what.get("unified_diff") or ""), moved_to=what.get("move_path"))
