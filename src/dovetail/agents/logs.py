"""Reads the logs of coding agents into sessions: one row for each call that edits files or may, and for each gap.

The readers find an agent's calls, their results, and what the tool recorded of each file. Here calls are parsed like
any reply, and the calls of a session and of its sub-agents become one list of rows. If a file is not as the last row
left it, a row for the gap is added.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from dovetail.agents.hunks import patched
from dovetail.agents.readers import aider
from dovetail.agents.readers.calls import Json, LoggedCall, Record
from dovetail.agents.readers.table import LogFormat, log_formats
from dovetail.agents.session_log import AgentLog, CallOutcome, FileEffect, LoggedEdit, RowKind
from dovetail.formats import parse
from dovetail.model.errors import UsageError
from dovetail.shell import may_change

_LONGEST_REASON = 300  # characters
_AGENTS = "Claude Code, Codex, opencode, Gemini CLI, Qwen Code, pi, Copilot CLI or Cursor"
_HINT = f"Give a log of {_AGENTS}, or aider's history."
_AIDER = LogFormat("aider", lambda _: False, lambda _: Record("", []), aider.subagent_logs)


def read_log(text: str) -> AgentLog:
    """Read one log: JSON Lines, one JSON document, or aider's Markdown. A sub-agent that it starts is one row.

    Raises `UsageError` for a text that is no log of a known agent, or whose records are not as that agent writes them.
    """
    with _refusing():
        form, record = _record(text)
        return _log(form.agent, record, record.calls)


def read_session(path: Path) -> AgentLog:
    """Read a log and the logs of its session's sub-agents, if they are where the agent puts them.

    path: the log, or the folder of a checkpoint that holds one as ``full.jsonl``.

    Raises `UsageError` as `read_log` does, and for a file that cannot be read.
    """
    path = path / "full.jsonl" if path.is_dir() else path
    with _refusing():
        form, record = _record(_text(path))
        return _log(form.agent, record, _with_subagents(form, path, record))


class _refusing:  # noqa: N801 - used as a statement
    """Raises a `UsageError` for whatever error a record in an unknown form causes in the block."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, AttributeError | IndexError | KeyError | TypeError | ValueError | RecursionError):
            reason = f"The log cannot be read: a record in it is not as the agent writes it ({error})."
            raise UsageError(reason[:_LONGEST_REASON], hint=_HINT) from None


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "It is not UTF-8"
        raise UsageError(f"`{path}` cannot be read: {why}.", hint="Name an agent's log.") from None


def _record(text: str) -> tuple[LogFormat, Record]:
    records = _records(text)
    if records is None:
        if aider.START not in text:
            raise UsageError("This is no log of an agent that is known.", hint=_HINT)
        return _AIDER, aider.read(text)
    for form in log_formats():
        if any(map(form.is_record, records)):
            return form, form.read(records)
    raise UsageError("This is no log of an agent that is known.", hint=_HINT)


def _records(text: str) -> list[Json] | None:
    """Return the JSON objects of a log; None for a text that is no JSON."""
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
    # Markdown may have single lines of JSON; in a log at least half the lines are objects.
    return records if records and len(records) >= len(lines) // 2 else None


def _with_subagents(form: LogFormat, path: Path, record: Record) -> list[LoggedCall]:
    """Return a session's calls sorted by time, with those of its sub-agents in place of the calls that started them."""
    sequences, read, waiting = [record.calls], {path.resolve()}, [record]
    followed: set[str] = set()
    while waiting:
        parent = waiting.pop()
        named = [call.subagent for call in parent.calls if call.subagent]
        for log in form.subagent_logs(path, parent.session, named):
            if log.resolve() in read:
                continue
            read.add(log.resolve())
            try:
                found, child = _record(_text(log))
            except UsageError:
                continue  # the call that started it stays a row
            if found is form:
                for call in child.calls:
                    call.agent_id = call.agent_id or log.stem
                followed |= {name for name in named if name in log.stem}
                sequences.append(child.calls)
                waiting.append(child)
    # Each call sorts by the latest time up to it, so that one without a time, or with an earlier one, stays after
    # those before it; equal times keep the order of `sequences`.
    times = (accumulate((call.time or "" for call in calls), max) for calls in sequences)
    timed = [pair for some, calls in zip(times, sequences, strict=True) for pair in zip(some, calls, strict=True)]
    merged = [call for _, call in sorted(timed, key=lambda pair: pair[0])]
    return [call for call in merged if call.subagent not in followed or not call.subagent]


