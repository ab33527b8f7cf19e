"""Reads the logs of coding agents: one reader an agent, one kind of value out.

Each reader is a function from the log's records to its calls; it knows where the agent keeps the calls, their results,
and what the tool wrote down of each file. What a call edits is read as in any reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dovetail.agents.hunks import NumberedHunk, hunks_of_patch, patched
from dovetail.formats import parse
from dovetail.formats.calls.names import may_edit
from dovetail.model.blocks import Block
from dovetail.model.errors import UsageError

Json = dict[str, Any]

_PATCH = "*** Begin Patch"
_UPDATED = "Success. Updated the following files"  # what Codex answers to a patch
_LONGEST_REASON = 300  # characters
_HINT = "Give a log of Claude Code, Codex, opencode, pi, Copilot CLI or Cursor, or aider's chat history."


@dataclass(frozen=True, slots=True)
class FileEffect:
    """What a call did to one file, as far as the log has it.

    path: with ``/``, relative to the session's folder where it lies in it.
    before, after: the whole text; None for a file that was not there, or is gone.
    has_before, has_after: whether the log has that text.
    added: the tool says that the file was not there.
    hunks: the changed lines with their numbers; () where the log has none.
    moved_to: the new path of a file that was moved.
    """

    path: str
    before: str | None = None
    after: str | None = None
    has_before: bool = False
    has_after: bool = False
    added: bool = False
    hunks: tuple[NumberedHunk, ...] = ()
    moved_to: str | None = None

    def __post_init__(self) -> None:
        for text in (self.path, self.before, self.after, self.moved_to):
            if not isinstance(text, str | None):
                raise TypeError(f"`{str(text)[:60]}` is no text")


@dataclass(frozen=True, slots=True)
class LoggedEdit:
    """One call that edits files.

    n: its number in the log, from 1. call_id, time: the log's own; None where it has none.
    ok: whether the agent's tool carried it out.
    reply: the call as text, as `dovetail.parse` reads it. blocks: what it says, with paths relative to the folder.
    effects: what it did to each file; for a file that the log has nothing of, the path alone.
    """

    n: int
    tool: str
    reply: str
    blocks: tuple[Block, ...]
    ok: bool = True
    call_id: str | None = None
    time: str | None = None
    model: str | None = None
    effects: tuple[FileEffect, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that the call names, each once."""
        named = [block.path for block in self.blocks if block.path is not None]
        return tuple(dict.fromkeys([*named, *(effect.path for effect in self.effects)]))


@dataclass(frozen=True, slots=True)
class AgentLog:
    """A session: which agent, in which folder, and its edits in order."""

    agent: str
    root: str
    edits: tuple[LoggedEdit, ...]


@dataclass(slots=True)
class _LoggedCall:
    """A call while the log is read."""

    tool: str
    reply: str
    id: str | None = None
    time: str | None = None
    model: str | None = None
    ok: bool = True
    effects: list[FileEffect] = field(default_factory=list)


def read_log(text: str) -> AgentLog:
    """Read a log: JSON Lines, one JSON document, or aider's Markdown.

    Raises `UsageError` for a text that is no log of a known agent, or whose records are not as that agent writes them.
    """
    try:
        return _read(text)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
        reason = f"The log cannot be read: a record in it is not as the agent writes it ({error})."
        raise UsageError(reason[:_LONGEST_REASON], hint=_HINT) from None


def _read(text: str) -> AgentLog:
    records = _records(text)
    if records is None:
        if "# aider chat started at" not in text:
            raise UsageError("This is no log of an agent that is known.", hint=_HINT)
        return _log("aider", "", list(_aider(text)))
    for agent, (is_it, root_of, calls_of) in _READERS.items():
        if any(map(is_it, records)):
            return _log(agent, root_of(records), list(calls_of(records)))
    raise UsageError("This is no log of an agent that is known.", hint=_HINT)


