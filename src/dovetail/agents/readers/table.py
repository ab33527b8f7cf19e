"""The table of agents' logs: how each is recognized, its reader, and where the logs of its sub-agents are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from dovetail import extensions
from dovetail.agents.readers import claude, codex, copilot, cursor, gemini, opencode, pi, qwen
from dovetail.agents.readers.calls import Json, Record


class LogFormat(NamedTuple):
    """One row of the table.

    is_record: returns whether only this agent writes such a record. read: returns a log's record from its objects.
    subagent_logs: returns the logs of a session's sub-agents, from its log's path, its id, and the names in its calls.
    places: where the agent keeps its logs, as globs below the user's home folder.
    """

    agent: str
    is_record: Callable[[Json], bool]
    read: Callable[[Sequence[Json]], Record]
    subagent_logs: Callable[[Path, str, Sequence[str]], list[Path]]
    places: tuple[str, ...] = ()


FORMATS = (
    LogFormat("codex", codex.is_record, codex.read, codex.subagent_logs, (".codex/sessions/**/rollout-*.jsonl",)),
    LogFormat("qwen-code", qwen.is_record, qwen.read, qwen.subagent_logs, (".qwen/projects/*/chats/*.jsonl",)),
    LogFormat("claude-code", claude.is_record, claude.read, claude.subagent_logs, (".claude/projects/*/*.jsonl",)),
    LogFormat("gemini-cli", gemini.is_record, gemini.read, gemini.subagent_logs, (".gemini/tmp/*/chats/*.json*",)),
    LogFormat("opencode", opencode.is_record, opencode.read, opencode.subagent_logs),
    LogFormat("pi", pi.is_record, pi.read, pi.subagent_logs, (".pi/agent/sessions/**/*.jsonl",)),
    LogFormat(
        "copilot-cli",
        copilot.is_record,
        copilot.read,
        copilot.subagent_logs,
        (".copilot/session-state/**/events.jsonl",),
    ),
    LogFormat("cursor", cursor.is_record, cursor.read, cursor.subagent_logs, (".cursor/projects/**/*.jsonl",)),
)
"""The first row that recognizes one of a log's records reads it. aider's history is a text without records, and is
recognized by its first line (`aider.START`)."""


@cache
def log_formats() -> tuple[LogFormat, ...]:
    """Return all rows. Those of other packages come before Cursor's, which recognizes almost any record."""
    added = (row for _, row in extensions.added("dovetail.logs", LogFormat))
    return (*FORMATS[:-1], *added, FORMATS[-1])
