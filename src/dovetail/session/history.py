"""The journal as use cases: undo, redo, the log, one operation shown.

What an undo would do can be asked before it is done; both answer with the same values.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dovetail.match.merge import merge
from dovetail.model.dataclasses import dataclass
from dovetail.model.errors import JournalError
from dovetail.model.results import FileChange
from dovetail.model.text import apply_edits
from dovetail.workspace import FileVersions, Operation, Pruned, Recovery, Shown, Workspace
from dovetail.workspace.history import to_redo, to_undo
from dovetail.workspace.root import in_git


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What an undo or redo did, or would do.

    operation: its own entry in the journal; where nothing was written yet, the operation that would be taken back.
    edits: numbers of the edits taken back, where it was not all of it.
    in_git: the root lies in a git work tree, whose index and commits an undo does not touch.
    """

    operation: Operation
    changes: tuple[FileChange, ...]
    in_git: bool
    edits: tuple[int, ...] = ()
    recovery: Recovery | None = None


@dataclass(frozen=True, slots=True)
class Logged:
    """The journal's operations, newest first, and what pruning removed."""

    operations: tuple[Operation, ...]
    pruned: Pruned | None = None
    recovery: Recovery | None = None


def undo(root: Path, wanted: str | None = None, *, dry_run: bool = False) -> TakenBack:
    """Take back an operation whole: the newest not undone, or the one named. Raises `JournalError`."""
    with Workspace.open(root) as workspace:
        if dry_run:
            return _would_take_back(workspace, to_undo(_by_id(workspace), wanted))
        return _taken_back(workspace, workspace.undo(wanted))


def redo(root: Path, *, dry_run: bool = False) -> TakenBack:
    """Do again what the newest undo took back. Raises `JournalError`."""
    with Workspace.open(root) as workspace:
        if dry_run:
            return _would_take_back(workspace, to_redo(_by_id(workspace)))
        return _taken_back(workspace, workspace.redo())


def log(root: Path, *, prune: bool = False) -> Logged:
    """Every operation, newest first; with `prune`, after the oldest beyond the journal's limits were dropped."""
    with Workspace.open(root) as workspace:
        pruned = workspace.prune() if prune else None
        return Logged(tuple(reversed(workspace.log())), pruned, workspace.recovery)


def show(root: Path, wanted: str) -> tuple[Shown, tuple[FileChange, ...]]:
    """An operation with all that the journal keeps of it, and its changes. Raises `JournalError`."""
    with Workspace.open(root) as workspace:
        shown = workspace.show(wanted)
        return shown, changes_of(shown)


def changes_of(shown: Shown) -> tuple[FileChange, ...]:
    """What an operation did to each file. A file that is no text counts as empty."""
    sources = {record.path: record.source for record in shown.operation.files}
    return tuple(
        FileChange(path, *_texts(versions), source=sources.get(path)) for path, versions in shown.versions.items()
    )


def _texts(versions: FileVersions) -> tuple[str | None, str | None]:
    before = versions.before_text if versions.before_text is not None or versions.before is None else ""
    after = versions.after_text if versions.after_text is not None or versions.after is None else ""
    return before, after


def _by_id(workspace: Workspace) -> Mapping[str, Operation]:
    return {operation.id: operation for operation in workspace.log()}


def _taken_back(workspace: Workspace, operation: Operation) -> TakenBack:
    changes = changes_of(workspace.show(operation.id))
    return TakenBack(operation, changes, in_git(workspace.root), recovery=workspace.recovery)


def _would_take_back(workspace: Workspace, operation: Operation) -> TakenBack:
    """What taking an operation back would come to, by the same merge that does it."""
    shown = workspace.show(operation.id)
    now = workspace.snapshot(shown.versions, tree=frozenset())
    changes: list[FileChange] = []
    for path, versions in shown.versions.items():
        early, late = _texts(versions)
        file = now.files.get(path)
        text = file.text if file is not None else None
        changes.append(FileChange(path, text, carried(path, base=late, ours=text, theirs=early)))
    changed = tuple(change for change in changes if change.before != change.after)
    return TakenBack(operation, changed, in_git(workspace.root), recovery=workspace.recovery)


def carried(path: str, *, base: str | None, ours: str | None, theirs: str | None) -> str | None:
    """What a file becomes when the change from `base` to `theirs` is made to `ours`; None for no file.

    Raises `JournalError` where both changed the same lines, or one of them removed what the other changed.
    """
    if ours in (base, theirs):
        return theirs
    if base is None or ours is None or theirs is None:
        what = "is gone" if ours is None else "was edited"
        raise JournalError(f"`{path}` {what} since; nothing was changed.", hint="Change it by hand.")
    merged = merge(base, ours, theirs)
    if merged.clashes:
        line = ours.count("\n", 0, merged.clashes[0].ours.start) + 1
        raise JournalError(
            f"`{path}` was edited since, at line {line} too; nothing was changed.", hint="Change it by hand."
        )
    return apply_edits(ours, merged.edits)
