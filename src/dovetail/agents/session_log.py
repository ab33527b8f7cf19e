"""What a log says: a session of an agent, row by row, in one form for all agents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from dovetail.agents.hunks import NumberedHunk
from dovetail.model.blocks import Block


class CallOutcome(StrEnum):
    """What became of a call."""

    WRITTEN = "written"
    REFUSED = "refused"  # by the agent's tool, or by the user
    UNKNOWN = "unknown"  # the log does not say


class RowKind(StrEnum):
    """What a row is about."""

    EDIT = "edit"  # a call that edits files
    COMMAND = "command"  # a command of a shell that may change files
    SUBAGENT = "subagent"  # an agent of its own whose log is not at hand
    GAP = "gap"  # files are not as the row before left them: something other than a call changed them


@dataclass(frozen=True, slots=True)
class FileEffect:
    """What a call did to one file, as far as the log has it.

    path: with ``/``, relative to the session's folder where it lies in it.
    before, after: the whole text, without a byte-order mark; None for a file that was not there, or is gone.
    has_before, has_after: whether the log has that text.
    hunks: the changed lines with their numbers; () where the log has none.
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
        """Its path, and the one that it was moved to."""
        return (self.path,) if self.moved_to is None else (self.path, self.moved_to)

    def relative_to(self, root: str) -> FileEffect:
        """The effect with its paths from a folder, where they lie in it."""
        folder = root.replace("\\", "/").rstrip("/")

        def inside(path: str) -> str:
            plain = path.replace("\\", "/")
            return plain.removeprefix(f"{folder}/") if folder else plain

        return replace(self, path=inside(self.path), moved_to=self.moved_to and inside(self.moved_to))


@dataclass(frozen=True, slots=True)
class LoggedEdit:
    """One row of a session: a call that edits files or may, or a gap.

    n: its number, from 1. call_id, time: the log's own; None where it has none.
    reply: the call as text, as `dovetail.parse` reads it. blocks: what it says, with paths relative to the folder.
    effects: what it did to each file; () where the log says nothing of that.
    command: of a command, its text; of a sub-agent, what it was asked. folder: where a command ran, from the session's
    folder or absolute; "" for that folder.
    after_command: of a gap, that a command stands between it and the row that left the file: either made it.
    agent_id: of the sub-agent that made the call; None for the session's own agent.
    reason: what the agent's tool said where it refused the call.
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
        """The files that it names or changed, each once."""
        named = [block.path for block in self.blocks if block.path is not None]
        return tuple(dict.fromkeys([*named, *(path for effect in self.effects for path in effect.paths)]))

    @property
    def done(self) -> bool:
        """Return whether it may have been carried out."""
        return self.outcome is not CallOutcome.REFUSED

    @property
    def is_told(self) -> bool:
        """Return whether the log, or the call itself, tells what it did to files."""
        return bool(self.effects or self.blocks)


@dataclass(frozen=True, slots=True)
class AgentLog:
    """A session: which agent, in which folder, and its rows in order.

    commit: the commit of git on which it began; "" where the log does not say.
    parent: of a sub-agent's own log, the session that started it; else "".
    """

    agent: str
    root: str
    edits: tuple[LoggedEdit, ...]
    commit: str = ""
    parent: str = ""

    @property
    def untold(self) -> tuple[LoggedEdit, ...]:
        """The rows that may have changed files of which the log says nothing."""
        return tuple(edit for edit in self.edits if edit.done and not edit.is_told)