def _log(agent: str, record: Record, calls: Sequence[LoggedCall]) -> AgentLog:
    rows = [replace(row, n=n) for n, row in enumerate(_rows(record.root, calls), 1)]
    return AgentLog(agent, record.root, tuple(rows), record.commit, record.parent)


def _rows(root: str, calls: Sequence[LoggedCall]) -> Iterator[LoggedEdit]:
    left = _Left()
    for call in calls:
        row = _row(root, call)
        if row is None:
            continue
        gap = left.gap_before(row)
        if gap is not None:
            yield gap
        left.take(row)
        yield row


def _row(root: str, call: LoggedCall) -> LoggedEdit | None:
    """Return the row of a call; None if the call cannot change files."""
    kind = RowKind.EDIT
    if (call.command or call.subagent) and not call.effects:
        kind = RowKind.SUBAGENT if call.subagent else RowKind.COMMAND
        if kind is RowKind.COMMAND and not may_change(call.command):
            return None
    blocks = parse(call.reply).relative_to(root).blocks if kind is RowKind.EDIT else ()
    if call.only:
        blocks = tuple(block for block in blocks if block.path in call.only)
    if kind is RowKind.EDIT and not any(block.path for block in blocks) and not call.effects:
        return None
    outcome = call.outcome
    if kind is not RowKind.EDIT and outcome is CallOutcome.REFUSED:
        outcome = CallOutcome.UNKNOWN  # a command that failed may have changed files before
    effects = () if outcome is CallOutcome.REFUSED else tuple(effect.relative_to(root) for effect in call.effects)
    return LoggedEdit(
        0,
        call.tool,
        call.reply,
        blocks,
        kind,
        outcome,
        call.id,
        call.time,
        call.model,
        effects,
        call.command,
        agent_id=call.agent_id,
        reason=call.reason,
        folder=_below(root, call.folder),
    )


def _below(root: str, folder: str) -> str:
    """Return a folder relative to `root` ("" for `root` itself) if it is inside; else unchanged, with ``/``."""
    own = root.replace("\\", "/").rstrip("/")
    plain = folder.replace("\\", "/").rstrip("/")
    return "" if plain == own else plain.removeprefix(f"{own}/") if own else plain


class _Left:
    """The files as the rows so far left them, as far as the log has their texts; finds gaps between rows."""

    def __init__(self) -> None:
        self._texts: dict[str, str | None] = {}
        self._since_command: set[str] = set()  # files without a row since the last command

    def gap_before(self, row: LoggedEdit) -> LoggedEdit | None:
        """Return a row for the files that something else changed before `row`; None if `row` found all unchanged."""
        gaps = []
        # Only the first effect on each file starts from what the rows before left.
        for effect in {effect.path: effect for effect in reversed(row.effects)}.values():
            if effect.path not in self._texts:
                continue
            was = self._texts[effect.path]
            if effect.has_before:
                if _plain(effect.before) != _plain(was):
                    gaps.append(FileEffect(effect.path, was, effect.before, True, True))
            elif effect.hunks and (was is None or patched(was, effect.hunks) is None):
                gaps.append(FileEffect(effect.path))
        after = any(gap.path in self._since_command for gap in gaps)
        return LoggedEdit(0, "", "", kind=RowKind.GAP, effects=tuple(gaps), after_command=after) if gaps else None

    def take(self, row: LoggedEdit) -> None:
        """Note the files as they are after `row`."""
        if row.done and not row.is_told:
            self._since_command |= self._texts.keys()
        if row.done:
            for path in row.paths:
                self._take(row, path)

    def _take(self, row: LoggedEdit, path: str) -> None:
        known, text = path in self._texts, self._texts.get(path)
        effects = [effect for effect in row.effects if path in effect.paths]
        # Without effects, the log does not have how the call changed the file.
        known = known and bool(effects)
        for effect in effects:
            known, text = known or effect.has_before, effect.before if effect.has_before else text
            if effect.has_after:
                known, text = True, effect.after
            elif effect.moved_to == path:
                known = False
            elif known and text is not None and effect.hunks:
                text = patched(text, effect.hunks)
                known = text is not None
            else:
                known = False
            if effect.moved_to is not None and effect.path == path:
                known, text = True, None
        self._texts.pop(path, None)
        self._since_command.discard(path)
        if known:
            self._texts[path] = text


def _plain(text: str | None) -> str | None:
    return text.replace("\r\n", "\n") if text is not None else None