def _records(text: str) -> list[Json] | None:
    """The objects of a log; None for a text that is no JSON."""
    try:
        whole = json.loads(text)
        return [record for record in (whole if isinstance(whole, list) else [whole]) if isinstance(record, dict)]
    except (ValueError, RecursionError):
        pass
    records: list[Json] = []
    lines = [line for line in text.split("\n") if line.strip()]
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue  # the last line of a log that is still being written, or nested without end
        if isinstance(record, dict):
            records.append(record)
    return records if records and len(records) >= len(lines) // 2 else None


def _log(agent: str, root: str, calls: Sequence[_LoggedCall]) -> AgentLog:
    edits: list[LoggedEdit] = []
    texts: dict[str, str | None] = {}  # as the edits so far left them, where the log has them whole
    for call in calls:
        blocks = parse(call.reply).relative_to(root).blocks
        if not any(block.path for block in blocks) and not call.effects:
            continue
        effects = [_completed(effect, root, texts) for effect in call.effects] if call.ok else []
        n = len(edits) + 1
        edits.append(
            LoggedEdit(n, call.tool, call.reply, blocks, call.ok, call.id, call.time, call.model, tuple(effects))
        )
    return AgentLog(agent, root, tuple(edits))


def _completed(effect: FileEffect, root: str, texts: dict[str, str | None]) -> FileEffect:
    """An effect with its paths from the session's folder, and with the text before it where earlier effects tell it.

    A file that a tool says it added was not there, unless the session wrote it before.
    """
    path, moved = _in(root, effect.path), effect.moved_to and _in(root, effect.moved_to)
    effect = replace(effect, path=path, moved_to=moved)
    if not effect.has_before and (effect.added or path in texts):
        effect = replace(effect, before=texts.get(path), has_before=True)
    after = effect.after if effect.has_after else None
    if not effect.has_after and effect.hunks and effect.before is not None:
        after = patched(effect.before, effect.hunks)
        effect = replace(effect, after=after, has_after=after is not None)
    if effect.has_after and not moved:
        texts[path] = after
    else:
        texts.pop(path, None)
    return effect


def _in(root: str, path: str) -> str:
    """A path relative to the session's folder, if it lies in it."""
    folder, plain = root.replace("\\", "/").rstrip("/"), path.replace("\\", "/")
    return plain.removeprefix(f"{folder}/") if folder else plain


def _call_of(fields: Mapping[str, Any], name: str, arguments: object, **more: Any) -> _LoggedCall | None:  # noqa: ANN401
    """A call that edits files, or may; None for one that does not."""
    reply = json.dumps(fields, ensure_ascii=False)
    return _LoggedCall(name, reply, **more) if may_edit(name) or _PATCH in str(arguments) else None


def _first(records: Iterable[Json], *keys: str) -> str:
    """The first text that stands under some keys, one inside the other."""
    for record in records:
        value: Any = record
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, str) and value:
            return value
    return ""


def _parts(content: object) -> list[Json]:
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _claude(records: Sequence[Json]) -> Iterator[_LoggedCall]:
    """Claude Code: calls in the assistant's messages; results in the user's, with the file before and a patch."""
    results: dict[str, tuple[Json, object]] = {}
    for record in records:
        for part in _parts((record.get("message") or {}).get("content")):
            if part.get("type") == "tool_result":
                results[str(part.get("tool_use_id"))] = part, record.get("toolUseResult")
    for record in records:
        message = record.get("message") or {}
        for part in _parts(message.get("content")):
            if part.get("type") != "tool_use":
                continue
            result, detail = results.get(str(part.get("id")), ({}, None))
            call = _call_of(part, str(part.get("name")), part.get("input"), id=part.get("id"), ok=bool(result))
            if call is not None:
                call.time, call.model = record.get("timestamp"), message.get("model")
                call.ok = call.ok and not result.get("is_error") and isinstance(detail, dict)
                call.effects = [_claude_effect(detail)] if isinstance(detail, dict) and "filePath" in detail else []
                yield call


def _claude_effect(detail: Json) -> FileEffect:
    before, hunks = detail.get("originalFile"), detail.get("structuredPatch") or []
    created = detail.get("type") == "create"
    whole = created or detail.get("type") == "update"
    return FileEffect(
        str(detail.get("filePath")),
        before=before,
        has_before=isinstance(before, str) or created,
        after=detail.get("content") if whole else None,
        has_after=whole,
        hunks=tuple(
            NumberedHunk.of(hunk["oldStart"], hunk["newStart"], hunk["lines"]) for hunk in hunks if "lines" in hunk
        ),
    )


