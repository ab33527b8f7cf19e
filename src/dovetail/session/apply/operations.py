"""The use cases of the journal: undo, redo, the log, one operation shown.

A dry run returns the same values as an undo. An operation also counts as undone if each of its edits was undone alone:
the journal itself knows only operations that were undone whole, and undoing an empty one would record an operation
without changes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from functools import partial
from pathlib import Path

from dovetail.model.codes import Status
from dovetail.model.errors import JournalError, UsageError
from dovetail.model.results import FileChange
from dovetail.session.apply.diff import count_lines, with_renames_joined
from dovetail.text.pattern import pattern
from dovetail.workspace import Label, Operation, OperationState, Pruned, Recovery, Shown, Workspace
from dovetail.workspace.encoding import is_marked
from dovetail.workspace.journal.undo import Conflict, Intent, check_newest, to_undo
from dovetail.workspace.operation import FileVersions, renames_of
from dovetail.workspace.root import in_git

UndoneEdits = Mapping[str, frozenset[int]]
"""Operation's id → numbers of its edits that were undone alone."""


def edits_undone(operations: Iterable[Operation]) -> UndoneEdits:
    """Return the edits of each operation that were undone alone, and not redone; no entry if there are none."""
    undone: dict[str, frozenset[int]] = {}
    for operation in operations:
        if (
            operation.label is Label.UNDO
            and operation.edits
            and operation.state is OperationState.DONE
            and operation.undoes
        ):
            undone[operation.undoes] = undone.get(operation.undoes, frozenset()).union(operation.edits)
    return undone


def _is_emptied(workspace: Workspace, operation: Operation, undone: UndoneEdits) -> bool:
    """Return whether every edit of an apply was undone alone. Raises `JournalError`."""
    gone = undone.get(operation.id)
    if gone is None or operation.label is not Label.APPLY or operation.state is not OperationState.DONE:
        return False
    results = workspace.show(operation.id).results
    return all(result["n"] in gone for result in results if result["status"] == Status.WRITTEN)


def _with_current_state(workspace: Workspace, operation: Operation, undone: UndoneEdits) -> Operation:
    """Return the operation with its state for people: undone also if each of its edits was undone alone."""
    with suppress(JournalError):  # its results cannot be read any more
        if _is_emptied(workspace, operation, undone):
            return replace(operation, state=OperationState.UNDONE)
    return operation


def next_to_undo(workspace: Workspace, known: Mapping[str, Operation]) -> str:
    """Return the id of the newest apply with an edit that is not undone. Raises `JournalError` if there is none."""
    operations = dict(known)
    undone = edits_undone(operations.values())
    # An apply whose edits were all undone alone counts as done to the journal; it is passed over here.
    while _is_emptied(workspace, newest := to_undo(operations, None), undone):
        del operations[newest.id]
    return newest.id


