"""What every reader hands over: the calls of a session, and what helps to find them in a log's records."""

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
    """A call while a log is read; as in `LoggedEdit`.

    command: of a shell's call, what it runs; folder: where, if the log says so. subagent: of a call that starts an
    agent, the name of its log.
    only: the files that it edited, where the log says so and the call names more; () for all.
    reason: what the tool said where it refused the call.
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

    session: the id that the log gives it. parent: of a sub-agent's log, the id of the session that started it.
    """

    root: str
    calls: list[LoggedCall]
    commit: str = ""
    session: str = ""
    parent: str = ""


def call_of(fields: Mapping[str, Any], name: str, arguments: object, **more: Any) -> LoggedCall | None:  # noqa: ANN401
    """A call that edits files or runs a command; None for one that does neither.

    fields: the call as the log has it, its tool and its arguments under names that calls in replies have, too: what it
    edits is read from them as from a reply. more: fields of the `LoggedCall`.
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
    """The command of a shell's call; "" where it has none."""
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
    """The folder in which a call runs its command; "" where it does not say."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return ""
    named = (arguments.get("workdir") or arguments.get("cwd")) if isinstance(arguments, Mapping) else None
    return named.removeprefix("file://") if isinstance(named, str) else ""


def known(*, failed: object, there: object = True) -> CallOutcome:
    """The outcome of a call whose result is `there`, and says whether it failed."""
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
    """What a call did to a file, of which the log has the texts that are given.

    created: the tool says that there was no file. A byte-order mark is taken off a text.
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
    """What git's diffs of several files say; `path` is that of a diff which names none."""
    for one in _DIFF_HEAD.split(detail):
        named = re.search(r"(?m)^\+\+\+ b?(/.*)$", one)
        if one.startswith("diff --git "):
            yield effect_of(named[1] if named else path, hunks=hunks_of_patch(one))


def first(records: Iterable[Json], *keys: str) -> str:
    """The first text that stands under some keys, one inside the other."""
    for record in records:
        value: Any = record
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, str) and value:
            return value
    return ""


def parts(content: object) -> list[Json]:
    """The parts of a message."""
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def text_of(content: object) -> str:
    """The text of a result: as it is, or in parts."""
    return content if isinstance(content, str) else " ".join(str(part.get("text") or "") for part in parts(content))


def time_of(milliseconds: object) -> str | None:
    """A moment that is counted from 1970, as the other logs write it."""
    if not isinstance(milliseconds, int | float) or not 0 < milliseconds < 1e14:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