def _codex(records: Sequence[Json]) -> Iterator[_LoggedCall]:
    """Codex: calls as items of the response; what a patch did follows in an event, of its own id inside of programs."""
    calls: dict[str, _LoggedCall] = {}
    model, last = None, None
    for record in records:
        payload = record.get("payload")
        if not isinstance(payload, dict):
            continue
        model = payload.get("model", model) if record.get("type") == "turn_context" else model
        kind, identity = payload.get("type"), str(payload.get("call_id"))
        if kind in ("function_call", "custom_tool_call", "local_shell_call", "apply_patch_call"):
            arguments = payload.get("input", payload.get("arguments", payload.get("action")))
            call = _call_of(payload, str(payload.get("name", kind)), arguments, id=identity, model=model, ok=False)
            if call is not None:
                call.time = record.get("timestamp")
                calls[identity] = last = call
        elif kind == "patch_apply_end":
            call = calls.get(identity, last)
            if call is not None and payload.get("success"):
                call.ok = True
                call.effects += [_codex_effect(path, what) for path, what in (payload.get("changes") or {}).items()]
        elif str(kind).endswith("call_output") and identity in calls and _UPDATED in str(payload.get("output")):
            calls[identity].ok = True
    yield from calls.values()


def _codex_effect(path: str, what: Json) -> FileEffect:
    content = what.get("content")
    match what.get("type"):
        case "add":
            return FileEffect(path, after=content, has_after=True, added=True)
        case "delete":
            return FileEffect(path, before=content, has_before=isinstance(content, str), has_after=True)
        case _:
            return FileEffect(
                path, hunks=hunks_of_patch(what.get("unified_diff") or ""), moved_to=what.get("move_path")
            )


def _opencode(records: Sequence[Json]) -> Iterator[_LoggedCall]:
    """opencode: one document; a part of a message has the call, its state, and a patch with the whole change."""
    for message in (message for record in records for message in record.get("messages", ())):
        for part in _parts(message.get("parts")):
            state = part.get("state")
            if part.get("type") != "tool" or not isinstance(state, dict):
                continue
            asked: Json = {key: part.get(key) for key in ("type", "tool", "callID")}
            asked["state"] = {"status": "pending", "input": state.get("input")}
            call = _call_of(asked, str(part.get("tool")), state.get("input"), id=part.get("callID"))
            if call is not None:
                info, detail = message.get("info") or {}, state.get("metadata") or {}
                call.model = info.get("modelID") or (info.get("model") or {}).get("modelID")
                call.time = str((state.get("time") or {}).get("start") or "") or None
                call.ok = state.get("status") == "completed"
                call.effects = list(_opencode_effects(detail, state.get("input") or {}))
                yield call


def _opencode_effects(detail: Json, fields: Json) -> Iterator[FileEffect]:
    for file in detail.get("files") or ():
        hunks = hunks_of_patch(file.get("patch") or "")
        kind = file.get("type")
        whole = "".join(line for hunk in hunks for line in (hunk.new if kind == "add" else hunk.old))
        path = str(file.get("filePath") or file.get("relativePath"))
        if kind == "add":
            yield FileEffect(path, after=whole, has_after=True, added=True)
        elif kind == "delete":
            yield FileEffect(path, before=whole, has_before=True, has_after=True)
        else:
            yield FileEffect(path, hunks=hunks, moved_to=file.get("movePath"))
    if isinstance(file := detail.get("filediff"), dict):
        before, after = file.get("before"), file.get("after")
        yield FileEffect(
            str(file.get("file")),
            before=before,
            after=after,
            has_before=isinstance(before, str),
            has_after=isinstance(after, str),
            hunks=hunks_of_patch(file.get("patch") or detail.get("diff") or ""),
        )
    elif isinstance(content := fields.get("content"), str) and "filepath" in detail:
        added = detail.get("exists") is False
        yield FileEffect(str(detail["filepath"]), after=content, has_after=True, added=added)


