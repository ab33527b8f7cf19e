"""The contents of a log: a session of an agent, row by row, in one form for all agents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from dovetail.agents.hunks import NumberedHunk
from dovetail.model.blocks import Block


class CallOutcome(StrEnum):
    """Whether a call was carried out."""

    WRITTEN = "written"
    REFUSED = "refused"  # by the agent's tool, or by the user
    UNKNOWN = "unknown"  # the log does not say


class RowKind(StrEnum):
    """The kind of a row."""

    EDIT = "edit"  # a call that edits files
    COMMAND = "command"  # a command of a shell that may change files
    SUBAGENT = "subagent"  # an agent of its own whose log is not at hand
    GAP = "gap"  # files are not as the row before left them: something other than a call changed them


@dataclass(frozen=True, slots=True)
class FileEffect:
    """A call's change of one file, as far as the log has it.

    path: with ``/``, relative to the session's folder if it is inside.
    before, after: the whole text, without a byte-order mark; None for no file, or if the log does not have it.
    has_before, has_after: whether the log has that text, or that there was no file.
    hunks: the changed lines with their numbers; () if the log has none.
    moved_to: the new path of a file that was moved; `after` is the text there.
    marked: one of the texts began with a byte-order mark.
    """

    path: str
    before: str | None = None
    after: str | None = None
    has_before: bool = False
    has_after: bool = False
    hunks: tuple[NumberedHunk, ...] = ()
    moved_to: str | None = None
    marked: bool = False

    def __post_init__(self) -> None:
        for text in (self.path, self.before, self.after, self.moved_to):
            if not isinstance(text, str | None):
                raise TypeError(f"`{str(text)[:60]}` is no text")

    @property
    def paths(self) -> tuple[str, ...]:
        """The file's path, and the one that it was moved to, if any."""
        return (self.path,) if self.moved_to is None else (self.path, self.moved_to)

    def relative_to(self, root: str) -> FileEffect:
        """Return the effect with paths inside a folder made relative to it."""
        folder = root.replace("\\", "/").rstrip("/")

        def inside(path: str) -> str:
            plain = path.replace("\\", "/")
            return plain.removeprefix(f"{folder}/") if folder else plain

        return replace(self, path=inside(self.path), moved_to=self.moved_to and inside(self.moved_to))


@dataclass(frozen=True, slots=True)
class LoggedEdit:
    """One row of a session: a call that edits files or may, or a gap.

    n: its number, from 1. call_id, time: as the log has them; None without one.
    reply: the call as text, as `dovetail.parse` reads it. blocks: its edits, with paths relative to the folder.
    effects: its changes of files; () if the log has none.
    command: the text of a command, or the task of a sub-agent. folder: where a command ran, relative to the session's
    folder ("" for that) or absolute.
    after_command: a command ran since the last row about the file of a gap, and may have made the change.
    agent_id: the sub-agent that made the call; None for the session's own agent.
    reason: the tool's message if it refused the call.
    """

    n: int
    tool: str
    reply: str
    blocks: tuple[Block, ...] = ()
    kind: RowKind = RowKind.EDIT
    outcome: CallOutcome = CallOutcome.WRITTEN
    call_id: str | None = None
    time: str | None = None
    model: str | None = None
    effects: tuple[FileEffect, ...] = ()
    command: str = ""
    after_command: bool = False
    agent_id: str | None = None
    reason: str = ""
    folder: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the files that this names or changed, each once."""
        named = [block.path for block in self.blocks if block.path is not None]
        return tuple(dict.fromkeys([*named, *(path for effect in self.effects for path in effect.paths)]))

    @property
    def done(self) -> bool:
        """Return whether this may have been carried out: it was not refused."""
        return self.outcome is not CallOutcome.REFUSED

    @property
    def is_told(self) -> bool:
        """Return whether the log has effects of this on files, or the call itself has edits."""
        return bool(self.effects or self.blocks)


@dataclass(frozen=True, slots=True)
class AgentLog:
    """A session: which agent, in which folder, and its rows in order.

    root: the folder; "" if the log does not name it. commit: git's commit on which it began; "" if not known.
    parent: in a sub-agent's own log, the id of the session that started it; else "".
    """

    agent: str
    root: str
    edits: tuple[LoggedEdit, ...]
    commit: str = ""
    parent: str = ""

    @property
    def untold(self) -> tuple[LoggedEdit, ...]:
        """The rows that may have changed files and have neither effects nor edits in the log."""
        return tuple(edit for edit in self.edits if edit.done and not edit.is_told)