def edits_undone_since(workspace: Workspace, wanted: Iterable[str]) -> dict[str, frozenset[int] | None]:
    """Return, for the applies `wanted`, the edits of each that were undone alone, or None if all of it is undone.

    Applies that are not in the journal (any more) are left out. Raises `JournalError`.
    """
    operations = {operation.id: operation for operation in workspace.log()}
    undone = edits_undone(operations.values())
    found: dict[str, frozenset[int] | None] = {}
    for name in wanted:
        operation = operations.get(name)
        if operation is not None and operation.label is Label.APPLY:
            in_force = operation.state is OperationState.DONE and not _is_emptied(workspace, operation, undone)
            found[name] = undone.get(name, frozenset()) if in_force else None
    return found


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The result of an undo or redo, or of its dry run.

    operation: the new operation; for a dry run, the one that would be undone, or the new one if several would be.
    edits: numbers of the edits undone, if it was not all of the operation.
    in_git: the root is in a git work tree, whose index and commits are not touched.
    newer: how many recorded changes that are not undone are newer than what was taken back, if no operation was named.
    merged: files that somebody edited since, whose later edits stay → how many lines these added and removed.
    conflicts: files that were left as they are, because they cannot be merged.
    is_plain: after a redo, an undo without arguments would take back what it brought again.
    """

    operation: Operation
    changes: tuple[FileChange, ...]
    in_git: bool
    edits: tuple[int, ...] = ()
    recovery: Recovery | None = None
    newer: int = 0
    merged: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
    is_plain: bool = True

    @property
    def notes(self) -> list[str]:
        """Sentences about a recovery, merged files, conflicts, newer changes, and git."""
        notes = [self.recovery.message] if self.recovery is not None else []
        if self.merged:
            named = ", ".join(f"{path} (+{added} -{removed})" for path, (added, removed) in self.merged.items())
            notes.append(f"Edited since, and merged: {named}. Those later edits stay.")
        notes += [f"Left as it is: {conflict.text}." for conflict in self.conflicts]
        if self.newer:
            notes.append(f"Newer changes of agents stay ({self.newer}). To take them back: dovetail undo --session")
        return [*notes, "Git's index and commits were not touched."] if self.in_git else notes


def undo_to(root: Path, wanted: str, *, dry_run: bool = False, except_conflicts: bool = False) -> UndoResult:
    """Undo, in one step, every apply after the named operation. Raises as `undo` does."""
    with Workspace.open(root) as workspace:
        if dry_run:
            return _would_undo(workspace, workspace.would_undo_to(wanted, except_conflicts=except_conflicts))
        return _undo_result(workspace, workspace.undo_to(wanted, except_conflicts=except_conflicts))


def undo(root: Path, wanted: str | None = None, *, dry_run: bool = False, except_conflicts: bool = False) -> UndoResult:
    """Undo an operation whole: the newest with an edit in force, or the one named.

    except_conflicts: leave files that were edited since and cannot be merged. Without it, one such file raises
    `ConflictError`, and nothing is changed; so does any other `JournalError`.
    """
    with Workspace.open(root) as workspace:
        which = partial(next_to_undo, workspace) if wanted is None else wanted
        if dry_run:
            done = _would_undo(workspace, workspace.would_undo(which, except_conflicts=except_conflicts))
        else:
            done = _undo_result(workspace, workspace.undo(which, except_conflicts=except_conflicts))
        taken = done.operation.id if dry_run else done.operation.undoes or ""
        recorded = [op.id for op in workspace.log() if op.label is Label.RECORDED and op.state is OperationState.DONE]
        return replace(done, newer=sum(name > taken for name in recorded) if wanted is None else 0)


def undo_by_intent(root: Path, wanted: Intent, *, dry_run: bool = False, except_conflicts: bool = False) -> UndoResult:
    """Undo, in one step, the changes of agents that `wanted` selects. Raises as `undo` does."""
    with Workspace.open(root) as workspace:
        if dry_run:
            return _would_undo(workspace, workspace.would_undo_by_intent(wanted, except_conflicts=except_conflicts))
        return _undo_result(workspace, workspace.undo_by_intent(wanted, except_conflicts=except_conflicts))


_AGO = pattern(r"([0-9]{1,6})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_CLOCK = pattern(r"[0-9]{1,2}:[0-9]{2}")


def intent_of(
    session: str | None, prompt: str | None, call: str | None, since: str | None, paths: Sequence[str]
) -> Intent:
    """Return the selection for options as a user typed them. Raises `UsageError`.

    prompt: `NUMBER` or `SESSION:NUMBER`. since: as in `30m`, `14:30` or `2026-01-31T14:30`.
    """
    number = None
    if prompt is not None:
        named, _, count = prompt.rpartition(":")
        if not count.isdecimal() or int(count) < 1:
            raise UsageError(f"`{prompt}` is no request.", hint="Requests are numbered from 1; see `dovetail log`")
        session, number = named or session, int(count)
    return Intent(session, number, call, None if since is None else _moment(since), tuple(paths))


def _moment(typed: str) -> str:
    """Turn a time that a person typed (``30m``, ``14:30``) into UTC, as the journal writes it. Raises `UsageError`."""
    now = datetime.now().astimezone()
    try:
        if (ago := _AGO.fullmatch(typed)) is not None:
            moment = now - timedelta(seconds=int(ago[1]) * _SECONDS[ago[2]])
        elif _CLOCK.fullmatch(typed):
            # 9:05 becomes 09:05, of today by the local clock.
            moment = datetime.combine(now.date(), time.fromisoformat(typed.zfill(5))).astimezone()
        else:
            moment = datetime.fromisoformat(typed).astimezone()
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError) as error:
        hint = "Write it as 30m, 2h, 3d, 14:30 or 2026-01-31T14:30"
        raise UsageError(f"`{typed}` is no time.", hint=hint) from error


def redo(root: Path, *, dry_run: bool = False, except_conflicts: bool = False) -> UndoResult:
    """Do again what the newest undo took back. Raises as `undo` does."""
    with Workspace.open(root) as workspace:
        if dry_run:
            return _would_undo(workspace, workspace.would_redo(except_conflicts=except_conflicts))
        done = _undo_result(workspace, workspace.redo(except_conflicts=except_conflicts))
        known = {operation.id: operation for operation in workspace.log()}
        undone = known[done.operation.undoes or ""]
        taken = [known[name].label for name in undone.reverses if name in known]
        return replace(done, is_plain=taken == [Label.APPLY] and not done.operation.is_partial)


def _would_undo(workspace: Workspace, would: Shown) -> UndoResult:
    planned = would.operation
    operation = next(operation for operation in workspace.log() if operation.id == planned.undoes)
    if planned.also or planned.only:  # of several operations or a part: the operation that would be recorded
        operation = planned
    return _undo_result(workspace, operation, would)


def _undo_result(workspace: Workspace, operation: Operation, shown: Shown | None = None) -> UndoResult:
    shown = shown or workspace.show(operation.id)
    merged = _merged(workspace, shown)
    return UndoResult(
        operation,
        changes_of(shown),
        in_git(workspace.root),
        recovery=workspace.recovery,
        merged=merged,
        conflicts=workspace.conflicts,
    )


def _merged(workspace: Workspace, reversal: Shown) -> dict[str, tuple[int, int]]:
    """Return the files that were edited since the operations that a reversal takes back, without removed ones.

    Each with the numbers of lines that were added and removed since.
    """
    known = {operation.id: operation for operation in workspace.log()}
    left: dict[str, str | None] = {}
    # `left` has the digest with which the operations left each file; if the reversal found another, it was edited.
    for name in reversed(reversal.operation.reverses):  # oldest first: what the last of them left counts
        left.update({file.path: file.digests[1] for file in known[name].files} if name in known else {})
    found = {file.path: file for file in reversal.operation.files}
    merged: dict[str, tuple[int, int]] = {}
    for file in reversal.operation.files:
        here = found.get(file.source or "", file)  # an edit of a renamed file goes along to its old name
        if file.after is None or here.path not in left or here.digests[0] == left[here.path]:
            continue
        digest = left[here.path]
        with suppress(JournalError):  # the journal keeps it no longer
            was = None if digest is None else workspace.text(digest, here.path)
            now = reversal.versions[here.path].before_text
            merged[file.path] = count_lines(FileChange(file.path, was, now))
    return merged


@dataclass(frozen=True, slots=True)
class JournalLog:
    """The journal's operations in their current state, newest first.

    undone: the edits of each that were undone alone. lost: how many more cannot be read. pruned: what pruning removed.
    refused: why nothing of it can be undone, as `recovery` may say, too; None if the journal is this user's own.
    lines: operation's id → numbers of lines added and removed, as far as they are known.
    older: how many further operations the journal has.
    """

    operations: tuple[Operation, ...]
    undone: UndoneEdits
    lost: int = 0
    pruned: Pruned | None = None
    recovery: Recovery | None = None
    refused: JournalError | None = None
    lines: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    older: int = 0


def log(root: Path, *, prune: bool = False, most: int = sys.maxsize, counted: bool = False) -> JournalLog:
    """Return at most `most` operations, newest first.

    prune: drop the oldest operations beyond the journal's limits before. counted: count the changed lines, too.
    """
    with Workspace.open(root) as workspace:
        pruned = workspace.prune() if prune else None
        newest = workspace.newest(most)
        undone = edits_undone(newest.partial)
        operations = tuple(_with_current_state(workspace, each, undone) for each in reversed(newest.operations))
        shown = [op for op in operations if op.id in newest.versions] if counted else []
        lines = {op.id: _count_lines(_changes(op, newest.versions[op.id])) for op in shown}
        older = max(0, newest.older)
        return JournalLog(operations, undone, newest.lost, pruned, workspace.recovery, newest.refused, lines, older)


def changes_back(shown: Shown) -> tuple[FileChange, ...]:
    """Return the changes that undo would make for an operation if nobody had edited its files since."""
    return tuple(
        FileChange(change.path, change.after, change.before, marks=change.marks[::-1])
        for change in _changes(shown.operation, shown.versions)
    )


def _count_lines(changes: Sequence[FileChange]) -> tuple[int, int]:
    """Return the numbers of lines added and removed; a renamed file counts as one."""
    numbers = [count_lines(change) for change in with_renames_joined(changes)]
    return sum(added for added, _ in numbers), sum(removed for _, removed in numbers)


@dataclass(frozen=True, slots=True)
class OperationDetails:
    """An operation with its contents, its changes, and the numbers of its edits that were undone alone.

    refused: as in `JournalLog`.
    """

    shown: Shown
    changes: tuple[FileChange, ...]
    undone: frozenset[int] = frozenset()
    recovery: Recovery | None = None
    refused: JournalError | None = None


def show(root: Path, wanted: str | None = None) -> OperationDetails:
    """Return the details of an operation, by its id or a part of the id; None for the newest. Raises `JournalError`."""
    with Workspace.open(root) as workspace:
        operations = workspace.log()
        if wanted is None:
            if not operations:
                raise JournalError("There is no operation yet.", hint="Apply a reply first.")
            check_newest(operations[-1])
            wanted = operations[-1].id
        shown = workspace.show(wanted)
        undone = edits_undone(operations)
        operation = _with_current_state(workspace, shown.operation, undone)
        gone = undone.get(operation.id, frozenset())
        looked = replace(shown, operation=operation)
        return OperationDetails(looked, changes_of(shown), gone, workspace.recovery, _refusal(workspace))


def _refusal(workspace: Workspace) -> JournalError | None:
    return workspace.refusal() if workspace.recovery is None else None


def changes_of(shown: Shown) -> tuple[FileChange, ...]:
    """Return an operation's change of each file. A file that is no text counts as empty."""
    return _changes(shown.operation, shown.versions)


def _changes(operation: Operation, files: Mapping[str, FileVersions]) -> tuple[FileChange, ...]:
    sources = {file.path: file.source for file in operation.files} | renames_of(operation.files)
    changes = []
    for path, versions in files.items():
        before = versions.before_text if versions.before_text is not None or versions.before is None else ""
        after = versions.after_text if versions.after_text is not None or versions.after is None else ""
        marks = (is_marked(versions.before), is_marked(versions.after))
        changes.append(FileChange(path, before, after, sources.get(path), marks))
    return tuple(changes)