def _pi(records: Sequence[Json]) -> Iterator[_LoggedCall]:
    """pi: calls in the assistant's messages, results in messages of their own, with a patch for edits."""
    messages = [(record, record.get("message") or {}) for record in records if record.get("type") == "message"]
    results = {m.get("toolCallId"): m for _, m in messages if m.get("role") == "toolResult"}
    for record, message in messages:
        for part in _parts(message.get("content")):
            if part.get("type") != "toolCall":
                continue
            fields = part.get("arguments") or {}
            call = _call_of(part, str(part.get("name")), fields, id=part.get("id"), time=record.get("timestamp"))
            if call is not None:
                result = results.get(part.get("id"), {"isError": True})
                call.model, call.ok = message.get("model"), not result.get("isError")
                patch = (result.get("details") or {}).get("patch") or ""
                content = fields.get("content")
                whole = isinstance(content, str)
                call.effects = [
                    FileEffect(
                        str(fields.get("path")),
                        after=content if whole else None,
                        has_after=whole,
                        hunks=() if whole else hunks_of_patch(patch),
                    )
                ]
                yield call


def _copilot(records: Sequence[Json]) -> Iterator[_LoggedCall]:
    """Copilot CLI: an event begins a call, another ends it, with git's diff of what was written."""
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
        call = _call_of({"name": name, "arguments": fields}, name, fields, id=data.get("toolCallId"))
        if call is not None:
            end = ended.get(data.get("toolCallId"), {})
            call.time, call.model, call.ok = record.get("timestamp"), data.get("model"), bool(end.get("success"))
            path, text = str(fields.get("path") or ""), fields.get("file_text")
            if isinstance(text, str):  # the tool creates files, and replaces none
                call.effects = [FileEffect(path, after=text, has_after=True, added=True)]
            else:
                call.effects = list(_git_effects(str((end.get("result") or {}).get("detailedContent") or ""), path))
            yield call


def _git_effects(detail: str, path: str) -> Iterator[FileEffect]:
    for one in re.split(r"(?m)^(?=diff --git )", detail):
        named = re.search(r"(?m)^\+\+\+ b?(/.*)$", one)
        if one.startswith("diff --git "):
            yield FileEffect(named[1] if named else path, hunks=hunks_of_patch(one))


def _cursor(records: Sequence[Json]) -> Iterator[_LoggedCall]:
    """Cursor: calls alone, without results."""
    for record in records:
        for part in _parts((record.get("message") or {}).get("content")):
            if part.get("type") == "tool_use":
                call = _call_of(part, str(part.get("name")), part.get("input"))
                if call is not None:
                    yield call


def _aider(text: str) -> Iterator[_LoggedCall]:
    """aider's chat history: the replies as text; a line says which files an edit was applied to."""
    for reply in re.split(r"(?m)^#### .*$", text)[1:]:
        applied = re.findall(r"(?m)^> Applied edit to (.+?)\s*$", reply)
        yield _LoggedCall("reply", re.sub(r"(?m)^> .*$", "", reply), ok=bool(applied))


_Reader = tuple[
    Callable[[Json], bool], Callable[[Sequence[Json]], str], Callable[[Sequence[Json]], Iterator[_LoggedCall]]
]

_READERS: dict[str, _Reader] = {
    "codex": (lambda r: r.get("type") == "session_meta", lambda r: _first(r, "payload", "cwd"), _codex),
    "claude-code": (lambda r: "sessionId" in r and "cwd" in r, lambda r: _first(r, "cwd"), _claude),
    "opencode": (lambda r: "messages" in r and "info" in r, lambda r: _first(r, "info", "directory"), _opencode),
    "pi": (lambda r: r.get("type") == "session" and "cwd" in r, lambda r: _first(r, "cwd"), _pi),
    "copilot-cli": (
        lambda r: r.get("type") == "session.start",
        lambda r: _first(r, "data", "context", "cwd"),
        _copilot,
    ),
    "cursor": (lambda r: "role" in r and isinstance(r.get("message"), dict) and "type" not in r, lambda _: "", _cursor),
}
"""By agent: whether a record is only its own, the session's folder, and its calls. The order counts."""
