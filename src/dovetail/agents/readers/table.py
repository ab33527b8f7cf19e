"""The one table of agents' logs: how each is recognized, who reads it, and where the logs of its sub-agents are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from dovetail import extensions
from dovetail.agents.readers import claude, codex, copilot, cursor, gemini, opencode, pi, qwen
from dovetail.agents.readers.calls import Json, Record


class LogFormat(NamedTuple):
    """One row.

    is_record: whether a record is this agent's alone. read: what a log's records hold.
    subagent_logs: the logs of a session's sub-agents, by its log's path, its id, and the names that its calls give.
    places: where its logs are, as globs from the user's home folder.
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
"""A log is that of the first row which recognizes one of its records. aider's history is a text without records, and is
recognized by its first line (`aider.START`)."""


@cache
def log_formats() -> tuple[LogFormat, ...]:
    """All rows. Other packages' stand before Cursor's, whose records have nothing that is theirs alone."""
    added = (row for _, row in extensions.added("dovetail.logs", LogFormat))
    return (*FORMATS[:-1], *added, FORMATS[-1])
