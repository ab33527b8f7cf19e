"""The journal on the page: what was done, one operation shown, undo and redo, whole or edit by edit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dovetail.model.errors import JournalError
from dovetail.model.results import FileChange
from dovetail.session import history
from dovetail.session.diff import diff_of, renames_of, with_renames_joined
from dovetail.session.records import Record, kind_of, of_operation
from dovetail.session.undo_edits import undo_edits
from dovetail.web.planning import after_writing, look_around
from dovetail.web.turn_records import of_hunks

if TYPE_CHECKING:
    from dovetail.web.desk import Desk
    from dovetail.workspace import Operation


def log(desk: Desk, most: int) -> Record:
    """The newest operations, newest first, and how many of all cannot be read."""
    logged = history.log(desk.root)
    told = [_of_logged(operation, logged.undone.get(operation.id, ())) for operation in logged.operations[:most]]
    return {"operations": told, "lost": logged.lost}


def _of_logged(operation: Operation, undone: Collection[int]) -> Record:
    """An operation, its renames beside its paths, which of its edits were taken back by themselves, and how many
    operations behind it cannot be read."""
    told = {"renamed": renames_of(operation.files), "undone": sorted(undone), "lost": operation.lost}
    return {**of_operation(operation), **told}


def show(desk: Desk, wanted: str) -> Record:
    """One operation with its reply, results and diffs. Raises `JournalError`."""
    looked = history.show(desk.root, wanted)
    shown, mine = looked.shown, looked.shown.operation.id
    turns = (
        turn.id
        for turn in desk.turns.values()
        if turn.choices is not None and any(write.operation == mine for write in turn.choices.writes)
    )
    return {
        "operation": _of_logged(shown.operation, looked.undone),
        "reply": shown.reply,
        "results": list(shown.results),
        "changes": [of_changed(change) for change in with_renames_joined(looked.changes)],
        "turn": next(turns, None),
    }


def undo(desk: Desk, wanted: str | None, edits: Sequence[int], *, dry_run: bool) -> Record:
    """Take back an operation, or some of its edits. Raises `JournalError`."""
    with _looking_around(desk):
        if edits:
            done = undo_edits(desk.root, wanted, edits, desk.options.reply, dry_run=dry_run)
        else:
            done = history.undo(desk.root, wanted, dry_run=dry_run)
    return _told(desk, done, dry_run=dry_run)


def redo(desk: Desk, *, dry_run: bool) -> Record:
    """Do again what was undone last. Raises `JournalError`."""
    with _looking_around(desk):
        done = history.redo(desk.root, dry_run=dry_run)
    return _told(desk, done, dry_run=dry_run)


@contextmanager
def _looking_around(desk: Desk) -> Iterator[None]:
    """Where the journal refuses, a terminal may have been there before: what the page shows is brought up to date."""
    try:
        yield
    except JournalError:
        look_around(desk)
        raise


def of_changed(change: FileChange) -> Record:
    """One file's change with its hunks."""
    return {
        "path": change.path,
        "change": kind_of(change),
        "source": change.source,
        "hunks": of_hunks(diff_of(change)),
    }


def _told(desk: Desk, done: history.UndoResult, *, dry_run: bool) -> Record:
    operation = of_operation(done.operation)
    if not dry_run:
        with desk.open() as workspace:
            after_writing(desk, workspace, done.changes, done.operation)
    changes = [of_changed(change) for change in with_renames_joined(done.changes)]
    return {"operation": operation, "changes": changes, "notes": done.notes}
