"""The journal as use cases: undo, redo, the log, one operation shown.

What an undo would do can be asked before it is done; both answer with the same values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from dovetail.model.errors import JournalError
from dovetail.model.results import FileChange
from dovetail.session.journal.emptied import TakenBackEdits, as_it_stands, edits_taken_back, next_to_undo
from dovetail.workspace import FileVersions, Operation, Pruned, Recovery, Shown, Workspace
from dovetail.workspace.encoding import is_marked
from dovetail.workspace.history import check_newest
from dovetail.workspace.root import in_git


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What an undo or redo did, or would do.

    operation: its own entry in the journal; where nothing was written yet, the operation that would be taken back.
    edits: numbers of the edits taken back, where it was not all of it.
    in_git: the root lies in a git work tree, whose index and commits are not touched.
    """

    operation: Operation
    changes: tuple[FileChange, ...]
    in_git: bool
    edits: tuple[int, ...] = ()
    recovery: Recovery | None = None

    @property
    def notes(self) -> list[str]:
        """What else there is to say: what was made whole before, and what was left as it is."""
        notes = [self.recovery.message] if self.recovery is not None else []
        return [*notes, "Git's index and commits were not touched."] if self.in_git else notes


@dataclass(frozen=True, slots=True)
class Logged:
    """The journal's operations as they stand, newest first, how many more cannot be read, and what pruning removed.

    taken_back: the edits of each operation that were taken back by themselves.
    """

    operations: tuple[Operation, ...]
    taken_back: TakenBackEdits
    lost: int = 0
    pruned: Pruned | None = None
    recovery: Recovery | None = None


def undo(root: Path, wanted: str | None = None, *, dry_run: bool = False) -> TakenBack:
    """Take back an operation whole: the newest of which something stands, or the one named. Raises `JournalError`."""
    with Workspace.open(root) as workspace:
        which = partial(next_to_undo, workspace) if wanted is None else wanted
        if dry_run:
            return _would_take_back(workspace, workspace.would_undo(which))
        return _taken_back(workspace, workspace.undo(which))


def redo(root: Path, *, dry_run: bool = False) -> TakenBack:
    """Do again what the newest undo took back. Raises `JournalError`."""
    with Workspace.open(root) as workspace:
        if dry_run:
            return _would_take_back(workspace, workspace.would_redo())
        return _taken_back(workspace, workspace.redo())


def log(root: Path, *, prune: bool = False) -> Logged:
    """Every operation, newest first; with `prune`, after the oldest beyond the journal's limits were dropped."""
    with Workspace.open(root) as workspace:
        pruned = workspace.prune() if prune else None
        operations = workspace.log()
        taken_back = edits_taken_back(operations)
        standing = tuple(as_it_stands(workspace, operation, taken_back) for operation in reversed(operations))
        return Logged(standing, taken_back, workspace.lost(), pruned, workspace.recovery)


@dataclass(frozen=True, slots=True)
class Looked:
    """An operation with all that the journal keeps of it, its changes, and the edits that were taken back since."""

    shown: Shown
    changes: tuple[FileChange, ...]
    taken_back: frozenset[int] = frozenset()
    recovery: Recovery | None = None


def show(root: Path, wanted: str | None = None) -> Looked:
    """An operation, by default the newest. Raises `JournalError`."""
    with Workspace.open(root) as workspace:
        shown = workspace.show(_newest(workspace) if wanted is None else wanted)
        taken_back = edits_taken_back(workspace.log())
        operation = as_it_stands(workspace, shown.operation, taken_back)
        gone = taken_back.get(operation.id, frozenset())
        return Looked(replace(shown, operation=operation), changes_of(shown), gone, workspace.recovery)


def _newest(workspace: Workspace) -> str:
    operations = workspace.log()
    if not operations:
        raise JournalError("There is no operation yet.", hint="Apply a reply first.")
    check_newest(operations[-1])
    return operations[-1].id


def changes_of(shown: Shown) -> tuple[FileChange, ...]:
    """What an operation did to each file. A file that is no text counts as empty."""
    sources = {record.path: record.source for record in shown.operation.files}
    return tuple(
        FileChange(path, *_texts(versions), sources.get(path), (is_marked(versions.before), is_marked(versions.after)))
        for path, versions in shown.versions.items()
    )


def _texts(versions: FileVersions) -> tuple[str | None, str | None]:
    before = versions.before_text if versions.before_text is not None or versions.before is None else ""
    after = versions.after_text if versions.after_text is not None or versions.after is None else ""
    return before, after


def _taken_back(workspace: Workspace, operation: Operation, shown: Shown | None = None) -> TakenBack:
    changes = changes_of(shown or workspace.show(operation.id))
    return TakenBack(operation, changes, in_git(workspace.root), recovery=workspace.recovery)


def _would_take_back(workspace: Workspace, would: Shown) -> TakenBack:
    operation = next(operation for operation in workspace.log() if operation.id == would.operation.undoes)
    return _taken_back(workspace, operation, would)
