"""The calls of a session that every reader returns, and helpers to find them in a log's records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from dovetail.agents.hunks import NumberedHunk, hunks_of_patch
from dovetail.agents.session_log import CallOutcome, FileEffect
from dovetail.formats.calls.names import may_edit, runs_shell

Json = dict[str, Any]

_PATCH = "*** Begin Patch"
_MARK = "\ufeff"
_DIFF_HEAD = re.compile(r"(?m)^(?=diff --git )")


@dataclass(slots=True)
class LoggedCall:
    """A call while a log is read; other fields as in `LoggedEdit`.

    command: the command of a shell's call; folder: where it ran, if the log has that. subagent: the name of the log of
    the agent that the call starts; "" for other calls.
    only: the files that it edited, if the log names them and the call names more; () for all.
    reason: the tool's message if it refused the call.
    """

    tool: str
    reply: str
    id: str | None = None
    time: str | None = None
    model: str | None = None
    outcome: CallOutcome = CallOutcome.UNKNOWN
    effects: list[FileEffect] = field(default_factory=list)
    command: str = ""
    subagent: str = ""
    agent_id: str | None = None
    only: tuple[str, ...] = ()
    reason: str = ""
    folder: str = ""


@dataclass(slots=True)
class Record:
    """A log as its reader found it.

    root: the session's folder; "" if not known. session: the id in the log. parent: in a sub-agent's log, the id of the
    session that started it.
    """

    root: str
    calls: list[LoggedCall]
    commit: str = ""
    session: str = ""
    parent: str = ""


def call_of(fields: Mapping[str, Any], name: str, arguments: object, **more: Any) -> LoggedCall | None:  # noqa: ANN401
    """Return a call that edits files or runs a command; None for one that does neither.

    fields: the call as the log has it, with keys as calls in replies have them, as it is parsed like one.
    name, arguments: its tool and arguments. more: further fields of the `LoggedCall`.
    """
    if may_edit(name) or _PATCH in str(arguments):
        return LoggedCall(name, json.dumps(fields, ensure_ascii=False), **more)
    command = command_of(arguments) if runs_shell(name) else ""
    if not command:
        return None
    call = LoggedCall(name, json.dumps(fields, ensure_ascii=False), command=command, **more)
    call.folder = folder_of(arguments)
    return call


def command_of(arguments: object) -> str:
    """Return the command in the arguments of a shell's call; "" if there is none."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return ""
    if not isinstance(arguments, Mapping):
        return ""
    command = arguments.get("command", arguments.get("cmd"))
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        # ["bash", "-lc", "ls && pwd"] is the text behind `-lc`; ["git", "status"] are words.
        command = words[-1] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return command if isinstance(command, str) else ""


def folder_of(arguments: object) -> str:
    """Return the folder in the arguments of a shell's call; "" if there is none."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return ""
    named = (arguments.get("workdir") or arguments.get("cwd")) if isinstance(arguments, Mapping) else None
    return named.removeprefix("file://") if isinstance(named, str) else ""


def known(*, failed: object, there: object = True) -> CallOutcome:
    """Return the outcome of a call. failed: whether its result is a failure. there: whether it has a result."""
    return CallOutcome.UNKNOWN if not there else CallOutcome.REFUSED if failed else CallOutcome.WRITTEN


def effect_of(
    path: object,
    *,
    before: object = None,
    after: object = None,
    created: bool = False,
    hunks: tuple[NumberedHunk, ...] = (),
    moved_to: object = None,
) -> FileEffect:
    """Return a call's effect on a file, with the texts that the log has.

    created: the tool says that there was no file. A byte-order mark is removed from texts.
    """
    was, now, target = (_text(text) for text in (before, after, moved_to))
    return FileEffect(
        path if isinstance(path, str) else str(path),
        # `created` counts over `before`: some tools write "" as the text of a file that was not there.
        None if created or was is None else was.removeprefix(_MARK),
        None if now is None else now.removeprefix(_MARK),
        created or was is not None,
        now is not None,
        hunks,
        target,
        any(text is not None and text.startswith(_MARK) for text in (was, now)),
    )


def _text(value: object) -> str | None:
    if not isinstance(value, str | None):
        raise TypeError(f"`{str(value)[:60]}` is no text")
    return value


def git_effects(detail: str, path: str) -> Iterator[FileEffect]:
    """Yield the effects in git's diffs of several files. path: that of a diff without an absolute path."""
    for one in _DIFF_HEAD.split(detail):
        named = re.search(r"(?m)^\+\+\+ b?(/.*)$", one)
        if one.startswith("diff --git "):
            yield effect_of(named[1] if named else path, hunks=hunks_of_patch(one))


def first(records: Iterable[Json], *keys: str) -> str:
    """Return the first text, not "", that a record has under nested keys; "" for none."""
    for record in records:
        value: Any = record
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, str) and value:
            return value
    return ""


def parts(content: object) -> list[Json]:
    """Return the parts of a message's content that are objects; none if the content is no list."""
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def text_of(content: object) -> str:
    """Return the text of a result, which may be in parts."""
    return content if isinstance(content, str) else " ".join(str(part.get("text") or "") for part in parts(content))


def time_of(milliseconds: object) -> str | None:
    """Return milliseconds since 1970 as UTC, ISO 8601 with ``Z``, as other logs write times; None if invalid."""
    if not isinstance(milliseconds, int | float) or not 0 < milliseconds < 1e14:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
